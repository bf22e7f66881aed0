package bulk

import (
	"hash/maphash"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A Checker asks a Judge. It remembers the origins of the last URLs, so that most URLs need no look-up;
// each goroutine needs its own.
type Checker struct {
	judge  *Judge
	last   remembered
	slots  []remembered // by a hash of the prefix
	seed   maphash.Seed
	forgot int64 // Judge.forgot when the slots were last emptied
}

// remembered is the site of the URLs that begin with a prefix, such as "https://www.example.com".
type remembered struct {
	prefix string
	site   *site
}

const slots = 1 << 14

// Checker returns a new Checker.
func (j *Judge) Checker() *Checker {
	return &Checker{judge: j, slots: make([]remembered, slots), seed: maphash.MakeSeed()}
}

// Check decides about an absolute URL, and sets a Verdict for each Column. The error is that of a text
// that is no URL of http, https or ftp.
func (c *Checker) Check(url string, verdicts []Verdict) error {
	s, err := c.site(url)
	if err != nil {
		return err
	}
	for i := range s.rules {
		verdicts[i] = s.rules[i].check(url)
	}
	return nil
}

// site returns the site of a URL.
func (c *Checker) site(url string) (*site, error) {
	if n := len(c.last.prefix); len(url) > n && n > 0 && endsAuthority(url[n]) && url[:n] == c.last.prefix {
		return c.last.site, nil
	}
	prefix := url[:prefixLen(url)]
	slot := &c.slots[maphash.String(c.seed, prefix)%slots]
	if slot.site == nil || slot.prefix != prefix {
		o, err := origin.Parse(url)
		if err != nil {
			return nil, err
		}
		s := c.judge.site(o)
		c.forget()
		*slot = remembered{strings.Clone(prefix), s}
	}
	c.last = *slot
	return slot.site, nil
}

// forget empties the slots if the Judge has forgotten sites: they would stay in memory.
func (c *Checker) forget() {
	if now := c.judge.forgot.Load(); now != c.forgot {
		c.forgot = now
		clear(c.slots)
	}
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
