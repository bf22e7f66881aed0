package bulk

import (
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A Column is a question that is asked about every URL.
type Column struct {
	Name     string             // of the column in the output
	Agents   []string           // product tokens of the crawler, the most specific first
	Dialect  *robotstxt.Dialect // must not be nil
	Statuses fetch.Statuses
	AsOf     time.Time // the captures at this time hold; zero: the last of all
}

// Columns returns a Column for each crawler, dialect and time, in this order. A crawler is its product
// tokens; a time is "now", the last capture of all, or what capture.ParseTime reads. A Column has the name
// of its crawler, with the dialect and the time if there are several.
func Columns(crawlers [][]string, dialects []*robotstxt.Dialect, times []string, statuses func(*robotstxt.Dialect) fetch.Statuses) (columns []Column, err error) {
	for _, agents := range crawlers {
		for _, d := range dialects {
			for _, text := range times {
				c := Column{Name: crawlernames.Name(agents), Agents: agents, Dialect: d, Statuses: statuses(d)}
				if len(dialects) > 1 {
					c.Name += " " + d.String()
				}
				if len(times) > 1 {
					c.Name += " " + text
				}
				if text != "now" {
					if c.AsOf, err = capture.ParseTime(text); err != nil {
						return nil, err
					}
				}
				columns = append(columns, c)
			}
		}
	}
	return columns, nil
}

// A Verdict is the answer to a Column about a URL. The zero Verdict is Unknown.
type Verdict struct {
	robotstxt.Decision
	Word    Word
	Missing Missing // why nothing is known; Known: there is a decision

	Preferences usage.Answer // zero, if the Decider has no Use
	Refused     bool         // a purpose that is asked is disallowed, so OnlyAllowed does not keep the URL
}

// A Word is what a Verdict says.
type Word uint8

// The words of verdicts.
const (
	Unknown Word = iota
	Allowed
	Disallowed
)

// Words are the words of verdicts, by Word.
var Words = []string{"unknown", "allowed", "disallowed"}

// String returns the word in lower case.
func (w Word) String() string { return Words[w] }

// JSON returns whether it is allowed, as report.AppendDecision has it: "null", "true" or "false".
func (w Word) JSON() string { return [...]string{"null", "true", "false"}[w] }

func wordOf(d robotstxt.Decision) Word {
	if d.Allowed {
		return Allowed
	}
	return Disallowed
}

// forUse returns the Word with the preferences of the purposes that are asked.
func (v *Verdict) forUse() Word {
	if v.Refused {
		return Disallowed
	}
	return v.Word
}

// Missing is why nothing is known about the robots.txt of an origin.
type Missing uint8

const (
	NoCapture  Missing = iota // no archive has the robots.txt of the origin
	NoTarget                  // it redirects to a URL that no archive has
	Unreadable                // that part of the archive is damaged
	NoURL                     // the line or row has no URL
	Known                     // it is known
)

var missingNames = [...]string{"no-capture", "no-redirect-target", "archive-damaged", "no-url", "known"}

// String returns the reason as one word.
func (m Missing) String() string { return missingNames[m] }

// Why returns the reason as one word: that of the Decision, or why nothing is known.
func (v *Verdict) Why() string {
	if v.Missing != Known {
		return v.Missing.String()
	}
	return v.Reason.Name()
}

// RuleText returns the rule that decides, such as "Disallow: /cart"; "": no rule does.
func (v *Verdict) RuleText() string {
	if v.Rule.Line == 0 {
		return ""
	}
	return v.Rule.Text()
}
