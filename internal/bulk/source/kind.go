package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/saved"
)

type Kind uint8

// The kinds of sources. The zero Kind is unknown.
const (
	Folder    Kind = iota + 1 // a folder of robots.txt files, each with a host as its name, or of files of the other kinds
	WARC                      // plain, or compressed with gzip or zstd
	JSONLines                 // plain, or compressed with gzip or zstd
	Table                     // CSV or TSV with a header; plain, or compressed with gzip or zstd
	Parquet
	Store   // a store of heed: an SQLite database, or the URL of a Redis server
	Archive // an archive that heed compile wrote
)

var kindNames = [...]string{"unknown", "folder", "WARC", "JSON lines", "CSV or TSV", "Parquet", "store", "compiled archive"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[0]
}

var errKind = errors.New("heed does not know the format of the file; expected WARC, a store, an archive of heed compile, or JSON lines, CSV, TSV or Parquet with columns such as url or origin, status, body, robots, robots_b64, location and fetched. If the file is a robots.txt, put it into a folder, give it the name of its host, and name the folder")

// KindOf returns the Kind of a folder, a file or a store. A pipe is an error, because its start could not be read again.
func KindOf(name string) (Kind, error) {
	if isStoreURL(name) {
		return Store, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	switch {
	case info.IsDir():
		return Folder, nil
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is a pipe, a device or a socket: expected a file or a folder", name)
	}
	return kindOfFile(name, &saved.Columns{})
}

func kindOfFile(name string, columns *saved.Columns) (Kind, error) {
	in, err := open(name, nil, columns)
	if err != nil {
		return 0, err
	}
	defer in.close()
	begin, _ := in.text.Peek(in.text.Buffered()) // these bytes were read already, so there is no error
	shown := saved.ShownColumns(firstLine(begin))
	switch {
	case in.kind == 0 && columns.IsGiven():
		return 0, fmt.Errorf("%s: %w. With --columns, the first line of JSON lines, CSV or TSV must have the names that you gave: %s%s", name, errKind, columns, shown)
	case in.kind == 0:
		return 0, fmt.Errorf(`%s: %w. If the columns or members have other names%s, use "heed filter" or "heed compile", and give these names with --columns`, name, errKind, shown)
	}
	return in.kind, nil
}

func isStoreURL(name string) bool { return strings.Contains(name, "://") && HasStoreScheme(name) }

// HasStoreScheme reports whether a text begins with the scheme of a store, and a colon.
func HasStoreScheme(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	return found && slices.Contains([]string{"redis", "rediss", "unix"}, ascii.ToLower(scheme))
}

var begins = []struct {
	magic string
	kind  Kind
}{
	{"WARC/", WARC},
	{"PAR1", Parquet},
	{"SQLite format 3\x00", Store},
}

const (
	gzipMagic = "\x1f\x8b\x08"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

func kindOf(begin []byte, columns *saved.Columns) Kind {
	if archive.IsArchive(begin) { // this test must be the first: an archive is a database of SQLite too
		return Archive
	}
	for _, b := range begins {
		if bytes.HasPrefix(begin, []byte(b.magic)) {
			return b.kind
		}
	}
	switch {
	case hasOurLine(begin, columns):
		return JSONLines
	case columns.IsHeader(firstLine(begin)):
		return Table
	}
	return 0
}

// firstLine returns the first line that is not blank, and the blank lines before it.
func firstLine(begin []byte) string {
	blank := lines.BlankLines(begin)
	i := bytes.IndexByte(begin[blank:], '\n')
	switch {
	case i >= 0:
		return string(begin[:blank+i])
	case len(begin) < maxBegin:
		return string(begin)
	}
	return ""
}

func hasOurLine(begin []byte, columns *saved.Columns) bool {
	first := bytes.TrimPrefix(begin[lines.BlankLines(begin):], []byte(lines.ByteOrderMark))
	text := strings.ToValidUTF8(string(bytes.TrimLeft(first, " \t\r\n")), "?")
	if !strings.HasPrefix(text, "{") {
		return false
	}
	for line := range strings.Lines(text) {
		if isOurLine(line, columns, len(begin) == maxBegin && !strings.HasSuffix(line, "\n")) {
			return true
		}
	}
	return false
}

// JSON with unknown members may be a page that a server sent in place of a robots.txt.
func isOurLine(line string, columns *saved.Columns, isCut bool) bool {
	hasSite, hasOthers, hasAny := false, false, false
	_ = columns.EachMember(line, func(path, _ string) error { // ignore the error: the line may be damaged
		hasAny = true
		hasSite = hasSite || columns.IsSite(path)
		hasOthers = hasOthers || !columns.IsMember(path)
		return nil
	})
	return !hasOthers && (hasSite || isCut && (hasAny || strings.HasPrefix(line, `{"`)))
}

// The first maxBegin bytes of a file show its kind.
const maxBegin = 64 << 10
