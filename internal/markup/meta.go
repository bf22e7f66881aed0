package markup

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// Metas calls yield with the name and the content of each meta element of an HTML page that has a name, in lower case. It finds
// tags as browsers do: none in comments, scripts and the like. A tag that the page cuts off is none. It takes linear time.
func Metas(page []byte, yield func(name, content string)) {
	s := scanner{rest: page}
	for s.toTag() {
		name := s.until(&endsName)
		if isWord(name, "meta") {
			if name, content, ok := s.nameAndContent(); ok && name != "" {
				yield(name, content)
			}
			continue
		}
		raw := rawText(name)
		if s.skipAttributes() && raw != "" {
			s.skipText(raw)
		}
	}
}

// A scanner reads a page from left to right.
type scanner struct{ rest []byte }

// toTag moves behind the "<" of the next start tag. Comments, end tags and declarations are skipped.
func (s *scanner) toTag() bool {
	for {
		at := bytes.IndexByte(s.rest, '<')
		if at < 0 || at+1 == len(s.rest) {
			return false
		}
		s.rest = s.rest[at+1:]
		switch c := s.rest[0]; {
		case ascii.IsLetter(c):
			return true
		case bytes.HasPrefix(s.rest, []byte("!--")):
			s.skipComment()
		case c == '/' && len(s.rest) > 1 && ascii.IsLetter(s.rest[1]):
			s.rest = s.rest[1:]
			s.until(&endsName)
			s.skipAttributes()
		case c == '!' || c == '?' || c == '/':
			s.skipTo(">")
		}
	}
}

// skipTo moves behind a text, or to the end if it is not there.
func (s *scanner) skipTo(end string) {
	if _, rest, ok := bytes.Cut(s.rest, []byte(end)); ok {
		s.rest = rest
		return
	}
	s.rest = nil
}

// skipComment moves behind a comment, of which "!--" is next. "<!-->" and "<!--->" are whole comments.
func (s *scanner) skipComment() {
	s.rest = s.rest[len("!--"):]
	for _, whole := range []string{">", "->"} {
		if bytes.HasPrefix(s.rest, []byte(whole)) {
			s.rest = s.rest[len(whole):]
			return
		}
	}
	for {
		at := bytes.Index(s.rest, []byte("--"))
		if at < 0 {
			s.rest = nil
			return
		}
		s.rest = s.rest[at:]
		for _, end := range []string{"-->", "--!>"} {
			if bytes.HasPrefix(s.rest, []byte(end)) {
				s.rest = s.rest[len(end):]
				return
			}
		}
		s.rest = s.rest[1:]
	}
}

// A set is some bytes.
type set [256]bool

func setOf(octets string) (all set) {
	for i := range len(octets) {
		all[octets[i]] = true
	}
	return all
}

var endsName, endsKey, endsValue, singleQuote, doubleQuote = setOf(Space + "/>"), setOf(Space + "/>="), setOf(Space + ">"), setOf("'"), setOf(`"`)

// until reads the bytes before one of a set.
func (s *scanner) until(end *set) []byte {
	n := 0
	for n < len(s.rest) && !end[s.rest[n]] {
		n++
	}
	text := s.rest[:n]
	s.rest = s.rest[n:]
	return text
}

var isSpace, isSpaceOrSlash = setOf(Space), setOf(Space + "/")

// skip moves behind bytes of a set.
func (s *scanner) skip(any *set) {
	for len(s.rest) > 0 && any[s.rest[0]] {
		s.rest = s.rest[1:]
	}
}

// attribute reads an attribute. more is false behind the ">" of the tag; ok is false if the page ends before it.
func (s *scanner) attribute() (key, value []byte, more, ok bool) {
	s.skip(&isSpaceOrSlash)
	if len(s.rest) == 0 {
		return nil, nil, false, false
	}
	if s.rest[0] == '>' {
		s.rest = s.rest[1:]
		return nil, nil, false, true
	}
	whole := s.rest
	s.rest = s.rest[1:] // a "=" there is part of the name
	key = whole[:1+len(s.until(&endsKey))]
	s.skip(&isSpace)
	if len(s.rest) == 0 || s.rest[0] != '=' {
		return key, nil, true, true
	}
	s.rest = s.rest[1:]
	s.skip(&isSpace)
	if len(s.rest) == 0 {
		return key, nil, true, true
	}
	var quote *set
	switch s.rest[0] {
	case '"':
		quote = &doubleQuote
	case '\'':
		quote = &singleQuote
	default:
		return key, s.until(&endsValue), true, true
	}
	s.rest = s.rest[1:]
	if value = s.until(quote); len(s.rest) == 0 {
		return nil, nil, false, false
	}
	s.rest = s.rest[1:]
	return key, value, true, true
}

