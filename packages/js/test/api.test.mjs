import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { HeedError, Policy, RobotsFile, answer, crawlers, diff, lint, parse } from "heed-robots";

const bytes = (...parts) => Uint8Array.from(parts.flatMap((p) => typeof p === "string" ? [...Buffer.from(p)] : p));
const robots = "User-agent: *\nDisallow: /cart\nDisallow: /caf%C3%A9\n\nUser-agent: NewsBot\nDisallow: /news\n";
const cart = { allowed: false, line: 2, reason: "rule" };
const other = { allowed: true, line: 0, reason: "no-rule-matched" };

test("decisions", () => {
  const file = parse(robots);
  assert(file instanceof RobotsFile);
  const policy = file.agent("ExampleBot");
  assert(policy instanceof Policy);
  assert.deepEqual(policy.check("https://example.com/cart?a=1"), cart);
  assert.deepEqual(policy.check("/"), other);
  assert.deepEqual(policy.check("/café"), { allowed: false, line: 3, reason: "rule" });
  assert.deepEqual(policy.check(bytes("/caf", [0xc3, 0xa9])), { allowed: false, line: 3, reason: "rule" });
  assert.deepEqual(policy.check("mailto:someone"), { allowed: false, line: 0, reason: "invalid-target" });
  assert.deepEqual(policy.check("/robots.txt"), { allowed: true, line: 0, reason: "robots-txt-itself" });
  assert.equal(file.agent("Other", bytes("NewsBot")).check("/news").line, 6);
  assert.deepEqual(file.agent().check("/cart"), cart);
  assert.deepEqual(file.agent("!").check("/"), { allowed: false, line: 0, reason: "invalid-agent" });
  assert.deepEqual(parse(bytes([0xef, 0xbb, 0xbf], robots)).agent("ExampleBot").check("/cart"), cart);
  assert.equal(parse("User-agent: *\nAllow: /a\nDisallow: /a\n", { dialect: "standard1994" }).agent("x").check("/a").allowed, false);
});

test("decisions about many URLs", () => {
  const policy = parse(robots).agent("ExampleBot");
  for (const urls of [
    [],
    ["/cart"],
    ["/", "/cart", "", "/caf%c3%a9"],
    ["/", "/café", "/cart"],
    ["/cart", bytes("/cart"), bytes([0xff]), "/é"],
    ["/\ud83d", "\ude00", "/cart\ud83d", "\ude00/cart"], // no pair: they are different URLs
    Array.from({ length: 5000 }, (_, i) => i % 3 === 0 ? "/cart" : i % 1000 === 1 ? "/café" : `/${i}`),
    Array.from({ length: 100 }, (_, i) => `/${"x".repeat(1000 * i)}`),
  ]) {
    assert.deepEqual(policy.checkAll(urls), urls.map((url) => policy.check(url)), String(urls).slice(0, 100));
  }
  assert.deepEqual(policy.checkAll(new Set(["/cart"])), [cart]);
  assert.deepEqual(policy.checkAll((function* () { yield "/cart"; yield policy.check("/") && "/"; })()), [cart, other]);
});

test("what will be requested decides", () => {
  const policy = parse(bytes(robots, "User-agent: *\nDisallow: /", [0xff], "b\n")).agent("ExampleBot");
  for (const [url, want] of [["/ca\trt", "/cart"], ["https://example.com\\cart ", "https://example.com/cart"], ["/a\t", "/a\t"], ["\ufeff/cart", "\ufeff/cart"], ["/\ud800", "/\ufffd"]]) {
    assert.equal(policy.requested(url), want);
  }
  assert.equal(policy.requested(new URL("https://example.com/a")), "https://example.com/a");
  const odd = policy.requested(bytes("/", [0xff], "\t", "b"));
  assert.deepEqual([odd, odd.buffer.byteLength, policy.check(odd).allowed], [bytes("/", [0xff], "b"), 3, false]);
  assert.throws(() => policy.requested(1), TypeError);
});

