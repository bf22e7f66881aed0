// Writes crawler.parquet, a table as another crawler has it, with npm's hyparquet-writer 0.17.0:
// npm install hyparquet-writer@0.17.0 && node crawler.mjs FOLDER
import { parquetWriteFile } from "hyparquet-writer";

const bytes = (text) => new TextEncoder().encode(text);
const at = 1777816800123n; // 2026-05-03T14:00:00.123Z
parquetWriteFile({
  filename: `${process.argv[2]}/crawler.parquet`,
  rowGroupSize: 5,
  columnData: [
    { name: "host", type: "STRING", data: ["A.example", "b.example:8080", "c.example", "d.example", "e.example", "exa mple", "bücher.example", "g.example"] },
    { name: "fetched_at_ms", type: "INT64", data: [at, at + 1000n, at, at, 32503680000000n, at, at, null] },
    { name: "status", type: "INT32", data: [200, 404, 200, null, 200, 200, 200, 0] },
    {
      name: "body", type: "BYTE_ARRAY",
      data: [bytes("User-agent: *\nDisallow: /cart\n"), null, null, bytes("User-agent: *\n"), bytes("User-agent: *\n"), bytes("User-agent: *\n"), new Uint8Array([...bytes("User-agent: *\nDisallow: /"), 0xe9, 10]), bytes("")],
    },
    { name: "bytes", type: "INT32", data: [30, 0, 0, 14, 14, 14, 27, 0] },
  ],
});