// skipAttributes moves behind the ">" of a tag. It returns false if the page ends before that.
func (s *scanner) skipAttributes() bool {
	for {
		if _, _, more, ok := s.attribute(); !more {
			return ok
		}
	}
}

// nameAndContent reads the attributes of a meta element. Of an attribute that is given twice, the first counts.
func (s *scanner) nameAndContent() (name, content string, ok bool) {
	var hasName, hasContent bool
	for {
		key, value, more, ok := s.attribute()
		switch {
		case !more:
			return strings.ToLower(strings.Trim(unescape(name), Space)), unescape(content), ok
		case !hasName && isWord(key, "name"):
			name, hasName = string(value), true
		case !hasContent && isWord(key, "content"):
			content, hasContent = string(value), true
		}
	}
}

// rawTexts are the elements whose content is text and no elements. "plaintext" never ends.
var rawTexts = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"}

// rawText returns the name of one of rawTexts, "" for other elements.
func rawText(name []byte) string {
	for _, raw := range rawTexts {
		if isWord(name, raw) {
			return raw
		}
	}
	return ""
}

// isWord reports whether a name is a word, which is in lower case.
func isWord(name []byte, word string) bool {
	return len(name) == len(word) && ascii.EqualFold(string(name), word)
}

// skipText moves behind the text of an element of rawTexts, to its end tag.
func (s *scanner) skipText(name string) {
	inside, again := false, false // of a script: behind "<!--", and there behind another "<script"
	for {
		at := bytes.IndexAny(s.rest, "<-")
		if at < 0 || name == "plaintext" {
			s.rest = nil
			return
		}
		s.rest = s.rest[at:]
		switch {
		case name == "script" && bytes.HasPrefix(s.rest, []byte("<!--")):
			inside = true
			s.rest = s.rest[len("<!"):] // "<!-->" is a whole comment
		case inside && bytes.HasPrefix(s.rest, []byte("-->")):
			inside, again = false, false
			s.rest = s.rest[len("-->"):]
		case inside && !again && s.isTag("<script"):
			again = true
			s.rest = s.rest[1:]
		case again && s.isTag("</script"):
			again = false
			s.rest = s.rest[1:]
		case s.isTag("</" + name):
			return // toTag skips the end tag
		default:
			s.rest = s.rest[1:]
		}
	}
}

// isTag reports whether a tag is next.
func (s *scanner) isTag(begin string) bool {
	n := len(begin)
	return len(s.rest) > n && isWord(s.rest[:n], begin) && endsName[s.rest[n]]
}

// unescape decodes the character references of an attribute that stand for ASCII. Others are no part of a word that matters, and
// package html, which knows all, would be a large part of what browsers load.
func unescape(value string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		value = rest
		n := lenOfReference(rest)
		ends := n < len(rest) && rest[n] == ';'
		c, ok := reference(rest[:n])
		if !ok || !ends && rest[0] != '#' {
			b.WriteByte('&')
			continue
		}
		b.WriteByte(c)
		if value = rest[n:]; ends {
			value = value[1:]
		}
	}
}

// lenOfReference returns the length of the name or the number with which a text begins. Letters may be behind a number: "&#110oai".
func lenOfReference(text string) (n int) {
	isPart := func(c byte) bool { return ascii.IsLetter(c) || ascii.IsDigit(c) }
	switch {
	case ascii.HasPrefixFold(text, "#x"):
		n, isPart = len("#x"), func(c byte) bool { return ascii.IsDigit(c) || 'a' <= ascii.Lower(c) && ascii.Lower(c) <= 'f' }
	case strings.HasPrefix(text, "#"):
		n, isPart = len("#"), ascii.IsDigit
	}
	for n < len(text) && isPart(text[n]) {
		n++
	}
	return n
}

// reference returns the ASCII character of a reference, without "&" and ";".
func reference(name string) (c byte, ok bool) {
	digits, isNumber := strings.CutPrefix(name, "#")
	if !isNumber {
		at := strings.Index(references, " "+name+" ")
		if at < 0 || name == "" {
			return 0, false
		}
		return references[at-1], true
	}
	base := 10
	if digits != "" && digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	number, err := strconv.ParseUint(digits, base, 32)
	return byte(number), err == nil && 0 < number && number < 0x80
}

// references has each printable ASCII character that has names in HTML, and white space, before its names.
const references = "\t Tab \n NewLine ! excl \" quot \" QUOT # num $ dollar % percnt & amp & AMP ' apos ( lpar ) rpar * ast * midast + plus , comma . period " +
	"/ sol : colon ; semi < lt < LT = equals > gt > GT ? quest @ commat [ lsqb [ lbrack \\ bsol ] rsqb ] rbrack ^ Hat _ lowbar _ UnderBar ` grave " +
	"` DiacriticalGrave { lcub { lbrace | verbar | vert | VerticalLine } rcub } rbrace "
