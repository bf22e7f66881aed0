// What happens if Go ends. Nothing in heed.wasm can be asked to do so, so here its memory is limited.
import assert from "node:assert/strict";
import test from "node:test";
import { lint, parse, start } from "heed-robots/core.js";
import { withMemory } from "./memory.mjs";

start(withMemory({ most: 1000 }));
const small = parse("User-agent: *\nDisallow: /small\n");
const policy = small.agent("ExampleBot");
const forgotten = parse("User-agent: *\nDisallow: /forgotten\n").agent("ExampleBot");
const tooLarge = `User-agent: *\n${"Disallow: /x\n".repeat(6e6)}`;

for (const [name, use] of [
  ["parse", () => parse(tooLarge)],
  ["parse", () => parse(tooLarge.slice(0, 40e6))], // the text has room, but not what is made of it
  ["parse", () => parse(Buffer.from(tooLarge))],
  ["lint", () => lint(tooLarge)],
  ["check", () => policy.check(tooLarge)],
  ["checkAll", () => policy.checkAll(["/small", tooLarge])],
]) {
  test(`no memory is left for ${name}`, () => {
    assert.throws(use, (err) => {
      assert.equal(err.name, "HeedError");
      assert.equal(err.code, "failed");
      assert.match(err.message, new RegExp(`^${name}: .*memory.*, "(User-agent: \\*\\\\nDisallow|/small)`));
      assert(err.message.length < 300, err.message);
      return true;
    });
    assert.equal(policy.check("/small").line, 2);
    assert.equal(policy.checkAll(["/", "/small"])[1].line, 2);
    assert.equal(small.agent("ExampleBot").check("/small").line, 2);
    assert.equal(forgotten.check("/forgotten").line, 2);
    assert.equal(parse("User-agent: *\nDisallow: /new\n").agent("a").check("/new").line, 2);
  });
}

test("closing what the ended program had", () => {
  const file = parse("User-agent: *\nDisallow: /a\n");
  assert.throws(() => parse(tooLarge), { code: "failed" });
  const later = parse("User-agent: *\nDisallow: /b\n"); // may have the same handle in the new program
  file.close();
  assert.equal(later.agent("a").check("/b").line, 2);
  assert.throws(() => file.agent("a"), { code: "closed" });
});

test("no stack is left", () => {
  let depth = 0;
  const deeper = () => {
    depth++;
    policy.check("/small");
    deeper();
  };
  assert.throws(deeper, (err) => err instanceof RangeError || err.code === "failed");
  assert(depth > 100);
  assert.equal(policy.check("/small").line, 2);
  assert.equal(small.agent("ExampleBot").check("/small").line, 2);
});

test("the library is started again", () => {
  const module = withMemory({ most: 1000 });
  start(module);
  const first = parse("User-agent: *\nDisallow: /first\n"), ofFirst = first.agent("ExampleBot");
  start(module);
  const second = parse("User-agent: *\nDisallow: /second\n"), ofSecond = second.agent("ExampleBot"); // with the same handles
  assert.equal(ofFirst.check("/first").line, 2);
  assert.equal(first.agent("ExampleBot").check("/first").line, 2);
  assert.equal(ofSecond.check("/second").line, 2);
});
