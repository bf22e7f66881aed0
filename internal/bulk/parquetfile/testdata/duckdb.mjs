// Writes duckdb-*.parquet with DuckDB 1.5.6, from the rows that arrow.go.txt wrote as JSON lines; three row groups:
// npm install @duckdb/node-api@1.5.6-r.1 && node duckdb.mjs FOLDER
import { DuckDBInstance } from "@duckdb/node-api";

const folder = process.argv[2];
const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run(`SET threads = 1`);
await connection.run(`CREATE TABLE list AS SELECT i, url, status, body, make_timestamptz(fetched) AS fetched, id, hash, small, one, none, third, quarter,
  hex(key)::UUID AS key, tags FROM read_json('${folder}/rows.jsonl', columns = {i: 'INT', url: 'VARCHAR', status: 'INT', body: 'VARCHAR', fetched: 'BIGINT', id: 'BIGINT',
  hash: 'BIGINT', small: 'INT', one: 'VARCHAR', none: 'BIGINT', third: 'BOOLEAN', quarter: 'DOUBLE', key: 'VARCHAR', tags: 'VARCHAR[]'})`);
const part = (from) => `(SELECT * EXCLUDE (i) FROM list WHERE i >= ${from} AND i < ${from + 20} ORDER BY i)`;
for (const version of ["V1", "V2"]) {
  for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"]) {
    await connection.run(`COPY (${[0, 20, 40].map(part).join(" UNION ALL ")}) TO '${folder}/duckdb-${version.toLowerCase()}-${codec}.parquet'
      (FORMAT parquet, PARQUET_VERSION ${version}, COMPRESSION ${codec}, ROW_GROUP_SIZE 20)`);
  }
}
