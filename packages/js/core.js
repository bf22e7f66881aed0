// The library, before heed.wasm is loaded: index.js and node.js load it when they are imported.
// index.d.ts and core.d.ts describe what is public.

import { CLOSED, HeedError, Program } from "./program.js";

export { HeedError };

// Until start replaces it, each use of the program throws an error that start must be called.
let program = new Proxy({}, {
  get() {
    throw new Error("heed.wasm is not loaded yet: call start first, or await startAsync");
  },
});

// start makes the library ready. module is the compiled heed.wasm.
export function start(module) {
  program = new Program(module);
  program.begin(new WebAssembly.Instance(module, program.imports));
}

// startAsync is start for the main thread of browsers that cannot make a large instance synchronously.
export async function startAsync(module) {
  const made = new Program(module);
  made.begin(await WebAssembly.instantiate(module, made.imports));
  program = made;
}

// compile loads heed.wasm.
export async function compile(url) {
  try {
    return await WebAssembly.compileStreaming(fetch(url));
  } catch {
    // Some servers send WebAssembly with a wrong Content-Type.
    const response = await fetch(url);
    if (!response.ok) {
      throw new Error(`${url}: status ${response.status}`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }
}

// Properties of arguments are read with the getters of the built-in classes. A subclass, a proxy or a single object
// could return something else.
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const nameOf = getter(typedArray, Symbol.toStringTag), lengthOf = getter(typedArray, "length"), bufferOf = getter(typedArray, "buffer");
const isResizable = getter(ArrayBuffer.prototype, "resizable") ?? (() => false);
const hrefOf = getter(URL.prototype, "href");

// isBytes reports whether a value is a Uint8Array, from this realm or from another one, such as a frame.
const isBytes = (value) => nameOf.call(value) === "Uint8Array";

// textOf returns an argument that is a string or bytes, or throws an error that names the argument. Bytes are copied, so that
// they cannot change later.
function textOf(value, what) {
  if (typeof value === "string") {
    return value;
  }
  if (!isBytes(value)) {
    throw new TypeError(`${what}: expected a string or a Uint8Array, not ${kindOf(value)}`);
  }
  if (isGone(value)) {
    throw new TypeError(`${what}: the bytes are gone, its buffer was sent to another thread or shrunk; an empty text is ""`);
  }
  return new Uint8Array(value);
}

// isGone reports whether bytes have lost their content, because their buffer was sent to another thread or became shorter. They
// must not be read as an empty robots.txt, which allows everything. If bytes have no length of their own, but end where a resizable
// buffer ends, they count as gone when they are empty.
function isGone(bytes) {
  try {
    typedArray.at.call(bytes, 0);
  } catch {
    return true;
  }
  try {
    return lengthOf.call(bytes) === 0 && isResizable.call(bufferOf.call(bytes));
  } catch {
    return false; // shared memory, which never shrinks
  }
}

// kindOf returns what an argument is, for errors, such as "Promise" if an await is missing.
function kindOf(value) {
  return value === null ? "null" : typeof value === "object" ? value.constructor?.name ?? "object" : typeof value;
}

// urlOf returns a URL as a text.
function urlOf(value, what) {
  if (typeof value !== "string" && !isBytes(value)) {
    try {
      return hrefOf.call(value);
    } catch {
      // It is no URL: textOf throws an error that says what it is.
    }
  }
  return textOf(value, what);
}

// The options of each function. index.d.ts describes them.
const OPTIONS = { parse: ["dialect"], diff: ["crawlers"], usage: ["for", "profile", "headers", "html", "tdmrep"] };

// optionsOf returns the own properties of an object with options, each read once. Options of another type, such as a string, and
// an option that is not in the list known are an error: otherwise they would be ignored.
function optionsOf(options, known) {
  if (options === null || typeof options !== "object") {
    throw new TypeError(`the options: expected an object, not ${kindOf(options)}`);
  }
  const own = Object.assign(Object.create(null), options);
  const wrong = Object.keys(own).find((name) => !known.includes(name));
  if (wrong !== undefined) {
    const texts = [wrong, ...known];
    const meant = program.reply(program.call("options", texts, (go) => go.closest(texts.length)));
    const quoted = known.map((name) => `"${name}"`).join(", ").replace(/, (?=[^,]*$)/, " or ");
    throw new TypeError(`the options: ${JSON.stringify(wrong)} is unknown; ${meant ? `did you mean "${meant}"?` : `expected ${quoted}`}`);
  }
  return own;
}

// textsOf returns the texts in a list. A string is an error, though JavaScript could read it as a list of its letters.
function textsOf(values, what, textOfOne = textOf) {
  if (typeof values === "string" || values === null || typeof values !== "object") {
    throw new TypeError(`${what}: expected a list of them, not ${kindOf(values)}`);
  }
  return Array.from(values, (each) => textOfOne(each, what));
}

// How many objects the registry watches at most. It closes an object in Go when JavaScript has collected it. In a loop that never
// awaits, JavaScript reports no collected objects, and the registry would only grow. More objects need not be watched: Go
// closes objects itself when they take too much memory, and they are made again if they are used.
const WATCHED = 50_000;
let watched = 0;
const ends = new FinalizationRegistry((entry) => {
  watched--;
  try {
    drop(entry);
  } catch {
    // The program has ended, and its objects with it. Nobody could catch this error.
  }
});

// drop closes the object of an entry in Go, if it still exists.
function drop({ epoch, handle }) {
  if (epoch === program.epoch) {
    program.call("close", [], (go) => go.close(handle));
  }
}

// A Kept is an object in JavaScript for an object in Go: a file or a policy.
class Kept {
  #entry; // the program and the handle of the object in Go
  #make; // makes the object in Go, and returns its handle
  #isClosed = false;

  constructor(handle, make) {
    this.#entry = { epoch: program.epoch, handle };
    this.#make = make;
    if (watched < WATCHED) {
      watched++;
      ends.register(this, this.#entry);
    }
  }

  // use calls ask with the handle. If Go has closed the object, it makes the object again.
  use(ask) {
    if (this.#isClosed) {
      throw new HeedError("this file or policy is closed", "closed");
    }
    const entry = this.#entry;
    const got = entry.epoch === program.epoch ? ask(entry.handle) : CLOSED;
    if (got !== CLOSED) {
      return got;
    }
    entry.handle = this.#make();
    entry.epoch = program.epoch;
    return ask(entry.handle);
  }

  close() {
    this.#isClosed = true;
    drop(this.#entry);
    this.#entry.epoch = 0; // no program has it
    this.#make = null; // frees the text of the robots.txt
  }
}

if (Symbol.dispose) { // engines without "using" do not have it
  Kept.prototype[Symbol.dispose] = Kept.prototype.close;
}

export class RobotsFile extends Kept {
  #make;

  constructor(make) {
    super(make(), make);
    this.#make = make;
  }

  agent(...tokens) {
    const tokenOf = (each) => textOf(each, "a product token");
    const names = tokens.flatMap((each) => Array.isArray(each) ? Array.from(each, tokenOf) : tokenOf(each));
    if (names.length === 0 && tokens.length > 0) {
      throw new TypeError("the product tokens: expected some in the list");
    }
    const agent = (file) => program.call("agent", names, (go) => go.agent(file, names.length));
    const make = this.#make; // the policy does not keep this object
    return new Policy(this.use(agent), () => {
      const file = make();
      const policy = agent(file);
      drop({ epoch: program.epoch, handle: file });
      return policy;
    });
  }

  sitemaps() {
    const lines = this.use((file) => {
      const size = program.call("sitemaps", [], (go) => go.sitemaps(file));
      return size === CLOSED ? CLOSED : program.reply(size);
    });
    return lines.split("\n").slice(0, -1);
  }
}

export class Policy extends Kept {
  check(url) {
    const text = urlOf(url, "the URL");
    return this.use((policy) => program.check(policy, text));
  }

  checkAll(urls) {
    const texts = textsOf(urls, "a URL", urlOf);
    return this.use((policy) => program.checkAll(policy, texts));
  }

  requested(url) {
    const text = urlOf(url, "the URL");
    return this.use((policy) => {
      const size = program.call("requested", [text], (go, length) => go.requested(policy, length));
      return size === CLOSED ? CLOSED : typeof text === "string" ? program.reply(size) : program.bytes(size).slice();
    });
  }

  explain(url) {
    const text = urlOf(url, "the URL");
    return this.use((policy) => program.json("explain", [text], (go) => go.explain(policy)));
  }

  usage(url, question = {}) {
    const text = urlOf(url, "the URL");
    const { headers, ...others } = optionsOf(question, OPTIONS.usage);
    const asked = JSON.stringify({ ...others, headers: headers && headersOf(headers) });
    return this.use((policy) => program.json("usage", [text, asked], (go) => go.usage(policy)));
  }

  crawlDelay() {
    const seconds = this.use((policy) => program.call("crawlDelay", [], (go) => go.crawlDelay(policy)));
    return Number.isNaN(seconds) ? undefined : seconds;
  }

  show() {
    return this.use((policy) => program.json("show", [], (go) => go.show(policy)));
  }
}

// headersOf returns headers (those of fetch, an object, or a list of pairs) as an object with a list of values for each name.
function headersOf(headers) {
  const lists = Object.create(null); // a server may send any name, such as "constructor"
  for (const [name, value] of typeof headers[Symbol.iterator] === "function" ? headers : Object.entries(headers)) {
    (lists[name] ??= []).push(...(Array.isArray(value) ? value : [value]));
  }
  return lists;
}

export function parse(robots, options = {}) {
  const { dialect = "" } = optionsOf(options, OPTIONS.parse);
  const texts = [textOf(dialect, "the dialect"), textOf(robots, "the robots.txt")];
  return new RobotsFile(() => program.call("parse", texts, (go) => go.parse()));
}

export function lint(robots) {
  return program.json("lint", [textOf(robots, "the robots.txt")], (go) => go.lint());
}

// chainOf returns the name of a crawler: its product tokens with colons between them.
function chainOf(crawler, what) {
  if (!Array.isArray(crawler)) {
    return textOf(crawler, what);
  }
  const tokens = Array.from(crawler);
  const wrong = tokens.findIndex((each) => typeof each !== "string");
  if (wrong >= 0) {
    throw new TypeError(`${what}: expected a list of strings, not of ${kindOf(tokens[wrong])}`);
  }
  return tokens.join(":");
}

export function diff(older, newer, options = {}) {
  const { crawlers = [] } = optionsOf(options, OPTIONS.diff);
  const names = textsOf(crawlers, "a crawler", chainOf);
  const made = []; // files that only this comparison needs
  const fileOf = (robots) => {
    if (robots instanceof RobotsFile) {
      return robots;
    }
    made.push(parse(robots));
    return made.at(-1);
  };
  const a = fileOf(older), b = fileOf(newer);
  const ask = (one, other) => program.json("diff", names, (go) => go.diff(one, other, names.length));
  const comparison = a.use((one) => b.use((other) => ask(one, other)));
  for (const file of made) {
    file.close();
  }
  if (comparison === CLOSED) {
    throw new HeedError("diff: the files are too large", "full");
  }
  return comparison;
}

export function crawlers() {
  return program.json("crawlers", [], (go) => go.crawlers());
}

export function answer(path, question = null) {
  if (typeof question !== "object") { // each character of a string would be a member
    throw new TypeError(`the question: expected an object, not ${kindOf(question)}`);
  }
  const { robots, ...others } = Object.assign(Object.create(null), question); // own members, each read once
  const texts = [textOf(path, "the path"), JSON.stringify(others)];
  if (robots !== undefined) {
    texts.push(textOf(robots, "the robots.txt"));
  }
  const number = program.call("answer", texts, (go) => go.answer(texts.length));
  return { status: Math.floor(number / 2 ** 32), body: program.reply(number % 2 ** 32) };
}
