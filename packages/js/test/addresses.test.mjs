// WebAssembly returns addresses above 2 GiB as negative numbers.
import assert from "node:assert/strict";
import test from "node:test";
import { withMemory } from "./memory.mjs";

const inside = (name) => import(new URL(name, import.meta.resolve("heed-robots"))); // no public name leads there
const { Program } = await inside("program.js");
const { wasi } = await inside("wasi.js");
const module = withMemory({ most: 65_536 });

test("texts beyond 2 GiB", () => {
  const program = new Program(module);
  const instance = new WebAssembly.Instance(module, program.imports);
  program.begin(instance);
  instance.exports.buffer(2 ** 31); // what Go makes next has a higher address
  const long = "x".repeat(8 << 20); // Go has no room for it before that
  assert(instance.exports.buffer(long.length) < 0);
  const file = program.call("parse", ["", `User-agent: *\nDisallow: /a\n# ${long}\n`], (go) => go.parse());
  const policy = program.call("agent", ["ExampleBot"], (go) => go.agent(file, 1));
  assert.equal(program.check(policy, `/a${long}`).line, 2);
  assert.equal(program.json("explain", [`/a${long}`], (go) => go.explain(policy)).url, `/a${long}`);
});

test("the clock beyond 2 GiB", () => {
  const memory = new WebAssembly.Memory({ initial: 33_000 });
  const at = 2 ** 31 + 8;
  wasi(module, () => memory).wasi_snapshot_preview1.clock_time_get(0, 0n, at | 0);
  assert(new DataView(memory.buffer).getBigUint64(at, true) > 0n);
});
