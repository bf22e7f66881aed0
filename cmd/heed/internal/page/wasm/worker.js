// Answers the questions of the page without a server. engine.js sends {id, path, question}, and gets
// {id, status, body}, where body is JSON.
"use strict";

importScripts("wasm_exec.js");

const encoder = new TextEncoder(), decoder = new TextDecoder();
let program = null; // a Promise of the compiled program
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
  go.env = { GOGC: "400", GOMEMLIMIT: "1GiB" }; // most garbage is that of one answer
  program ??= compile().catch((err) => {
    program = null; // the next question tries again
    throw err;
  });
  const instance = await WebAssembly.instantiate(await program, go.importObject);
  go.run(instance).finally(() => { running = null; }); // it ends if it has no memory left
}

async function answer(path, question) {
  await (running ??= run());
  const { robots, ...others } = question ?? {};
  const [status, octets] = heedAnswer(path, encoder.encode(JSON.stringify(others)), robots === undefined ? null : encoder.encode(robots));
  return { status, body: decoder.decode(octets) };
}

self.addEventListener("message", async ({ data: { id, path, question } }) => {
  try {
    self.postMessage({ id, ...(await answer(path, question)) });
  } catch (err) {
    running = null;
    const error = `The WebAssembly part of this page failed: ${err.message}`;
    self.postMessage({ id, status: 500, body: JSON.stringify({ error }) });
  }
});
