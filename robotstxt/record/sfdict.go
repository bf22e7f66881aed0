package record

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
)

// ContentUsage has preferences about the use of content. Parse never returns the zero value.
type ContentUsage struct {
	// Path is the pattern of the paths to which the preferences apply. It begins with "/". If Path is empty, the
	// preferences apply to every path.
	Path string
	// Preferences are in the order of the file. If the value is empty or wrong, there are no Preferences. But the
	// statement still overrides statements with shorter paths (AI-7).
	Preferences []Preference
	// If the value cannot be read, Err says why, and Unread has all its members, as written.
	Unread []string
	Err    error
}

// Preference is one member of a ContentUsage: a name with a value.
type Preference struct {
	Name string // the name, such as "train-ai"
	// Value is the item or inner list as written, without its parameters, such as "n". A member without a value has "?1"
	// (true).
	Value string
}

func parseContentUsage(value string) (Value, error) {
	var usage ContentUsage
	if value[0] == '/' {
		usage.Path, value = cutBlank(value)
	}
	if err := checkControls(usage.Path); err != nil {
		return nil, err
	}
	path := usage.Path
	usage = ParseUsageHeader(value)
	if usage.Path = path; path == "" && usage.Err == nil && len(usage.Preferences) == 0 {
		return nil, errors.New("expected one or more preferences, such as train-ai=n; found none")
	}
	return usage, nil
}

// ParseUsageHeader parses a Content-Usage header. Several such headers must be joined by commas. The result has no path
// (AI-9). An empty value has no preferences.
func ParseUsageHeader(value string) (usage ContentUsage) {
	if usage.Preferences, usage.Err = parseDictionary(value); usage.Err != nil {
		usage.Unread = membersOf(value)
	}
	return usage
}

// In a dictionary, a repeated key keeps its first place, and gets its last value (RFC 9651, 4.2.2).
func parseDictionary(s string) (members []Preference, err error) {
	place := map[string]int{}
	p := sfParser{s: strings.Trim(s, " ")}
	for p.pos < len(p.s) {
		member, err := p.member()
		if err == nil {
			err = p.endMember()
		}
		if err != nil {
			return nil, err
		}
		if i, again := place[member.Name]; again {
			members[i] = member
		} else {
			place[member.Name] = len(members)
			members = append(members, member)
		}
	}
	return members, nil
}

func membersOf(s string) (members []string) {
	p := sfParser{s: s}
	for p.nextMember() {
		start := p.pos
		p.skipMember()
		members = append(members, strings.TrimRight(p.s[start:p.pos], " \t"))
	}
	return members
}

// sfParser parses structured fields. Each method checks the syntax of one part, and moves pos to its end.
type sfParser struct {
	s   string
	pos int
}

func (p *sfParser) expected(what string) error { return p.expectedAt(p.pos, what) }

func (p *sfParser) expectedAt(pos int, what string) error {
	return fmt.Errorf("expected %s at offset %d", what, pos)
}

// peek returns 0 at the end. This is no problem, because a byte 0 is an error wherever peek is called.
func (p *sfParser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

func (p *sfParser) take(c byte) bool {
	if p.pos < len(p.s) && p.s[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *sfParser) skip(class func(byte) bool) int {
	start := p.pos
	for p.pos < len(p.s) && class(p.s[p.pos]) {
		p.pos++
	}
	return p.pos - start
}

func (p *sfParser) nextMember() bool {
	p.skip(func(c byte) bool { return sfBlank(c) || c == ',' })
	return p.pos < len(p.s)
}

func (p *sfParser) endMember() error {
	p.skip(sfBlank)
	if p.pos == len(p.s) {
		return nil
	}
	if !p.take(',') {
		return p.expected("a comma")
	}
	if p.skip(sfBlank); p.pos == len(p.s) {
		return p.expected("a member after the comma")
	}
	return nil
}

// skipMember moves past a member that cannot be read. A comma in a string or in parentheses does not end the member.
func (p *sfParser) skipMember() {
	quoted, depth := false, 0
	for ; p.pos < len(p.s); p.pos++ {
		switch c := p.s[p.pos]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' && p.pos+1 < len(p.s) {
				p.pos++
			}
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == ',' && depth == 0:
			return
		}
	}
}

func (p *sfParser) member() (Preference, error) {
	name, err := p.key()
	if err != nil {
		return Preference{}, err
	}
	if !p.take('=') {
		return Preference{Name: name, Value: "?1"}, p.parameters()
	}
	start := p.pos
	if p.peek() == '(' {
		err = p.innerList()
	} else {
		err = p.bareItem()
	}
	if err != nil {
		return Preference{}, err
	}
	return Preference{Name: name, Value: p.s[start:p.pos]}, p.parameters()
}

func (p *sfParser) key() (string, error) {
	start := p.pos
	if c := p.peek(); !sfLower(c) && c != '*' {
		return "", p.expected("a key that begins with a lower-case letter or *")
	}
	p.skip(sfKey)
	return p.s[start:p.pos], nil
}

