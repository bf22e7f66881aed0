// Calls the functions of heed.wasm; wasm/main.go has them.

import { wasi } from "./wasi.js";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a byte-order mark in a text is kept

const USUAL = 1 << 16; // bytes that the buffer for strings usually has
const KEPT = 1 << 21; // a buffer with more bytes is replaced by a usual one after its use
const ROWS = 1 << 10; // how many strings a call may have
const LARGEST = 256 << 20; // most bytes of a text; as binding.MaxBody

// The codes of errors, by their numbers in package internal/binding.
const CODES = ["", "closed", "kind", "argument", "too-large", "full", "failed"];

/** An error of Heed; index.d.ts describes it. */
export class HeedError extends Error {
  constructor(message, code, options) {
    super(message, options);
    this.name = "HeedError";
    this.code = code;
  }
}

// CLOSED is what a function returns for a handle that is closed.
export const CLOSED = -1;

let epochs = 0; // counts epochs, so that no two programs have the same one

// A Program uses an instance of heed.wasm. After a fatal error it makes a new instance and has another epoch. The handles of
// earlier epochs mean nothing any more.
export class Program {
  epoch = ++epochs;
  reasons = []; // the names of reasons, by number
  #module;
  #exports = null; // null: the next call makes a new instance
  #input = new Uint8Array(0); // strings, one after the other
  #rows = new Uint32Array(0); // their lengths, then two words for each decision
  #inputAt = 0;
  #inputSize = 0;
  #rowsAt = 0;
  #said = ""; // what Go printed

  constructor(module) {
    this.#module = module;
  }

  // imports returns the functions that a new instance imports.
  get imports() {
    this.#said = "";
    return wasi(this.#module, () => this.#exports.memory, (text) => { this.#said += text; });
  }

  // begin makes this program use an instance.
  begin(instance) {
    this.#exports = instance.exports;
    this.#exports._initialize();
    this.#rowsAt = this.#exports.rows(ROWS) >>> 0; // beyond 2 GiB, addresses come as negative
    this.#resize(USUAL);
    this.reasons = this.json("start", [], (go) => go.reasons());
  }

  // #live returns the functions of the instance. It makes a new instance if a fatal error has ended the last one.
  #live() {
    if (this.#exports === null) {
      try {
        this.begin(new WebAssembly.Instance(this.#module, this.imports));
      } catch (err) {
        throw this.#failed(err, "start", "");
      }
    }
    return this.#exports;
  }

  // #views makes the views of memory again. It is needed when the memory has grown, since then the old views are empty.
  #views() {
    const { buffer } = this.#exports.memory;
    this.#input = new Uint8Array(buffer, this.#inputAt, this.#inputSize);
    this.#rows = new Uint32Array(buffer, this.#rowsAt, 3 * ROWS);
  }

  #resize(size) {
    this.#inputAt = this.#exports.buffer(size) >>> 0;
    this.#inputSize = size;
    this.#views();
  }

  // #put writes a string into the buffer, and returns its length in bytes.
  #put(text) {
    if (this.#input.length === 0) {
      this.#views();
    }
    if (typeof text !== "string") {
      return this.#putBytes([text]);
    }
    if (text.length > this.#inputSize) {
      this.#resize(text.length); // enough for ASCII
    }
    const { read, written } = encoder.encodeInto(text, this.#input);
    if (read === text.length) {
      return written;
    }
    this.#resize(written + 3 * (text.length - read));
    return encoder.encodeInto(text, this.#input).written;
  }

  // #putBytes writes several Uint8Array into the buffer, and returns their length together.
  #putBytes(all) {
    const size = all.reduce((sum, each) => sum + each.length, 0);
    if (size > this.#inputSize) {
      this.#resize(size);
    }
    let at = 0;
    for (const each of all) {
      this.#input.set(each, at);
      at += each.length;
    }
    return size;
  }

