package source

import "errors"

// A Kind is what a source is.
type Kind uint8

// The kinds of sources. The zero Kind is unknown.
const (
	Folder    Kind = iota + 1 // of robots.txt files, named by their hosts, or of files of the other kinds
	WARC                      // plain, gzip or zstd
	JSONLines                 // plain, gzip or zstd
	Parquet
	Store                     // a database of SQLite, or the URL of Redis
	Archive                   // what heed compile writes
)

var kindNames = [...]string{"unknown", "folder", "WARC", "JSON lines", "Parquet", "store", "compiled archive"}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// KindOf returns what the source with a name is: of a folder, a file or the URL of a store. The name
// of a file does not matter, only what is in it.
func KindOf(name string) (Kind, error) { return 0, errors.New("not yet") }
