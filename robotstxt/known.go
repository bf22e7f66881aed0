package robotstxt

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed known.txt
var knownText string

// knownCrawlers are the product tokens of the crawlers in the table of package crawlers, sorted and in lower case. The tokens
// come from the file known.txt, because this package does not import package crawlers. A test of package crawlers compares
// known.txt with the table.
var knownCrawlers = sync.OnceValue(func() []string { return strings.Fields(knownText) })

// otherName is a longer name that a crawler sends in its User-Agent header, such as "DuckDuckBot-Https". The name begins with
// the product token ("DuckDuckBot"); the field token is the length of the product token.
type otherName struct {
	name  string
	token int
}

var otherNames = []otherName{{"duckduckbot-https", len("duckduckbot")}}