test("URLs that Node requests in another way", () => {
  const body = "User-agent: *\nDisallow: /secret\nDisallow: /*/b$\nDisallow: /*?q=/x\n";
  const policy = parse(body).agent("ExampleBot");
  const parts = ["/", "\\", "\t", "\n", "\r", "secret", "se", "cret", "a", "b", "x", "?", "q=", "#", "%5C", " ", "\0"];
  let seed = 24, odd = 0;
  const next = (count) => (seed = seed * 48271 % 2147483647) % count;
  for (let i = 0; i < 20_000; i++) {
    const url = `https://example.com${["/", "\\", "?"][next(3)]}${Array.from({ length: next(9) }, () => parts[next(parts.length)]).join("")}`;
    if (policy.check(policy.requested(url)).allowed) {
      assert.equal(policy.check(new URL(url)).allowed, true, JSON.stringify(url));
      odd += Number(/[\\\t\r\n]/.test(url));
    }
  }
  assert(odd > 1000);
});

test("what crawlers ask for beside decisions", () => {
  const file = parse("User-agent: a\nCrawl-delay: 2.5\nAllow: /\nUser-agent: *\nCrawl-delay: 0\nUser-agent: b\nDisallow:\nSitemap: https://example.com/1\nSitemap: /2\nSitemap: https://example.com/é\n");
  assert.deepEqual(file.sitemaps(), ["https://example.com/1", "https://example.com/é"]);
  assert.deepEqual(parse("").sitemaps(), []);
  assert.equal(file.agent("a").crawlDelay(), 2.5);
  assert.equal(file.agent("other").crawlDelay(), 0);
  assert.equal(parse(robots).agent("a").crawlDelay(), undefined);
  file.close();
  assert.throws(() => file.sitemaps(), { code: "closed" });
});

test("what people try", () => {
  const policy = parse(robots).agent("ExampleBot");
  assert.deepEqual(policy.check(new URL("https://example.com/cart#top")), cart);
  assert.deepEqual(policy.checkAll([new URL("https://example.com/cart"), "/"]), [cart, other]);
  assert.equal(policy.explain(new URL("https://example.com/cart")).url, "https://example.com/cart");
  assert.equal(parse(robots).agent(["Other", "NewsBot"]).check("/news").line, 6);
  // The parameters of the package robots-parser, with which a file would be read that allows everything.
  assert.throws(() => parse("https://example.com/robots.txt", robots), { name: "TypeError", message: "the options: expected an object, not string" });
  assert.throws(() => parse(robots, null), { name: "TypeError" });
  assert.throws(() => diff(robots, robots, "ExampleBot"), { name: "TypeError" });
  assert.throws(() => parse(Promise.resolve(robots)), { name: "TypeError", message: "the robots.txt: expected a string or a Uint8Array, not Promise" });
  assert.throws(() => parse(Object.create(null)), { name: "TypeError", message: /not object$/ });
});

test("explanations and sheets", () => {
  const policy = parse(robots, { dialect: "google" }).agent("ExampleBot");
  const e = policy.explain("/cart");
  assert.equal(e.dialect, "google");
  assert.deepEqual(e.dialects.find((t) => t.dialect === "google").rule, { line: 2, allow: false, pattern: "/cart" });
  assert.throws(() => parse(robots).agent("a").explain("mailto:someone"), { name: "HeedError", code: "argument" });
  const sheet = policy.show();
  assert.deepEqual(sheet.crawlers[0].agent, "ExampleBot");
  assert.deepEqual(sheet.crawlers[0].rules.map((r) => r.line).sort(), [2, 3]);
});

