package lint

import (
	"iter"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/ascii"
)

// recognizers are the functions of markup.go, each with a regular expression for the same.
// Package regexp is not used outside of tests, because it is large.
var recognizers = []struct {
	name       string
	is         func(string) bool
	expression *regexp.Regexp
}{
	{"isJSON", isJSON, regexp.MustCompile(`^\s*(?:\{\s*(?:"[^"]*"\s*:|\})|\[\s*[{"\]])`)},
	{"isErrorPage", isErrorPage, regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>[^<]*(?:\b40[0-9]\b|\b5[0-9][0-9]\b|not found|forbidden|denied|rejected|unavailable|\berror\b)`)},
	{"isErrorText", isErrorText, regexp.MustCompile(`(?i)\b(?:[45][0-9][0-9]|not ?_?found|forbidden|denied|unauthorized|unavailable|rejected|error|no such (?:file|page)|does ?n[o'’]t exist|too many requests)\b`)},
}

// otherLetters are two letters that regular expressions take for "s" and "k" if letter case is
// ignored. In HTML they are not, so the expressions get other letters of the same length.
var otherLetters = strings.NewReplacer("\u017f", "\u00e9", "\u212a", "\u2019")

// compareRecognizers compares the functions with the expressions, and adds to the counts of their
// answers.
func compareRecognizers(t *testing.T, text string, yes, no []int) {
	t.Helper()
	for i, r := range recognizers {
		got := r.is(ascii.ToLower(text))
		if want := r.expression.MatchString(otherLetters.Replace(text)); got != want {
			t.Errorf("%s: %v, want %v: %.2000q", r.name, got, want, text)
		}
		if got {
			yes[i]++
		} else {
			no[i]++
		}
	}
}

// The pieces of the texts that TestRecognizers makes: how they begin, and what is in them.
var (
	beginnings = []string{
		"", " ", "\n", "\v", "\f", "\x00", "\ufeff", "\u00a0", "<!--", "-->", "<!-->", "--", "-->-->", "<?", "?>", "<?xml version=\"1.0\"?>", "<?php a>1 ?>", ">",
		"<!-- a -->", "<!-- > -->", "<!", "<!doctype html>", "<!DOCTYPE\r\nHTML", "<!doctype", "<!doctypehtml>", "<html>", "<hTmL ", "<html", "<h1>", "<h4>", "<p/>", "<pre>",
		"<a:b.c-d_1 ", "<1>", "<\u017fcript>", "<script>", "<lin\u212a>", "<link>", "<\xff>", "<a\xff>", "<\u00e9>", "</a>", "<title", "<TITLE>", "<titles>", "<h1 class='a'>", "<<", "<",
		"{", "}", "[", "]", "\"", "\"a\"", ":", "{}", "[]", "[{", "{\"a\": 1}", "{\"\xff\":",
	}
	insides = []string{
		"404", "405", "410", "500", "5000", "599", "40\u0660", "error", "ERROR", "errors", "_", "a", "-", " ", "  ", "\t", ".", "<b>", ">", "<", "\x00", "\xff", "\u2019",
		"not", "found", "not found", "Not_Found", "not _found", "notfound", "forbidden", "denied", "Rejected", "unavailable", "unauthorized",
		"no such file", "no such page", "No such", "file", "does not exist", "doesnot exist", "doesn't exist", "doesn\u2019t exist", "does n't exist", "does n\u2019t exist", "doesn", "t exist", "doe\u017f not exist",
		"too many requests", "too many request\u017f", "<title>", "</title>", "<h1", "\u212a",
	}
)

// anyText returns a text of random pieces, of which some octets are changed.
func anyText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteString(beginnings[random.IntN(len(beginnings))])
	}
	for range random.IntN(5) {
		b.WriteString(insides[random.IntN(len(insides))])
	}
	text := []byte(b.String())
	for range random.IntN(3) {
		if len(text) > 0 {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
	}
	return string(text)
}

func TestRecognizers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	yes, no := make([]int, len(recognizers)), make([]int, len(recognizers))
	const texts = 100_000
	for range texts {
		compareRecognizers(t, anyText(random), yes, no)
	}
	for _, r := range recognizers { // the names of all elements, and parts of what is looked for
		for _, part := range regexp.MustCompile(`[a-z]+[1-3]?`).FindAllString(r.expression.String()+" h1 h2 h3", -1) {
			compareRecognizers(t, "<"+part+">"+part, yes, no)
		}
	}
	for i, r := range recognizers {
		if yes[i] < texts/100 || no[i] < texts/100 {
			t.Errorf("%s: %d times yes and %d times no: too few to compare", r.name, yes[i], no[i])
		}
	}
}

func FuzzRecognizers(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		f.Add(anyText(random))
	}
	count := make([]int, len(recognizers))
	f.Fuzz(func(t *testing.T, text string) { compareRecognizers(t, text, count, count) })
}

// The long s is no letter of HTML, and the Kelvin sign no letter of ASCII.
func TestRecognizersFoldASCIIOnly(t *testing.T) {
	for body, want := range map[string]string{
		"<SCRIPT>":                                "an HTML page",
		"<\u017fcript>":                           "",
		"<html>KPSDK":                             "an HTML page, a challenge of Kasada, which lets only browsers pass",
		"<html>\u212aPSD\u212a":                   "an HTML page",
		"<Error><Code>NoSuchKey":                  "XML, and no text of records",
		"<Error><Code>NoSuchKey</Code>":           "an error message of a store such as Amazon S3: no such file",
		"<Error><Code>No\u017fuch\u212aey</Code>": "XML, and no text of records",
	} {
		if got := documentOf(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// hostileMarkup are texts that take a time quadratic in their size if some parts are read again
// and again.
var hostileMarkup = []string{
	"<!--", "-->", "<!-->", "<!-- -->", "<!---->", "<?", "<? >", "<?>", "<!--<?", "--><?", "<!-- <!--", "<a", "<a:", "<a>", "<", ">", "\n", " \v",
	"<title", "<title>", "<h1", "<title><", "<title>4", "<title>not ", "</title>", "{", "{\"", "[", "error_", "not ", "not_", "404_", "no such ", "\xff", "\u017f",
}

// Each part of a text is read once, so the time is linear in its size: the texts of titles do not
// overlap.
func TestMarkupIsReadOnce(t *testing.T) {
	t.Parallel()
	for _, part := range hostileMarkup {
		for _, before := range []string{"", "<!-- ", "<? ", "<title>"} {
			text := before + strings.Repeat(part, 10_000)
			compareRecognizers(t, text, make([]int, len(recognizers)), make([]int, len(recognizers)))
			if n := octetsIn(titles(text)); n > len(text) {
				t.Errorf("%q and many %q: the titles have %d octets, the text %d", before, part, n, len(text))
			}
		}
	}
}

func octetsIn(texts iter.Seq[string]) (n int) {
	for text := range texts {
		n += len(text)
	}
	return n
}
