// Package parquetfile checks the URLs in a column of a Parquet file, and reads robots.txt files from rows.
//
// If all rows are kept, Filter copies the pages of the input unchanged, with columns of all types. It still decodes them,
// to find damage. Bloom filters, page indexes and the schema of Arrow are not copied.
//
// # Damaged files
//
// A file may be damaged or hostile, so package parquetpages reads its pages. Filter leaves out a row group with a damaged
// page, and returns a DamagedError at the end.
package parquetfile