  // #putAll writes strings and their lengths, and returns how many bytes all strings have together.
  #putAll(texts) {
    if (texts.length === 1) {
      const size = this.#put(texts[0]);
      this.#rows[0] = size;
      return size;
    }
    if (texts.every((each) => typeof each === "string")) {
      const joined = texts.join("");
      const size = this.#put(joined);
      if (size === joined.length) { // all are ASCII
        for (let i = 0; i < texts.length; i++) {
          this.#rows[i] = texts[i].length;
        }
        return size;
      }
    }
    const encoded = texts.map((each) => typeof each === "string" ? encoder.encode(each) : each);
    if (this.#input.length === 0) {
      this.#views();
    }
    const size = this.#putBytes(encoded);
    encoded.forEach((each, i) => { this.#rows[i] = each.length; });
    return size;
  }

  // call writes at most ROWS strings into the buffer. Then it calls ask with the functions of the instance and the length of all
  // strings. It returns the number that ask returns, which is at least 0, or CLOSED. operation names the call in errors.
  call(operation, texts, ask) {
    if (texts.length > ROWS) {
      throw new HeedError(`${operation}: ${texts.length} strings are too many; expected at most ${ROWS}`, "argument");
    }
    if (texts.some((each) => each.length > LARGEST)) {
      throw new HeedError(`${operation}: a text is too large; expected at most ${LARGEST} bytes`, "too-large");
    }
    const go = this.#live();
    let got;
    try {
      const size = this.#putAll(texts);
      got = ask(go, size);
      if (this.#inputSize > KEPT) {
        this.#resize(USUAL);
      }
    } catch (err) {
      throw this.#failed(err, operation, texts.reduce((longest, each) => each.length > longest.length ? each : longest, ""));
    }
    return got < 0 ? this.#refused(got) : got;
  }

  // json is like call, but parses the reply as JSON and returns its value, or CLOSED.
  json(operation, texts, ask) {
    const size = this.call(operation, texts, ask);
    return size < 0 ? size : JSON.parse(this.reply(size));
  }

  // bytes returns the reply, which has size bytes. It is valid until the next call.
  bytes(size) {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.reply() >>> 0, size);
  }

  // reply returns the reply as a string.
  reply(size) {
    return decoder.decode(this.bytes(size));
  }

  // check returns a decision, or CLOSED.
  check(policy, url) {
    let got;
    if (url.length > USUAL) {
      got = this.call("check", [url], (go, size) => go.check(policy, size));
    } else {
      try {
        got = this.#exports.check(policy, this.#put(url));
      } catch (err) {
        throw this.#failed(err, "check", url);
      }
    }
    if (got < 0) {
      return this.#refused(got);
    }
    return this.#decision(Math.floor(got / 65536), got & 0xffff);
  }

  // checkAll returns the decision about each URL, or CLOSED.
  checkAll(policy, urls) {
    const decisions = [];
    for (let at = 0; at < urls.length; at += ROWS) {
      const part = at === 0 && urls.length <= ROWS ? urls : urls.slice(at, at + ROWS);
      if (this.call("checkAll", part, (go, size) => go.checkAll(policy, part.length, size)) === CLOSED) {
        return CLOSED;
      }
      if (this.#rows.length === 0) {
        this.#views();
      }
      for (let i = ROWS; i < ROWS + 2 * part.length; i += 2) {
        decisions.push(this.#decision(this.#rows[i], this.#rows[i + 1]));
      }
    }
    return decisions;
  }

  // #decision returns a decision. The lowest bit is the verdict; the second byte is the number of the reason.
  #decision(line, bits) {
    return { allowed: (bits & 1) === 1, line, reason: this.reasons[bits >> 8 & 0xff] };
  }

  // #refused throws the error for a number below 0 that Go returned, or returns CLOSED.
  #refused(number) {
    const code = CODES[-number & 0xff];
    if (code === "closed") {
      return CLOSED;
    }
    throw new HeedError(this.reply(Math.floor(-number / 256)), code);
  }

  // #failed returns the error for a fatal error of Go. The next call makes a new instance.
  #failed(err, operation, input) {
    this.#exports = null;
    this.epoch = ++epochs;
    this.#input = new Uint8Array(0);
    const said = this.#said.split("\n", 1)[0] || err.message;
    const text = typeof input === "string" ? input : decoder.decode(input.subarray(0, 100));
    return new HeedError(`${operation}: ${said}, ${JSON.stringify(text.slice(0, 100))}`, "failed", { cause: err });
  }
}
