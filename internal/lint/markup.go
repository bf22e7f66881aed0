package lint

import (
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/markup"
)

// The functions of this file take texts with the letters A-Z in lower case. Each reads a text once,
// because hostile files can be long.

// isJSON reports whether a text begins as an object or an array of JSON does.
func isJSON(text string) bool {
	first, rest := nextOctet(text)
	second, rest := nextOctet(rest)
	switch {
	case first == '[':
		return second == '{' || second == '"' || second == ']'
	case first == '{' && second == '"':
		_, after, _ := strings.Cut(rest, `"`)
		colon, _ := nextOctet(after)
		return colon == ':'
	}
	return first == '{' && second == '}'
}

// nextOctet returns the first octet of a text that is no white space, and what is behind it; 0:
// there is none.
func nextOctet(text string) (next byte, rest string) {
	text = strings.TrimLeft(text, markup.Space)
	if text == "" {
		return 0, ""
	}
	return text[0], text[1:]
}

// isErrorPage reports whether a page is about a missing page or a refused request.
func isErrorPage(text string) bool {
	for title := range titles(text) {
		if isErrorTitle(title) {
			return true
		}
	}
	return false
}

// titles yields the texts of titles and main headings, each as far as the next tag.
func titles(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for found := true; found; {
			_, text, found = strings.Cut(text, "<")
			if !strings.HasPrefix(text, "title") && !strings.HasPrefix(text, "h1") {
				continue
			}
			_, text, found = strings.Cut(text, ">")
			if title, _, _ := strings.Cut(text, "<"); !yield(title) {
				return
			}
		}
	}
}

func isErrorTitle(title string) bool {
	for _, part := range []string{"not found", "forbidden", "denied", "rejected", "unavailable"} {
		if strings.Contains(title, part) {
			return true
		}
	}
	return slices.ContainsFunc(words(title), func(word string) bool {
		return word == "error" || isErrorStatus(word) && (word[0] == '5' || word[1] == '0')
	})
}

// errorPhrases are in error messages in plain text.
var errorPhrases = []string{
	"not found", "notfound", "not_found", "not _found", "no such file", "no such page",
	"does not exist", "doesnot exist", "does n't exist", "doesn't exist", "does n’t exist", "doesn’t exist",
	"forbidden", "denied", "unauthorized", "unavailable", "rejected", "error", "too many requests",
}

// isErrorText reports whether a text has the words of an error message, such as "404 Not Found".
func isErrorText(text string) bool {
	return slices.ContainsFunc(words(text), isErrorStatus) ||
		slices.ContainsFunc(errorPhrases, func(phrase string) bool { return hasPhrase(text, phrase) })
}

// hasPhrase reports whether a text has a phrase that begins and ends where words of the text do.
func hasPhrase(text, phrase string) bool {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(phrase)
		if (from == 0 || !markup.IsWord(rune(text[from-1]))) && (end == len(text) || !markup.IsWord(rune(text[end]))) {
			return true
		}
	}
}

// isErrorStatus reports whether a word is a status of HTTP from 400 on.
func isErrorStatus(word string) bool {
	return len(word) == 3 && (word[0] == '4' || word[0] == '5') && ascii.IsDigit(word[1]) && ascii.IsDigit(word[2])
}

// words returns the words of a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !markup.IsWord(r) })
}
