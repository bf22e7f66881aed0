// Writes testdata/warcio.warc.gz with npm's warcio 2.4.11, with a gzip member for each record:
// npm install warcio@2.4.11 && node make.mjs FOLDER
import fs from "node:fs";
import zlib from "node:zlib";
import { WARCRecord, WARCSerializer } from "warcio";

const date = "2026-01-02T03:04:05.678Z";
const site = "https://www.example.com";
const rules = "User-agent: *\nDisallow: /private\n";
const body = (data) => (async function* () { yield typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data); })();
const make = (type, path, statusline, httpHeaders, data = "", warcHeaders = {}) =>
  WARCRecord.create({ url: site + path, date, type, warcVersion: "WARC/1.1", statusline, httpHeaders, warcHeaders }, body(data));
const chunks = `6\r\n${rules.slice(0, 6)}\r\n${(rules.length - 6).toString(16)}\r\n${rules.slice(6)}\r\n0\r\n\r\n`;
const revisited = { "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Refers-To-Target-URI": site + "/robots.txt", "WARC-Refers-To-Date": date };
const records = [
  WARCRecord.createWARCInfo({ filename: "warcio.warc.gz", warcVersion: "WARC/1.1" }, { software: "warcio" }),
  make("request", "/robots.txt", "GET /robots.txt HTTP/1.1", { Host: "www.example.com" }),
  make("response", "/robots.txt", "HTTP/1.1 302 Found", { Location: "/gzip?a=b|c#top" }),
  make("response", "/gzip?a=b|c", "HTTP/1.1 200 OK", { "Content-Type": "text/plain", "Content-Encoding": "gzip" }, zlib.gzipSync(rules)),
  make("response", "/chunks", "HTTP/1.1 200 OK", { "Transfer-Encoding": "chunked" }, chunks),
  make("response", "/both", "HTTP/1.1 200 OK", { "Content-Encoding": "gzip", "Transfer-Encoding": "chunked" }, rules),
  make("response", "/cut", "HTTP/1.1 200 OK", { "Content-Length": "5000" }, rules + "Disal", { "WARC-Truncated": "length" }),
  make("response", "/utf16", "HTTP/1.1 200 OK", { "Content-Type": "text/plain; charset=UTF-16" }, Buffer.from("\ufeff" + rules, "utf16le")),
  make("response", "/page", "HTTP/1.1 200 OK", { "Content-Type": "text/html" }, "<!doctype html><title>Shop</title>"),
  make("response", "/down", "HTTP/1.1 503 Service Unavailable", { "Retry-After": "60" }, "later"),
  make("revisit", "/robots.txt", "HTTP/1.1 302 Found", { Location: "/elsewhere" }, "", revisited),
  make("resource", "/resource", undefined, undefined, rules, { "Content-Type": "text/plain" }),
  make("metadata", "/robots.txt", undefined, undefined, "fetchTimeMs: 12", { "Content-Type": "text/plain" }),
];
const parts = [];
for (const record of records) {
  parts.push(await WARCSerializer.serialize(await record, { gzip: true }));
}
fs.writeFileSync(`${process.argv[2]}/warcio.warc.gz`, Buffer.concat(parts));
