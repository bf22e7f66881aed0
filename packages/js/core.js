// The library, without the ways to load heed.wasm at once: index.js and node.js have these.
// What is public is described in index.d.ts and core.d.ts.

import { CLOSED, HeedError, Program } from "./program.js";

export { HeedError };

// Before start, each use of the program is an error that says so.
let program = new Proxy({}, {
  get() {
    throw new Error("heed.wasm is not loaded yet: call start first, or await startAsync");
  },
});

// start makes the library ready, with heed.wasm as a module.
export function start(module) {
  program = new Program(module);
  program.begin(new WebAssembly.Instance(module, program.imports));
}

// startAsync is start, for the main thread of browsers that make no large instance at once.
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
    // Some servers of files do not know the type of WebAssembly.
    const response = await fetch(url);
    if (!response.ok) {
      throw new Error(`${url}: status ${response.status}`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }
}

// What arguments have is read by these. Members of subclasses, of proxies and of single objects may say something else.
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const nameOf = getter(typedArray, Symbol.toStringTag), lengthOf = getter(typedArray, "length"), bufferOf = getter(typedArray, "buffer");
const isResizable = getter(ArrayBuffer.prototype, "resizable") ?? (() => false);
const hrefOf = getter(URL.prototype, "href");

// isBytes reports whether a value is a Uint8Array, of this realm or another one, such as a frame.
const isBytes = (value) => nameOf.call(value) === "Uint8Array";

// textOf returns an argument, or throws an error that names it. Bytes are copied: nobody else can change them.
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

// isGone reports whether the buffer of bytes was sent to another thread, or is shorter than they are. A text
// in it must not become an empty robots.txt, which allows everything. So bytes without an end of their own
// are gone when their buffer has none.
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

// kindOf says in an error what an argument is, such as Promise where an await is missing.
function kindOf(value) {
  return value === null ? "null" : typeof value === "object" ? value.constructor?.name ?? "object" : typeof value;
}

// urlOf returns a URL as a text.
function urlOf(value, what) {
  if (typeof value !== "string" && !isBytes(value)) {
    try {
      return hrefOf.call(value);
    } catch {
      // It is no URL: the error of textOf says what it is.
    }
  }
  return textOf(value, what);
}

// optionOf returns an own member of the last argument of a function. A string has no options, and they would not be missed.
function optionOf(options, name, byDefault) {
  if (options === null || typeof options !== "object") {
    throw new TypeError(`the options: expected an object, not ${kindOf(options)}`);
  }
  const value = Object.hasOwn(options, name) ? options[name] : undefined;
  return value === undefined ? byDefault : value;
}

// textsOf returns arguments in a list. A string is none, though it is a list of its letters.
function textsOf(values, what, textOfOne = textOf) {
  if (typeof values === "string" || values === null || typeof values !== "object") {
    throw new TypeError(`${what}: expected a list of them, not ${kindOf(values)}`);
  }
  return Array.from(values, (each) => textOfOne(each, what));
}

// Go closes objects that take too much memory, and they are made again when they are used. So at most this
// many wait for the end of their object in JavaScript: in a loop that never awaits, no such end is told.
const WATCHED = 50_000;
let watched = 0;
const ends = new FinalizationRegistry((entry) => {
  watched--;
  try {
    drop(entry);
  } catch {
    // The program has ended, and with it what the entry had. Nobody could catch this error.
  }
});

// drop closes what an entry has in Go, if it is still there.
function drop({ epoch, handle }) {
  if (epoch === program.epoch) {
    program.call("close", [], (go) => go.close(handle));
  }
}

// A Kept is an object that Go has.
class Kept {
  #entry; // what Go has of it
  #make; // makes it in Go, and returns its handle
  #isClosed = false;

  constructor(handle, make) {
    this.#entry = { epoch: program.epoch, handle };
    this.#make = make;
    if (watched < WATCHED) {
      watched++;
      ends.register(this, this.#entry);
    }
  }

  // use calls a function with the handle. If that is closed by now, it makes the object again.
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
    this.#make = null; // it has the text
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
    const asked = JSON.stringify({ ...question, headers: question.headers && headersOf(question.headers) });
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

/** Headers as an object of lists: those of fetch, an object, or a list of pairs. */
function headersOf(headers) {
  const lists = {};
  for (const [name, value] of typeof headers[Symbol.iterator] === "function" ? headers : Object.entries(headers)) {
    (lists[name] ??= []).push(...(Array.isArray(value) ? value : [value]));
  }
  return lists;
}

export function parse(robots, options = {}) {
  const texts = [textOf(optionOf(options, "dialect", ""), "the dialect"), textOf(robots, "the robots.txt")];
  return new RobotsFile(() => program.call("parse", texts, (go) => go.parse()));
}

export function lint(robots) {
  return program.json("lint", [textOf(robots, "the robots.txt")], (go) => go.lint());
}

// chainOf returns a crawler as a text: its product tokens with colons between them.
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
  const names = textsOf(optionOf(options, "crawlers", []), "a crawler", chainOf);
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

export function answer(path, question) {
  const { robots, ...others } = Object.assign(Object.create(null), question); // own members, each read once
  const texts = [textOf(path, "the path"), JSON.stringify(others)];
  if (robots !== undefined) {
    texts.push(textOf(robots, "the robots.txt"));
  }
  const number = program.call("answer", texts, (go) => go.answer(texts.length));
  return { status: Math.floor(number / 2 ** 32), body: program.reply(number % 2 ** 32) };
}
