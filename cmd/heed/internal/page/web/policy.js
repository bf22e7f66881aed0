// Converts the text of a policy into what switches show, and back. A part of the text that no switch can show is
// kept unchanged: the text is the policy, and the switches are only a view of it.
//
// A block is what is said of somebody: {names, mode, only, disallow, allow, usage, more, above}.
// names are those of crawlers, as they are typed; mode is "default", "allow", "disallow", or "paths", which
// are in the lists disallow and allow; usage has preferences by purpose, "y" or "n"; more has statements that no switch shows,
// and above the comments.

export const usages = ["train-ai", "search", "ai-use"];

const sets = { ai: ["ai-training", "ai-search", "ai-user"], "ai-input": ["ai-search", "ai-user"] };
const settings = ["sitemap", "record", "carriers", "expect"];
const reserved = ["user-agent", "allow", "disallow", ...settings]; // no names without quotes

export function newBlock(names = "", mode = "default") {
  return { names, mode, only: false, disallow: [], allow: [], usage: {}, more: [], above: [] };
}

// Unreadable is thrown for a text that the switches would damage.
export class Unreadable extends Error {
  constructor(line) {
    super();
    this.line = line;
  }
}

// read returns the policy of a text: {head, everyone, purposes, named, others, sitemaps, below}. purposes are
// blocks by the names of the purposes; head and below are comments.
export function read(text, purposeNames) {
  const policy = {
    head: [], everyone: newBlock(), purposes: Object.fromEntries(purposeNames.map((name) => [name, newBlock()])),
    named: [], others: [], sitemaps: [], below: [],
  };
  const lines = text.replace(/^\ufeff/, "").split("\n");
  let open = null; // gets the statements of indented lines
  let above = [], isStart = true;
  for (let i = 0; i < lines.length; i++) {
    const number = i + 1;
    let line = withoutComment(lines[i], above);
    if (line === "") {
      if (isStart && trimmed(lines[i]) === "") { // comments above an empty line are about all
        append(policy.head, above.splice(0));
      }
      continue;
    }
    isStart = false;
    if (spaces.test(line[0])) {
      if (!open) {
        throw new Unreadable(number);
      }
      open(trimmed(line), above.splice(0));
      continue;
    }
    const parts = [line]; // of a list of names
    while (parts.at(-1).endsWith(",") && !parts.at(-1).includes(":") && i + 1 < lines.length) {
      append(parts, [trimmed(withoutComment(lines[++i], above))].filter(Boolean));
    }
    line = parts.join("");
    const colon = line.indexOf(":");
    open = colon < 0 ? null : opened(policy, trimmed(line.slice(0, colon)));
    if (!open) {
      throw new Unreadable(number);
    }
    open(trimmed(line.slice(colon + 1)), above.splice(0));
  }
  policy.below = above;
  for (const block of [policy.everyone, ...Object.values(policy.purposes), ...policy.named]) {
    block.mode = modeOf(block);
  }
  return policy;
}

// append appends all elements of more to the list to. There may be more of them than push(...more) can take.
const append = (to, more) => more.forEach((each) => to.push(each));

const spaces = /[ \t\v\f\r]+/; // others, such as no-break spaces, are letters like all others

const trimmed = (text) => text.replace(/^[ \t\v\f\r]+/, "").replace(/(?<![ \t\v\f\r])[ \t\v\f\r]+$/, "");

