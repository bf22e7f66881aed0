// Answers the questions of the page without a server. engine.js sends {id, path, body}, and gets
// {id, status, body}; both bodies are JSON.
"use strict";

importScripts("wasm_exec.js");

const encoder = new TextEncoder(), decoder = new TextDecoder();
const program = compile();
let running = null; // a Promise, while there is a program that can be called

async function compile() {
  try {
    return await WebAssembly.compileStreaming(fetch("heed.wasm"));
  } catch {
    // Some servers of files do not know the type of WebAssembly.
    return WebAssembly.compile(await (await fetch("heed.wasm")).arrayBuffer());
  }
}

async function run() {
  const go = new Go();
  const instance = await WebAssembly.instantiate(await program, go.importObject);
  go.run(instance).finally(() => { running = null; }); // it ends if it has no memory left
}

async function answer(path, body) {
  await (running ??= run());
  const [status, octets] = heedAnswer(path, encoder.encode(body ?? ""));
  return { status, body: decoder.decode(octets) };
}

self.addEventListener("message", async ({ data: { id, path, body } }) => {
  try {
    self.postMessage({ id, ...(await answer(path, body)) });
  } catch (err) {
    running = null;
    const error = `The WebAssembly part of this page failed: ${err.message}`;
    self.postMessage({ id, status: 500, body: JSON.stringify({ error }) });
  }
});
