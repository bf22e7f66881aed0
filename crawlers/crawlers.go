// Package crawlers is a table of known crawlers: who runs each one, what it is for, and which groups of a robots.txt it
// follows. Each fact has a source with a date.
//
//	c, ok := crawlers.Known().Lookup("googlebot-image")
//	policy := file.Agent(c.Agents()...) // of a robotstxt.File: Googlebot-Image, Googlebot
//
// Each fact was true on the day on which its source was read. A fact without a source is Unknown, or nil. The table changes
// no decision of package robotstxt.
//
// # The form of a table
//
// Each line has one crawler, as a JSON object. [Read] reads a table, and Crawler.MarshalJSON returns a line, such as (all
// on one line):
//
//	{"token":"ExampleBot-Image","operator":"Example","purposes":["search"],
//	"chain":["ExampleBot-Image","ExampleBot"],"wildcard":"yes","ignores":["crawl-delay"],
//	"source":{"url":"https://example.com/bot","by":"operator","read":"2026-11-21"}}
//
// "token", "operator", "purposes" and "source" are required, and sometimes "read_as" (see Crawler.ReadAs). A missing fact
// is unknown.
package crawlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// A Purpose says what a crawler is for.
type Purpose string

const (
	Search     Purpose = "search"      // makes an index in which people search
	AITraining Purpose = "ai-training" // collects data for the training of AI models
	AISearch   Purpose = "ai-search"   // makes an index from which AI assistants answer
	AIUser     Purpose = "ai-user"     // fetches a page because a person asked an AI assistant
	Archive    Purpose = "archive"     // keeps copies of pages for later
	SEO        Purpose = "seo"         // tells site owners about links to their pages, and about their ranks in searches
	Monitor    Purpose = "monitor"     // checks if a site works, or if a page has changed
	Ads        Purpose = "ads"         // checks the pages to which advertisements lead, and the pages that show advertisements
	Preview    Purpose = "preview"     // makes a small preview of a page to which somebody has linked
	Academic   Purpose = "academic"    // collects data for research
	Security   Purpose = "security"    // looks for sites that can be attacked, or that are harmful
	Feed       Purpose = "feed"        // reads feeds (RSS, Atom) for people who subscribed to them
	Other      Purpose = "other"       // something else, or the purpose is in no source
)

// Purposes returns all purposes, in the order of their constants.
func Purposes() []Purpose {
	return []Purpose{Search, AITraining, AISearch, AIUser, Archive, SEO, Monitor, Ads, Preview, Academic, Security, Feed, Other}
}

// YesNo is a fact about a crawler: yes, no or unknown. The zero value is Unknown.
type YesNo uint8

const (
	Unknown YesNo = iota
	Yes
	No
)

var yesNoNames = [...]string{Unknown: "unknown", Yes: "yes", No: "no"}

// String returns "yes", "no" or "unknown".
func (y YesNo) String() string { return printable.Name(yesNoNames[:], y, "invalid") }

// MarshalText returns what String returns.
func (y YesNo) MarshalText() ([]byte, error) { return []byte(y.String()), nil }

// UnmarshalText reads "yes", "no" or "unknown"; other text is an error.
func (y *YesNo) UnmarshalText(text []byte) error {
	i := slices.Index(yesNoNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("expected \"yes\", \"no\" or \"unknown\", found %q", text)
	}
	*y = YesNo(i)
	return nil
}

