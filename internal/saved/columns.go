package saved

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/origin"
)

// A Name stands for one value of a saved answer, such as its status. The value is in a column of a table or in a member
// of a JSON object.
type Name uint8

const (
	URL Name = iota
	Origin
	Robots
	RobotsB64
	Body
	Location
	Status
	Fetched
	countNames
)

// If a table has several of the usual names, the first in the list has priority.
var known = [countNames][]string{
	URL: {"url"}, Origin: {"origin", aliasOfOrigin}, Robots: {"robots"}, RobotsB64: {"robots_b64"}, Body: {"body", "content"},
	Location: {"location"}, Status: {"status"}, Fetched: {"fetched", "fetched_at_ms", "fetched_at", "fetch_time", "warc_date"},
}

// aliasOfOrigin is used only without columns "url" and "origin", because a host does not say http or https.
const aliasOfOrigin = "host"

const robotsFile = "robots_file"

func (n Name) String() string { return known[n][0] }

func Names() (all []string) {
	for n := range countNames {
		all = append(all, n.String())
	}
	return all
}

// Columns name the column or JSON member of each value. The zero Columns use the usual names.
type Columns struct {
	given   [countNames]string // the columns that the user named; "" means that the user named no column
	hasNone [countNames]bool   // the user said that the data has no status, or no time
}

// ParseColumns reads Columns such as "origin=host,body=text".
func ParseColumns(text string) (c Columns, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, column, _ := strings.Cut(part, "=")
		n := slices.Index(Names(), name)
		switch {
		case n < 0:
			return c, fmt.Errorf("the name %q is unknown; %s", name, meant(name))
		case column == "" && mayBe[n] != nil:
			c.hasNone[n] = true
			continue
		case column == "":
			return c, fmt.Errorf("%s: the name of the column is missing; expected for example %s=column", name, name)
		case c.given[n] != "":
			return c, fmt.Errorf("%s is given twice; give it only once", name)
		case slices.Contains(c.given[:], column):
			return c, fmt.Errorf("%s and %s: both would be read from the column %q; name a different column for each", Name(slices.Index(c.given[:], column)), name, column)
		}
		c.given[n] = column
	}
	switch hasURL, hasOrigin := c.given[URL] != "", c.given[Origin] != ""; {
	case hasURL && hasOrigin:
		return c, errors.New("url and origin cannot both be given: leave one of them out")
	case !hasURL && !hasOrigin:
		return c, errors.New(`--columns gives no column to url or to origin: expected one of them, such as origin=host if the column host has the origins`)
	case !hasAnswer(func(n Name) bool { return c.given[n] != "" }):
		return c, errors.New(`neither "status" nor "body" has a column, and heed needs the status or the robots.txt of each site: give one of them, for example body=content`)
	}
	return c, nil
}

func meant(name string) string {
	if closest := spelling.Closest(name, Names()); closest != "" {
		return "did you mean " + closest + "?"
	}
	return "expected one of " + strings.Join(Names(), ", ")
}

func hasAnswer(hasColumn func(Name) bool) bool {
	return slices.ContainsFunc([]Name{Status, Body, Robots, RobotsB64, Location}, hasColumn)
}

func (c *Columns) IsGiven() bool { return *c != Columns{} }

// String returns the form that ParseColumns reads, such as "origin=host,body=text".
func (c *Columns) String() string {
	var all []string
	for n, column := range c.given {
		if column != "" {
			all = append(all, Name(n).String()+"="+column)
		}
		if c.hasNone[n] {
			all = append(all, Name(n).String()+"=")
		}
	}
	return strings.Join(all, ",")
}

// IsMember reports whether a JSON object may have a member with this name. With columns from the user, it may have any.
func (c *Columns) IsMember(name string) bool {
	_, ok := c.nameOf(name)
	return ok || c.IsGiven() || name == robotsFile
}

// EachMember yields the paths and the values of a JSON object, as jsonobject.EachPath does.
func (c *Columns) EachMember(object string, yield func(path, value string) error) error {
	enters := func(path string) bool {
		return slices.ContainsFunc(c.given[:], func(column string) bool { return jsonobject.IsWithin(column, path) })
	}
	return jsonobject.EachPath(object, enters, yield)
}

func (c *Columns) IsSite(name string) bool {
	n, ok := c.nameOf(name)
	return ok && (n == URL || n == Origin)
}

func (c *Columns) nameOf(column string) (Name, bool) {
	for n := range countNames {
		if c.given[n] == column && column != "" || !c.IsGiven() && slices.Contains(known[n], column) {
			return n, true
		}
	}
	return 0, false
}

// Found has the index of the column of each Name, or -1 if the table has no such column.
type Found [countNames]int

var noneFound = new(Columns).find(nil)

func (f *Found) has(n Name) bool { return f[n] >= 0 }

func (f *Found) isEnough() bool { return (f.has(URL) || f.has(Origin)) && hasAnswer(f.has) }

