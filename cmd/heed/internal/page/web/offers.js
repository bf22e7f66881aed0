// The URLs that the page offers for a robots.txt that somebody opened or pasted, so that the verdicts are about this file.

const maxOffered = 4; // besides "/"
const longest = 200; // characters

// urlsOf returns "/", which most rules do not match, and paths that rules of a file match: a Disallow, an Allow, one with a wildcard, and
// others from all parts of the file.
export function urlsOf(rules) {
  const usual = rules.filter((r) => !r.pattern_b64 && r.pattern.length <= longest && pathOf(r) !== "/");
  const spread = Array.from({ length: maxOffered }, (_, i) => usual[Math.floor((i * usual.length) / maxOffered)]);
  const wanted = [usual.find((r) => !r.allow), usual.find((r) => r.allow), usual.find((r) => /[*$]/.test(r.pattern)), ...spread];
  return [...new Set(["/", ...wanted.filter(Boolean).map(pathOf)])].slice(0, 1 + maxOffered);
}

// pathOf returns a path that the pattern of a rule matches.
function pathOf({ pattern }) {
  return pattern.replace(/^(?!\/)/, "/").replace(/\$$/, "").replaceAll("*", "x");
}