test("lint, diff, crawlers, answers", () => {
  assert.deepEqual(lint("User-agent: *\nDisallow: /cart\n\nSitemap: https://example.com/map.xml\n"), []);
  assert(lint(bytes("User-agent: *\nDisalow: /", [0xff])).some((each) => each.code === "key-misspelt" && each.line === 2));
  const file = parse(robots);
  assert.equal(diff(file, robots).result, "equal");
  const c = diff(robots, bytes("User-agent: *\n"), { crawlers: ["ExampleBot", ["MyNews", "NewsBot"]] });
  assert.deepEqual(c.crawlers.map((each) => each.changes[0].witness).sort(), ["/cart", "/news"]);
  assert.throws(() => diff(file, robots, { crawlers: ["a\0b:"] }), { code: "argument" });
  const [mj] = crawlers().filter((each) => each.token === "MJ12bot"); // the members of "heed crawlers --format json", and agent
  assert.equal(mj.read_as, "MJ");
  assert.equal(mj.agent, "MJ");
  assert.equal(typeof mj.source.url, "string");
  const { status, body } = answer("/v1/grid", { robots, urls: ["/cart"], agents: ["ExampleBot"] });
  assert.equal(status, 200);
  assert.equal(JSON.parse(body).rows[0].cells[0].rule.line, 2);
  assert.equal(answer("/v1/unknown").status, 404);
  assert.equal(answer("/v1/lint", { robots: bytes([0xff]) }).status, 200);
});

test("texts that are hostile", () => {
  const nul = parse("User-agent: *\nDisallow: /a\0b\n").agent("ExampleBot");
  assert.equal(nul.check("/a\0b").line, 2);
  assert.equal(nul.check("/a").line, 0);
  const invalid = parse(bytes("User-agent: *\nDisallow: /", [0xff, 0xfe], "\n")).agent("ExampleBot");
  assert.equal(invalid.check(bytes("/", [0xff, 0xfe])).line, 2);
  assert.equal(invalid.check("/%FF%FE").line, 2);
  assert.equal(invalid.check("/\ufffd").line, 0);
  const lone = parse("User-agent: *\nDisallow: /\ud800\n").agent("Bot\udfff");
  assert.equal(lone.check("/\udc00").line, 2); // both are U+FFFD
  assert.equal(lone.check("/%EF%BF%BD").line, 2);
  assert.throws(() => parse("", { dialect: "\ud800\0" }), { code: "argument" });
  for (const long of ["x".repeat(1e6), "é".repeat(1e6), "\u{1f600}".repeat(1e5)]) {
    assert.equal(parse(`User-agent: *\nDisallow: /${long.slice(0, 1000)}\n# ${long}`).agent("a").check(`/${long}`).line, 2);
  }
});

test("headers with any name", () => {
  const headers = [["constructor", "x"], ["toString", "x"], ["__proto__", "x"], ["X-Robots-Tag", "noai"]];
  const { usage } = parse("").agent("a").usage("/", { for: ["train-ai"], headers });
  assert.equal(usage["train-ai"].preference, "disallowed");
});

test("arguments of a wrong type", () => {
  const policy = parse("").agent("a");
  for (const wrong of [undefined, null, 1, {}, [], new Uint16Array(1), new ArrayBuffer(1), Symbol("x"), () => ""]) {
    assert.throws(() => parse(wrong), TypeError);
    assert.throws(() => lint(wrong), TypeError);
    assert.throws(() => parse("").agent(wrong), TypeError);
    assert.throws(() => policy.check(wrong), TypeError);
    assert.throws(() => policy.checkAll([wrong]), TypeError);
    assert.throws(() => policy.explain(wrong), TypeError);
    assert.throws(() => diff("", wrong), TypeError);
    assert.throws(() => diff("", "", { crawlers: [wrong === null || Array.isArray(wrong) ? 1 : wrong] }), TypeError);
    assert.throws(() => answer(wrong), TypeError);
    assert.throws(() => Policy.prototype.check.call(wrong, "/"), TypeError);
  }
  for (const noObject of [1, "{}", Symbol("x"), () => ""]) {
    assert.throws(() => answer("/v1/lint", noObject), TypeError);
  }
  for (const noList of [null, undefined, "/cart", 5, () => ""]) {
    assert.throws(() => policy.checkAll(noList), TypeError);
    assert.throws(() => diff("", "", { crawlers: noList === undefined ? "ab" : noList }), TypeError);
  }
  const sent = bytes("User-agent: *\nDisallow: /");
  structuredClone(sent.buffer, { transfer: [sent.buffer] });
  for (const use of [() => parse(sent), () => lint(sent), () => policy.check(sent), () => policy.checkAll([sent]), () => diff("", sent)]) {
    assert.throws(use, { name: "TypeError", message: /its buffer was sent/ });
  }
  assert.throws(() => parse("", { dialect: 1 }), TypeError);
  assert.throws(() => RobotsFile.prototype.agent.call(policy, "a"), TypeError);
  assert.throws(() => Policy.prototype.check.call(parse(""), "a"), { code: "kind" });
  assert.throws(() => parse("", { dialect: "rfc" }), (err) => err instanceof HeedError && err.code === "argument" && /"rfc" is unknown/.test(err.message));
});

