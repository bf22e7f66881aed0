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
export function counted(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

const shownAs = new Map([["*", "All crawlers without a group"]]); // by token

// setNames keeps the names under which the page shows crawlers. A crawler has such a name if a User-agent line can name
// only a part of its full name, or cannot name it.
export function setNames(crawlers) {
  for (const { token, agent, shown_as: name } of crawlers) {
    if (name) {
      shownAs.set(agent === "*" ? token : [agent].flat()[0], name);
    }
  }
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// crawlerName returns how the page names a crawler.
export const crawlerName = (token) => shownAs.get(token) ?? token;

// shortName returns a name without its middle if the name has more than longest characters.
export const shortName = (name, longest = 60) => (name.length > longest ? `${name.slice(0, longest / 2)}…${name.slice(-longest / 3)}` : name);

// whole returns a text as parts in which no line ends at a hyphen inside a short name, such as "Mediapartners-Google".
export const whole = (text) => text.split(/([\w.]+(?:-[\w.]+)+)/).map((part, i) => (i % 2 === 1 && part.length <= 30 ? h("span", { class: "whole" }, part) : part));

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

// acceptFile calls onFile with a file that is dropped on an element. It prevents what the browser would do with the file.
export function acceptFile(element, onFile) {
  element.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(), true);
  element.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      onFile(event.dataTransfer.files[0]);
    }
  }, true);
}

// fileButton returns a button that opens a file, and the hidden field that the button needs. onFile gets the file.
export function fileButton(text, onFile) {
  const input = h("input", { type: "file", class: "hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => { input.files[0] && onFile(input.files[0]); input.value = ""; } });
  return [h("button", { type: "button", onclick: () => input.click() }, text), input];
}
