package crawlers

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"github.com/heed-robots/heed/internal/ascii"
)

// A Table is a set of crawlers with different tokens. It never changes, and is safe for
// concurrent use. The zero value is empty.
type Table struct {
	rows    []Crawler
	byToken map[string]int // index in rows, by the token in lower case
}

//go:embed known.jsonl
var known []byte

// Known returns the table that is part of this package. The first call parses it.
var Known = sync.OnceValue(func() *Table {
	n := bytes.Count(known, []byte("\n"))
	t := &Table{rows: make([]Crawler, 0, n), byToken: make(map[string]int, n)}
	for line := range bytes.Lines(known) {
		var c Crawler // not checked as in Read, which takes three times as long: a test does that
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		t.put(c)
	}
	return t
})

// maxToken is the maximum length of a token, in bytes.
const maxToken = 64

// Lookup returns the crawler with a token; letter case does not matter. If there is none, it
// returns false. It allocates no memory.
func (t *Table) Lookup(token string) (Crawler, bool) {
	var lower [maxToken]byte
	if len(token) > maxToken {
		return Crawler{}, false
	}
	for i := range len(token) {
		lower[i] = ascii.Lower(token[i])
	}
	i, ok := t.byToken[string(lower[:len(token)])]
	if !ok {
		return Crawler{}, false
	}
	return t.rows[i], true
}

// Named returns the crawler that has a text as its token, or as one of its Names. Letter case does
// not matter. If there is none, it returns false.
func (t *Table) Named(text string) (Crawler, bool) {
	if c, ok := t.Lookup(text); ok {
		return c, true
	}
	text = ascii.ToLower(text)
	for _, c := range t.rows {
		if slices.ContainsFunc(c.Names, func(name string) bool { return ascii.ToLower(name) == text }) {
			return c, true
		}
	}
	return Crawler{}, false
}

// All returns the crawlers, in the order of the table.
func (t *Table) All() iter.Seq[Crawler] { return slices.Values(t.rows) }

// For returns the crawlers that have a purpose, in the order of the table.
func (t *Table) For(p Purpose) iter.Seq[Crawler] {
	return func(yield func(Crawler) bool) {
		for _, c := range t.rows {
			if slices.Contains(c.Purposes, p) && !yield(c) {
				return
			}
		}
	}
}

// Date returns the last day on which a source of the table was read, such as 2026-11-21, or
// "" for an empty table.
func (t *Table) Date() string {
	var last string
	for _, c := range t.rows {
		last = max(last, c.Source.Read)
		for _, s := range c.Sources {
			last = max(last, s.Read)
		}
	}
	return last
}

// With returns a table with the crawlers of both tables. If both have a token, the whole row
// of other replaces that of t.
func (t *Table) With(other *Table) *Table {
	sum := &Table{rows: make([]Crawler, 0, len(t.rows)+len(other.rows)), byToken: map[string]int{}}
	for _, c := range t.rows {
		sum.put(c)
	}
	for _, c := range other.rows {
		sum.put(c)
	}
	return sum
}

// put adds a crawler, or replaces the one with its token.
func (t *Table) put(c Crawler) {
	key := ascii.ToLower(c.Token)
	if i, ok := t.byToken[key]; ok {
		t.rows[i] = c
		return
	}
	t.byToken[key] = len(t.rows)
	t.rows = append(t.rows, c)
}
