package markup

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// Metas yields the name, in lower case, and the content of each meta element outside of scripts and comments, in linear time.
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

type scanner struct{ rest []byte }

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
			_, s.rest, _ = bytes.Cut(s.rest, []byte(">"))
		}
	}
}

// skipComment must be called at "!--". The texts "<!-->" and "<!--->" are whole comments.
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

type set [256]bool

func setOf(members string) (all set) {
	for i := range len(members) {
		all[members[i]] = true
	}
	return all
}

var endsName, endsKey, endsValue = setOf(Space + "/>"), setOf(Space + "/>="), setOf(Space + ">")

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

func (s *scanner) skip(any *set) {
	for len(s.rest) > 0 && any[s.rest[0]] {
		s.rest = s.rest[1:]
	}
}

// hasMore is false at the end of the tag, and ok is false if the page ends inside the tag.
func (s *scanner) nextAttribute() (key, value []byte, hasMore, ok bool) {
	s.skip(&isSpaceOrSlash)
	if len(s.rest) == 0 {
		return nil, nil, false, false
	}
	if s.rest[0] == '>' {
		s.rest = s.rest[1:]
		return nil, nil, false, true
	}
	whole := s.rest
	s.rest = s.rest[1:] // a "=" at the start belongs to the name
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
	if quote := s.rest[:1]; quote[0] == '"' || quote[0] == '\'' {
		value, s.rest, ok = bytes.Cut(s.rest[1:], quote)
		return key, value, ok, ok
	}
	return key, s.until(&endsValue), true, true
}

func (s *scanner) skipAttributes() bool {
	for {
		if _, _, more, ok := s.nextAttribute(); !more {
			return ok
		}
	}
}

// If an attribute is given twice, nameAndContent uses the first one, as browsers do.
func (s *scanner) nameAndContent() (name, content string, ok bool) {
	var hasName, hasContent bool
	for {
		key, value, more, ok := s.nextAttribute()
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

// rawTexts are the elements in which a "<" begins no element.
var rawTexts = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"}

func rawText(name []byte) string {
	for _, raw := range rawTexts {
		if isWord(name, raw) {
			return raw
		}
	}
	return ""
}

func isWord(name []byte, word string) bool {
	return len(name) == len(word) && ascii.EqualFold(string(name), word)
}

func (s *scanner) skipText(name string) {
	// Inside "<!--" in a script, "<script" begins a nested script. The next "</script" then ends only the nested script.
	inComment, isNested := false, false
	for {
		at := bytes.IndexAny(s.rest, "<-")
		if at < 0 || name == "plaintext" {
			s.rest = nil
			return
		}
		s.rest = s.rest[at:]
		switch {
		case name == "script" && bytes.HasPrefix(s.rest, []byte("<!--")):
			inComment = true
			s.rest = s.rest[len("<!"):] // not "<!--", because "<!-->" is a whole comment
		case inComment && bytes.HasPrefix(s.rest, []byte("-->")):
			inComment, isNested = false, false
			s.rest = s.rest[len("-->"):]
		case inComment && !isNested && s.isTag("<script"):
			isNested = true
			s.rest = s.rest[1:]
		case isNested && s.isTag("</script"):
			isNested = false
			s.rest = s.rest[1:]
		case s.isTag("</" + name):
			return
		default:
			s.rest = s.rest[1:]
		}
	}
}

func (s *scanner) isTag(begin string) bool {
	n := len(begin)
	return len(s.rest) > n && isWord(s.rest[:n], begin) && endsName[s.rest[n]]
}

// unescape decodes only names and numbers of ASCII characters. Package html would make Heed's web page much larger.
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
		c, ok := characterOf(rest[:n])
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

// lenOfReference returns the length of the reference after an "&". In "#110oai", the reference is "#110".
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

func characterOf(name string) (c byte, ok bool) {
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

// references has pairs: an ASCII character, and one of its names in HTML.
const references = "\t Tab \n NewLine ! excl \" quot \" QUOT # num $ dollar % percnt & amp & AMP ' apos ( lpar ) rpar * ast * midast + plus , comma . period " +
	"/ sol : colon ; semi < lt < LT = equals > gt > GT ? quest @ commat [ lsqb [ lbrack \\ bsol ] rsqb ] rbrack ^ Hat _ lowbar _ UnderBar ` grave " +
	"` DiacriticalGrave { lcub { lbrace | verbar | vert | VerticalLine } rcub } rbrace "
