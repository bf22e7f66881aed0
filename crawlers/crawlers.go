// Package crawlers is a table of known crawlers: the product token that each goes by in
// a robots.txt, who runs it, what it is for, whose groups it follows, and where that was
// read and when.
//
//	c, ok := crawlers.Known().Lookup("googlebot-image")
//	policy := file.Agent(c.Agents()...) // of a robotstxt.File: Googlebot-Image, Googlebot
//
// The table is a statement about a day, not about today: operators change their crawlers
// and their pages. Nothing in it is guessed: what no source says is Unknown, or nil. It
// changes no answer of package robotstxt, which takes the tokens that it is given.
//
// # The form of a table
//
// A table is JSON lines, a crawler in each, which [Read] reads and Crawler writes:
//
//	{"token":"ExampleBot-Image","operator":"Example","purposes":["search"],
//	 "chain":["ExampleBot-Image","ExampleBot"],"wildcard":"yes","ignores":["crawl-delay"],
//	 "source":{"url":"https://example.com/bot","by":"operator","read":"2026-11-21"}}
//
// (in one line each). token, operator, purposes and source are required, and read_as where
// lines of a robots.txt are not read as the token stands. A fact that is not there is
// unknown.
package crawlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Purpose says what a crawler is for.
type Purpose string

const (
	Search     Purpose = "search"      // an index that people search
	AITraining Purpose = "ai-training" // data that models are trained with
	AISearch   Purpose = "ai-search"   // an index that assistants answer from
	AIUser     Purpose = "ai-user"     // fetches for a person who asked an assistant
	Archive    Purpose = "archive"     // keeps copies for later
	SEO        Purpose = "seo"         // tells site owners about links and ranks
	Monitor    Purpose = "monitor"     // watches whether a site works, or whether a page changed
	Ads        Purpose = "ads"         // advertisements: what they lead to, what they stand beside
	Preview    Purpose = "preview"     // shows what a link leads to
	Academic   Purpose = "academic"    // research
	Security   Purpose = "security"    // looks for weak or harmful sites
	Feed       Purpose = "feed"        // reads feeds for their subscribers
	Other      Purpose = "other"
)

// Purposes returns all purposes, in the order in which they are listed.
func Purposes() []Purpose {
	return []Purpose{Search, AITraining, AISearch, AIUser, Archive, SEO, Monitor, Ads, Preview, Academic, Security, Feed, Other}
}

// An Answer is yes, no or unknown. The zero value is Unknown.
type Answer uint8

const (
	Unknown Answer = iota
	Yes
	No
)

var answers = [...]string{Unknown: "unknown", Yes: "yes", No: "no"}

// String returns "yes", "no" or "unknown".
func (a Answer) String() string {
	if int(a) < len(answers) {
		return answers[a]
	}
	return fmt.Sprintf("Answer(%d)", uint8(a))
}

// MarshalText returns what String returns.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads "yes", "no" or "unknown".
func (a *Answer) UnmarshalText(text []byte) error {
	i := slices.Index(answers[:], string(text))
	if i < 0 {
		return fmt.Errorf("expected yes, no or unknown, found %q", text)
	}
	*a = Answer(i)
	return nil
}

// A Crawler is what is known of one product token. The slices and the map of a Crawler
// that a Table returns must not be changed.
type Crawler struct {
	// Token is the product token, as its operator writes it. Some tokens have other
	// characters than lines of a robots.txt are read for: see ReadAs.
	Token    string    `json:"token"`
	Operator string    `json:"operator"`
	Purposes []Purpose `json:"purposes"` // at least one

	// Chain holds the tokens whose groups it follows, the most specific first, which is
	// its own: those of the first that a robots.txt names. Its own alone: it has no
	// other to fall back on. nil: unknown.
	Chain []string `json:"chain,omitempty"`
	// Obeys says whether it follows robots.txt, as its operator says: No is also one that
	// need not, as a person asked for the page. ObeysWildcard says whether it follows a
	// group for "*" where no group is for a token of its chain.
	Obeys         Answer `json:"obeys,omitzero"`
	ObeysWildcard Answer `json:"wildcard,omitzero"`
	// Crawls is No where the token stands in robots.txt files only, and no request is
	// ever sent in its name: a robots.txt says with it how another crawler's pages may be used,
	// or names several crawlers at once.
	Crawls Answer `json:"crawls,omitzero"`
	// Reads and Ignores hold the records beyond User-agent, Allow and Disallow that it
	// is said to read and said not to read, such as "crawl-delay", in lower case. Nothing
	// is known of others.
	Reads   []string `json:"reads,omitempty"`
	Ignores []string `json:"ignores,omitempty"`

	Note string `json:"note,omitempty"` // a remark, in one line

	Source  Source            `json:"source"`            // of each fact that has no source of its own
	Sources map[string]Source `json:"sources,omitempty"` // by the fact's name in JSON, such as "chain"
}

// A Source says where a fact was read, and when.
type Source struct {
	URL string `json:"url"`
	// By is ByOperator where it is the operator's own page, ByOthers where it is
	// anybody else's, such as a public list.
	By    string `json:"by"`
	Read  string `json:"read"`            // the day it was read, as in 2026-11-21
	Dated string `json:"dated,omitempty"` // the day of the text itself, where it says one
}

// Whose page a source is.
const (
	ByOperator = "operator"
	ByOthers   = "others"
)

// SourceOf returns the source of a fact, by its name in JSON, such as "chain".
func (c Crawler) SourceOf(fact string) Source {
	if s, ok := c.Sources[fact]; ok {
		return s
	}
	return c.Source
}

// ReadAs returns the product token that a line "User-agent: TOKEN" is read as (RFC 9309):
// Token up to its first character that is no letter, "_" or "-". It is "MJ" for MJ12bot,
// and "" for 360Spider, which no line can name.
func (c Crawler) ReadAs() string { return readAs(c.Token) }

// Agents returns the product tokens to ask a robots.txt about, the most specific first:
// those of Chain, or Token alone where that is unknown, as lines that name them are read.
// It is empty where no line can name the crawler; only a group for "*" applies to it then.
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
	return agents
}

// ReadsRecord says whether it reads the record called name, in any letter case.
func (c Crawler) ReadsRecord(name string) Answer {
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

// readAs returns the longest prefix that is made of the characters of product tokens.
func readAs(token string) string {
	for i := range len(token) {
		if !isTokenByte(token[i]) {
			return token[:i]
		}
	}
	return token
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
}
