// Package parquetfile checks the URLs in a column of a Parquet file, and reads robots.txt files from
// the rows of Parquet files.
//
// Filter works on columns and row groups, never on rows. If all rows are kept, the pages of the input
// are decoded to find damage, but copied as they are; so everything in them is kept, whatever
// their types. Schema and metadata of the input are copied too, except Bloom filters, page indexes, and the
// schema of Arrow, which would not have the new columns.
//
// # Damaged files
//
// A file is bytes of others, so its pages are read by package parquetpages. A row group with a damaged page is a
// Rejection with its place, its rows are not written, and the next row group is read; the error at the end is a
// DamagedError.
package parquetfile
