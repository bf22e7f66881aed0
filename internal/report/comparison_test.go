package report

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

const (
	oldFile = "User-agent: *\nDisallow: /cart\n\nUser-agent: a\nAllow: /\n\nUser-agent: b\nDisallow: /\n\nUser-agent: \xc3\xa9\nUser-agent: c\nDisallow: /x\n"
	newFile = "User-agent: *\nDisallow: /\n\nUser-agent: b\nDisallow: /cart\n\nUser-agent: c\nDisallow: /y\xff\nCrawl-delay: 1\n"
)

var knownOfTest = []crawlers.Crawler{
	{Token: "A1", Chain: []string{"a"}, Purposes: []crawlers.Purpose{"search"}},
	{Token: "D", Chain: []string{"d", "c"}, Purposes: []crawlers.Purpose{"search", "other"}},
	{Token: "1", Purposes: []crawlers.Purpose{"search"}},
	{Token: "Own", Chain: []string{"own"}, ObeysWildcard: crawlers.No, Purposes: []crawlers.Purpose{"other"}},
	{Token: "E", Chain: []string{"a", "b"}, Purposes: []crawlers.Purpose{"feed"}},
}

func inputOf(name, text string, d *robotstxt.Dialect) Input {
	return Input{Name: name, File: robotstxt.ParseString(text, d)}
}

// comparisonOf compares two files for all crawlers, and those of knownOfTest.
func comparisonOf(old, new string, d *robotstxt.Dialect) Comparison {
	c, _ := compareKnown(context.Background(), nil, inputOf("old", old, d), inputOf("new", new, d), knownOfTest)
	return c
}

// The JSON form of a comparison; what TestJSON says about changes is true here too.
func TestComparisonJSON(t *testing.T) {
	undecided := func(_, _ *robotstxt.File) compare.FilesResult {
		return compare.FilesResult{Incomplete: true, Crawlers: []compare.Crawler{
			{Tokens: []string{"a", "b"}, Old: new(robotstxt.Policy), New: new(robotstxt.Policy), Result: compare.Result{Undecided: 2, Work: 7}},
		}}
	}
	unfinished, _ := comparisonBy(t.Context(), nil, undecided, inputOf("a\xff", "", nil), inputOf("b", "", nil), nil)
	var got []byte
	for _, c := range []Comparison{
		comparisonOf(oldFile, newFile, nil),
		comparisonOf(oldFile, newFile, robotstxt.Google),
		comparisonOf(oldFile, oldFile, nil),
		comparisonOf("User-agent: x\nDisallow:\n\nUser-agent: y\nDisallow: /", "User-agent: y\nDisallow: /\n\nUser-agent: x\nDisallow:", robotstxt.Standard1994),
		unfinished,
	} {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		got = append(append(got, b...), '\n')
	}
	name := filepath.Join("testdata", "comparison1.jsonl")
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != string(got) {
		t.Errorf("%v\n%s", err, got)
	}
}

// The gravest effects come first: a crawler that is shut out, one that loses its group, blocked
// URLs, opened URLs.
func TestGravity(t *testing.T) {
	const others = "User-agent: *\nDisallow: /x\nDisallow: /z\n"
	order := []Compared{}
	for _, c := range []struct{ old, new, effect string }{
		{"User-agent: a\nDisallow: /y\n", "User-agent: a\nDisallow: /*\n", ShutOut},
		{"User-agent: a\nDisallow: /x\n", "", Blocked}, // it loses its group
		{"User-agent: a\nDisallow: /x\n", "User-agent: a\nDisallow: /y\n", BlockedAndOpened},
		{"User-agent: a\nDisallow: /x\n", "User-agent: a\nDisallow: /x\nDisallow: /y\n", Blocked},
		{"User-agent: a\nDisallow: /x\n", "User-agent: a\n", Opened},
		{"User-agent: a\nDisallow: /x\n", "User-agent: a\nDisallow: /x*\n", ""},
	} {
		i := slices.IndexFunc(comparisonOf(others+c.old, others+c.new, nil).Crawlers, func(c Compared) bool { return c.Agent[0] == "a" })
		got := comparisonOf(others+c.old, others+c.new, nil).Crawlers[i]
		if got.Effect != c.effect {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got.Effect, c.effect)
		}
		if n := len(order); n > 0 && order[n-1].Gravity() >= got.Gravity() {
			t.Errorf("%q to %q is not less grave than the one before", c.old, c.new)
		}
		order = append(order, got)
	}
}

