// heed-robots in Node. There is no top-level await here, so that require("heed-robots") works too.
import { readFileSync } from "node:fs";
import { start } from "./core.js";

start(new WebAssembly.Module(readFileSync(new URL("heed.wasm", import.meta.url))));

export { HeedError, Policy, RobotsFile, answer, crawlers, diff, lint, parse } from "./core.js";
