// Package parquetfile checks the URLs in a column of a Parquet file, and reads robots.txt files from rows.
//
// Filter works on whole columns and row groups. If all rows are kept, the pages of the input are copied unchanged, with
// columns of all types. They are still decoded, to find damage. Bloom filters, page indexes and the schema of Arrow are not
// copied.
//
// # Damaged files
//
// A file may be damaged or hostile, so package parquetpages reads its pages. A row group with a damaged page is a
// Rejection: Filter leaves out its rows, and returns a DamagedError at the end.
package parquetfile