// A file cannot block a URL in secret: Blocks is true if a URL was allowed, for any crawler.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{"", "User-agent: *\nDisallow: /x", true},
		{"User-agent: *\nDisallow: /x", "", false},
		{"User-agent: *\nDisallow: /x", "User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /y", true},
		{"User-agent: *\nDisallow: /x", "User-agent: *\nDisallow: /x\n\nUser-agent: a\n", false},
		{oldFile, oldFile, false},
	} {
		c2 := comparisonOf(c.old, c.new, nil)
		if got := c2.Blocks(); got != c.want || c2.IsUndecided() {
			t.Errorf("%q to %q: %v, want %v", c.old, c.new, got, c.want)
		}
	}
}

// Each dialect finds a known crawler under the name that it reads in a User-agent line.
func TestCompareKnownNames(t *testing.T) {
	known := []crawlers.Crawler{{Token: "A1", Chain: []string{"A1", "b2"}, Purposes: []crawlers.Purpose{"search"}}}
	for _, d := range robotstxt.Dialects() {
		old, new := inputOf("old", "User-agent: b2\nDisallow: /", d), inputOf("new", "User-agent: b2\nDisallow:", d)
		c, err := compareKnown(t.Context(), nil, old, new, known)
		if err != nil || len(c.Purposes) != 1 || len(c.Purposes[0].Changes) != 1 || c.Purposes[0].Changes[0].Effect != Opened {
			t.Errorf("%s: %+v, %v", d, c.Purposes, err)
		}
	}
}

// After the end of its context, there is no comparison.
func TestCompareEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the client has gone")
	cancel(cause)
	old, new := inputOf("old", oldFile, nil), inputOf("new", newFile, nil)
	if c, err := Compare(ctx, nil, old, new, nil); err != cause || c.Result != "" {
		t.Errorf("%v %+v", err, c)
	}
	if c, err := Compare(ctx, nil, old, new, [][]string{{"*"}}); err != cause || c.Result != "" {
		t.Errorf("%v %+v", err, c)
	}
}

// The changes of thousands of crawlers, to which the same thousands of changes apply, are limited.
// A crawler that is left out makes the comparison incomplete, and the first one is always there.
func TestChangesAreLimited(t *testing.T) {
	portion.Skip(t, 4)
	agents := ""
	for i := range 26 * 26 {
		agents += "User-agent: x" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "\n"
	}
	long := strings.Repeat("a", 100_000)
	c := comparisonOf(agents+"Disallow: /"+long+"\n", agents+"Disallow: /"+long+"b\n", nil)
	size := 0
	for _, each := range c.Crawlers {
		size += each.size()
	}
	if c.Result != "differs" || !c.Incomplete || size > maxChangesSize || len(c.Crawlers) < 10 || ProofOf(Implies, c).Result == Proven {
		t.Errorf("%s, %d crawlers, %d bytes", c.Result, len(c.Crawlers), size)
	}
	if c, err := Compare(t.Context(), nil, inputOf("old", "User-agent: *\nDisallow: /"+strings.Repeat(long, 90)+"\n", robotstxt.Google), inputOf("new", "", robotstxt.Google), [][]string{{"*"}}); err != nil || len(c.Crawlers) != 1 || c.Incomplete {
		t.Errorf("%v: %d crawlers", err, len(c.Crawlers))
	}
}
