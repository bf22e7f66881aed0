package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Line is one line of a robots.txt file, valid or not.
type Line struct {
	Number int    // counted from 1
	Offset int    // where Raw begins in the body, in bytes
	Raw    string // the whole line, with its line end and, if there is one, the byte-order mark
	Kind   Kind
	Key    string // as written, without white space around it; "" if the line has no key
	Value  string // as written, without a comment and without white space around it
	Group  int    // the group that is open in this line, counted from 1, also for a Sitemap or blank line; 0 if none is open
	Notes  Notes
}

// String returns the line with its number, such as "line 2: Disallow: /x # why". The text is escaped as in Decision.String.
func (l Line) String() string {
	return fmt.Sprintf("line %d: %s", l.Number, printable.Text(strings.TrimRight(l.Raw, "\r\n")))
}

// Record returns what Heed knows about the record in a line of KindSitemap or KindOther, and its value. The error says why
// the value cannot be read. For other lines and unknown records, all results are zero.
func (l Line) Record() (info record.Info, value record.Value, err error) {
	name := l.Key
	if l.Kind == KindSitemap {
		name = "Sitemap" // the right spelling, because the key in the file may be misspelt
	} else if l.Kind != KindOther {
		return info, nil, nil
	}
	info, known := record.Lookup(name)
	if known {
		value, err = record.Parse(name, l.Value)
	}
	return info, value, err
}

// A Kind says what a line is, for example an Allow line. The zero Kind is a blank line.
type Kind uint8

// The kinds of lines.
const (
	KindBlank     Kind = iota // nothing but white space
	KindComment               // a comment, perhaps after white space
	KindUserAgent             // a User-agent line
	KindAllow                 // an Allow line
	KindDisallow              // a Disallow line
	KindSitemap               // a Sitemap line
	KindOther                 // a line with another key and a value; this is not an error
	KindInvalid               // a line without a key and a value
)

var kindNames = [...]string{"blank", "comment", "user-agent", "allow", "disallow", "sitemap", "other", "invalid"}

// String returns the kind's name, such as "user-agent".
func (k Kind) String() string { return printable.Name(kindNames[:], k, "unknown") }

// MarshalText returns what String returns.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k Kind) isRule() bool { return k == KindAllow || k == KindDisallow }
