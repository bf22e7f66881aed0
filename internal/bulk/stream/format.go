package stream

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/internal/csvrecords"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/rawbody"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
)

// A Format says where the URL is in each line of an input.
type Format string

// The zero Format means that the first line of the input shows the format.
const (
	Plain     Format = "plain" // each line is a URL, or a host without a scheme; comments and blank lines are allowed
	CSV       Format = "csv"   // CSV with a header line
	TSV       Format = "tsv"   // TSV with a header line; quotation marks have no special meaning
	JSONLines Format = "jsonl" // each line is a JSON object
	CDX       Format = "cdx"   // an index of a web archive: CDXJ, or CDX with 7 to 12 fields
)

var Formats = []Format{Plain, CSV, TSV, JSONLines, CDX}

type urlFinder struct {
	format Format
	field  string
	column int
	comma  byte
	names  []string // the names of the columns of CSV and TSV
	header string
}

// Fields say where the URL is in tables and JSON.
type Fields struct {
	Column string // the column with the URL in CSV and TSV; "" means "url"
	Field  string // the path of the member with the URL in JSON lines, as of jsonobject.EachPath; "" means "url"
}

func formatOf(line string, given Format, f Fields) Format {
	switch line = strings.TrimSpace(line); {
	case given != "":
		return given
	case f.Column != "":
		if strings.Contains(line, "\t") {
			return TSV
		}
		return CSV
	case f.Field != "" || strings.HasPrefix(line, "{"):
		return JSONLines
	case isCDX(line):
		return CDX
	case hasURLColumn(line, ",", `"`):
		return CSV
	case hasURLColumn(line, "\t", ""):
		return TSV
	}
	return Plain
}

func hasURLColumn(line, comma, quote string) bool {
	return slices.Contains(splitCells(line, comma, quote), "url") && !strings.Contains(line, "://")
}

func splitCells(line, comma, quote string) []string {
	cells := strings.Split(line, comma)
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.Trim(cell, quote))
	}
	return cells
}

const warcMagic = "WARC/"

// Users give such files as lists by mistake. The key is how the file begins.
var notLists = map[string]string{
	warcMagic:         "WARC, which is a source of robots.txt files",
	"SQLite format 3": "an archive of heed compile or a store, which are sources of robots.txt files",
	"PAR1":            `Parquet, which "heed filter" can read from a file, but not from standard input`,
}

// A NotListError means that an input is no list of URLs. Hint says what to do in heed filter; it may be "".
type NotListError struct {
	IsXML      bool
	IsTable    bool
	Text, Hint string
}

func (e *NotListError) Error() string { return e.Text + e.Hint }

func checkEncoding(first string) error {
	_, encoding := charset.ToUTF8([]byte(first[:min(len(first), shown)]))
	if encoding == "" {
		return nil
	}
	return fmt.Errorf("the input is text in UTF-16: save it as UTF-8, or convert it with: iconv -f %s -t UTF-8", strings.ToUpper(encoding))
}

func checkMagic(first string) error {
	kind := rawbody.MagicOf([]byte(first[:min(len(first), shown)]))
	switch {
	case kind == "" || strings.HasPrefix(first, "BZh"): // package input decompresses bzip2, so this is a host without a scheme
		return nil
	case strings.HasPrefix(kind, "still compressed"):
		return fmt.Errorf("the input is %s: decompress it first; heed itself decompresses only gzip, zstd and bzip2", kind)
	}
	return fmt.Errorf("the input is %s: expected lines with URLs", kind)
}

