// Objects that are not used any more are closed when the engine reports that it has collected them.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parse } from "heed-robots";

// Counts the calls of functions in heed.wasm. The package has no public name for these.
const { Program } = await import(new URL("program.js", import.meta.resolve("heed-robots")));
const { call } = Program.prototype;
let closed = 0;
Program.prototype.call = function (operation, ...others) {
  closed += Number(operation === "close");
  return call.call(this, operation, ...others);
};

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

// The objects that are dropped are made in functions of their own: a function that awaits may keep what it does not need.
const policyOf = (path) => parse(`User-agent: *\nDisallow: ${path}\n`).agent("ExampleBot");
const closeOne = () => parse("").close();

function make(count) {
  for (let i = 0; i < count; i++) {
    policyOf(`/${i}`);
  }
}

async function closedAfter(wanted) {
  for (let i = 0; i < 100 && closed < wanted; i++) {
    collect();
    await setTimeout(10);
  }
  return closed;
}

test("files and policies that nobody has are closed", async () => {
  make(1000);
  assert.equal(closed, 0);
  assert.equal(await closedAfter(2000), 2000);
});

test("those that somebody has are not closed", async () => {
  closed = 0;
  const policy = policyOf("/a");
  assert.equal(await closedAfter(1), 1); // the file
  await setTimeout(50);
  collect();
  assert.equal(closed, 1);
  assert.equal(policy.check("/a").line, 2);
  policy.close();
});

test("those that were closed before are not closed again", async () => {
  closed = 0;
  closeOne();
  assert.equal(closed, 1);
  collect();
  await setTimeout(50);
  assert.equal(closed, 1);
});