test("arguments are what they have, whatever their members say", () => {
  const policy = parse(robots).agent("ExampleBot");
  class Short extends Uint8Array {
    get length() { return 4; }
    get byteLength() { return 4; }
    subarray() { return bytes("/"); }
    *[Symbol.iterator]() { yield 47; }
  }
  const shared = new Uint8Array(new SharedArrayBuffer(5));
  shared.set(bytes("/cart"));
  class Elsewhere extends URL {
    get href() { return "https://example.com/"; }
  }
  const ofSubclasses = [Short.from(bytes("/cart")), new Elsewhere("https://example.com/cart"), shared, Buffer.from("/cart")];
  const ofAnotherRealm = runInNewContext("Uint8Array.from([47, 99, 97, 114, 116])");
  for (const url of [...ofSubclasses, ofAnotherRealm]) {
    assert.deepEqual([policy.check(url), ...policy.checkAll([url, "/"])], [cart, cart, other], url.constructor.name);
  }
  assert.deepEqual(parse(Short.from(bytes(robots))).agent(Short.from(bytes("ExampleBot"))).check("/cart"), cart);
  assert.deepEqual(parse(runInNewContext("(text) => Uint8Array.from(text)")(bytes(robots))).agent("ExampleBot").check("/cart"), cart);
  assert.notDeepEqual(lint(Short.from(bytes("User-agent: *\nDissallow: /cart\n"))), []);
  class Names extends Array {
    join() { return "ExampleBot"; }
  }
  assert.equal(diff(robots, "", { crawlers: [Names.of("NewsBot")] }).crawlers[0].agent, "NewsBot");
  for (const crawler of [[bytes("NewsBot")], [undefined], [, "NewsBot"], [["NewsBot"]]]) {
    assert.throws(() => diff(robots, "", { crawlers: [crawler] }), TypeError);
  }
  assert.throws(() => parse(robots).agent(["NewsBot", , "ExampleBot"]), TypeError);
  for (const no of [new Proxy(bytes("/cart"), {}), Object.create(Uint8Array.prototype), { __proto__: Uint8Array.prototype, length: 5 }, new Uint8ClampedArray(1), new String("/cart"), { href: "/" }]) {
    assert.throws(() => policy.check(no), TypeError);
    assert.throws(() => parse(no), TypeError);
  }
});

test("bytes that are gone are no empty robots.txt", { skip: !ArrayBuffer.prototype.resize }, () => {
  const buffer = new ArrayBuffer(10, { maxByteLength: 20 });
  const whole = new Uint8Array(buffer), first = new Uint8Array(buffer, 0, 8);
  first.set(bytes("/cart"));
  buffer.resize(5);
  assert.deepEqual(parse(robots).agent("ExampleBot").check(whole), cart); // it is as long as the buffer
  class Full extends Uint8Array {
    get length() { return 4; }
  }
  for (const gone of [first, (buffer.resize(0), whole), new Uint8Array(buffer), new Full(buffer)]) {
    for (const use of [() => parse(gone), () => lint(gone), () => parse("").agent(gone), () => diff("", gone)]) {
      assert.throws(use, { name: "TypeError", message: /its buffer was .* shrunk/ });
    }
  }
  assert.deepEqual(parse(new Uint8Array(0)).agent("a").check("/").reason, "no-group");
});