// Find finds the columns in the header of a table. It returns an error if a column that the user named is missing, or if
// the column with the robots.txt is missing.
func (c *Columns) Find(table []string) (Found, error) {
	found := c.find(table)
	for n, i := range found {
		switch {
		case i < 0 && c.given[n] != "":
			return found, missing(c.given[n], table)
		case i >= 0 && slices.Contains(table[i+1:], table[i]):
			return found, fmt.Errorf("the file has two columns with the name %q; expected only one", table[i])
		}
	}
	switch {
	case !found.has(URL) && !found.has(Origin):
		return found, fmt.Errorf("the table has no robots.txt files: %w", missing(URL.String(), table))
	case !found.isEnough():
		return found, errors.New(`this table has no robots.txt files: expected a column "status" or "body"; if the table is a list of URLs, give it as an INPUT, and not to --robots`)
	}
	inUse := *c
	for n, i := range found {
		if i >= 0 && (Name(n) != Origin || !found.has(URL)) {
			inUse.given[n] = table[i]
		}
	}
	for _, column := range table {
		if err := inUse.checkUnused(column); err != nil {
			return found, err
		}
	}
	return found, nil
}

// Names of columns that may mean the status or the time must not be overlooked.
var mayBe = [countNames]func(column string) bool{Status: saysSuccess, Fetched: saysTime}

// An unused column such as "http_code" is an error. Without the status, an error page could be read
// as a robots.txt that allows everything.
func (c *Columns) checkUnused(column string) error {
	if slices.Contains(c.given[:], column) {
		return nil
	}
	for n, is := range mayBe {
		if is == nil || c.given[n] != "" || c.hasNone[n] || !is(column) {
			continue
		}
		with := *c
		with.given[n] = column
		what, otherwise := "time of the retrieval", "the time does not matter"
		if Name(n) == Status {
			what, otherwise = "status of the response", "every row is a success"
		}
		return fmt.Errorf("the column %s may have the %s: to use it, give --columns %s; if %s, write %s= without a name", printable.Quote(column), what, printable.Quote(with.String()), otherwise, Name(n))
	}
	return nil
}

func saysSuccess(column string) bool {
	return containsOne(column, "status", "code", "error", "result", "success", "state", "fail", "timeout", "timed", "truncat", "exception") ||
		slices.Contains([]string{"ok", "st", "err", "http"}, strings.ToLower(column))
}

func saysTime(column string) bool {
	words := wordsOf(column)
	has := func(all []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, w) })
	}
	isFetched := has(fetchedWords)
	return len(words) == 1 && (isFetched || has(timeWords)) || has(timeWords) && (isFetched || has(fetchWords)) || isFetched && slices.Contains(words, "last")
}

// Words in the names of columns. "download_date" may be the time of a retrieval, but "time_taken" and "expiry_date" are not.
var (
	timeWords    = []string{"time", "date", "datetime", "timestamp", "ts", "at", "when", "day", "epoch", "on"}
	fetchWords   = []string{"fetch", "crawl", "capture", "retrieve", "retrieval", "visit", "download", "scrape", "check", "access", "warc", "update"}
	fetchedWords = []string{"fetched", "crawled", "captured", "retrieved", "visited", "downloaded", "scraped", "checked", "accessed", "seen", "updated"}
)

func wordsOf(name string) []string {
	var b strings.Builder
	previous := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			b.WriteString(" " + string(unicode.ToLower(r)))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	return strings.Fields(b.String())
}

func containsOne(column string, parts ...string) bool {
	column = strings.ToLower(column)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(column, part) })
}

// Check refuses the URL of a page as the origin. Status 404 of a page says nothing about the
// robots.txt.
func (c *Columns) Check(r *Record) error {
	_, rest, hasScheme := strings.Cut(r.Origin, "://")
	if !c.IsGiven() || !hasScheme {
		return nil
	}
	if path := rest[len(origin.Authority(rest)):]; path == "" || path == "/" || path == "/robots.txt" {
		return nil
	}
	return fmt.Errorf("origin %s: expected only a scheme and a host, such as https://example.com, because the response for a page says nothing about the robots.txt", printable.Quote(r.Origin))
}

func (c *Columns) find(table []string) (found Found) {
	for n := range countNames {
		names := known[n]
		if c.IsGiven() {
			names = []string{c.given[n]}
		}
		found[n] = -1
		for _, name := range slices.Backward(names) {
			if i := slices.Index(table, name); i >= 0 && name != "" {
				found[n] = i
			}
		}
	}
	if i := found[Origin]; !c.IsGiven() && i >= 0 && table[i] == aliasOfOrigin && found[URL] >= 0 {
		found[Origin] = -1
	}
	return found
}

func missing(column string, table []string) error {
	return fmt.Errorf("the file has no column %q; its columns are %s", column, Quoted(table))
}

// Quoted returns the names for an error, in quotation marks. Of a long list of columns, it returns only the first 20 names.
func Quoted(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, printable.Quote(name))
	}
	return strings.Join(quoted, ", ")
}
