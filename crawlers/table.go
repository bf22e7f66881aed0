package crawlers

import (
	_ "embed"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/internal/ascii"
)

// A Table is a set of crawlers with different tokens. It never changes, and is safe for concurrent use. The zero Table is
// empty.
type Table struct {
	rows    []func() *Crawler
	byToken map[string]int // for each token, in lower case: its index in rows
	// byPart is like byToken, but its keys are the parts of tokens that ReadAs returns, such as "MJ" for MJ12bot.
	byPart map[string]int
}

//go:embed known.jsonl
var known string

// Known returns the table in this package. Each row is parsed at its first use, because most programs need few crawlers.
var Known = sync.OnceValue(func() *Table {
	n := strings.Count(known, "\n")
	t := &Table{rows: make([]func() *Crawler, 0, n), byToken: make(map[string]int, n), byPart: map[string]int{}}
	for line := range strings.Lines(known) {
		token, _, _ := strings.Cut(strings.TrimPrefix(line, `{"token":"`), `"`)
		t.put(token, sync.OnceValue(func() *Crawler {
			// The row is not checked as in Read, because that takes three times as long. A test checks all rows.
			var c Crawler
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				panic(err)
			}
			return &c
		}))
	}
	return t
})

const maxToken = 64

// Lookup returns the crawler with the given token, in any letter case. It allocates no memory, except at the first use of a
// row of Known.
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
	return *t.rows[i](), true
}

// Named returns the crawler that has the text as its token or in its Names, in any letter case.
func (t *Table) Named(text string) (Crawler, bool) {
	if c, ok := t.Lookup(text); ok {
		return c, true
	}
	text = ascii.ToLower(text)
	for c := range t.All() {
		if slices.ContainsFunc(c.Names, func(name string) bool { return ascii.ToLower(name) == text }) {
			return c, true
		}
	}
	return Crawler{}, false
}

// ReadAs returns the crawler with the given token. If there is none, it returns the first crawler whose method ReadAs
// returns the text. For "MJ", this is MJ12bot.
func (t *Table) ReadAs(text string) (Crawler, bool) {
	if c, ok := t.Lookup(text); ok {
		return c, true
	}
	i, ok := t.byPart[text]
	if !ok {
		return Crawler{}, false
	}
	return *t.rows[i](), true
}

// All returns the crawlers, in the order of the table.
func (t *Table) All() iter.Seq[Crawler] {
	return func(yield func(Crawler) bool) {
		for _, row := range t.rows {
			if !yield(*row()) {
				return
			}
		}
	}
}

// For returns the crawlers that have a purpose, in the order of the table.
func (t *Table) For(p Purpose) iter.Seq[Crawler] {
	return func(yield func(Crawler) bool) {
		for c := range t.All() {
			if slices.Contains(c.Purposes, p) && !yield(c) {
				return
			}
		}
	}
}

// Date returns the last day on which a source of the table was read, such as 2026-11-21. For an empty table, it returns
// "".
func (t *Table) Date() string {
	var last string
	for c := range t.All() {
		last = max(last, c.Source.Read)
		for _, s := range c.Sources {
			last = max(last, s.Read)
		}
	}
	return last
}

// With returns a table with the crawlers of both tables. If both tables have the same token, the row of the parameter other
// is used.
func (t *Table) With(other *Table) *Table {
	sum := &Table{rows: slices.Clone(t.rows), byToken: map[string]int{}, byPart: map[string]int{}}
	maps.Copy(sum.byToken, t.byToken)
	maps.Copy(sum.byPart, t.byPart)
	for c := range other.All() {
		sum.add(c)
	}
	return sum
}

func (t *Table) put(token string, row func() *Crawler) {
	key := ascii.ToLower(token)
	if i, ok := t.byToken[key]; ok {
		t.rows[i] = row
		return
	}
	if part := readAs(token); part != token && part != "" {
		if _, ok := t.byPart[part]; !ok {
			t.byPart[part] = len(t.rows)
		}
	}
	t.byToken[key] = len(t.rows)
	t.rows = append(t.rows, row)
}

func (t *Table) add(c Crawler) { t.put(c.Token, func() *Crawler { return &c }) }
