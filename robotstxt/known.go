package robotstxt

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed known.txt
var knownText string

// knownCrawlers are the tokens of the table of package crawlers, which this package does not
// import: sorted and lower-case. The file is made of it, see the test of crawlers that compares
// the two.
var knownCrawlers = sync.OnceValue(func() []string { return strings.Fields(knownText) })

// otherName is a name of the table that a crawler has in its requests instead of its token. The
// name begins with the token, which has that length.
type otherName struct {
	name  string
	token int
}

var otherNames = []otherName{{"duckduckbot-https", len("duckduckbot")}}