// A Crawler has the facts about the crawler with one product token. Slices and maps of a Table's Crawler must not be
// changed.
type Crawler struct {
	// Token is the product token, as the operator writes it. Some of its characters may be impossible in a User-agent
	// line: see ReadAs.
	Token    string    `json:"token"`
	Operator string    `json:"operator"` // who runs the crawler; "unknown" if no source says it
	Purposes []Purpose `json:"purposes"` // what the crawler is for; at least one purpose

	// Names are other names of the crawler, in requests or in User-agent lines, such as "Sogou web spider". They may have
	// spaces.
	Names []string `json:"names,omitempty"`

	// Chain has the product tokens whose groups the crawler follows, its own token first. If a robots.txt names
	// several of these tokens, the first of them applies. A single token means that there is no fallback. If Chain
	// is nil, the chain is unknown.
	Chain []string `json:"chain,omitempty"`
	// Obeys says if the crawler follows robots.txt, according to its operator. The value is also No if the crawler ignores
	// robots.txt when a person requests a page.
	Obeys YesNo `json:"obeys,omitzero"`
	// ObeysWildcard says if the crawler follows the group for "*" when none of its tokens has a group.
	ObeysWildcard YesNo `json:"wildcard,omitzero"`
	// Crawls is No if the token is in robots.txt files, but in no User-Agent header. Such a token may say how pages may be
	// used.
	Crawls YesNo `json:"crawls,omitzero"`
	// Active is No if the crawler makes no requests any more, because the operator stopped or renamed the crawler.
	Active YesNo `json:"active,omitzero"`
	// Ranges is the URL of the operator's list of address ranges, or "" if unknown. Several crawlers may share a list.
	Ranges string `json:"ranges,omitempty"`
	// Hosts are domains, in lower case, of the crawler's host names, such as "googlebot.com". Anybody can give an address
	// such a name. So check that the name resolves to the address (forward-confirmed reverse DNS).
	Hosts []string `json:"hosts,omitempty"`
	// Reads has the keys of records that the crawler reads, such as "crawl-delay". Ignores has the keys of records that
	// the crawler ignores. All keys are in lower case. A key that is in neither list is unknown.
	Reads   []string `json:"reads,omitempty"`
	Ignores []string `json:"ignores,omitempty"`

	Note string `json:"note,omitempty"` // a remark, in one line

	Source  Source            `json:"source"`            // the source of all facts of the row that have no other source in Sources
	Sources map[string]Source `json:"sources,omitempty"` // sources of single facts, by the name of the fact in JSON, such as "chain"
}

// A Source is the page on which a fact was read.
type Source struct {
	URL   string `json:"url"`
	By    string `json:"by"`              // who publishes the page: ByOperator or ByOthers
	Read  string `json:"read"`            // the day on which the page was read, such as 2026-11-21
	Dated string `json:"dated,omitempty"` // the date that the page itself gives; "" if there is none
}

const (
	ByOperator = "operator" // the page belongs to the operator of the crawler
	ByOthers   = "others"   // the page belongs to somebody else, for example a public list
)

// ReadAs returns the name that a program reads from the line "User-agent: TOKEN" (RFC 9309), such as "MJ" for MJ12bot. If
// ReadAs returns "", as for 360Spider, no line can name the crawler.
func (c Crawler) ReadAs() string { return readAs(c.Token) }

// Agents returns the product tokens to check in a robots.txt, the most specific first, as ReadAs reads them. If no
// User-agent line can name the crawler, Agents returns no tokens. If the crawler does not follow "*", the last token is
//
func (c Crawler) Agents() []string {
	chain := c.Chain
	if chain == nil {
		chain = []string{c.Token}
	}
	var agents []string
	for _, token := range chain {
		if agent := readAs(token); agent != "" {
			agents = append(agents, agent)
		}
	}
	if len(agents) > 0 && c.ObeysWildcard == No {
		agents = append(agents, notEveryone)
	}
	return agents
}

// notEveryone is robotstxt.NotEveryone, copied because this package does not import robotstxt. A test compares the two.
const notEveryone = "!*"

// ReadsRecord returns whether the crawler reads lines with the given key, such as "Crawl-delay", in any letter case.
func (c Crawler) ReadsRecord(name string) YesNo {
	name = strings.ToLower(name)
	switch {
	case slices.Contains(c.Reads, name):
		return Yes
	case slices.Contains(c.Ignores, name):
		return No
	}
	return Unknown
}

// MarshalJSON returns the crawler as a line of a table.
func (c Crawler) MarshalJSON() ([]byte, error) {
	type rest Crawler
	row := struct {
		Token  string  `json:"token"`
		ReadAs *string `json:"read_as,omitempty"`
		rest
	}{Token: c.Token, rest: rest(c)}
	if as := c.ReadAs(); as != c.Token {
		row.ReadAs = &as
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(row)
	return b.Bytes(), err
}

func readAs(token string) string {
	i := strings.IndexFunc(token, func(r rune) bool { return r >= 0x80 || !ascii.IsLetter(byte(r)) && r != '_' && r != '-' })
	if i < 0 {
		return token
	}
	return token[:i]
}
