package bulk

import (
	"fmt"
	"strings"
)

// Keep is which URLs the output has.
type Keep uint8

// The zero Keep is All. With several Columns, a URL is kept by OnlyAllowed or OnlyDisallowed if all its
// verdicts are that word.
const (
	All Keep = iota
	OnlyAllowed
	OnlyDisallowed
)

// Keeps reports whether the output has a URL with the given verdicts.
func (k Keep) Keeps(verdicts []Verdict) bool {
	if k == All {
		return true
	}
	word := Allowed
	if k == OnlyDisallowed {
		word = Disallowed
	}
	for i := range verdicts {
		if verdicts[i].Word != word {
			return false
		}
	}
	return true
}

// Counts are the numbers of a run.
type Counts struct {
	URLs     int64   // with verdicts
	Rejected int64   // lines or rows without a URL that can be read
	Columns  []Tally // for each Column
	Unknown  Reasons // of the verdicts that are Unknown, in all Columns
}

// Reasons are the numbers of verdicts, by why nothing is known.
type Reasons [Known]int64

// String returns the numbers that are not 0, such as "3 no-capture, 1 archive-damaged".
func (r Reasons) String() string {
	var all []string
	for why, n := range r {
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, Missing(why)))
		}
	}
	return strings.Join(all, ", ")
}

// A Tally is the number of verdicts of each Word, by Word.
type Tally [Disallowed + 1]int64

// Count counts the verdicts about a URL.
func (c *Counts) Count(verdicts []Verdict) {
	c.URLs++
	for i := range verdicts {
		v := &verdicts[i]
		if c.Columns[i][v.Word]++; v.Word == Unknown {
			c.Unknown[v.Missing]++
		}
	}
}

// Add adds the numbers of a part of the input.
func (c *Counts) Add(part *Counts) {
	c.URLs += part.URLs
	c.Rejected += part.Rejected
	for why, n := range part.Unknown {
		c.Unknown[why] += n
	}
	for i := range part.Columns {
		for w, n := range part.Columns[i] {
			c.Columns[i][w] += n
		}
	}
}

// A Rejection is a part of an input that cannot be used.
type Rejection struct {
	Input string // its name
	Place string // in it, such as "line 7" or "row 12"
	Text  string // the start of what was there; "": it cannot be shown
	Err   error
}
