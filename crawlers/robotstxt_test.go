package crawlers_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// Package robotstxt, which does not import this one, knows the crawlers of the table: it finds each
// token and each name of one word where a browser's header has it, and gives what a line names.
func TestR2ProductTokenKnowsTheTable(t *testing.T) {
	for c := range crawlers.Known().All() {
		for _, name := range append([]string{c.Token}, c.Names...) {
			if strings.Contains(name, " ") || strings.HasSuffix(name, "*") {
				continue
			}
			header := "Mozilla/5.0 (X11; " + name + "; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/65.0 Safari/537.36"
			if token, _ := robotstxt.ProductToken(header); token != c.ReadAs() {
				t.Errorf("%s: %q is found, want %q; is it in robotstxt/known.txt?", name, token, c.ReadAs())
			}
		}
	}
}

// No other word is known. The file is written with UPDATE_TRANSCRIPTS=1.
func TestR2ProductTokenKnowsOnlyTheTable(t *testing.T) {
	var tokens []string
	for c := range crawlers.Known().All() {
		tokens = append(tokens, strings.ToLower(c.Token))
	}
	slices.Sort(tokens)
	const file = "../robotstxt/known.txt"
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(file, []byte(strings.Join(tokens, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile(file)
	if err != nil || !slices.Equal(strings.Fields(string(known)), tokens) {
		t.Errorf("%s has %q, the table %q: %v", file, known, tokens, err)
	}
}
