package robotstxt

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed known.txt
var knownText string

// knownCrawlers are the product tokens of package crawlers, sorted and in lower case. A test compares both lists.
var knownCrawlers = sync.OnceValue(func() []string { return strings.Fields(knownText) })

// otherName is a longer name in a crawler's User-Agent header, such as "DuckDuckBot-Https". Its first tokenSize bytes are the
// product token, "DuckDuckBot".
type otherName struct {
	name      string
	tokenSize int
}

var otherNames = []otherName{{"duckduckbot-https", len("duckduckbot")}}
