import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { parse } from "heed-robots";

// AI-1 to AI-17: the cases of conformance/usage.
test("usage: the cases", { skip: !process.env.HEED_USES }, () => {
  let cases = 0;
  for (const file of readdirSync(process.env.HEED_USES).filter((name) => name.endsWith(".jsonl"))) {
    for (const line of readFileSync(`${process.env.HEED_USES}/${file}`, "utf8").trimEnd().split("\n")) {
      const c = JSON.parse(line);
      const policy = parse(c.robots, { dialect: c.dialect ?? "rfc9309" }).agent(...[c.agent].flat());
      const answer = policy.usage(c.url, { for: Object.keys(c.usage), profile: c.profile, headers: c.headers, html: c.html, tdmrep: c.tdmrep });
      for (const [purpose, want] of Object.entries(c.usage)) {
        assert.equal(answer.usage[purpose].preference, want, `${c.id}: ${purpose}`);
      }
      policy.close();
      cases++;
    }
  }
  assert(cases > 100, `${cases} cases`);
});

test("usage", () => {
  const policy = parse("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /cart\n").agent("ExampleBot");
  const answer = policy.usage(new URL("https://example.com/x"));
  assert.deepEqual(Object.keys(answer.usage), ["train-ai", "search", "ai-use"]);
  assert.deepEqual(answer.usage["train-ai"], { preference: "disallowed", by: [{ carrier: "content-usage", line: 2, text: "Content-Usage: train-ai=n" }], ignored: [] });
  assert.equal(answer.usage.search.preference, "unknown");
  assert.equal(policy.usage("/cart").usage.search.preference, "not-crawlable");
  for (const headers of [new Headers({ "X-Robots-Tag": "noindex" }), { "x-robots-tag": "noindex" }, { "X-Robots-Tag": ["noai", "noindex"] }, [["x-robots-tag", "noai"], ["x-robots-tag", "noindex"]]]) {
    assert.equal(policy.usage("/x", { headers }).usage.search.preference, "disallowed");
  }
  assert.throws(() => policy.usage("/x", { for: ["train"] }), { name: "HeedError", code: "argument" });
  assert.throws(() => policy.usage("/x", { tdmrep: {} }), { name: "HeedError", code: "argument" });
  assert.throws(() => policy.usage("mailto:someone"), { name: "HeedError", code: "argument" });
});
