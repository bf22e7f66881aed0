// Answers the questions of the page: the daemon that serves it, or a worker with the same code as
// WebAssembly. Both have the same paths and answers.

export const isDaemon = document.querySelector("meta[name=heed-engine]").content !== "wasm";

// Cancelled is thrown to whoever waits for an answer when a newer question of the same kind came.
export class Cancelled extends Error {}

const send = isDaemon ? fromDaemon() : fromWorker();

// ask returns the answer of a POST. A newer question of the same kind cancels an older one.
export function ask(kind, path, question) {
  return send(kind, path, JSON.stringify(question));
}

// get returns the answer of a GET.
export function get(kind, path) {
  return send(kind, path, null);
}

function fromDaemon() {
  const open = new Map(); // by kind: the AbortController of the newest question
  return async (kind, path, body) => {
    open.get(kind)?.abort();
    const controller = new AbortController();
    open.set(kind, controller);
    const options = { signal: controller.signal, credentials: "same-origin", redirect: "error" };
    if (body !== null) {
      Object.assign(options, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    }
    let status, text;
    try {
      const response = await fetch(path, options);
      status = response.status;
      text = await response.text();
    } catch (err) {
      if (controller.signal.aborted) {
        throw new Cancelled();
      }
      throw new Error("heed serve does not answer. Is it still running?");
    }
    if (controller.signal.aborted) {
      throw new Cancelled();
    }
    return answerOf(status, text);
  };
}

// The worker answers one question at a time, so the others wait here, where a newer one can still
// replace them. The kinds are in the order in which they are asked.
const order = ["crawlers", "grid", "explain", "lint", "compare"];

function fromWorker() {
  const worker = new Worker(workerURL());
  const waiting = new Map(); // by kind
  let current = null, id = 0;

  const next = () => {
    const kind = order.find((k) => waiting.has(k));
    if (current || !kind) {
      return;
    }
    current = { kind, id: ++id, ...waiting.get(kind) };
    waiting.delete(kind);
    worker.postMessage({ id: current.id, path: current.path, body: current.body });
  };
  worker.addEventListener("message", ({ data }) => {
    if (data.id !== current?.id) {
      return;
    }
    const { kind, resolve, reject } = current;
    current = null;
    if (waiting.has(kind)) {
      reject(new Cancelled());
    } else {
      resolve({ status: data.status, body: data.body });
    }
    next();
  });
  worker.addEventListener("error", () => {
    current?.reject(new Error("The WebAssembly part of this page could not be loaded."));
    current = null;
  });
  return async (kind, path, body) => {
    waiting.get(kind)?.reject(new Cancelled());
    const answer = await new Promise((resolve, reject) => {
      waiting.set(kind, { path, body, resolve, reject });
      next();
    });
    return answerOf(answer.status, answer.body);
  };
}

// workerURL returns the address of the worker in the form that Trusted Types need: the policy of
// the page allows no other script.
function workerURL() {
  const name = "worker.js";
  if (!globalThis.trustedTypes) {
    return name;
  }
  return trustedTypes.createPolicy("heed-worker", { createScriptURL: () => name }).createScriptURL("");
}

// answerOf returns the value of an answer, or throws its error.
function answerOf(status, body) {
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Error(`The answer has the status ${status} and cannot be read.`);
  }
  if (status >= 400) {
    throw new Error(value.error ?? `The answer has the status ${status}.`);
  }
  return value;
}
