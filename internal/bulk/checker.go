package bulk

import (
	"hash/maphash"
	"strings"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Checker asks a Decider about URLs. It remembers the rules of the origins that it met, so most URLs need no
// look-up. Each goroutine needs a Checker of its own.
type Checker struct {
	decider *Decider
	pairs   []pair // the index of a pair is a hash of the prefix
	filled  int    // the number of prefixes that were added since the length of pairs last changed
	seed    maphash.Seed
	forgot  int64 // the value of Decider.forgot when pairs was last emptied

	batch     [batchSize]place
	policies  [batchSize]*robotstxt.Policy
	decisions [batchSize]robotstxt.Decision
	verdicts  []Verdict // for each place, one verdict for each Column
}

// remembered has the rules for all URLs that begin with a prefix, such as "https://www.example.com".
type remembered struct {
	prefix string
	rules  []rules
}

// A pair has the rules for two prefixes with the same hash. The prefix that was added last is the first one.
type pair [2]remembered

// rules returns the rules for a prefix, or nil if the prefix is not remembered.
func (p *pair) rules(prefix string) []rules {
	for i := range p {
		if p[i].prefix == prefix {
			return p[i].rules
		}
	}
	return nil
}

// A place has what is known about one URL of a batch: its rules, and the pair in which its rules are remembered.
type place struct {
	prefix string
	pair   *pair
	rules  []rules // nil if the text is not a URL
	err    error   // the reason if the text is not a URL
}

const (
	// The length of pairs at first: most lists have URLs of few origins. Like manyPairs, it must be a power of 2.
	fewPairs  = 1 << 7
	manyPairs = 1 << 15
	batchSize = 32
	maxPrefix = 512 // longer prefixes are not remembered, because the user name in a URL may have any length
)

// Checker returns a new Checker, which asks this Decider.
func (j *Decider) Checker() *Checker {
	return &Checker{decider: j, pairs: make([]pair, fewPairs), seed: maphash.MakeSeed(), verdicts: make([]Verdict, batchSize*len(j.columns))}
}

// Check decides about absolute URLs. It calls the function each once for every URL, with the index of the URL and
// a Verdict for each Column. The verdicts are valid until the next call of Check. For a text that is not a URL of
// http, https or ftp, err is set, and there are no verdicts.
func (c *Checker) Check(urls []string, each func(i int, verdicts []Verdict, err error)) {
	columns := len(c.decider.columns)
	for from := 0; from < len(urls); from += batchSize {
		some := urls[from:min(from+batchSize, len(urls))]
		c.find(some)
		for n := range columns {
			c.decide(some, n)
		}
		for i := range some {
			if err := c.batch[i].err; err != nil {
				each(from+i, nil, err)
			} else {
				each(from+i, c.verdicts[i*columns:(i+1)*columns], nil)
			}
		}
	}
}

// decide sets the verdicts of one Column about the URLs of a batch.
func (c *Checker) decide(urls []string, column int) {
	for i := range urls {
		c.policies[i] = &nothing
		if r := c.batch[i].rules; r != nil && r[column].policy != nil {
			c.policies[i] = r[column].policy
		}
	}
	robotstxt.CheckAll(c.policies[:len(urls)], urls, c.decisions[:len(urls)])
	for i, url := range urls {
		if r := c.batch[i].rules; r != nil {
			d := c.decisions[i]
			if c.decider.Requests && d.Allowed {
				d = c.policies[i].CheckRequest(url)
			}
			v := &c.verdicts[i*len(r)+column]
			*v = r[column].verdict(d, url)
			if c.decider.Use != nil {
				c.decider.Use.decide(v, r[column].usage, url, nil)
			}
		}
	}
}

// nothing is the policy that decide and CheckPage ask if a URL has no rules; its decision is not used.
var nothing robotstxt.Policy

// find sets the place of each URL of a batch. The pairs of many origins do not fit into the caches of the processor.
// Therefore the second loop only reads the pairs, so that the processor loads several of them at the same time.
func (c *Checker) find(urls []string) {
	for i, url := range urls {
		p := &c.batch[i]
		if i > 0 && c.batch[i-1].prefix != "" {
			if rest, ok := strings.CutPrefix(url, c.batch[i-1].prefix); ok && origin.Authority(rest) == "" {
				*p = c.batch[i-1]
				continue
			}
		}
		p.prefix = url[:prefixLen(url)]
		p.pair = &c.pairs[maphash.String(c.seed, p.prefix)&uint64(len(c.pairs)-1)]
	}
	for i := range urls {
		p := &c.batch[i]
		p.rules, p.err = p.pair.rules(p.prefix), nil
	}
	for i, url := range urls {
		if p := &c.batch[i]; p.rules == nil {
			p.rules, p.err = c.lookup(url, p)
		}
	}
}

// lookup returns the rules for a URL from the Decider, and remembers them.
func (c *Checker) lookup(url string, p *place) ([]rules, error) {
	if r := p.pair.rules(p.prefix); r != nil { // an earlier URL of the batch has the same prefix
		return r, nil
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, err
	}
	r := c.decider.rulesOf(o)
	if now := c.decider.forgot.Load(); now != c.forgot { // forget the same rules as the Decider, so that their memory is free
		c.forgot = now
		clear(c.pairs)
	}
	if p.prefix != "" && len(p.prefix) <= maxPrefix {
		*p.pair = pair{{strings.Clone(p.prefix), r}, p.pair[0]}
		c.filled++
	}
	if c.filled >= len(c.pairs) && len(c.pairs) < manyPairs {
		c.pairs, c.filled = make([]pair, 4*len(c.pairs)), 0 // the places of this batch still use the old pairs
	}
	return r, nil
}

// prefixLen returns the length of the scheme and authority with which a URL begins. It is 0 for a text without
// "://", such as "https:example.com": URLs of any host begin with "https:".
func prefixLen(url string) int {
	i := strings.Index(url[:min(len(url), len("https://"))], "://")
	if i < 0 {
		return 0
	}
	i += len("://")
	return i + len(origin.Authority(url[i:]))
}
