package saved

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/origin"
)

// A Name is what a table or an object says of an answer.
type Name uint8

// The names, in the order in which errors list them.
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

// known are the columns that count if nobody names others: of each list the first that a table has.
var known = [countNames][]string{
	URL: {"url"}, Origin: {"origin", aliasOfOrigin}, Robots: {"robots"}, RobotsB64: {"robots_b64"}, Body: {"body", "content"},
	Location: {"location"}, Status: {"status"}, Fetched: {"fetched", "fetched_at_ms", "fetched_at", "fetch_time", "warc_date"},
}

// aliasOfOrigin only counts where there is neither url nor origin: next to a URL it says less.
const aliasOfOrigin = "host"

// robotsFile is a member of JSON only: see Record.Answer.
const robotsFile = "robots_file"

// String returns the name, such as "robots_b64".
func (n Name) String() string { return known[n][0] }

// Names returns all names as text.
func Names() (all []string) {
	for n := range countNames {
		all = append(all, n.String())
	}
	return all
}

// Columns are the columns of a table, or the members of objects, that have what the names say. The zero Columns
// are those with the names themselves, and with some that others use.
type Columns struct {
	given       [countNames]string
	hasNoStatus bool // somebody said that there is none
}

// ParseColumns reads Columns such as "origin=host,body=text". Then no other columns count.
func ParseColumns(text string) (c Columns, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, column, _ := strings.Cut(part, "=")
		n := slices.Index(Names(), name)
		switch {
		case n < 0:
			return c, fmt.Errorf("%q is unknown; %s", name, meant(name))
		case column == "" && n == int(Status):
			c.hasNoStatus = true
			continue
		case column == "":
			return c, fmt.Errorf("%s: expected the name of a column, such as %s=column", name, name)
		case c.given[n] != "":
			return c, fmt.Errorf("%s is given twice", name)
		case slices.Contains(c.given[:], column):
			return c, fmt.Errorf("%s and %s: both have the column %q", Name(slices.Index(c.given[:], column)), name, column)
		}
		c.given[n] = column
	}
	switch hasURL, hasOrigin := c.given[URL] != "", c.given[Origin] != ""; {
	case hasURL && hasOrigin:
		return c, errors.New("url and origin: leave one of them out")
	case !hasURL && !hasOrigin:
		return c, errors.New("expected url or origin, such as origin=host")
	case !says(func(n Name) bool { return c.given[n] != "" }):
		return c, errors.New("expected status or body too, such as body=content: else nothing is known about the sites")
	}
	return c, nil
}

func meant(name string) string {
	if closest := spelling.Closest(name, Names()); closest != "" {
		return "did you mean " + closest + "?"
	}
	return "expected one of " + strings.Join(Names(), ", ")
}

// says reports whether columns say what a site answered, given which of them there are.
func says(has func(Name) bool) bool {
	return slices.ContainsFunc([]Name{Status, Body, Robots, RobotsB64, Location}, has)
}

// IsGiven reports whether somebody named the columns.
func (c *Columns) IsGiven() bool { return *c != Columns{} }

// String returns the columns as ParseColumns reads them; "" for the zero Columns.
func (c *Columns) String() string {
	var all []string
	for n, column := range c.given {
		if column != "" {
			all = append(all, Name(n).String()+"="+column)
		}
	}
	if c.hasNoStatus {
		all = append(all, Status.String()+"=")
	}
	return strings.Join(all, ",")
}

// IsMember reports whether an object may have a member: any one, if somebody named those that count.
func (c *Columns) IsMember(name string) bool {
	_, ok := c.nameOf(name)
	return ok || c.IsGiven() || name == robotsFile
}

// IsSite reports whether a member says of which site an answer is.
func (c *Columns) IsSite(name string) bool {
	n, ok := c.nameOf(name)
	return ok && (n == URL || n == Origin)
}

// nameOf returns what a column or a member says; false: nothing.
func (c *Columns) nameOf(column string) (Name, bool) {
	for n := range countNames {
		if c.given[n] == column && column != "" || !c.IsGiven() && slices.Contains(known[n], column) {
			return n, true
		}
	}
	return 0, false
}

// A Found has the index of the column of each name; -1: there is none.
type Found [countNames]int

var noneFound = new(Columns).find(nil)

func (f *Found) has(n Name) bool { return f[n] >= 0 }

// isEnough reports whether columns say of which site what is, and what it answered.
func (f *Found) isEnough() bool { return (f.has(URL) || f.has(Origin)) && says(f.has) }

// Find finds the columns of a table. It is an error if one that somebody named is missing, or if the
// table says nothing about robots.txt files.
func (c *Columns) Find(table []string) (Found, error) {
	found := c.find(table)
	for n, i := range found {
		switch {
		case i < 0 && c.given[n] != "":
			return found, missing(c.given[n], table)
		case i >= 0 && slices.Contains(table[i+1:], table[i]):
			return found, fmt.Errorf("it has two columns %q; expected one", table[i])
		}
	}
	switch {
	case !found.has(URL) && !found.has(Origin):
		return found, fmt.Errorf("no robots.txt files: %w", missing(URL.String(), table))
	case !found.isEnough():
		return found, errors.New("no robots.txt files: expected a column status or body; a list of URLs is an input, not a source")
	}
	if !found.has(Status) {
		for _, column := range table {
			if err := c.checkStatus(column); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// checkStatus refuses a column that seems to say whether the answer is one, but does not count: the page of an error would be read
// as a robots.txt, which would allow everything.
func (c *Columns) checkStatus(column string) error {
	if c.given[Status] != "" || c.hasNoStatus || slices.Contains(c.given[:], column) || !saysSuccess(column) {
		return nil
	}
	name := printable.Quote(column)
	return fmt.Errorf("it has a column %s, perhaps the status: name that in --columns, such as status=%s, or say status= if each row is a success", name, strings.Trim(name, `"`))
}

// saysSuccess reports whether the name of a column looks as if it had a status, an error or the like.
func saysSuccess(column string) bool {
	column = strings.ToLower(column)
	contains := func(part string) bool { return strings.Contains(column, part) }
	return slices.ContainsFunc([]string{"status", "code", "error", "result", "success", "state", "fail", "timeout", "timed", "truncat", "exception"}, contains) ||
		slices.Contains([]string{"ok", "st", "err", "http"}, column)
}

// Check refuses the URL of a page in a column that somebody named for the origin: what a page answers, such as 404, says nothing
// about the robots.txt.
func (c *Columns) Check(r *Record) error {
	_, rest, hasScheme := strings.Cut(r.Origin, "://")
	if !c.IsGiven() || !hasScheme {
		return nil
	}
	if path := rest[len(origin.Authority(rest)):]; path == "" || path == "/" || path == "/robots.txt" {
		return nil
	}
	return fmt.Errorf("origin %s: expected a scheme and a host, such as https://example.com: what another page answers says nothing about the robots.txt", printable.Quote(r.Origin))
}

// find finds the columns that there are.
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

// maxShown is how many columns an error lists.
const maxShown = 20

func missing(column string, table []string) error {
	var shown []string
	for _, name := range table[:min(len(table), maxShown)] {
		shown = append(shown, printable.Quote(name))
	}
	return fmt.Errorf("it has no column %q; its columns are %s", column, strings.Join(shown, ", "))
}
