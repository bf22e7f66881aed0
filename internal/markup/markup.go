// Package markup recognizes HTML and similar documents. It does not use golang.org/x/net/html, which would make the
// WebAssembly of Heed's web page too large.
package markup

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
)

const MaxLength = 64 << 10

const Space = "\t\n\f\r "

// Pages begin with one of these elements. "<pre>" is missing, because some servers put it around a robots.txt.
var pageElements = []string{
	"html", "head", "body", "title", "meta", "link", "base", "script", "style", "noscript", "iframe", "frameset",
	"div", "p", "span", "h1", "h2", "h3", "center", "table", "form", "a", "b", "br", "font", "img", "hr", "strong",
	"main", "section", "header", "article", "nav", "figure",
}

// IsHTML reports whether a text begins with a doctype or an element of a page, perhaps after comments.
func IsHTML(text string) bool {
	for start := range possibleStarts(text) {
		if isDoctype(start) || slices.Contains(pageElements, element(start)) {
			return true
		}
	}
	return false
}

// PageOf returns "html" for an HTML page, and "json" for one JSON value. For any other text, it
// returns "".
func PageOf(text []byte) string {
	switch {
	case IsHTML(string(text[:min(len(text), MaxLength)])):
		return "html"
	case json.Valid(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))):
		return "json"
	}
	return ""
}

// IsXML reports whether a text begins with an element, perhaps after comments and declarations.
func IsXML(text string) bool {
	for start := range possibleStarts(text) {
		if element(start) != "" {
			return true
		}
	}
	return false
}

// possibleStarts yields the text from each place where the first element may begin, for example after a comment. It takes
// linear time, even for a text with many comments.
func possibleStarts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text := Begin(text)
		if !strings.HasPrefix(text, "<") {
			return
		}
		text = strings.ReplaceAll(ascii.ToLower(text), "--!>", "-->")
		for end := ""; ; { // the end of the last comment or declaration; "" if there was none
			rest := strings.TrimLeftFunc(text, unicode.IsSpace)
			if !yield(rest) {
				return
			}
			isAgain := false // perhaps the comment ends only here, and its first end was a part of its text
			switch {
			case isDeclaration(rest):
				end = ">"
			case end != "":
				isAgain = true
			case strings.HasPrefix(rest, "<!--"):
				end, rest = "-->", rest[len("<!"):]
			default:
				return
			}
			before, behind, found := strings.Cut(rest, end)
			if !found || isAgain && strings.Contains(before, "user-agent") {
				return
			}
			text = behind
		}
	}
}

func Begin(text string) string {
	text = strings.TrimLeftFunc(strings.TrimPrefix(text, "\ufeff"), unicode.IsSpace)
	return text[:min(len(text), MaxLength)]
}

func isDoctype(text string) bool {
	after, ok := strings.CutPrefix(text, "<!doctype")
	return ok && strings.HasPrefix(strings.TrimLeft(after, Space), "html")
}

// isDeclaration accepts "<?xml" and also "</ >", which browsers read as a comment.
func isDeclaration(text string) bool {
	kind, ok := strings.CutPrefix(text, "<")
	switch {
	case !ok || kind == "":
		return false
	case kind[0] == '/':
		return len(kind) > 1 && !ascii.IsLetter(kind[1])
	}
	return kind[0] == '?' || kind[0] == '!' && !strings.HasPrefix(kind, "!--") && !strings.HasPrefix(kind, "!doctype")
}

func element(text string) string {
	tag, ok := strings.CutPrefix(text, "<")
	if !ok || tag == "" || !ascii.IsLetter(tag[0]) {
		return ""
	}
	end := strings.IndexAny(tag, Space+"/>")
	if end < 0 || strings.ContainsFunc(tag[:end], func(r rune) bool { return !IsWord(r) && !strings.ContainsRune(":.-", r) }) {
		return ""
	}
	return tag[:end]
}

func IsWord(r rune) bool {
	return r < utf8.RuneSelf && (ascii.IsLetter(byte(r)) || ascii.IsDigit(byte(r)) || r == '_')
}
