// Package markup recognizes HTML and similar documents. It does not use golang.org/x/net/html, because Heed's
// web page downloads this package as WebAssembly, which must be small.
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

// MaxLength is how many bytes at the start of a text are read.
const MaxLength = 64 << 10

const Space = "\t\n\f\r "

// pageElements are the elements with which pages begin. "<pre>" is missing, because some servers put it around a
// robots.txt.
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

// PageOf returns "html" for an HTML page, "json" for one JSON value, and otherwise "".
func PageOf(text []byte) string {
	switch {
	case IsHTML(string(text[:min(len(text), MaxLength)])):
		return "html"
	case json.Valid(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))):
		return "json"
	}
	return ""
}

// IsXML reports whether a text begins with any element. A byte-order mark, white space, comments and declarations may be
// before it.
func IsXML(text string) bool {
	for start := range possibleStarts(text) {
		if element(start) != "" {
			return true
		}
	}
	return false
}

// possibleStarts yields the rest of a text from each place where the first element may begin, for example after a comment.
// It stops at "user-agent". The time is linear.
func possibleStarts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text := Begin(text)
		if !strings.HasPrefix(text, "<") {
			return // with no "<" at the start, the text is not markup
		}
		text = strings.ReplaceAll(ascii.ToLower(text), "--!>", "-->")
		for end := ""; ; { // end is the text that ends the last comment or declaration; "" if there was none
			rest := strings.TrimLeftFunc(text, unicode.IsSpace)
			if !yield(rest) {
				return
			}
			isAgain := false // the comment or declaration may end here, but perhaps its real end comes later
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

// Begin returns the first MaxLength bytes of a text, after a byte-order mark and white space.
func Begin(text string) string {
	text = strings.TrimLeftFunc(strings.TrimPrefix(text, "\ufeff"), unicode.IsSpace)
	return text[:min(len(text), MaxLength)]
}

func isDoctype(text string) bool {
	after, ok := strings.CutPrefix(text, "<!doctype")
	return ok && strings.HasPrefix(strings.TrimLeft(after, Space), "html")
}

// isDeclaration reports whether a text begins with a declaration such as "<?xml", or with a comment for browsers, such as
// "</ >".
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

// IsWord reports whether a character is part of a word, or of the name of an element.
func IsWord(r rune) bool {
	return r < utf8.RuneSelf && (ascii.IsLetter(byte(r)) || ascii.IsDigit(byte(r)) || r == '_')
}
