// Builds ../dist from this folder: the same sources give the same bytes on every machine.
// "node build.mjs DIR" writes to another folder.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, writeFileSync, copyFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "..", "dist"));
mkdirSync(out, { recursive: true });

const usual = {
  absWorkingDir: here,
  outdir: out,
  write: false,
  bundle: true,
  minify: true,
  target: ["chrome105", "firefox113", "safari16.4"], // the first with all that the page needs
  charset: "utf8",
  legalComments: "none", // they are in licences.txt
};
const made = await build({ ...usual, entryPoints: { app: "app.js", "app.style": "style.css" }, format: "esm", metafile: true });
const worker = await build({ ...usual, entryPoints: ["worker.js"], format: "iife" }); // Firefox 113 has no other workers
for (const file of [...made.outputFiles, ...worker.outputFiles]) {
  writeFileSync(file.path.replace("app.style.css", "app.css"), file.contents);
}
copyFileSync(join(here, "index.html"), join(out, "index.html"));
writeFileSync(join(out, "licences.txt"), licences(Object.keys(made.metafile.inputs)));

// licences returns the licence of each npm package that has a file in the bundle.
function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (name) {
      names.add(name[1]);
    }
  }
  let text = "app.js contains these packages.\n";
  for (const name of [...names].sort()) {
    const dir = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
    if (!file) {
      throw new Error(`${name} has no licence file`);
    }
    text += `\n${"=".repeat(72)}\n${name} ${version}, ${license}\n\n${readFileSync(join(dir, file), "utf8").trim()}\n`;
  }
  return text;
}
