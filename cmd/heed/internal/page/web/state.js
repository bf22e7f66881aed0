// The state of the page, and the link that reproduces it.
//
// The link has the state after "#", which browsers never send to a server: "1." and then the
// state as JSON, compressed (deflate, raw) and in base64url. People keep links, so the page must
// always be able to read this form. A new form gets another number than 1.

import { base64, fromBase64 } from "./bytes.js";

export const dialects = [
  ["rfc9309", "RFC 9309"],
  ["google", "Google"],
  ["draft2019", "2019 draft"],
  ["draft1996", "1996 draft"],
  ["standard1994", "1994 standard"],
];

const titles = Object.fromEntries(dialects);

export const dialectTitle = (name) => titles[name] ?? name;

// inSentence returns the title of a dialect as a sentence needs it: "the 1996 draft", but "RFC 9309".
export const inSentence = (name) => dialectTitle(name).replace(/^\d/, "the $&");

export const views = ["ask", "write", "compare", "history"];

export const example = `# An example. Change it, or paste your own.
User-agent: *
Disallow: /buy
Disallow: /*?color=
Allow: /buy/faq

User-agent: Googlebot
Disallow: /search
Allow: /search/about$

User-agent: GPTBot
User-agent: CCBot
Disallow: /
Allow: /press/

User-agent: ExampleBot
Disalow: /drafts
Disallow: /tmp/*
Disallow: /tmp/cache

Sitemap: https://www.example.com/sitemap.xml
`;

export function exampleState() {
  return {
    v: 1,
    robots: example,
    site: "",
    agents: ["Googlebot", "bingbot,msnbot", "GPTBot"],
    urls: ["/", "/buy/faq", "/search?q=shoes", "/press/2026", "/buy/faq?color=2"],
    isOffered: true, // no person chose the URLs
    dialect: "rfc9309",
    view: "ask",
    old: "",
    oldFrom: "text", // or "site": the old file is that of the site
    policy: "", // of the part that writes a robots.txt
    coverage: false,
    selected: [4, 1], // row and column of the cell that is explained
  };
}

const prefix = "#1.";
const maxJSON = 4 << 20; // bytes; a hostile link may be made of little and become much
const maxLink = 2_000_000; // characters; browsers open no longer addresses
const maxAgent = 8192, maxURL = 65536; // characters; the daemon answers no questions about longer ones

// linkOf returns "#" and the rest of a link to a state. It throws an error if the state is too large for a link.
export async function linkOf(state) {
  const json = new TextEncoder().encode(JSON.stringify(state));
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const link = prefix + base64url(new Uint8Array(await new Response(packed).arrayBuffer()));
  if (json.length > maxJSON || link.length > maxLink) {
    throw new Error("The texts are too large for a link.");
  }
  return link;
}

// stateOf returns the state of a link, or null if there is no link. It throws an error if the link cannot be read.
export async function stateOf(hash) {
  if (!hash || hash === "#") {
    return null;
  }
  if (!hash.startsWith(prefix)) {
    throw new Error("This link is not one of this page, or of a newer one.");
  }
  try {
    return checked(JSON.parse(await unpacked(hash.slice(prefix.length))));
  } catch (err) {
    throw err instanceof TooLong ? err : new Error("This link is damaged: a part of it may be missing.");
  }
}

const draftName = "heed-draft";

// keepDraft keeps a state in this tab, so that a reload loses nothing. The browser forgets it with
// the tab.
export function keepDraft(state) {
  try {
    sessionStorage.setItem(draftName, JSON.stringify(state));
  } catch {
    // It is too large, or the browser does not allow it.
  }
}

// draft returns the state that keepDraft kept in this tab, or null if there is none.
export function draft() {
  try {
    return checked(JSON.parse(sessionStorage.getItem(draftName)));
  } catch {
    return null;
  }
}

async function unpacked(text) {
  const packed = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let json = "", size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return json + decoder.decode();
    }
    size += value.length;
    if (size > maxJSON) {
      await reader.cancel();
      throw new Error("too large");
    }
    json += decoder.decode(value, { stream: true });
  }
}

// TooLong is the error of a link that has such a long crawler or URL that showing it would take seconds.
class TooLong extends Error {}

// checked returns a state in which each member has a value of the right type, whatever the link contained.
function checked(from) {
  if (typeof from?.robots !== "string") {
    throw new Error("no state");
  }
  const base = { ...exampleState(), agents: ["*"], urls: ["/"], selected: [0, 0] };
  const text = (name) => (typeof from[name] === "string" ? from[name] : base[name]);
  const texts = (name) => (Array.isArray(from[name]) && from[name].every((t) => typeof t === "string") ? from[name].slice(0, 1000) : base[name]);
  const oneOf = (name, values) => (values.includes(from[name]) ? from[name] : base[name]);
  if (texts("agents").some((agent) => agent.length > maxAgent)) {
    throw new TooLong(`This link is not opened: it names a crawler in more than ${maxAgent} characters.`);
  }
  if ([text("site"), ...texts("urls")].some((url) => url.length > maxURL)) {
    throw new TooLong(`This link is not opened: it has a URL of more than ${maxURL} characters.`);
  }
  const isCell = Array.isArray(from.selected) && from.selected.length === 2 && from.selected.every((n) => Number.isInteger(n) && n >= 0);
  return {
    v: 1,
    robots: from.robots,
    site: text("site"),
    agents: texts("agents"),
    isOffered: from.isOffered === true,
    urls: texts("urls").flatMap((url) => url.split(/\r\n?|\n/)), // the field has one per line
    dialect: oneOf("dialect", dialects.map(([name]) => name)),
    view: oneOf("view", views),
    old: text("old"),
    oldFrom: oneOf("oldFrom", ["text", "site"]),
    policy: text("policy"),
    coverage: from.coverage === true,
    selected: isCell ? from.selected : base.selected,
  };
}

const base64url = (bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
