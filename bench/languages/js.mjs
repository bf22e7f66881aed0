// Measures heed-robots and npm's robots-parser. It prints a JSON object for each kind of measurement, with
// nanoseconds of elapsed time. Both are measured in turns, and the best of several rounds is printed.
//
//	node js.mjs ROBOTS URLS AGENT [PACKAGE]
//
// ROBOTS is a robots.txt, URLS a file with a URL on each line, AGENT a product token, and PACKAGE the folder
// in which "go run ./packages/js/pack" has built the package, if that is not build/js.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const rivalName = import.meta.resolve("../rivals/node_modules/robots-parser/index.js");
const [robotsFile, urlsFile, agent, folder = "build/js"] = process.argv.slice(2);
const heedName = pathToFileURL(resolve(folder, "node.js")).href;
const robots = readFileSync(robotsFile, "utf8");
const urls = readFileSync(urlsFile, "utf8").trim().split("\n").map((url) => new URL(url, "https://www.example.com").href);
const place = new URL("/robots.txt", urls[0]).href;

const { parse } = await import(heedName);
const { default: robotsParser } = await import(rivalName);

function report(what, heed, rival) {
  console.log(JSON.stringify({ what, heed: Math.round(heed), rival: Math.round(rival) }));
}

// time returns the time of one call of run, in nanoseconds: the mean of some calls.
function time(run, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) {
    run(i);
  }
  return (performance.now() - start) * 1e6 / calls;
}

// measure compares two functions. Each call of them does this many operations (things).
function measure(what, things, heed, rival) {
  const best = [Infinity, Infinity];
  const calls = [heed, rival].map((run) => Math.ceil(50e6 / time(run, 10))); // about 50 ms
  for (let round = 0; round < 10; round++) {
    [heed, rival].forEach((run, i) => { best[i] = Math.min(best[i], time(run, calls[i])); });
  }
  report(what, ...best.map((t) => t / things));
}

// first returns how long a new process needs from an import to its first answer.
function first(script) {
  const program = `const start = performance.now(); ${script}; console.log(performance.now() - start);`;
  const times = Array.from({ length: 10 }, () => Number(execFileSync("node", ["--input-type=module", "-e", program], {
    env: { ...process.env, ROBOTS: robots, URL: urls[0], PLACE: place, AGENT: agent },
  })));
  return Math.min(...times) * 1e6;
}

report(
  "first answer",
  first(`const { parse } = await import("${heedName}"); parse(process.env.ROBOTS).agent(process.env.AGENT).check(process.env.URL)`),
  first(`const { default: p } = await import("${rivalName}"); p(process.env.PLACE, process.env.ROBOTS).isAllowed(process.env.URL, process.env.AGENT)`),
);
measure("parse", 1, () => { parse(robots).agent(agent).close(); }, () => { robotsParser(place, robots); });
const policy = parse(robots).agent(agent);
const rival = robotsParser(place, robots);
measure("one decision", 1, (i) => policy.check(urls[i % urls.length]), (i) => rival.isAllowed(urls[i % urls.length], agent));
const batch = Array.from({ length: 1000 }, (_, i) => urls[i % urls.length]);
measure("in batches of 1,000 (each)", 1000, () => policy.checkAll(batch), () => {
  for (const url of batch) {
    rival.isAllowed(url, agent);
  }
});
const wrong = urls.filter((url) => policy.check(url).allowed !== (rival.isAllowed(url, agent) !== false)).length;
console.error(`${urls.length} URLs; robots-parser decides about ${wrong} of them in another way`);
