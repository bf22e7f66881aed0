// This worker answers the questions of the page without a server. engine.js sends it {id, path, question}, and gets {id,
// status, body} back, where body is JSON.

import { answer, compile, startAsync } from "../../../../../packages/js/core.js";

let ready = null; // a Promise, while heed.wasm is loaded or was

function load() {
  return compile(new URL("heed.wasm", self.location)).then(startAsync).catch((err) => {
    ready = null; // the next question tries again
    throw err;
  });
}

self.addEventListener("message", async ({ data: { id, path, question } }) => {
  try {
    await (ready ??= load());
    self.postMessage({ id, ...answer(path, question) });
  } catch (err) {
    const error = `The WebAssembly part of this page failed: ${err.message}`;
    self.postMessage({ id, status: 500, body: JSON.stringify({ error }) });
  }
});
