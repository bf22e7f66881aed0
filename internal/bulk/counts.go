package bulk

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/usage"
)

// A Keep says which URLs are in the output.
type Keep uint8

// OnlyAllowed keeps URLs that are Allowed in every Column, OnlyDisallowed those that are Disallowed in every Column. A
// URL with Verdict.Refused counts as Disallowed.
const (
	All Keep = iota
	OnlyAllowed
	OnlyDisallowed
)

func (k Keep) Keeps(verdicts []Verdict) bool {
	if k == All {
		return true
	}
	word := Allowed
	if k == OnlyDisallowed {
		word = Disallowed
	}
	for i := range verdicts {
		if verdicts[i].forUse() != word {
			return false
		}
	}
	return true
}

type Counts struct {
	URLs     int64   // the number of URLs that have verdicts
	Rejected int64   // the number of lines or rows without a readable URL, and of inputs that cannot be read to their end
	Kept     int64   // how many of these URLs a Keep keeps
	Blank    int64   // the number of blank lines and comments in lists of URLs
	Rows     int64   // the same as URLs if every line of a plain list ends like a row of a table; else less
	Columns  []Tally // one Tally for each Column
	Unknown  Reasons // how many verdicts are Unknown for each reason, in all Columns together

	Preferences []Preferences `json:",omitempty"` // one for each Column, if the Decider has a Use
}

// Preferences count URLs by purpose (the first index) and by the preference for this purpose (the second index).
type Preferences [len(usage.Answer{})][preferences]int64

func (j *Decider) Counts() Counts {
	c := Counts{Columns: make([]Tally, len(j.columns))}
	if j.Use != nil {
		c.Preferences = make([]Preferences, len(j.columns))
	}
	return c
}

// Reasons count Unknown verdicts by their reason.
type Reasons [Known]int64

// String leaves out zeros, as in "3 no-capture, 1 archive-damaged".
func (r Reasons) String() string {
	var all []string
	for why, n := range r {
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, Missing(why)))
		}
	}
	return strings.Join(all, ", ")
}

// A Tally counts verdicts by their Word.
type Tally [Disallowed + 1]int64

// CountKept is like Count, and counts the URL as kept if k keeps it.
func (c *Counts) CountKept(verdicts []Verdict, k Keep) (isKept bool) {
	c.Count(verdicts)
	if isKept = k.Keeps(verdicts); isKept {
		c.Kept++
	}
	return isKept
}

// Count counts one URL, with its verdict in each Column.
func (c *Counts) Count(verdicts []Verdict) {
	c.URLs++
	for i := range verdicts {
		v := &verdicts[i]
		if c.Columns[i][v.Word]++; v.Word == Unknown {
			c.Unknown[v.Missing]++
		}
	}
	for i := range c.Preferences {
		for purpose, preference := range verdicts[i].Preferences {
			c.Preferences[i][purpose][preference]++
		}
	}
}

// Add adds the numbers in part to those in c.
func (c *Counts) Add(part *Counts) {
	c.Columns = append(c.Columns, make([]Tally, max(0, len(part.Columns)-len(c.Columns)))...)
	c.Preferences = append(c.Preferences, make([]Preferences, max(0, len(part.Preferences)-len(c.Preferences)))...)
	c.URLs += part.URLs
	c.Kept += part.Kept
	c.Rejected += part.Rejected
	c.Blank += part.Blank
	c.Rows += part.Rows
	for why, n := range part.Unknown {
		c.Unknown[why] += n
	}
	for i := range part.Columns {
		for w, n := range part.Columns[i] {
			c.Columns[i][w] += n
		}
	}
	for i := range part.Preferences {
		for purpose := range part.Preferences[i] {
			for preference, n := range part.Preferences[i][purpose] {
				c.Preferences[i][purpose][preference] += n
			}
		}
	}
}

// A Rejection is a part of an input that cannot be used.
type Rejection struct {
	Input string // the name of the input
	Place string // the place in the input, such as "line 7" or "row 12"
	Text  string // the part, or the start of a long part; "" if the part cannot be shown
	Err   error
}
