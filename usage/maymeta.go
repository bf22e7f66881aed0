package usage

import (
	"bytes"

	"github.com/heed-robots/heed/internal/ascii"
)

// mayHaveMeta reports quickly whether a page may have a meta element that says something: most pages have none. It looks at each place
// where such an element may begin, also in comments and scripts, up to the end that markup.Metas would find from there on.
func mayHaveMeta(page []byte) bool {
	left := 4 * len(page) // octets to look at: a hostile page has elements in elements
	for left > 0 {
		i := bytes.IndexByte(page, '<')
		if i < 0 {
			return false
		}
		page = page[i+1:]
		if !hasPrefixFold(page, "meta") {
			continue
		}
		tag := page[len("meta"):]
		tag = tag[:endOfTag(tag)]
		if mayDirect(tag) {
			return true
		}
		left -= len(tag)
	}
	return true
}

// endOfTag returns where a tag ends of which the text is what is behind its name. A ">" between quotation marks is no end.
func endOfTag(text []byte) int {
	for i := 0; ; {
		if i = skipSpace(text, i); i == len(text) || text[i] == '>' {
			return i
		}
		i = skipSpace(text, endOfKey(text, i))
		if i == len(text) || text[i] != '=' && text[i] != '/' {
			continue
		}
		if i++; text[i-1] == '=' {
			i = endOfValue(text, skipSpace(text, i))
		}
	}
}

// endOfKey returns where the key of an attribute ends. A "=" may be its first octet.
func endOfKey(text []byte, begin int) int {
	i := begin
	for i < len(text) && !isSpace(text[i]) && text[i] != '/' && text[i] != '>' && (text[i] != '=' || i == begin) {
		i++
	}
	return i
}

// endOfValue returns where the value of an attribute ends.
func endOfValue(text []byte, i int) int {
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		n := bytes.IndexByte(text[i+1:], text[i])
		if n < 0 {
			return len(text)
		}
		return i + 1 + n + 1
	}
	for i < len(text) && !isSpace(text[i]) && text[i] != '>' {
		i++
	}
	return i
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// isSpace reports whether an octet is white space of HTML.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// metaWords are the words of which one is in each meta element that says something.
var metaWords = func() []string {
	words := []string{tdmReservation, tdmPolicy}
	for i := range labels {
		if labels[i].Carrier == XRobotsTag {
			words = append(words, labels[i].Word)
		}
	}
	return words
}()

// beginsWord are the octets with which they begin.
var beginsWord = func() (begins [256]bool) {
	for _, word := range metaWords {
		begins[word[0]], begins[word[0]&^0x20] = true, true
	}
	return begins
}()

// mayDirect reports whether a tag has one of the words, in any letter case, or a character reference that may be a part of one.
func mayDirect(tag []byte) bool {
	for i, c := range tag {
		if c == '&' && i+1 < len(tag) && tag[i+1] == '#' && isOfWord(number(tag[i+2:])) {
			return true
		}
		if !beginsWord[c] {
			continue
		}
		for _, word := range metaWords {
			if hasPrefixFold(tag[i:], word) {
				return true
			}
		}
	}
	return false
}

// isOfWord reports whether a word may have a character. No reference with a name is one of these.
func isOfWord(c int) bool { return c == '-' || c < 0x80 && ascii.IsLetter(byte(c)) }

// number returns the number in a character reference, or any number from 0x80 on in place of such a number.
func number(text []byte) (n int) {
	base := 10
	if len(text) > 0 && ascii.Lower(text[0]) == 'x' {
		base, text = 16, text[1:]
	}
	for _, c := range text {
		digit := bytes.IndexByte([]byte("0123456789abcdef"[:base]), ascii.Lower(c))
		if digit < 0 || n >= 0x80 {
			break
		}
		n = base*n + digit
	}
	return n
}

func hasPrefixFold(text []byte, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if ascii.Lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}
