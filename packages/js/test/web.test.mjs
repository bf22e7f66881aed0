// index.js, which browsers load, with a server that is not there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const at = new URL("index.js", import.meta.resolve("heed-robots"));
const wasm = readFileSync(new URL("heed.wasm", at));
let requests = [];

function serve(type, status = 200) {
  requests = [];
  globalThis.fetch = async (url) => {
    requests.push(String(url));
    return new Response(wasm, { status, headers: { "Content-Type": type } });
  };
}

const wanted = String(new URL("heed.wasm", at));

test("a server that knows the type", async () => {
  serve("application/wasm");
  const { parse } = await import(`${at}?1`);
  assert.equal(parse("User-agent: *\nDisallow: /a\n").agent("a").check("/a").line, 2);
  assert.deepEqual(requests, [wanted]);
});

test("a server that does not know the type", async () => {
  serve("application/octet-stream");
  const { parse } = await import(`${at}?2`);
  assert.equal(parse("").agent("a").check("/a").allowed, true);
  assert.deepEqual(requests, [wanted, wanted]);
});

test("a server that does not have the file", async () => {
  serve("text/html", 404);
  await assert.rejects(import(`${at}?3`), { message: `${wanted}: status 404` });
});

test("before heed.wasm is loaded", async () => {
  const { crawlers, lint, parse } = await import(new URL("core.js?before", at));
  for (const use of [() => parse(""), () => lint(""), crawlers]) {
    assert.throws(use, { message: /^heed\.wasm is not loaded yet/ });
  }
});