func (p *sfParser) parameters() error {
	for p.take(';') {
		p.skip(sfSpace)
		if _, err := p.key(); err != nil {
			return err
		}
		if p.take('=') {
			if err := p.bareItem(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *sfParser) innerList() error {
	p.pos++
	for {
		blanks := p.skip(sfSpace)
		if p.take(')') {
			return nil
		}
		if blanks == 0 && p.s[p.pos-1] != '(' {
			return p.expected("a space or a closing parenthesis")
		}
		if err := p.bareItem(); err != nil {
			return err
		}
		if err := p.parameters(); err != nil {
			return err
		}
	}
}

func (p *sfParser) bareItem() error {
	switch c := p.peek(); {
	case c == '-' || ascii.IsDigit(c):
		return p.number()
	case c == '*' || ascii.IsLetter(c):
		p.skip(sfToken)
		return nil
	case c == '"':
		return p.quoted()
	case c == ':':
		return p.byteSequence()
	case c == '?':
		return p.boolean()
	case c == '@':
		return p.date()
	case c == '%':
		return p.displayString()
	}
	return p.expected("an item: a number, string, token, byte sequence, boolean, date or display string")
}

func (p *sfParser) number() error {
	start := p.pos
	p.take('-')
	whole, limit := p.skip(ascii.IsDigit), 15
	if p.take('.') {
		limit = 12
		if n := p.skip(ascii.IsDigit); n < 1 || n > 3 {
			return p.expectedAt(start, "a decimal of 1 to 3 digits after the point")
		}
	}
	if whole < 1 || whole > limit {
		return p.expectedAt(start, "an integer of 1 to 15 digits, or 1 to 12 digits before a point")
	}
	return nil
}

func (p *sfParser) date() error {
	start := p.pos
	p.pos++
	p.take('-')
	if n := p.skip(ascii.IsDigit); n < 1 || n > 15 {
		return p.expectedAt(start, "a date, which is @ and an integer of 1 to 15 digits")
	}
	return nil
}

func (p *sfParser) boolean() error {
	p.pos++
	if p.take('0') || p.take('1') {
		return nil
	}
	return p.expected("0 or 1")
}

func (p *sfParser) quoted() error {
	p.pos++
	for {
		p.skip(sfUnescaped)
		if p.take('"') {
			return nil
		}
		if !p.take('\\') {
			return p.expected("a closing quote or a printable ASCII character")
		}
		if !p.take('"') && !p.take('\\') {
			return p.expected(`\" or \\`)
		}
	}
}

// byteSequence also accepts a missing "=" at the end and unused bits that are 1, as the RFC recommends.
func (p *sfParser) byteSequence() error {
	p.pos++
	start := p.pos
	p.skip(sfBase64)
	text := strings.TrimRight(p.s[start:p.pos], "=")
	if !p.take(':') {
		return p.expected("base64 and a closing colon")
	}
	if _, err := base64.RawStdEncoding.DecodeString(text); err != nil {
		return p.expectedAt(start, "valid base64")
	}
	return nil
}

func (p *sfParser) displayString() error {
	start := p.pos
	p.pos++
	if !p.take('"') {
		return p.expected("a quote")
	}
	var text []byte
	for !p.take('"') {
		c, err := p.displayByte()
		if err != nil {
			return err
		}
		text = append(text, c)
	}
	if !utf8.Valid(text) {
		return p.expectedAt(start, "a display string that encodes UTF-8")
	}
	return nil
}

func (p *sfParser) displayByte() (byte, error) {
	c := p.peek()
	if c < ' ' || c > '~' {
		return 0, p.expected("a closing quote or a printable ASCII character")
	}
	p.pos++
	if c != '%' {
		return c, nil
	}
	high, low := p.hexDigit(), p.hexDigit()
	if high < 0 || low < 0 {
		return 0, p.expected("two lower-case hexadecimal digits after a percent sign")
	}
	return byte(high<<4 | low), nil
}

func (p *sfParser) hexDigit() int {
	digit := strings.IndexByte("0123456789abcdef", p.peek())
	if digit >= 0 {
		p.pos++
	}
	return digit
}

func sfSpace(c byte) bool { return c == ' ' }
func sfBlank(c byte) bool { return c == ' ' || c == '\t' }
func sfLower(c byte) bool { return 'a' <= c && c <= 'z' }
func sfKey(c byte) bool {
	return sfLower(c) || ascii.IsDigit(c) || strings.IndexByte("_-.*", c) >= 0
}
func sfToken(c byte) bool {
	return ascii.IsLetter(c) || ascii.IsDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
func sfBase64(c byte) bool {
	return ascii.IsLetter(c) || ascii.IsDigit(c) || strings.IndexByte("+/=", c) >= 0
}
func sfUnescaped(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '\\' }
