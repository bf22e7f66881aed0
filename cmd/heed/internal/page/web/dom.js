// Small helpers to make elements. Text that strangers wrote is never set as HTML, and characters in it that cannot be
// seen are made visible.
import { visible } from "./bytes.js";

// h makes an element: h("p", {class: "note"}, "text", child…). A property that begins with "on" is
// a listener; one that is false, null or undefined is left out.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === false || value === null || value === undefined) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : name === "title" ? visible(value) : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

// asTyped has the properties of a field whose text the browser must not correct or complete.
export const asTyped = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };

export const byId = (id) => document.getElementById(id);

const toSay = new Map(); // by what it is about
let saying;

// say announces a text to people with a screen reader, after a short time without another call. A newer text replaces an
// older one about the same subject.
export function say(text, about = text) {
  toSay.set(about, text);
  clearTimeout(saying);
  saying = setTimeout(() => {
    byId("live").textContent = [...toSay.values()].join(" ");
    toSay.clear();
  }, 400);
}

// counted returns "1 rule", "2 rules".
export const counted = (n, noun, nouns = `${noun}s`) => `${n.toLocaleString("en")} ${n === 1 ? noun : nouns}`;

const shownAs = new Map([["*", "All crawlers without a group"]]); // by token

const purposeTokens = new Set(); // names in User-agent lines that are not crawlers, such as Google-Extended

// countedCrawlers returns for example "31 crawlers and 2 purpose tokens".
export function countedCrawlers(tokens) {
  const others = tokens.filter((token) => purposeTokens.has(token)).length, parts = [];
  if (others < tokens.length) {
    parts.push(counted(tokens.length - others, "crawler"));
  }
  if (others > 0) {
    parts.push(counted(others, "purpose token"));
  }
  return parts.join(" and ");
}

const ignoredBy = new Map(); // by token: the keys of the records that the crawler does not read

// setFacts keeps what the daemon knows of crawlers. A crawler is shown under another name than its token if a User-agent line
// can name only a part of its full name, or cannot name it, or if it is a purpose token.
export function setFacts(crawlers) {
  for (const { token, agent, shown_as: name, purpose_token: isPurpose, ignores } of crawlers) {
    const first = agent === "*" ? token : [agent].flat()[0];
    if (isPurpose) {
      purposeTokens.add(token);
    }
    if (name || isPurpose) {
      shownAs.set(first, name ?? `${token} (purpose token)`);
    }
    ignoredBy.set(first, ignores ?? []);
  }
}

// isReading returns whether a crawler may read the records with a key.
export const isReading = (token, key) => !ignoredBy.get(token)?.includes(key.toLowerCase());

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// crawlerName returns how the page names a crawler.
export const crawlerName = (token) => shownAs.get(token) ?? token;

// agentName returns how the page names a crawler of an answer, its product tokens. As in "heed diff", "@" is before the name
// of a crawler that does not follow the groups for "*".
export function agentName(agent) {
  const [token, ...others] = [agent].flat();
  return (others.includes("!*") ? "@" : "") + crawlerName(token);
}

// chainText says which other groups a crawler with several product tokens follows.
export function chainText([first, ...others]) {
  const tokens = others.filter((token) => token !== "!*");
  return [tokens.length > 0 && `If there is no group for ${first}, it follows the group of ${tokens.join(", then of ")}.`,
    tokens.length < others.length && `${first} does not follow the groups for "*".`].filter(Boolean).join(" ");
}

// firstOf returns the first texts of a list, at most most, and how many others there are. If there is only one other, it is
// named.
export const firstOf = (texts, most) => (texts.length > most + 1 ? [...texts.slice(0, most), `${texts.length - most} others`] : texts);

// listed returns "a, b and c".
export const listed = (texts) => [texts.slice(0, -1).join(", "), texts.at(-1)].filter(Boolean).join(" and ");

// shortName returns a name without its middle if the name has more than longest characters.
export const shortName = (name, longest = 60) => (name.length > longest ? `${name.slice(0, longest / 2)}…${name.slice(-longest / 3)}` : name);

// whole returns a text as parts in which no line ends at a hyphen inside a short name, such as "Mediapartners-Google".
// Quoted commands, such as “heed serve”, become code.
export const whole = (text) => text.split(/(["“]heed [^"”]+["”]|[\w.]+(?:-[\w.]+)+)/).map((part, i) => (i % 2 === 0 ? part
  : /^\W/.test(part) ? h("code", null, part.slice(1, -1)) : part.length <= 30 ? h("span", { class: "whole" }, part) : part));

// lineLink returns a button that shows a line of the file; onLine gets its number.
export const lineLink = (line, onLine) => h("button", { type: "button", class: "link", onclick: () => onLine(line) }, `line ${line}`);

// ruleText returns a rule as it is written in a file.
export function ruleText(rule) {
  return `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`;
}

// noVerdict returns what is shown in place of a verdict if the URL or the crawler cannot be read.
export const noVerdict = () => h("span", { class: "verdict" }, "? error");

// verdict returns a verdict with its sign; the sign is for the eye only.
export function verdict(allowed, properties) {
  return h("span", { class: `verdict ${allowed ? "allowed" : "disallowed"}`, ...properties },
    h("span", { "aria-hidden": "true", class: "sign" }, allowed ? "✓" : "✗"), h("span", { class: "word" }, allowed ? "allowed" : "disallowed"));
}

// download makes the browser save a file; content is a text or bytes.
export function download(name, content) {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// copy copies a text, and shows and announces whether this succeeded. failed has two texts, for the button and to announce.
export async function copy(button, text, what, failed) {
  const label = (button.dataset.label ??= button.textContent);
  let said = ["Copied", `${what} is copied.`];
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    said = failed; // the browser does not allow it
  }
  button.textContent = said[0];
  say(said[1]);
  setTimeout(() => { button.textContent = label; }, 2000);
}

// acceptFiles calls onFiles with the list of files that are dropped on an element. It prevents what the browser would do with
// the files.
export function acceptFiles(element, onFiles) {
  element.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(), true);
  element.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      onFiles([...event.dataTransfer.files]);
    }
  }, true);
}

// fileButton returns a button that opens a file, or several files, and the hidden field that the button needs. onFiles gets
// the list of the files.
export function fileButton(text, onFiles, multiple = false) {
  const input = h("input", { type: "file", multiple, class: "hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => { input.files[0] && onFiles([...input.files]); input.value = ""; } });
  return [h("button", { type: "button", onclick: () => input.click() }, text), input];
}
