// Package flips finds the URLs of a list whose verdict a change of a robots.txt changes, and for which crawlers.
package flips

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Pair is the policies of crawlers in the old and in the new file. The crawlers have the same verdicts for every URL.
type Pair struct {
	Agents   [][]string
	Old, New *robotstxt.Policy
}

// Pairs returns the policies of crawlers. Those to which the same groups apply in both files are together.
func Pairs(old, new *robotstxt.File, agents [][]string) (pairs []Pair) {
	type groups struct{ old, new string }
	index := map[groups]int{}
	for _, a := range agents {
		p := Pair{[][]string{a}, policyOf(old, a), policyOf(new, a)}
		key := groups{groupsOf(p.Old), groupsOf(p.New)}
		if i, ok := index[key]; ok {
			pairs[i].Agents = append(pairs[i].Agents, a)
			continue
		}
		index[key] = len(pairs)
		pairs = append(pairs, p)
	}
	return pairs
}

// policyOf returns the policy of a crawler; "*" is everyone whom no file names.
func policyOf(f *robotstxt.File, agents []string) *robotstxt.Policy {
	if len(agents) == 1 && agents[0] == "*" {
		return f.Agent()
	}
	return f.Agent(agents...)
}

// groupsOf returns a text that is equal for policies with the same groups.
func groupsOf(p *robotstxt.Policy) string {
	var b strings.Builder
	for _, g := range p.GroupsThatApply() {
		b.WriteRune(rune(g))
	}
	return b.String()
}

// A Flip is a URL whose verdict changes for the crawlers of a Pair.
type Flip struct {
	URL      string
	Pair     int
	Old, New robotstxt.Decision
}

// Blocks reports whether the URL was allowed and is disallowed.
func (f *Flip) Blocks() bool { return f.Old.Allowed }

// A Count is what changes for the crawlers of a Pair.
type Count struct {
	Blocked, Opened int64 // URLs that were allowed and are disallowed, and the opposite
	Directories     []Directory
	Examples        []Flip // the first ones of each kind
	others          Directory
	at              map[string]int // the index of a directory
}

// A Directory is the first part of a path, such as "/shop/", with its URLs whose verdict changes.
type Directory struct {
	Path            string // "": of all that are not told one by one
	Blocked, Opened int64
}

const (
	maxDirectories = 10_000 // that are counted one by one, for each Pair
	examples       = 3      // of each kind
	batchURLs      = 1024
)

// Result is what a change does to the URLs of a list.
type Result struct {
	URLs   int64   // that were compared
	Counts []Count // of each Pair
}

// Run compares the verdicts of URLs. told gets each flip, in the order of the URLs; nil: it is only counted. An error of it ends Run.
func Run(urls iter.Seq[string], pairs []Pair, told func(Flip) error) (*Result, error) {
	r := &Result{Counts: make([]Count, len(pairs))}
	type batch struct {
		urls  []string
		flips []Flip
	}
	batches := func(yield func([]string) bool) {
		var some []string
		for url := range urls {
			if some = append(some, url); len(some) == batchURLs {
				if !yield(some) {
					return
				}
				some = nil
			}
		}
		if len(some) > 0 {
			yield(some)
		}
	}
	next, stop := iter.Pull(iter.Seq[[]string](batches))
	defer stop()
	var failure error
	var hasFailed atomic.Bool
	ordered.Map(runtime.GOMAXPROCS(0), func() ([]string, bool) {
		if hasFailed.Load() {
			return nil, false
		}
		return next()
	}, func() func([]string) batch {
		return func(urls []string) batch { return batch{urls, compared(urls, pairs)} }
	}, func(b batch) {
		r.URLs += int64(len(b.urls))
		for _, f := range b.flips {
			r.Counts[f.Pair].add(f)
			if told != nil && failure == nil {
				failure = told(f)
				hasFailed.Store(failure != nil)
			}
		}
	})
	for i := range r.Counts {
		r.Counts[i].close()
	}
	return r, failure
}

// compared returns the flips among some URLs.
func compared(urls []string, pairs []Pair) (flips []Flip) {
	for _, url := range urls {
		for i := range pairs {
			old, new := pairs[i].Old.Check(url), pairs[i].New.Check(url)
			if old.Allowed != new.Allowed {
				flips = append(flips, Flip{url, i, old, new})
			}
		}
	}
	return flips
}

// add counts a flip.
func (c *Count) add(f Flip) {
	n := &c.Blocked
	if !f.Blocks() {
		n = &c.Opened
	}
	if *n++; *n <= examples {
		c.Examples = append(c.Examples, f)
	}
	d := c.directory(f.URL)
	if f.Blocks() {
		d.Blocked++
	} else {
		d.Opened++
	}
}

// directory returns the count of the directory of a URL.
func (c *Count) directory(url string) *Directory {
	path := directoryOf(url)
	if i, ok := c.at[path]; ok {
		return &c.Directories[i]
	}
	if len(c.Directories) >= maxDirectories {
		return &c.others
	}
	if c.at == nil {
		c.at = map[string]int{}
	}
	c.at[path] = len(c.Directories)
	c.Directories = append(c.Directories, Directory{Path: path})
	return &c.Directories[len(c.Directories)-1]
}

// close puts the directories with the most flips first.
func (c *Count) close() {
	slices.SortStableFunc(c.Directories, func(a, b Directory) int {
		return cmp.Or(cmp.Compare(b.Blocked+b.Opened, a.Blocked+a.Opened), cmp.Compare(a.Path, b.Path))
	})
	if c.others.Blocked+c.others.Opened > 0 {
		c.Directories = append(c.Directories, c.others)
	}
}

// directoryOf returns the first part of the path of a URL, such as "/shop/", or "/".
func directoryOf(url string) string {
	path := url
	if !strings.HasPrefix(url, "/") {
		if _, rest, ok := strings.Cut(url, "://"); ok {
			path = rest[len(origin.Authority(rest)):]
		}
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if len(path) > 1 {
		if i := strings.IndexByte(path[1:], '/'); i >= 0 {
			return path[:i+2]
		}
	}
	return "/"
}
