// Small helpers to make elements. Text of others is only ever set as text, never as HTML, and with
// nothing in it that cannot be seen.
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

export const byId = (id) => document.getElementById(id);

const toSay = new Map(); // by what it is about
let saying;

// say tells something to people with a screen reader, when nothing new came for a moment. A newer
// text replaces an older one about the same.
export function say(text, about = text) {
  toSay.set(about, text);
  clearTimeout(saying);
  saying = setTimeout(() => {
    byId("live").textContent = [...toSay.values()].join(" ");
    toSay.clear();
  }, 400);
}

// counted returns "1 rule", "2 rules".
export function counted(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

// crawlerName returns how the page names a crawler.
export const crawlerName = (token) => (token === "*" ? "All other crawlers (*)" : token);

// lineLink returns a button that shows a line of the file; onLine gets its number.
export const lineLink = (line, onLine) => h("button", { type: "button", class: "link", onclick: () => onLine(line) }, `line ${line}`);

// ruleText returns a rule as it is written in a file.
export function ruleText(rule) {
  return `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`;
}

// verdict returns a verdict with its sign; the sign is for the eye only.
export function verdict(allowed, properties) {
  return h("span", { class: `verdict ${allowed ? "allowed" : "disallowed"}`, ...properties },
    h("span", { "aria-hidden": "true", class: "sign" }, allowed ? "✓" : "✗"), h("span", { class: "word" }, allowed ? "allowed" : "disallowed"));
}