// withoutComment returns a line without its comment, which it adds to others.
function withoutComment(line, comments) {
  const at = line.search(/(?<![^ \t\v\f\r])#/);
  if (at >= 0) {
    comments.push(line.slice(at).trimEnd());
  }
  return (at < 0 ? line : line.slice(0, at)).replace(/(?<![ \t\v\f\r])[ \t\v\f\r]+$/, "");
}

// opened returns the function that adds statements to what names stands for, the text before the colon: crawlers,
// purposes, or a setting such as "sitemap". It returns null if the switches cannot keep one of the names.
function opened(policy, names) {
  const key = names.toLowerCase();
  if (key === "sitemap") {
    return (statement, above) => {
      append(policy.others, above);
      append(policy.sitemaps, statement ? [statement] : []);
    };
  }
  if (settings.includes(key)) {
    return (statement, above) => append(policy.others, [...above, ...(statement ? [`${key}: ${statement}`] : [])]);
  }
  const blocks = blocksOf(policy, names.split(",").map(trimmed));
  return blocks && ((statement, above) => {
    append(blocks[0].above, above);
    if (statement) {
      blocks.forEach((block) => add(block, statement, block === policy.everyone));
    }
  });
}

// blocksOf returns the blocks that names mean, or null if one of the names can mean none. Crawlers that are named
// together share a block.
function blocksOf(policy, names) {
  const blocks = [], crawlers = [];
  for (const name of names) {
    const purpose = name.toLowerCase().replace(/^@/, "");
    if (name === "" || reserved.includes(purpose)) {
      return null;
    }
    if (purpose === "everyone" || name === "*") {
      blocks.push(policy.everyone);
    } else if (purpose in policy.purposes || purpose in sets) {
      blocks.push(...(sets[purpose] ?? [purpose]).map((each) => policy.purposes[each]));
    } else if (!isName(name)) {
      return null;
    } else {
      crawlers.push(name);
    }
  }
  if (crawlers.length > 0) {
    policy.named.push(newBlock(crawlers.join(", ")));
    blocks.push(policy.named.at(-1));
  }
  return [...new Set(blocks)];
}

// add adds a statement to a block.
function add(block, statement, isEveryone) {
  const words = statement.split(spaces), isOnly = words[0] === "only" && [undefined, "allow", "disallow"].includes(words[1]);
  const [verb, ...rest] = isOnly ? words.slice(1) : words;
  block.only ||= isOnly;
  if (verb === undefined) {
    return;
  }
  if (verb === "allow" || verb === "disallow") {
    append(block[verb], rest.length > 0 ? rest : ["/"]);
    return;
  }
  const wanted = rest.join("").split(",").map((each) => /^([a-z-]+)=([yn])$/.exec(each) ?? []);
  if (verb === "usage" && isEveryone && rest.length === 1 && wanted.every(([, name]) => usages.includes(name))) {
    wanted.forEach(([, name, value]) => { block.usage[name] = value; });
  } else {
    block.more.push(statement);
  }
}

function modeOf({ only, disallow, allow }) {
  const isWhole = (paths) => paths.length > 0 && paths.every((path) => path === "/");
  if (disallow.length + allow.length === 0) {
    return only ? "allow" : "default";
  }
  return isWhole(disallow) && allow.length === 0 && !only ? "disallow" : isWhole(allow) && disallow.length === 0 ? "allow" : "paths";
}

// write returns the text of a policy.
export function write(policy) {
  const { head, everyone, purposes, named, others, sitemaps, below } = policy;
  const parts = [
    partOf("everyone", { ...everyone, mode: everyone.mode === "allow" ? "default" : everyone.mode }),
    ...Object.entries(purposes).map(([name, block]) => partOf(name, block)),
    ...named.map((block) => partOf(namesOf(block, purposes), block)),
    others.map((line) => `${line}\n`).join(""),
    sitemaps.map((url) => `sitemap: ${url}\n`).join(""),
    below.map((line) => `${line}\n`).join(""),
  ].filter(Boolean);
  let text = head.map((line) => `${line}\n`).join("");
  parts.forEach((part, i) => {
    const isApart = i > 0 && [part, parts[i - 1]].some((each) => /\n[^\n]/.test(each));
    text += ((i === 0 && text) || isApart ? "\n" : "") + part;
  });
  return text;
}

// partOf returns the lines of a block, or "" if the block says nothing.
function partOf(names, block) {
  const said = names === "" ? [] : statementsOf(block);
  const lines = said.length === 0 ? "" : said.length === 1 ? `${names}: ${said[0]}\n` : `${names}:\n${said.map((each) => `    ${each}\n`).join("")}`;
  return block.above.map((line) => `${line}\n`).join("") + lines;
}

function statementsOf({ mode, only, disallow, allow, usage, more }) {
  const said = mode === "paths" ? [...statements("disallow", disallow), ...statements("allow", allow)] : mode === "default" ? [] : [mode];
  if (only && (mode === "paths" || mode === "allow")) {
    said[0] = said.length > 0 ? `only ${said[0]}` : "only";
  }
  const wishes = usages.filter((name) => usage[name]).map((name) => `${name}=${usage[name]}`);
  return [...said, ...(wishes.length > 0 ? [`usage ${wishes.join(",")}`] : []), ...more];
}

// statements returns paths in statements of about 100 characters.
function statements(verb, paths) {
  const all = [];
  for (const path of paths) {
    all.length > 0 && all.at(-1).length + path.length < 100 ? all.push(`${all.pop()} ${path}`) : all.push(`${verb} ${path}`);
  }
  return all;
}

// pathsOf returns the paths that somebody typed, one in each line. For a URL it returns the path of the URL. It encodes
// spaces and "#", which a path in a policy cannot have.
export function pathsOf(text) {
  return linesOf(text).map((path) => path.replace(/^https?:\/\/[^/?#]*\/?/i, "/").replace(/[\s#]/gu, encodeURIComponent));
}

const linesOf = (text) => text.split(/\r\n?|\n/).map((line) => line.trim()).filter(Boolean);

// wrongPaths returns what is wrong with the first wrong path that somebody typed, or "" if all paths are right.
export function wrongPaths(text) {
  const wrong = linesOf(text).find((line) => !/^[/*]/.test(pathsOf(line)));
  return wrong === undefined ? "" : `“${short(wrong)}” is no path: a path begins with “/” or “*”.`;
}

export const short = (text) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

export const sitemapsOf = (text) => linesOf(text).map((url) => url.replace(/\s/gu, encodeURIComponent));

// namesOf returns the names of crawlers in the form of a policy, or "" if one of them cannot be written there. A name
// that would mean something else, such as a purpose, gets quotes.
export function namesOf({ names }, purposes) {
  const all = names.split(",").map((name) => name.trim()).filter(Boolean);
  if (all.some((name) => !isName(name))) {
    return "";
  }
  const taken = [...reserved, ...Object.keys(sets), ...Object.keys(purposes), "everyone"];
  return all.map((name) => (taken.includes(name.toLowerCase()) ? `"${name}"` : name)).join(", ");
}

const isName = (name) => /^@?[\w.-]+$|^"[^\s",:#]+"$/.test(name);

// wrongNames returns what is wrong with the first wrong name, or "" if all names are right.
export function wrongNames({ names }) {
  const wrong = names.split(",").map((name) => name.trim()).filter((name) => name && !isName(name));
  if (wrong.length === 0) {
    return "";
  }
  const [character] = /[^\w.-]/u.exec(wrong[0].replace(/^@/, "")) ?? [""];
  const why = /\s/.test(character) ? ", because it has a space" : character && `, because of its “${character}”`;
  return `“${short(wrong[0])}” cannot be named in a robots.txt${why}. Write a product token, such as Googlebot: letters, digits, “_”, “-” and “.”.`;
}