test("an unknown option is an error", () => {
  const policy = parse(robots).agent("ExampleBot");
  for (const [use, message] of [
    [() => parse(robots, { dialec: "google" }), 'the options: "dialec" is unknown; did you mean "dialect"?'],
    [() => parse(robots, { agent: "a" }), 'the options: "agent" is unknown; expected "dialect"'],
    [() => diff(robots, robots, { crawler: ["a"] }), 'the options: "crawler" is unknown; did you mean "crawlers"?'],
    [() => diff(robots, robots, { agents: ["a"] }), 'the options: "agents" is unknown; expected "crawlers"'],
    [() => policy.usage("/", { profil: "ietf" }), 'the options: "profil" is unknown; did you mean "profile"?'],
    [() => policy.usage("/", { x: 1 }), 'the options: "x" is unknown; expected "for", "profile", "headers", "html" or "tdmrep"'],
    [() => policy.usage("/", "search"), "the options: expected an object, not string"],
    [() => policy.usage("/", null), "the options: expected an object, not null"],
  ]) {
    assert.throws(use, { name: "TypeError", message });
  }
  assert.deepEqual(answer("/v1/compare", { agents: ["a"] }), { status: 400, body: '{"error":"json: unknown field \\"agents\\""}' });
});

test("others cannot change an argument later", () => {
  const policy = parse(robots).agent("ExampleBot");
  const changed = bytes("/cart");
  const urls = (function* () { yield changed; changed.fill(47); yield changed; })();
  assert.deepEqual(policy.checkAll(urls), [cart, other]);
  const sent = bytes("/cart");
  assert.deepEqual(policy.checkAll((function* () { yield sent; structuredClone(sent.buffer, { transfer: [sent.buffer] }); yield "/"; })()), [cart, other]);
});

test("options are own members", () => {
  const body = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\n";
  Object.assign(Object.prototype, { dialect: "standard1994", crawlers: ["NewsBot"], robots: "" });
  try {
    for (const options of [[], [{}], [undefined], [{ dialect: undefined }], [Object.create({ dialect: "standard1994" })]]) {
      assert.equal(parse(body, ...options).agent("ExampleBot").check("/cart/help").allowed, true);
    }
    assert(diff(robots, "").crawlers.length > 1);
    assert.equal(answer("/v1/lint", {}).status, 400);
  } finally {
    for (const name of ["dialect", "crawlers", "robots"]) {
      delete Object.prototype[name];
    }
  }
  assert.equal(parse(body, Object.assign(Object.create(null), { dialect: "standard1994" })).agent("a").check("/cart/help").allowed, false);
  let reads = 0;
  parse(body, { get dialect() { reads++; return reads === 1 ? "google" : "standard1994"; } });
  assert.equal(reads, 1);
});

test("closing", () => {
  const file = parse(robots);
  const policy = file.agent("ExampleBot");
  file.close();
  file.close();
  assert.throws(() => file.agent("a"), { name: "HeedError", code: "closed" });
  assert.throws(() => diff(file, robots), { code: "closed" });
  assert.deepEqual(policy.check("/cart"), cart);
  policy.close();
  policy.close();
  for (const use of [() => policy.check("/"), () => policy.checkAll(["/"]), () => policy.requested("/"), () => policy.explain("/"), () => policy.show()]) {
    assert.throws(use, { code: "closed", message: "this file or policy is closed" });
  }
  if (Symbol.dispose) {
    const disposed = parse(robots);
    disposed[Symbol.dispose]();
    assert.throws(() => disposed.agent("a"), { code: "closed" });
  }
});

test("require", { skip: !process.features.require_module }, () => {
  assert.equal(createRequire(import.meta.url)("heed-robots").parse, parse);
});
