// Small helpers to make elements. Text of others is only ever set as text, never as HTML.

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
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

let saying;

// say tells something to people with a screen reader, when nothing newer came for a moment.
export function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => {
    byId("live").textContent = text;
  }, 400);
}

// counted returns "1 rule", "2 rules".
export function counted(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

// ruleText returns a rule as it is written in a file.
export function ruleText(rule) {
  return `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`;
}

// verdict returns a verdict with its sign; the sign is for the eye only.
export function verdict(allowed, properties) {
  return h("span", { class: `verdict ${allowed ? "allowed" : "disallowed"}`, ...properties },
    h("span", { "aria-hidden": "true", class: "sign" }, allowed ? "✓" : "✗"), allowed ? "allowed" : "disallowed");
}
