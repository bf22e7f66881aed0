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
