package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Facts warns that, according to sources, a crawler may not do what a verdict suggests. Obeys and ObeysEveryone
// are false or absent. They are absent if the crawler follows robots.txt, or if sources say nothing.
type Facts struct {
	Obeys         *bool `json:"obeys,omitempty"`          // false: the crawler does not follow robots.txt; the verdict is by the rules nevertheless
	ObeysEveryone *bool `json:"obeys_everyone,omitempty"` // false: the crawler does not follow the groups for "*"; the verdict is as if it did, unless the last token is "!*"

	// PurposeToken is a purpose, such as "train-ai", if the name is not a crawler but a purpose token. The rules of a group that
	// names it do not say what may be fetched, but what pages may be used for (AI-10).
	PurposeToken string `json:"purpose_token,omitempty"`
}

var no = new(bool) // one for all, so that Facts can be compared

// FactsOf returns what a table says about a crawler with these product tokens. The first token is the crawler's
// own. A nil table is crawlers.Known().
func FactsOf(table *crawlers.Table, tokens []string) (f Facts) {
	if len(tokens) == 0 {
		return f
	}
	name, _ := robotstxt.RFC9309.ReadAgent(tokens[0]) // the token may be a whole User-Agent header
	c, _ := cmp.Or(table, crawlers.Known()).ReadAs(name)
	if c.Obeys == crawlers.No {
		f.Obeys = no
	}
	if c.ObeysWildcard == crawlers.No || slices.Contains(tokens, robotstxt.NotEveryone) {
		f.ObeysEveryone = no
	}
	if t, ok := usage.TokenNamed(name); ok {
		f.PurposeToken = t.Purpose.String()
	}
	return f
}

// String returns the facts in words; "" if there are none.
func (f Facts) String() string {
	switch {
	case f.Obeys != nil:
		return "sources say that it does not follow robots.txt"
	case f.ObeysEveryone != nil:
		return `sources say that it does not follow the groups for "*"`
	case f.PurposeToken != "":
		return "a preference about " + f.PurposeToken + ", no crawler"
	}
	return ""
}

func (f Facts) append(dst []byte) []byte {
	if f.Obeys != nil {
		dst = strconv.AppendBool(append(dst, `,"obeys":`...), *f.Obeys)
	}
	if f.ObeysEveryone != nil {
		dst = strconv.AppendBool(append(dst, `,"obeys_everyone":`...), *f.ObeysEveryone)
	}
	return appendNonempty(dst, `,"purpose_token":`, f.PurposeToken)
}

func (f *Facts) appendJSON(dst []byte) []byte {
	from := len(dst)
	if dst = f.append(dst); len(dst) == from {
		return append(dst, "{}"...)
	}
	dst[from] = '{' // in place of the comma
	return append(dst, '}')
}

// Crawlers has the known crawlers, as a list from which a user can choose. "heed crawlers" prints all that is known about them.
type Crawlers struct {
	Purposes []crawlers.Purpose `json:"purposes"` // all purposes, in their usual order
	Crawlers []Crawler          `json:"crawlers"` // in the order of the table
}

// A Crawler is a known crawler.
type Crawler struct {
	Token    string             `json:"token"`              // its product token, as its operator writes it
	Names    []string           `json:"names,omitempty"`    // other names that it has in its requests
	Operator string             `json:"operator"`           // who runs it
	Purposes []crawlers.Purpose `json:"purposes"`           // at least one
	Agent    Agent              `json:"agent"`              // the tokens to use in a question: those whose groups it follows, the most specific first; "*" if no group can name it
	OnlyOwn  bool               `json:"only_own,omitempty"` // it does not follow the groups for "*", according to a source; then the last token of "agent" is "!*", so it is allowed where no group names it

	PurposeToken string `json:"purpose_token,omitempty"` // as in Facts
	ShownAs      string `json:"shown_as,omitempty"`      // "MJ12bot (MJ)", for example, if a User-agent line is read only up to a part of the token
}

// CrawlersOf returns the crawlers of a table.
func CrawlersOf(table *crawlers.Table) Crawlers {
	all := Crawlers{Purposes: crawlers.Purposes(), Crawlers: []Crawler{}}
	for c := range table.All() {
		one := Crawler{Token: c.Token, Names: c.Names, Operator: c.Operator, Purposes: c.Purposes, Agent: c.Agents(), OnlyOwn: c.ObeysWildcard == crawlers.No}
		if len(one.Agent) == 0 {
			one.Agent = Agent{"*"}
		} else if own := one.Agent[:1]; own[0] != c.Token {
			one.ShownAs = crawlernames.Shown(table, own)
		}
		one.PurposeToken = FactsOf(table, []string{c.Token}).PurposeToken
		all.Crawlers = append(all.Crawlers, one)
	}
	return all
}
