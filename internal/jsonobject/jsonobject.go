// Package jsonobject reads JSON objects strictly: what encoding/json would silently change is
// an error, and members that are only copied are not decoded. JSON calls a name and a value of
// an object a member.
package jsonobject

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting limits the nesting of lists and objects.
const maxNesting = 1000

// Each calls yield with each member of a JSON object, until yield returns an error.
// key and value are the JSON of the member, not decoded: most members are only copied. JSON
// that is not UTF-8 is an error.
func Each(text string, yield func(key, value string) error) error {
	if !utf8.ValidString(text) {
		return errors.New("not UTF-8, as JSON must be; give a URL of other bytes in base64, as \"url_b64\"")
	}
	r := reader{text: text}
	r.space()
	if err := r.object(0, yield); err != nil {
		return err
	}
	if r.space(); r.at < len(text) {
		return r.expected("nothing after the object")
	}
	return nil
}

// reader checks the syntax of JSON (RFC 8259). The methods object, list, value, string and
// number check one element and move the position to its end.
type reader struct {
	text string
	at   int // the position
}

// expected returns the error that something else is at the position.
func (r *reader) expected(what string) error {
	if r.at >= len(r.text) {
		return fmt.Errorf("not JSON: it ends at byte %d, expected %s", r.at+1, what)
	}
	c, _ := utf8.DecodeRuneInString(r.text[r.at:])
	return fmt.Errorf("not JSON: %q at byte %d, expected %s", c, r.at+1, what)
}

// space skips white space.
func (r *reader) space() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t' || r.text[r.at] == '\r' || r.text[r.at] == '\n') {
		r.at++
	}
}

// take skips the byte c, and reports whether it was there.
func (r *reader) take(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// object reads an object and yields its members. yield may be nil.
func (r *reader) object(depth int, yield func(key, value string) error) error {
	if !r.take('{') {
		return r.expected("an object")
	}
	r.space()
	if r.take('}') {
		return nil
	}
	for {
		start := r.at
		if err := r.string(); err != nil {
			return err
		}
		key := r.text[start:r.at]
		r.space()
		if !r.take(':') {
			return r.expected(`":"`)
		}
		r.space()
		start = r.at
		if err := r.value(depth + 1); err != nil {
			return err
		}
		if yield != nil {
			if err := yield(key, r.text[start:r.at]); err != nil {
				return err
			}
		}
		r.space()
		switch {
		case r.take('}'):
			return nil
		case !r.take(','):
			return r.expected(`"," or "}"`)
		}
		r.space()
	}
}

func (r *reader) list(depth int) error {
	r.at++ // "["
	r.space()
	if r.take(']') {
		return nil
	}
	for {
		if err := r.value(depth + 1); err != nil {
			return err
		}
		r.space()
		switch {
		case r.take(']'):
			return nil
		case !r.take(','):
			return r.expected(`"," or "]"`)
		}
		r.space()
	}
}

func (r *reader) value(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("lists or objects are nested deeper than %d", maxNesting)
	}
	if r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			return r.string()
		case c == '{':
			return r.object(depth, nil)
		case c == '[':
			return r.list(depth)
		case c == '-' || '0' <= c && c <= '9':
			return r.number()
		}
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(r.text[r.at:], word) {
				r.at += len(word)
				return nil
			}
		}
	}
	return r.expected("a value")
}

func (r *reader) string() error {
	if !r.take('"') {
		return r.expected("a string")
	}
	for r.at += plainLen(r.text[r.at:]); r.at < len(r.text); {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return nil
		case c < ' ':
			return r.expected("an escape of this character")
		case c != '\\':
			r.at++
		default:
			n := escapeLen(r.text[r.at:])
			if n == 0 {
				return r.expected("an escape")
			}
			r.at += n + plainLen(r.text[r.at+n:])
		}
	}
	return r.expected(`'"'`)
}

// plainLen returns how many octets at the beginning of s are neither quotation marks, nor control
// characters, nor a backslash; of the last seven octets it may count none. It reads eight at once: in the
// differences below, the highest bit of an octet is set where it is one of those, and above that one
// perhaps in others too.
func plainLen(s string) (n int) {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	for ; len(s)-n >= 8; n += 8 {
		t := s[n : n+8]
		w := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		quote, slash := w^each*'"', w^each*'\\'
		if found := ((w-each*' ')&^w | (quote-each)&^quote | (slash-each)&^slash) & highest; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	return n
}

// escapeLen returns the length of the escape at the beginning of s; 0: there is none.
func escapeLen(s string) int {
	if len(s) < 2 || !strings.Contains(`"\/bfnrtu`, s[1:2]) {
		return 0
	}
	if s[1] != 'u' {
		return 2
	}
	if len(s) < 6 || strings.Trim(s[2:6], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return 6
}

func (r *reader) number() error {
	r.take('-')
	if !r.take('0') && !r.digits() {
		return r.expected("a digit")
	}
	if r.take('.') && !r.digits() {
		return r.expected("a digit")
	}
	if r.take('e') || r.take('E') {
		if !r.take('+') {
			r.take('-')
		}
		if !r.digits() {
			return r.expected("a digit")
		}
	}
	return nil
}

// digits skips digits, and reports whether there were any.
func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}

// String decodes a JSON value, as Each yields it, that must be a string.
func String(value string) (string, error) {
	if value[0] != '"' {
		return "", errors.New("expected a string")
	}
	if strings.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	if hasHalf(value) {
		return "", errors.New(`"\ud800" to "\udfff" are halves of characters, and one half is missing; give bytes that are not UTF-8 in base64`)
	}
	var s string
	err := json.Unmarshal([]byte(value), &s)
	return s, err
}

// hasHalf reports whether a JSON string contains the escape of one half of a surrogate pair
// without the other half, such as "\ud83d". Python writes such escapes for bytes that are
// not UTF-8.
func hasHalf(value string) bool {
	for {
		i := strings.IndexByte(value, '\\')
		if i < 0 {
			return false
		}
		value = value[i:]
		r := unit(value)
		if utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, unit(value[6:])) == utf8.RuneError {
				return true
			}
			value = value[6:]
		}
		value = value[escapeLen(value):]
	}
}

// unit returns the UTF-16 unit of an escape such as "\ud83d"; 0: it is another escape.
func unit(escape string) rune {
	if len(escape) < 6 || escape[:2] != `\u` {
		return 0
	}
	n, err := strconv.ParseUint(escape[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}

// Strings decodes a JSON value that must be a string or a list of strings.
func Strings(value string) ([]string, error) {
	if value[0] == '"' {
		one, err := String(value)
		return []string{one}, err
	}
	var raw []json.RawMessage
	if value[0] != '[' || json.Unmarshal([]byte(value), &raw) != nil || len(raw) == 0 {
		return nil, errors.New("expected a string or a list of strings")
	}
	all := make([]string, len(raw))
	for i, item := range raw {
		one, err := String(string(item))
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return all, nil
}

// Bytes decodes a JSON value that must be a string in base64.
func Bytes(value string) (string, error) {
	text, err := String(value)
	if err != nil {
		return "", err
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("expected base64: %w", err)
	}
	return string(b), nil
}
