package report

import (
	"cmp"
	"strconv"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Facts warn that a crawler may not do what the rules say. A field without a warning is absent.
type Facts struct {
	// false means that the crawler does not follow robots.txt. The verdict still says what the rules say.
	Obeys *bool `json:"obeys,omitempty"`
	// false means that the crawler does not follow the groups for "*".
	ObeysEveryone *bool `json:"obeys_everyone,omitempty"`

	// The purpose, such as "train-ai", if the name is a purpose token. Its rules are about using pages, not fetching them
	// (AI-10).
	PurposeToken string `json:"purpose_token,omitempty"`
}

var no = new(bool) // all Facts share this variable, because Facts are equal only if their pointers are equal

// FactsOf returns what a table says about the crawler with the first of the given product tokens. A nil table means
// crawlers.Known().
func FactsOf(table *crawlers.Table, tokens []string) (f Facts) {
	if len(tokens) == 0 {
		return f
	}
	name, _ := robotstxt.RFC9309.ReadAgent(tokens[0]) // the first token may be a whole User-Agent header
	c, _ := cmp.Or(table, crawlers.Known()).ReadAs(name)
	if c.Obeys == crawlers.No {
		f.Obeys = no
	}
	if c.ObeysWildcard == crawlers.No {
		f.ObeysEveryone = no
	}
	if t, ok := usage.TokenNamed(name); ok {
		f.PurposeToken = t.Purpose.String()
	}
	return f
}

func (f Facts) String() string {
	switch {
	case f.Obeys != nil:
		return "sources say that it does not follow robots.txt, or not always"
	case f.ObeysEveryone != nil:
		return `sources say that it does not follow the groups for "*"`
	case f.PurposeToken != "":
		return "a purpose token for " + f.PurposeToken
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
	return AppendNonempty(dst, `,"purpose_token":`, f.PurposeToken)
}

func (f *Facts) appendJSON(dst []byte) []byte {
	from := len(dst)
	if dst = f.append(dst); len(dst) == from {
		return append(dst, "{}"...)
	}
	dst[from] = '{' // overwrites the comma before the first member
	return append(dst, '}')
}

// Crawlers has the known crawlers, as a list from which a user can choose.
type Crawlers struct {
	Purposes []crawlers.Purpose `json:"purposes"` // all purposes, in their usual order
	Crawlers []Crawler          `json:"crawlers"` // the known crawlers, in the order of the table
}

// A Crawler is a known crawler.
type Crawler struct {
	Token    string             `json:"token"`           // the product token of the crawler, as its operator writes it
	Names    []string           `json:"names,omitempty"` // other names that the crawler uses in its requests
	Operator string             `json:"operator"`        // the company or person that runs the crawler
	Purposes []crawlers.Purpose `json:"purposes"`        // at least one purpose
	// All product tokens for a question about the crawler, the most specific first. "*" if no group can name the crawler.
	Agent Agent `json:"agent"`
	// The crawler does not follow the groups for "*", so the last token of "agent" is "!*".
	OnlyOwn bool `json:"only_own,omitempty"`

	PurposeToken string   `json:"purpose_token,omitempty"` // the purpose if the name is a purpose token, as in Facts
	Ignores      []string `json:"ignores,omitempty"`       // the keys of records that the crawler does not read, such as "crawl-delay"
	// The name to show, if it is not the token. "MJ12bot (MJ)" means that only "MJ" of the
	// token MJ12bot is read in User-agent lines. "360Spider (*)" means that
	// no group can name the crawler.
	ShownAs string `json:"shown_as,omitempty"`
}

func CrawlersOf(table *crawlers.Table) Crawlers {
	all := Crawlers{Purposes: crawlers.Purposes(), Crawlers: []Crawler{}}
	for c := range table.All() {
		one := Crawler{Token: c.Token, Names: c.Names, Operator: c.Operator, Purposes: c.Purposes, Agent: c.Agents(), OnlyOwn: c.ObeysWildcard == crawlers.No, Ignores: c.Ignores}
		if len(one.Agent) == 0 {
			one.Agent, one.ShownAs = Agent{"*"}, crawlernames.Nameless([]string{c.Token})
		} else if own := one.Agent[0]; own != c.Token {
			first, _ := table.ReadAs(own)
			one.ShownAs = crawlernames.Shown(table, []string{first.Token}, robotstxt.RFC9309)
		}
		one.PurposeToken = FactsOf(table, []string{c.Token}).PurposeToken
		all.Crawlers = append(all.Crawlers, one)
	}
	return all
}
