package bulk

import (
	"hash/maphash"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A Checker asks a Judge. It remembers the origins of URLs, so that most URLs need no look-up; each
// goroutine needs its own.
type Checker struct {
	judge    *Judge
	slots    []remembered // by a hash of the prefix
	seed     maphash.Seed
	forgot   int64 // Judge.forgot when the slots were last emptied
	verdicts []Verdict
	batch    [batchSize]place
}

// remembered is the rules for URLs that begin with a prefix, such as "https://www.example.com".
type remembered struct {
	prefix string
	rules  []rules
}

// A place is where the rules for a URL of a batch are.
type place struct {
	prefix string
	slot   *remembered
	rules  []rules // nil: they are to be looked up
}

const (
	slots     = 1 << 16
	batchSize = 32
)

// Checker returns a new Checker.
func (j *Judge) Checker() *Checker {
	return &Checker{judge: j, slots: make([]remembered, slots), seed: maphash.MakeSeed(), verdicts: make([]Verdict, len(j.columns))}
}

// Check decides about absolute URLs, and calls each with the index of each and a Verdict for each
// Column, which are valid until the next call. The error is that of a text that is no URL of http, https
// or ftp; then there are no verdicts.
func (c *Checker) Check(urls []string, each func(i int, verdicts []Verdict, err error)) {
	for from := 0; from < len(urls); from += batchSize {
		some := urls[from:min(from+batchSize, len(urls))]
		c.find(some)
		for i, url := range some {
			r := c.batch[i].rules
			if r == nil {
				var err error
				if r, err = c.lookup(url, &c.batch[i]); err != nil {
					each(from+i, nil, err)
					continue
				}
			}
			for n := range r {
				c.verdicts[n] = r[n].check(url)
			}
			each(from+i, c.verdicts, nil)
		}
	}
}

// find sets the places of a batch. The memory of many origins is in no cache of the processor: loops
// without other work let it load several places at once.
func (c *Checker) find(urls []string) {
	for i, url := range urls {
		p := &c.batch[i]
		if i > 0 {
			if before := c.batch[i-1].prefix; len(url) > len(before) && endsAuthority(url[len(before)]) && url[:len(before)] == before {
				*p = c.batch[i-1]
				continue
			}
		}
		p.prefix = url[:prefixLen(url)]
		p.slot = &c.slots[maphash.String(c.seed, p.prefix)%slots]
	}
	for i := range urls {
		p := &c.batch[i]
		if p.rules = nil; p.slot.prefix == p.prefix {
			p.rules = p.slot.rules
		}
	}
}

// lookup returns the rules for a URL, and remembers them.
func (c *Checker) lookup(url string, p *place) ([]rules, error) {
	if p.slot.rules != nil && p.slot.prefix == p.prefix { // since find
		return p.slot.rules, nil
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, err
	}
	r := c.judge.rulesOf(o)
	if now := c.judge.forgot.Load(); now != c.forgot { // what the Judge has forgotten would stay in memory
		c.forgot = now
		clear(c.slots)
	}
	*p.slot = remembered{strings.Clone(p.prefix), r}
	return r, nil
}

// prefixLen returns the length of scheme and authority of a URL.
func prefixLen(url string) int {
	i := strings.Index(url[:min(len(url), len("https://"))], "://")
	if i < 0 {
		return len(url)
	}
	for i += len("://"); i < len(url) && !endsAuthority(url[i]); i++ {
	}
	return i
}

func endsAuthority(c byte) bool { return c == '/' || c == '?' || c == '#' || c == '\\' }