func newURLFinder(first string, given Format, f Fields) (*urlFinder, error) {
	if err := checkEncoding(first); err != nil {
		return nil, err
	}
	if err := checkMagic(first); err != nil {
		return nil, err
	}
	text := lines.Trim(first)
	r := &urlFinder{format: formatOf(text, given, f), field: cmp.Or(f.Field, "url")}
	switch r.format {
	case Plain:
		if given != "" {
			break
		}
		for begin, what := range notLists {
			if strings.HasPrefix(text, begin) {
				text := fmt.Sprintf("the input is %s: expected lines with URLs", what)
				if begin == warcMagic {
					return nil, &NotListError{Text: text, Hint: "; to check each response in it, use --for PURPOSE and --responses"}
				}
				return nil, errors.New(text)
			}
		}
		if strings.HasPrefix(text, "<") {
			return nil, &NotListError{IsXML: true, Text: "the input is XML, not a list of URLs",
				Hint: "; if it is a sitemap, make a list of it with: grep -o '<loc>[^<]*' sitemap.xml | sed 's/<loc>//; s/&amp;/\\&/g'"}
		}
		if err := cmp.Or(checkHeader(text), checkRow(lines.Text(text))); err != nil {
			return nil, err
		}
	case CSV, TSV:
		r.comma = ','
		if r.format == TSV {
			r.comma = '\t'
		}
		r.header = first
		return r, r.findColumn(text, cmp.Or(strings.TrimSpace(f.Column), "url"))
	case CDX:
		r.comma = ' '
		if r.column = urlColumn(text, 2); r.column < 0 {
			return nil, errors.New(`the first line names no column "a", in which the URL would be; expected a line such as " CDX N b a m s k r M S V g"`)
		}
	}
	return r, nil
}

func (r *urlFinder) findColumn(header, name string) error {
	if strings.TrimSpace(header) == "" {
		return errors.New("the input has only blank lines; expected the names of columns in its first line")
	}
	names, err := r.split(header)
	if err != nil && strings.Contains(header, `";`) { // the names are quoted, and between them are semicolons
		names, err = []string{strings.ReplaceAll(header, `"`, "")}, nil
	}
	switch {
	case err == nil:
	case errors.Is(err, csvrecords.ErrBehind):
		return fmt.Errorf("the first line, which names the columns: %w", err)
	default:
		return errors.New("the first line, which names the columns, has no closing quotation mark; expected all names in this line")
	}
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	if r.column, r.names = slices.Index(names, name), names; r.column >= 0 {
		if slices.Contains(names[r.column+1:], name) {
			return fmt.Errorf("two columns have the name %q; expected only one", name)
		}
		return nil
	}
	err = fmt.Errorf("there is no column %q; the columns are %s", name, saved.Quoted(names))
	switch {
	case strings.HasPrefix(header, "{"):
		err = fmt.Errorf("%w. If the input is JSON lines, name the member with the URL with --field, not with --column", err)
	case len(names) == 1 && strings.Contains(names[0], ";"):
		err = fmt.Errorf("%w. heed reads CSV with commas, and TSV, but no table with semicolons", err)
	}
	return err
}

// Without an error for the header of a table, each line of the table would be read as one URL.
func checkHeader(line string) error {
	if first := strings.TrimRight(line, "\r\n"); len(first) == len("sep=;") && strings.HasPrefix(first, "sep=") {
		return &NotListError{IsTable: true, Text: fmt.Sprintf("line 1 is %q, which Excel writes before a table: remove this line", first)}
	}
	for _, comma := range []string{",", "\t"} {
		if names := columnNames(line, comma); names != nil {
			return noURLColumn(names)
		}
	}
	if columnNames(line, ";") != nil || hasURLColumn(line, ";", `"`) && !strings.Contains(line, "/") {
		text := fmt.Sprintf("line 1 looks like the names of columns with semicolons between them: %s. heed reads CSV with commas, and TSV: write the table in one of these forms",
			saved.Quoted(splitCells(line, ";", `"`)))
		return &NotListError{IsTable: true, Text: text, Hint: usePlain}
	}
	return nil
}

func noURLColumn(names []string) error {
	return &NotListError{IsTable: true, Text: "line 1 looks like the names of columns, but no column has the name \"url\": " + saved.Quoted(names),
		Hint: ". If another column has the URLs, name it with --column" + usePlain}
}

const usePlain = "; if each line is a URL, use --input plain"

// A URL has no tabs, but it may have commas. So a line with commas is a row only if the whole line is no URL.
func checkRow(line string) error {
	comma := ","
	if strings.Contains(line, "\t") {
		comma = "\t"
	} else if isURL(line) || strings.HasPrefix(line, "/") {
		return nil
	}
	cells := splitCells(line, comma, `"`)
	i := slices.IndexFunc(cells, isURL)
	if i < 0 || len(cells) < 2 {
		return nil
	}
	if !strings.Contains(line, "/") && !strings.ContainsAny(line, "0123456789") { // names such as page.url look like hosts
		return noURLColumn(cells)
	}
	return &NotListError{Text: fmt.Sprintf("line 1 looks like a row of a table without names of columns, with a URL in column %d: put a line with the names of all columns before it, and name this column url", i+1),
		Hint: usePlain}
}

