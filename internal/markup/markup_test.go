package markup

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/testing/portion"
)

func TestIsHTML(t *testing.T) {
	for text, want := range map[string][2]bool{ // HTML, XML
		"<!DOCTYPE html>":               {true, false},
		"<!DOCTYPE\nhtml>":              {true, false},
		"<!doctypehtml>":                {true, false},
		"\ufeff \u00a0\v<HTML lang=en>": {true, true},
		"<br/>hello":                    {true, true},
		"<title":                        {false, false},
		"<pre>":                         {false, true},
		"<a:b.c-d_1 ":                   {false, true},
		"<sitemap>":                     {false, true},
		"<?xml version=\"1.0\"?>\n<!-- a\nb --><html>": {true, true},
		"<?xml version=\"1.0\"?><!DOCTYPE svg>\n<svg>": {false, true},
		"<?php a>1 ?><p>":                                  {true, true},
		"<!-- a --> b --> <p>":                             {true, true},
		"<!-- a --!><p>":                                   {true, true},
		"<!--><p>":                                         {true, true},
		"<![if IE]><p>":                                    {true, true},
		"<!-- User-agent: * --><p>":                        {true, true},
		"<!-- a -->\nUser-agent: *\n# --> <p>":             {false, false},
		"<!-- a -->\n#\nUSER-AGENT: *\n# --> x --> <p>":    {false, false},
		"<!-- it never ends":                               {false, false},
		"User-agent: *\nDisallow: /<html>\n<html>":         {false, false},
		"<User-agent: *>\nDisallow: /":                     {false, true},
		"</html>":                                          {false, false},
		"< html>":                                          {false, false},
		"<\u017fcript>":                                    {false, false},
		strings.Repeat("\n", 1<<20) + "<p>":                {true, true},
		"<!--" + strings.Repeat(" ", MaxLength) + "--><p>": {false, false},
		"": {false, false},
	} {
		if got := [2]bool{IsHTML(text), IsXML(text)}; got != want {
			t.Errorf("%.100q: %v, want %v", text, got, want)
		}
	}
}

// What golang.org/x/net/html reads as the beginning of a page is one here too.
func TestIsHTMLWhereBrowsersSeeAPage(t *testing.T) {
	portion.Skip(t, 4)
	pieces := []string{
		"", " ", "\n", "\v", "\u00a0", "\ufeff", "<!--", "-->", "<!-->", "--", "--!>", "<?", "?>", "<?xml version=\"1.0\"?>", ">", "<!-- a -->", "<!-- > -->", "<!",
		"<!doctype html>", "<!DOCTYPE\r\nHTML x>", "<!doctype", "<!doctypehtml>", "<html>", "<hTmL ", "<h1>", "<h4>", "<p/>", "<pre>", "<a:b ", "<1>",
		"<\u017fcript>", "<script>", "<\xff>", "</a>", "</>", "<title>", "<<", "<", "a", "User-agent: *\n", "<![if x]>", "<!x>",
	}
	random := rand.New(rand.NewPCG(1, 2))
	pages := 0
	for range 200_000 {
		text := ""
		for range random.IntN(8) {
			text += pieces[random.IntN(len(pieces))]
		}
		if begin := Begin(text); strings.HasPrefix(begin, "<") && isPage(begin) {
			pages++
			if !IsHTML(text) {
				t.Fatalf("%q is a page", text)
			}
		}
		if IsHTML(text) && !IsXML(text) && !strings.Contains(ascii.ToLower(text), "<!doctype") {
			t.Fatalf("%q is HTML without an element", text)
		}
	}
	if pages < 2000 {
		t.Errorf("%d pages: too few to compare", pages)
	}
}

// isPage is IsHTML by the tokenizer of browsers.
func isPage(text string) bool {
	for page := html.NewTokenizer(strings.NewReader(text)); ; {
		switch page.Next() {
		case html.CommentToken: // also "<?xml …?>"
		case html.TextToken:
			if len(bytes.TrimSpace(page.Raw())) > 0 {
				return false
			}
		case html.DoctypeToken:
			kind, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(string(page.Text()))), " ")
			return kind == "html"
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := page.TagName()
			return slices.Contains(pageElements, string(name))
		default:
			return false
		}
	}
}

// The same as regular expressions, for texts of which each piece is closed.
func TestRecognizers(t *testing.T) {
	const before = `(?is)^(?:\s|<!(?:--.*?|-)?-->|<\?.*?>)*`
	isXML := regexp.MustCompile(before + `<[a-z][\w:.-]*[\s/>]`)
	isHTML := regexp.MustCompile(before + `<(?:!doctype\s*html|(?:` + strings.Join(pageElements, "|") + `)[\s/>])`)
	pieces := []string{
		" ", "\n", "<!-- a -->", "<!-- > -->", "-->", "<!--", "<?xml version=\"1.0\"?>", "<?php a>1 ?>", "<!doctype html>", "<html>", "<hTmL ", "<h1>", "<h4>", "<p/>",
		"<pre>", "<a:b.c-d_1 ", "<1>", "<script>", "<\xff>", "<a\xff>", "</a>", "<title", "<<", "<", ">", "a", "\"",
	}
	for _, element := range pageElements {
		pieces = append(pieces, "<"+element+">")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		text := "<"[:random.IntN(2)]
		for range random.IntN(6) {
			text += pieces[random.IntN(len(pieces))]
		}
		if IsHTML(text) != isHTML.MatchString(text) || IsXML(text) != isXML.MatchString(text) {
			t.Fatalf("%q: %v and %v", text, IsHTML(text), IsXML(text))
		}
	}
}

// Each part of a text is read once, so the time is linear in its size: an element is read to the next
// ">" at most, behind which the next place is.
func TestMarkupIsReadOnce(t *testing.T) {
	for _, part := range []string{
		"<!--", "-->", "<!-->", "<!-- -->", "<!---->", "<?", "<? >", "<?>", "<!--<?", "--><?", "<!-- <!--", "<!", "<!>", "<a", "<a:", "<a>", "<", ">", "\n", " \v", "\xff",
	} {
		for _, before := range []string{"", "<!-- ", "<? "} {
			text, n := before+strings.Repeat(part, 10_000), 0
			for start := range possibleStarts(text) {
				element, _, _ := strings.Cut(start, ">")
				n += len(element) + 1
			}
			if n > len(text)+1 {
				t.Errorf("%q and many %q: %d bytes are read, the text has %d", before, part, n, len(text))
			}
		}
	}
}
