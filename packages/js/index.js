// heed-robots in browsers, workers and bundlers.
import { compile, startAsync } from "./core.js";

await startAsync(await compile(new URL("heed.wasm", import.meta.url)));

export { HeedError, Policy, RobotsFile, answer, crawlers, diff, lint, parse } from "./core.js";
