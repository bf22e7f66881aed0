// Answers the questions of the page. They go to the daemon that serves the page, or to a worker that runs the same code
// as WebAssembly. Both have the same paths and answers.

import { askForToken } from "./token.js";

export const isDaemon = document.querySelector("meta[name=heed-engine]").content !== "wasm";

// Cancelled is the error of a question that was cancelled, because a newer question of the same kind was asked.
export class Cancelled extends Error {}

const { send, cancel } = isDaemon ? fromDaemon() : fromWorker();

// cancel cancels a question of a kind, if there is one.
export { cancel };

// ask returns the answer of a POST. A newer question of the same kind cancels an older one.
export function ask(kind, path, question) {
  return send(kind, path, question);
}

// get returns the answer of a GET.
export function get(kind, path) {
  return send(kind, path, null);
}

function fromDaemon() {
  const open = new Map(); // by kind: the AbortController of the newest question
  let token = "";
  const cancel = (kind) => open.get(kind)?.abort();
  const send = async (kind, path, question) => {
    cancel(kind);
    const controller = new AbortController();
    open.set(kind, controller);
    const options = { signal: controller.signal, credentials: "same-origin", redirect: "error", headers: {} };
    if (question !== null) {
      Object.assign(options, { method: "POST", body: new Blob([JSON.stringify(question)]) }); // fetch takes longer to copy a string
      options.headers["Content-Type"] = "application/json";
    }
    for (;;) {
      if (token !== "") {
        options.headers.Authorization = `Bearer ${token}`;
      }
      let status, text;
      try {
        const response = await fetch(path, options);
        status = response.status;
        text = await response.text();
      } catch {
        status = 0;
      }
      if (controller.signal.aborted) {
        throw new Cancelled();
      }
      if (status === 0) {
        throw new Error("heed serve does not answer. Is it still running?");
      }
      if (status === 401) {
        token = await askForToken(token !== "");
        if (token !== "") {
          continue;
        }
      }
      return answerOf(status, text);
    }
  };
  return { send, cancel };
}

// A worker answers one question at a time. The other questions wait here, so that a newer question can still replace
// them. There are two workers, so that the grid does not wait for slow answers.
function fromWorker() {
  const quick = ["crawlers", "offer", "grid"], slow = ["explain", "lint", "records", "compare", "flips", "write", "policy"]; // kinds, in the order in which they are asked
  const script = workerScript();
  const lanes = [laneOf(script, quick), laneOf(script, slow)];
  const laneWith = (kind) => lanes.find((lane) => lane.kinds.includes(kind));
  return {
    send: (kind, path, question) => laneWith(kind).send(kind, path, question),
    cancel: (kind) => laneWith(kind).cancel(kind),
  };
}

// workerScript returns the address of the script of the workers. If the browser has Trusted Types, a worker needs an
// address that the policy "heed-worker" made.
function workerScript() {
  const script = "worker.js";
  return globalThis.trustedTypes?.createPolicy("heed-worker", { createScriptURL: () => script }).createScriptURL("") ?? script;
}

function laneOf(script, kinds) {
  const waiting = new Map(); // by kind
  let worker = null, current = null, id = 0;

  function start() {
    worker = new Worker(script);
    worker.addEventListener("message", ({ data }) => {
      if (data.id !== current?.id) {
        return;
      }
      const { isCancelled, resolve, reject } = current;
      current = null;
      if (isCancelled) {
        reject(new Cancelled());
      } else {
        resolve(data);
      }
      next();
    });
    worker.addEventListener("error", () => { // another question may find a file that was missing
      worker.terminate();
      worker = null;
      current?.reject(new Error("The WebAssembly part of this page could not be loaded."));
      current = null;
      next();
    });
  }

  function next() {
    const kind = kinds.find((k) => waiting.has(k));
    if (current || !kind) {
      return;
    }
    if (!worker) {
      start();
    }
    current = { kind, id: ++id, ...waiting.get(kind) };
    waiting.delete(kind);
    worker.postMessage({ id: current.id, path: current.path, question: current.question });
  }

  function cancel(kind) {
    waiting.get(kind)?.reject(new Cancelled());
    waiting.delete(kind);
    if (current?.kind === kind) {
      current.isCancelled = true; // the worker answers nevertheless
    }
  }

  async function send(kind, path, question) {
    cancel(kind);
    const { status, body } = await new Promise((resolve, reject) => {
      waiting.set(kind, { path, question, resolve, reject });
      next();
    });
    return answerOf(status, body);
  }
  return { kinds, send, cancel };
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
