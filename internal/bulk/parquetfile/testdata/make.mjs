// Writes hyparquet-*.parquet with npm's hyparquet-writer 0.17.0; pages of version 2:
// npm install hyparquet-writer@0.17.0 && node make.mjs FOLDER
import zlib from "node:zlib";
import { parquetWriteFile } from "hyparquet-writer";

const compressors = { GZIP: (b) => new Uint8Array(zlib.gzipSync(b)) };
const count = 60;
const rows = [...Array(count).keys()];
const url = (i) => (i % 7 == 0 ? null : `https://www${i % 3}.example.com/${i % 5 == 0 ? "cart" : "page"}/${i}`);
for (const codec of ["UNCOMPRESSED", "SNAPPY", "GZIP"]) {
  parquetWriteFile({
    filename: `${process.argv[2]}/hyparquet-${codec.toLowerCase()}.parquet`,
    codec, compressors, rowGroupSize: 25, pageSize: 300,
    kvMetadata: [{ key: "made by", value: "make.mjs" }],
    columnData: [
      { name: "url", data: rows.map(url) },
      { name: "host", data: rows.map((i) => `www${i % 3}.example.com`) },
      { name: "n", data: rows, encoding: "DELTA_BINARY_PACKED" },
      { name: "when", data: rows.map((i) => new Date(1700000000000 + i)) },
      { name: "half", data: rows.map((i) => i / 2), encoding: "BYTE_STREAM_SPLIT" },
      { name: "tags", data: rows.map((i) => rows.slice(0, i % 4).map((j) => `tag${j}`)) },
    ],
    schema: [
      { name: "root", num_children: 6 },
      { name: "url", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL", field_id: 7 },
      { name: "host", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
      { name: "n", type: "INT32", repetition_type: "REQUIRED" },
      { name: "when", type: "INT64", converted_type: "TIMESTAMP_MILLIS", repetition_type: "OPTIONAL" },
      { name: "half", type: "DOUBLE", repetition_type: "OPTIONAL" },
      { name: "tags", num_children: 1, converted_type: "LIST", repetition_type: "OPTIONAL" },
      { name: "list", num_children: 1, repetition_type: "REPEATED" },
      { name: "element", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
    ],
  });
}
parquetWriteFile({
  filename: `${process.argv[2]}/hyparquet-robots.parquet`,
  columnData: [
    { name: "origin", data: ["https://a.example", "https://b.example/", null], type: "STRING" },
    { name: "status", data: [200, 404, 200], type: "INT32" },
    { name: "body", data: ["User-agent: *\nDisallow: /cart\n", null, "x"], type: "STRING" },
    { name: "fetched", data: [new Date("2026-05-03T14:00:00Z"), null, null], type: "TIMESTAMP" },
  ],
});
