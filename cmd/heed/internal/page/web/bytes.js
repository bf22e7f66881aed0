// A robots.txt as a text from which its bytes can be made again. Each byte that is not UTF-8 becomes one code unit,
// U+DC00 plus the byte: for example, 0xE9 becomes U+DCE9. A well-formed text has no such code units.

const encoder = new TextEncoder();
const lossy = /[\u{dc80}-\u{dcff}]/gu;

// textOf returns the text of bytes.
export function textOf(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const parts = [];
  let from = 0; // where the bytes begin that are UTF-8 up to here
  for (let at = 0; at < bytes.length;) {
    const size = sizeAt(bytes, at);
    if (size === 0) {
      parts.push(decoder.decode(bytes.subarray(from, at)), String.fromCharCode(0xdc00 + bytes[at]));
      from = at + 1;
    }
    at += size || 1;
  }
  return parts.join("") + decoder.decode(bytes.subarray(from));
}

// sizeAt returns how many bytes the UTF-8 character at a place has, or 0 if the bytes there are not UTF-8.
function sizeAt(bytes, at) {
  const first = bytes[at], second = bytes[at + 1] ?? 0;
  if (first < 0x80) {
    return 1;
  }
  const size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < size; i++) {
    if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) {
      return 0;
    }
  }
  const low = { 0xe0: 0xa0, 0xf0: 0x90 }[first] ?? 0x80, high = { 0xed: 0x9f, 0xf4: 0x8f }[first] ?? 0xbf;
  return size > 2 && (second < low || second > high) ? 0 : size;
}

// bytesOf returns the bytes of a text.
export function bytesOf(text) {
  const parts = [];
  let from = 0;
  for (const { index, 0: unit } of text.matchAll(lossy)) {
    parts.push(encoder.encode(text.slice(from, index)), Uint8Array.of(unit.charCodeAt(0) - 0xdc00));
    from = index + 1;
  }
  parts.push(encoder.encode(text.slice(from)));
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}

// robotsOf returns a robots.txt as a member of a question: "robots", or "robots_b64" if it is not UTF-8.
export function robotsOf(text) {
  return text.isWellFormed() ? { robots: text } : { robots_b64: base64(bytesOf(text)) };
}

export function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) { // a call takes only so many arguments
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(text);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// textIn returns a text in an answer, the member name. If the text is not UTF-8, the answer also has its bytes in base64,
// as the member name_b64.
export const textIn = (answer, name) => (answer[`${name}_b64`] ? textOf(fromBase64(answer[`${name}_b64`])) : answer[name]);

// sizeOf returns how many bytes a code point stands for.
export const sizeOf = (point) => (point < 0x80 || (point >= 0xdc80 && point <= 0xdcff) ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

// alike matches letters that look like ASCII letters, and word matches words. The Go package internal/printable has the
// same sets; a test compares them for all code points.
const alike = /(?!\p{P})[\u{1c0}-\u{1c3}\u{250}-\u{2af}\u{370}-\u{3ff}\u{400}-\u{52f}\u{531}-\u{587}\u{13a0}-\u{13ff}\u{1c80}-\u{1c8f}\u{1d00}-\u{1dbf}\u{1f00}-\u{1fff}\u{2100}-\u{214f}\u{2160}-\u{2188}\u{2c80}-\u{2cff}\u{2de0}-\u{2dff}\u{a4d0}-\u{a4ff}\u{a640}-\u{a69f}\u{ab70}-\u{abbf}\u{ff21}-\u{ff5a}\u{10280}-\u{1031f}\u{10400}-\u{104ff}\u{118a0}-\u{118ff}\u{16f00}-\u{16f9f}\u{1d400}-\u{1d7ff}]/gu;
const word = new RegExp(`(?:[\\p{L}\\p{M}]|${alike.source})+`, "gu");

// alikeIn returns the letters that look like ASCII letters in words that have ASCII letters too, as
// [index, letter].
const alikeIn = (text) => [...text.matchAll(word)]
  .filter(([letters]) => /[a-z]/i.test(letters))
  .flatMap(({ index, 0: letters }) => [...letters.matchAll(alike)].map((found) => [index + found.index, found[0]]));

// visible returns a text in which each character that cannot be seen, that changes the direction of
// the text, or that imitates an ASCII letter, is an escape.
export function visible(text) {
  if (!beyond.test(text)) {
    return text;
  }
  const parts = [];
  let from = 0;
  for (const [index, letter] of alikeIn(text)) {
    parts.push(text.slice(from, index), escape(letter));
    from = index + letter.length;
  }
  return (parts.join("") + text.slice(from)).replace(unseen, escape);
}

const beyond = /[^ -~]/;

export function escape(character) {
  const point = character.codePointAt(0);
  return point >= 0xdc80 && point <= 0xdcff ? `\\x${hex(point - 0xdc00)}` : `\\u{${hex(point)}}`;
}

const hex = (n) => n.toString(16).toUpperCase();
