// Package flips finds the URLs of a list whose verdicts change if a robots.txt changes, and for which crawlers they
// change.
package flips

import (
	"cmp"
	"hash/maphash"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
)

// A Pair is the old and the new policy of some crawlers. These crawlers have the same verdicts.
type Pair struct{ Old, New *robotstxt.Policy }

// A Flip is a URL whose verdict changes for the crawlers of a Pair.
type Flip struct {
	URL      string
	Pair     int
	Old, New robotstxt.Decision
}

// A Count says what changes for the crawlers of a Pair.
type Count struct {
	Blocked, Opened int64 // URLs that are disallowed now, and URLs that are allowed now
	Directories     []Directory
	Examples        []Flip // the first flips of each kind: URLs that are disallowed now, then URLs that are allowed now
	opened          []Flip // the examples that are allowed now; close moves them to Examples
	others          Directory
	byPath          map[string]int // indexes of Directories, by path
}

// A Directory is the first part of a path, such as "/shop/", with the number of its URLs whose verdict changes.
type Directory struct {
	Path            string // "" for all directories that are not counted one by one
	Blocked, Opened int64
}

const (
	maxDirectories = 10_000 // for each Pair, the maximum number of directories that are counted one by one
	batchURLs      = 1024   // the maximum number of URLs in a batch
)

// Result says what a change of a robots.txt does to the URLs of a list.
type Result struct {
	URLs    int64   // the number of URLs that were compared
	Flipped int64   // the number of URLs whose verdict changes for at least one crawler
	Counts  []Count // one for each Pair
}

type Search struct {
	Pairs    []Pair
	Examples int // the maximum number of flips of each kind that a Count keeps

	// Append appends the text of a flip to dst, and Run writes this text to the field To. Several goroutines call Append
	// at the same time. If Append is nil, flips are only counted.
	Append func(dst []byte, f *Flip) []byte
	To     io.Writer // the results of Append are written to To, in the order of the URLs
}

// A batch has some URLs and their flips. Its memory is used again for later URLs.
type batch struct {
	text   []byte // the URLs, one after the other
	ends   []int  // where each URL ends in text
	flips  []foundFlip
	output []byte
}

// A foundFlip is a Flip without decisions, to save memory.
type foundFlip struct {
	url, pair int
	blocks    bool
}

var batches = sync.Pool{New: func() any { return &batch{ends: make([]int, 0, batchURLs)} }}

func (b *batch) url(i int) string {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return unsafe.String(unsafe.SliceData(b.text[start:]), b.ends[i]-start)
}

// batchesOf copies each URL, because a URL is only valid until the next one is requested.
func batchesOf(urls iter.Seq[string]) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		b := batches.Get().(*batch)
		for url := range urls {
			b.text = append(b.text, url...)
			if b.ends = append(b.ends, len(b.text)); len(b.ends) == batchURLs {
				if !yield(b) {
					return
				}
				b = batches.Get().(*batch)
			}
		}
		yield(b)
	}
}

// MaxDistinct limits the memory for Distinct to about 40 MB.
const MaxDistinct = 1_000_000

var seed = maphash.MakeSeed()

// Distinct leaves out URLs that were there before. It remembers the first MaxDistinct different URLs.
func Distinct(urls iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[uint64]struct{}{}
		for url := range urls {
			hash := maphash.String(seed, url)
			if _, again := seen[hash]; again {
				continue
			}
			if len(seen) < MaxDistinct {
				seen[hash] = struct{}{}
			}
			if !yield(url) {
				return
			}
		}
	}
}

func (b *batch) recycle() {
	if cap(b.text) > maxKept || cap(b.output) > maxKept {
		return
	}
	b.text, b.ends, b.flips, b.output = b.text[:0], b.ends[:0], b.flips[:0], b.output[:0]
	batches.Put(b)
}

// maxKept limits the bytes that a batch keeps for later batches, because a hostile list may have very long URLs.
const maxKept = 4 << 20

// Run compares the verdicts of URLs. Each URL must be valid until Run requests the next one.
func (s *Search) Run(urls iter.Seq[string]) (*Result, error) {
	r := &Result{Counts: make([]Count, len(s.Pairs))}
	next, stop := iter.Pull(batchesOf(urls))
	defer stop()
	var failure error
	var hasFailed atomic.Bool
	ordered.Map(runtime.GOMAXPROCS(0), func() (*batch, bool) {
		if hasFailed.Load() {
			return nil, false
		}
		return next()
	}, func() func(*batch) *batch { return s.compare }, func(b *batch) {
		r.URLs += int64(len(b.ends))
		last := -1
		for _, f := range b.flips {
			if f.url != last {
				last = f.url
				r.Flipped++
			}
			r.Counts[f.pair].add(s, b.url(f.url), f)
		}
		if failure == nil && len(b.output) > 0 {
			_, failure = s.To.Write(b.output)
			hasFailed.Store(failure != nil)
		}
		b.recycle()
	})
	for i := range r.Counts {
		r.Counts[i].close()
	}
	return r, failure
}

func (s *Search) compare(b *batch) *batch {
	for n := range b.ends {
		url := b.url(n)
		for i := range s.Pairs {
			p := &s.Pairs[i]
			old, new := p.Old.Check(url), p.New.Check(url)
			if old.Allowed == new.Allowed {
				continue
			}
			b.flips = append(b.flips, foundFlip{n, i, old.Allowed})
			if s.Append != nil {
				b.output = s.Append(b.output, &Flip{url, i, old, new})
			}
		}
	}
	return b
}

func (c *Count) add(s *Search, url string, f foundFlip) {
	d := c.directory(url)
	total, inDirectory, kept := &c.Blocked, &d.Blocked, &c.Examples
	if !f.blocks {
		total, inDirectory, kept = &c.Opened, &d.Opened, &c.opened
	}
	*total++
	*inDirectory++
	if len(*kept) < s.Examples {
		url, p := strings.Clone(url), &s.Pairs[f.pair]
		*kept = append(*kept, Flip{url, f.pair, p.Old.Check(url), p.New.Check(url)})
	}
}

func (c *Count) directory(url string) *Directory {
	path := directoryOf(url)
	if i, ok := c.byPath[path]; ok {
		return &c.Directories[i]
	}
	if len(c.Directories) >= maxDirectories {
		return &c.others
	}
	if c.byPath == nil {
		c.byPath = map[string]int{}
	}
	path = strings.Clone(path)
	c.byPath[path] = len(c.Directories)
	c.Directories = append(c.Directories, Directory{Path: path})
	return &c.Directories[len(c.Directories)-1]
}

func (c *Count) close() {
	c.Examples = append(c.Examples, c.opened...)
	slices.SortStableFunc(c.Directories, func(a, b Directory) int {
		return cmp.Or(cmp.Compare(b.Blocked+b.Opened, a.Blocked+a.Opened), cmp.Compare(a.Path, b.Path))
	})
	if c.others.Blocked+c.others.Opened > 0 {
		c.Directories = append(c.Directories, c.others)
	}
}

func directoryOf(url string) string {
	path := authority.After(url)
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
