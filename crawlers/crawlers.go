// Package crawlers is a table of known crawlers: the product token of each, who runs it, what it is for, which groups of
// a robots.txt it follows, and the sources of these facts, with dates.
//
//	c, ok := crawlers.Known().Lookup("googlebot-image")
//	policy := file.Agent(c.Agents()...) // of a robotstxt.File: Googlebot-Image, Googlebot
//
// Each fact was true on the day on which its source was read. Operators may have changed their crawlers since. No fact is
// a guess: a fact without a source is Unknown, or nil. The table changes no decision of package robotstxt, which uses
// only the tokens that its caller gives.
//
// # The form of a table
//
// A table has one crawler on each line, as a JSON object. [Read] reads a table, and
// Crawler.MarshalJSON returns one of its lines, such as (all on one line):
//
//	{"token":"ExampleBot-Image","operator":"Example","purposes":["search"],
//	 "chain":["ExampleBot-Image","ExampleBot"],"wildcard":"yes","ignores":["crawl-delay"],
//	 "source":{"url":"https://example.com/bot","by":"operator","read":"2026-11-21"}}
//
// "token", "operator", "purposes" and "source" are required. "read_as" is required if a
// User-agent line with the token is read as another name, see Crawler.ReadAs. A fact that is
// missing is unknown.
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

// A Crawler contains the facts about the crawler with one product token. The slices and the
// map of a Crawler from a Table must not be changed.
type Crawler struct {
	// Token is the product token, as the operator writes it. It may contain characters that a name in a User-agent line
	// cannot have: see ReadAs.
	Token    string    `json:"token"`
	Operator string    `json:"operator"` // who runs the crawler; "unknown" if no source says it
	Purposes []Purpose `json:"purposes"` // what the crawler is for; at least one purpose

	// Names contains other names of the crawler, such as "Sogou web spider": names in its requests, or names that its
	// operator recommends for User-agent lines. A name may have spaces and other characters that no product token
	// has.
	Names []string `json:"names,omitempty"`

	// Chain contains the product tokens whose groups the crawler follows, its own token first. The crawler follows
	// the groups of the first of these tokens that the robots.txt names. A chain of one token means that there is no
	// fallback; nil means unknown.
	Chain []string `json:"chain,omitempty"`
	// Obeys says if the crawler follows robots.txt, according to its operator. It is also No for a crawler that ignores
	// robots.txt only when a person requests a page.
	Obeys YesNo `json:"obeys,omitzero"`
	// ObeysWildcard says if the crawler follows the group for "*" when no group names a token of
	// its chain.
	ObeysWildcard YesNo `json:"wildcard,omitzero"`
	// Crawls is No if the token is only a name in robots.txt files, and never in the User-Agent header of a request.
	// For example, such a token may say how the pages that another crawler fetches may be used.
	Crawls YesNo `json:"crawls,omitzero"`
	// Active is No if the crawler makes no requests any more, because the operator stopped or renamed the crawler.
	Active YesNo `json:"active,omitzero"`
	// Ranges is the URL of a list that the operator publishes: the address ranges from which the requests come. It is ""
	// if no such list is known. Several crawlers may share a list.
	Ranges string `json:"ranges,omitempty"`
	// Hosts contains domains such as "googlebot.com", in lower case. The host names of the crawler's addresses are in
	// these domains. Anybody can give an address such a host name. So check that the name resolves to the address again
	// (forward-confirmed reverse DNS).
	Hosts []string `json:"hosts,omitempty"`
	// Reads contains the keys of the records that the crawler reads, such as "crawl-delay", and Ignores the keys that
	// it ignores. Keys are in lower case. If a key is in neither list, it is unknown whether the crawler reads it.
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

// ReadAs returns the name that a program reads from a line "User-agent: TOKEN" (RFC 9309): the start of Token, up to
// the first character that is not a letter, "_" or "-". It is "MJ" for MJ12bot, and "" for 360Spider, so no line can
// name 360Spider.
func (c Crawler) ReadAs() string { return readAs(c.Token) }

// Agents returns the product tokens to check in a robots.txt, the most specific first: the tokens of Chain, or only Token
// if Chain is unknown. Each token is in the form that ReadAs returns, which is right for the dialects since 2019. If no line
// can name the crawler, Agents returns no tokens, and only a group for "*" can apply. If the crawler does not follow the group for "*", the last token is "!*",
// which is robotstxt.NotEveryone.
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
