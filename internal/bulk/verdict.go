package bulk

import (
	"fmt"
	"slices"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A Column is a crawler, a dialect and a time, for which every URL is checked.
type Column struct {
	Name     string             // the name of the column in the output
	Agents   []string           // the product tokens of the crawler, the most specific one first
	Dialect  *robotstxt.Dialect // must not be nil
	Statuses fetch.Statuses
	AsOf     time.Time // the robots.txt that was valid at this time decides; zero means the last robots.txt
}

// Columns returns a Column for each combination of a crawler, a dialect and a time. The function crawlers returns the product
// tokens of each crawler, because a dialect may read a name in its own way. The time "now" means the last capture.
func Columns(crawlers func(*robotstxt.Dialect) ([][]string, error), dialects []*robotstxt.Dialect, times []string, statuses func(*robotstxt.Dialect) fetch.Statuses) (columns []Column, err error) {
	inDialect, most := make([][][]string, len(dialects)), 0
	for i, d := range dialects {
		if inDialect[i], err = crawlers(d); err != nil {
			return nil, fmt.Errorf("dialect %s: %w", d, err)
		}
		most = max(most, len(inDialect[i]))
	}
	for n := range most {
		for i, d := range dialects {
			if n >= len(inDialect[i]) {
				continue
			}
			for _, text := range times {
				agents := inDialect[i][n]
				c := Column{Name: crawlernames.Name(agents), Agents: agents, Dialect: d, Statuses: statuses(d)}
				if len(dialects) > 1 {
					c.Name += " " + d.String()
				}
				if len(times) > 1 {
					c.Name += " " + text
				}
				if text != "now" {
					if c.AsOf, err = capture.ParseTime(text); err != nil {
						return nil, fmt.Errorf("--as-of %w", err)
					}
				}
				columns = append(columns, c)
			}
		}
	}
	return columns, nil
}

// Names returns the names of columns.
func Names(columns []Column) (names []string) {
	for i := range columns {
		names = append(names, columns[i].Name)
	}
	return names
}

// A Verdict is the answer about one URL in one Column. The zero Verdict is Unknown.
type Verdict struct {
	robotstxt.Decision
	Word    Word
	Missing Missing // why there is no decision; Known if there is a decision

	Preferences usage.Answer // zero if the Decider has no Use
	Refused     bool         // the site disallows one of the purposes of the Use, so OnlyAllowed leaves out the URL
}

type Word uint8

const (
	Unknown Word = iota
	Allowed
	Disallowed
)

var Words = []string{"unknown", "allowed", "disallowed"}

func (w Word) String() string { return Words[w] }

// JSON returns the value of the JSON member "allowed": "null" (unknown), "true" or "false".
func (w Word) JSON() string { return [...]string{"null", "true", "false"}[w] }

func wordOf(d robotstxt.Decision) Word {
	if d.Allowed {
		return Allowed
	}
	return Disallowed
}

// If OnlyAllowed or OnlyDisallowed is set, a refused use counts as disallowed.
func (v *Verdict) forUse() Word {
	if v.Refused {
		return Disallowed
	}
	return v.Word
}

// A Missing says why nothing is known about the robots.txt of an origin.
type Missing uint8

const (
	NoCapture  Missing = iota // no archive has a capture of the robots.txt
	NoTarget                  // the robots.txt redirects to a URL of which no archive has a capture
	Unreadable                // the part of the archive that contains the robots.txt is damaged
	NoURL                     // the line or row has no URL
	NoOriginal                // the last capture of the robots.txt is a revisit of a capture that no archive has
	Known                     // a decision exists
)

var missingNames = [...]string{"no-capture", "no-redirect-target", "archive-damaged", "no-url", "no-original", "known"}

func (m Missing) String() string { return missingNames[m] }

// WithoutURL returns the verdicts of a line or row without a URL, for n columns.
func WithoutURL(n int) []Verdict { return slices.Repeat([]Verdict{{Missing: NoURL}}, n) }

// Why returns the reason of the decision, or why there is none, as one word.
func (v *Verdict) Why() string {
	if v.Missing != Known {
		return v.Missing.String()
	}
	return v.Reason.Name()
}

// RuleText returns the rule that decides, such as "Disallow: /cart", or "".
func (v *Verdict) RuleText() string {
	if v.Rule.Line == 0 {
		return ""
	}
	return v.Rule.Text()
}
