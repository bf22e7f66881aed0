package bulk

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/usage"
)

// A Keep says which URLs are in the output.
type Keep uint8

// OnlyAllowed keeps a URL that is Allowed in every Column, and OnlyDisallowed keeps a URL that is Disallowed in every
// Column. If Verdict.Refused is true, the URL counts as Disallowed.
const (
	All Keep = iota
	OnlyAllowed
	OnlyDisallowed
)

// Keeps reports whether a URL with the given verdicts is in the output.
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
	Columns  []Tally // one Tally for each Column
	Unknown  Reasons // how many verdicts are Unknown for each reason, in all Columns together

	Preferences []Preferences `json:",omitempty"` // one for each Column, if the Decider has a Use
}

// Preferences count the URLs in one Column. The first index is a purpose, and the second index is the preference of a URL
// for this purpose.
type Preferences [len(usage.Answer{})][preferences]int64

// Counts returns zero Counts, with a Tally for each Column.
func (j *Decider) Counts() Counts {
	c := Counts{Columns: make([]Tally, len(j.columns))}
	if j.Use != nil {
		c.Preferences = make([]Preferences, len(j.columns))
	}
	return c
}

// Reasons count verdicts that are Unknown. The index is the reason, for example NoCapture.
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

// A Tally counts verdicts. The index is a Word, for example Allowed.
type Tally [Disallowed + 1]int64

// Count adds one URL. The slice verdicts has the verdict about this URL for each Column.
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

// Add adds the numbers in part to c. c may be the zero Counts.
func (c *Counts) Add(part *Counts) {
	c.Columns = append(c.Columns, make([]Tally, max(0, len(part.Columns)-len(c.Columns)))...)
	c.Preferences = append(c.Preferences, make([]Preferences, max(0, len(part.Preferences)-len(c.Preferences)))...)
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
	Text  string // the start of the part; "" if the part cannot be shown
	Err   error
}
