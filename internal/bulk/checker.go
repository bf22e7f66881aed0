package bulk

import (
	"hash/maphash"
	"strings"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Checker asks a Decider about URLs, and remembers the rules of origins. Each goroutine needs a Checker of its own.
type Checker struct {
	decider *Decider
	pairs   []pair // the remembered rules; pairs[i] is for prefixes whose hash is i, modulo len(pairs)
	filled  int
	seed    maphash.Seed
	forgot  int64

	batch     [batchSize]place
	policies  [batchSize]*robotstxt.Policy
	decisions [batchSize]robotstxt.Decision
	verdicts  []Verdict // the verdicts about batch[i] begin at the index i * (number of Columns)
}

// prefix is the scheme and the host of URLs, as in "https://www.example.com".
type rememberedRules struct {
	prefix string
	rules  []originRules
}

// A pair has the rules for up to two prefixes with the same hash, the newest first.
type pair [2]rememberedRules

func (p *pair) rules(prefix string) []originRules {
	for i := range p {
		if p[i].prefix == prefix {
			return p[i].rules
		}
	}
	return nil
}

type place struct {
	prefix string
	pair   *pair
	rules  []originRules
	err    error
}

const (
	// pairs grows from fewPairs to manyPairs; both are powers of 2.
	fewPairs  = 1 << 7
	manyPairs = 1 << 15
	batchSize = 32
	maxPrefix = 512 // longer prefixes are not remembered, because the user name in a URL may have any length
)

func (j *Decider) Checker() *Checker {
	return &Checker{decider: j, pairs: make([]pair, fewPairs), seed: maphash.MakeSeed(), verdicts: make([]Verdict, batchSize*len(j.columns))}
}

// Check calls each() once for every URL. The verdicts are valid until each() returns. If a URL is wrong, err says why.
func (c *Checker) Check(urls []string, each func(i int, verdicts []Verdict, err error)) {
	columns := len(c.decider.columns)
	for from := 0; from < len(urls); from += batchSize {
		some := urls[from:min(from+batchSize, len(urls))]
		c.findPlaces(some)
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

func (c *Checker) decide(urls []string, column int) {
	for i := range urls {
		c.policies[i] = &noPolicy
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
				c.decider.Use.decideUse(v, r[column].usage, url, nil)
			}
		}
	}
}

var noPolicy robotstxt.Policy

// The second loop only looks up prefixes, so the processor can load what several URLs need from memory at the same time.
func (c *Checker) findPlaces(urls []string) {
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

func (c *Checker) lookup(url string, p *place) ([]originRules, error) {
	if r := p.pair.rules(p.prefix); r != nil { // an earlier URL of the batch has the same prefix
		return r, nil
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, err
	}
	r := c.decider.rulesOf(o)
	if now := c.decider.forgot.Load(); now != c.forgot { // the Decider has deleted rules, which pairs would keep in memory
		c.forgot = now
		clear(c.pairs)
	}
	if p.prefix != "" && len(p.prefix) <= maxPrefix {
		*p.pair = pair{{strings.Clone(p.prefix), r}, p.pair[0]}
		c.filled++
	}
	if c.filled >= len(c.pairs) && len(c.pairs) < manyPairs {
		c.pairs, c.filled = make([]pair, 4*len(c.pairs)), 0 // the places of this batch still point to the old pairs
	}
	return r, nil
}

// prefixLen returns 19 for "https://example.com/a", and 0 for a text without "://".
func prefixLen(url string) int {
	i := strings.Index(url[:min(len(url), len("https://"))], "://")
	if i < 0 {
		return 0
	}
	i += len("://")
	return i + len(origin.Authority(url[i:]))
}
