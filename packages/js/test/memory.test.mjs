import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { lint, parse } from "heed-robots";

const FILES = process.env.HEED_WHOLE ? 1_000_000 : 20_000;
const MOST = 400 << 20; // bytes; without a limit, it would be 500 MB and more
const line = (i) => `User-agent: *\nDisallow: /${i}\n`;
const rules = Array.from({ length: 100 }, (_, i) => `Disallow: /${i}/*.html\n`).join("");
const large = `${rules}# ${"x".repeat(12_000)}\n`;
const outside = () => process.memoryUsage().external; // of the heap of JavaScript: the memory of Go is there

const old = parse(Uint8Array.from(Buffer.from(line("old"))));
const source = Uint8Array.from(Buffer.from(line("first")));
const first = parse(source).agent("ExampleBot");
source.fill(0);
const token = Uint8Array.from(Buffer.from("ExampleBot"));

test("closed at once, files take no memory", () => { // the first test: the others need memory, which is never given back
  for (let i = 0; i < FILES / 2; i++) {
    parse(line(i) + large).close();
  }
  assert(outside() < 100 << 20, `${outside()} bytes`);
});

for (const [name, files, rest] of [
  ["a loop that never awaits", FILES, () => {}],
  ["a loop that awaits", process.env.HEED_WHOLE ? FILES : FILES / 2, setImmediate],
]) {
  test(`memory is flat in ${name}`, async () => {
    let early;
    for (let i = 0; i < files; i++) {
      const policy = parse(line(i) + large).agent(token);
      assert.equal(policy.check(`/${i}`).line, 2);
      if (i === files * 0.8) {
        early = outside();
      }
      if (i % 100 === 0) {
        await rest();
      }
    }
    const late = outside();
    assert(late < MOST, `${late} bytes`);
    if (process.env.HEED_WHOLE) {
      assert(late < early + (32 << 20), `from ${early} to ${late} bytes`);
    }
  });

  test(`files that were not used for long are there after ${name}`, () => {
    assert.equal(first.check("/first").line, 2);
    assert.equal(first.checkAll(["/", "/first"])[1].line, 2);
    assert.equal(old.agent("ExampleBot").check("/old").line, 2);
    assert.equal(old.agent("ExampleBot").explain("/old").url, "/old");
  });
}

test("a large file", { skip: !process.env.HEED_WHOLE }, () => {
  const rule = `Disallow: /${"x".repeat(90)}\n`;
  const text = `User-agent: *\n${rule.repeat((100 << 20) / rule.length)}Disallow: /last\n`;
  for (const robots of [text, Buffer.from(text)]) {
    const file = parse(robots, { dialect: "google" });
    assert.equal(file.agent("a").check(`/${"x".repeat(90)}`).allowed, false);
    file.close();
  }
  assert(lint(text).length > 0);
});

test("a text that is too large", () => {
  assert.throws(() => parse(new Uint8Array((256 << 20) + 1)), { name: "HeedError", code: "too-large" });
});
