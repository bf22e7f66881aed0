// Package parquetfile checks the URLs in a column of a Parquet file, and reads robots.txt files from the rows of Parquet
// files.
//
// Filter works on whole columns and row groups, not on single rows. If all rows are kept, the pages of the input are copied
// unchanged, so columns of all types are kept. They are still decoded, to find damage. The schema and the metadata of the
// input are copied too. Bloom filters and page indexes are not copied. The schema of Arrow is not copied either, because it
// does not have the new columns.
//
// # Damaged files
//
// A file may be damaged or hostile, so package parquetpages reads its pages. If a row group has a damaged page, Filter reports
// a Rejection, leaves out all rows of the group, and continues with the next group. At the end it returns a DamagedError.
package parquetfile
