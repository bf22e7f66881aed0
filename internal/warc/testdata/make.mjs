// Writes testdata/warcio.warc and testdata/warcio.warc.gz with npm's warcio 2.4.11:
// npm install warcio@2.4.11 && node make.mjs FOLDER
import fs from "node:fs";
import { WARCRecord, WARCSerializer } from "warcio";

const date = "2026-01-02T03:04:05Z";
const body = (text) => (async function* () { yield new TextEncoder().encode(text); })();
const records = () => [
  WARCRecord.createWARCInfo({ filename: "warcio.warc", warcVersion: "WARC/1.1" }, { software: "warcio" }),
  WARCRecord.create({ url: "https://example.com/robots.txt", date, type: "request", warcVersion: "WARC/1.1", httpHeaders: { Host: "example.com" }, statusline: "GET /robots.txt HTTP/1.1" }, body("")),
  WARCRecord.create({ url: "https://example.com/robots.txt", date, type: "response", warcVersion: "WARC/1.1", httpHeaders: { "Content-Type": "text/plain" }, statusline: "HTTP/1.1 200 OK" }, body("User-agent: *\nDisallow: /private\n")),
  WARCRecord.create({ url: "https://example.com/robots.txt", date, type: "metadata", warcVersion: "WARC/1.1", warcHeaders: { "Content-Type": "text/plain" } }, body("fetchTimeMs: 12")),
  WARCRecord.create({ url: "http://例え.example/robots.txt", date, type: "response", warcVersion: "WARC/1.1", httpHeaders: { Location: "https://example.com/robots.txt" }, statusline: "HTTP/1.1 301 Moved Permanently" }, body("")),
  WARCRecord.create({ url: "https://gone.example/robots.txt", date, type: "response", warcVersion: "WARC/1.1", httpHeaders: { "Content-Type": "text/html" }, statusline: "HTTP/1.1 404 Not Found" }, body("<p>Not found</p>\n")),
];
for (const gzip of [false, true]) {
  const parts = [];
  for (const record of records()) {
    parts.push(await WARCSerializer.serialize(await record, { gzip }));
  }
  fs.writeFileSync(`${process.argv[2]}/warcio.warc${gzip ? ".gz" : ""}`, Buffer.concat(parts));
}