// endsAsRow reports whether a URL may be the first cell of a row. This is so in three cases. The
// URL has white space. A status or a day follows its last comma. A "/" stands directly before its
// last comma, as at the end of the URL of a home page.
func endsAsRow(url string) bool {
	if strings.ContainsAny(url, " \t") {
		return true
	}
	i := strings.LastIndexByte(url, ',')
	if i <= 0 {
		return false
	}
	last := strings.TrimSpace(url[i+1:])
	isStatus := len(last) == 3 && '1' <= last[0] && last[0] <= '5' && strings.Trim(last, "0123456789") == ""
	_, err := time.Parse(time.DateOnly, last[:min(len(last), len(time.DateOnly))])
	return isStatus || err == nil || url[i-1] == '/'
}

func isURL(text string) bool {
	_, err := origin.Parse(address.WithScheme(text))
	return err == nil
}

// If the cells cannot be names of columns, because one is a URL or a host for example, the result is nil.
func columnNames(line, comma string) []string {
	cells := splitCells(line, comma, `"`)
	for _, cell := range cells {
		if cell == "" || cell[0] == '/' || address.IsHost(cell) || strings.ContainsFunc(cell, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_- ()/=%&+", r)
		}) {
			return nil
		}
	}
	if len(cells) < 2 {
		return nil
	}
	return cells
}

var errNoURL = errors.New("the line has no URL; expected a URL in each line")

func (r *urlFinder) url(line string) (url string, err error) {
	none := errNoURL
	switch r.format {
	case JSONLines: // a string has only the white space that its program meant, as in each other question in JSON
		url, err = r.urlInJSON(line)
	case CSV, TSV:
		url, err = r.urlInColumn(line)
		url = lines.TrimSpace(url)
	case CDX:
		url, err = r.urlInCDX(line)
		url = lines.TrimSpace(url)
	default:
		url, none = lines.Text(line), ErrNothing
	}
	if url == "" && err == nil {
		err = none
	}
	return address.WithScheme(url), err
}

// ErrNoMember is in the Err of a Line whose JSON has no member with the URL.
var ErrNoMember = errors.New("the line of JSON has no member with the URL")

// ErrIsObject is in the Err of a Line whose JSON has an object in place of the URL.
var ErrIsObject = errors.New("the member with the URL is a JSON object, not a text")

// MembersOf returns the paths of the members of a line of JSON, for use in an error message. The line may be cut.
func MembersOf(line string) string {
	var paths []string
	always := func(string) bool { return true }
	jsonobject.EachPath(line, always, func(path, _ string) error { // its error can be ignored, because the members before the error are enough
		paths = append(paths, path)
		return nil
	})
	return saved.Quoted(paths)
}

// The exact bytes of the member "url" may be in "url_b64", as in the output of heed.
func (r *urlFinder) urlInJSON(line string) (url string, err error) {
	found, exact := false, ""
	enters := func(path string) bool { return jsonobject.IsWithin(r.field, path) }
	err = jsonobject.EachPath(line, enters, func(path, value string) error {
		if strings.HasPrefix(path, r.field) && path[len(r.field):] == "_b64" && value != "null" {
			if exact, err = jsonobject.Bytes(value); err != nil {
				return fmt.Errorf("%q: %w", path, err)
			}
			return nil
		}
		if found || path != r.field {
			return nil
		}
		found = true
		switch value[0] {
		case '"':
			url, err = jsonobject.String(value)
			return err
		case 'n':
			return fmt.Errorf("%q is null; expected a string with the URL", path)
		case '{':
			return fmt.Errorf("%w: name the member in %q that has the URL, such as %[2]s.url", ErrIsObject, path)
		}
		return jsonobject.Unexpected(path, value, "a string")
	})
	switch {
	case err == nil && exact != "":
		if found {
			err = report.CheckURLB64(url, exact)
		}
		url = exact
	case err == nil && !found:
		err = fmt.Errorf("%w: expected the member %q", ErrNoMember, r.field)
	}
	return url, err
}

// The key is a JSON string, with quotation marks and perhaps with escapes.
func isMember(key, name string) bool {
	if len(key) == len(name)+2 && key[1:len(key)-1] == name {
		return true
	}
	if strings.IndexByte(key, '\\') < 0 {
		return false
	}
	decoded, err := jsonobject.String(key)
	return err == nil && decoded == name
}
