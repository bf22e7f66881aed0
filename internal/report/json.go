package report

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends a value as JSON, on one line. It panics for types that JSON cannot represent.
func AppendJSON(dst []byte, v any) []byte {
	if fast, ok := v.(interface{ AppendJSON([]byte) []byte }); ok {
		return fast.AppendJSON(dst) // AppendJSON writes the same bytes as encoding/json would, but faster
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return AppendSafe(dst, strings.TrimSuffix(b.String(), "\n"))
}

// The functions below are about twenty times as fast as encoding/json. The member "url" is always first, so all others
// begin with a comma.

// AppendJSON appends the JSON of the answer. Characters that could control a terminal are written as escapes. The
// characters "<", ">" and "&" are not escaped.
func (a *Answer) AppendJSON(dst []byte) []byte {
	return append(a.AppendFields(append(dst, '{')), '}')
}

// AppendFields appends the members of the JSON object, without the braces around them.
func (a *Answer) AppendFields(dst []byte) []byte {
	dst = appendText(dst, `"url":`, a.URL)
	dst = appendB64(dst, `,"url_b64":`, a.URLB64)
	dst = a.Decision.append(append(dst, ','))
	dst = AppendNonempty(dst, `,"error":`, a.Error)
	if len(a.Usage) > 0 {
		dst = a.Usage.AppendJSON(append(dst, `,"usage":`...))
	}
	return a.AppendQuestion(dst)
}

// AppendQuestion appends the members that are equal in many answers. To save time, a caller can make their text once.
func (a *Answer) AppendQuestion(dst []byte) []byte {
	if len(a.Agent) > 0 {
		dst = a.Agent.appendJSON(append(dst, `,"agent":`...))
	}
	dst = a.Facts.append(dst)
	dst = AppendNonempty(dst, `,"meant":`, a.Meant)
	dst = AppendNonempty(dst, `,"dialect":`, a.Dialect)
	return AppendNonempty(dst, `,"source":`, a.Source)
}

func (d *Decision) append(dst []byte) []byte {
	return AppendDecision(dst, "", strconv.FormatBool(d.Allowed), d.Reason.Name(), d.Rule)
}

// AppendDecision appends the members of a Decision. The name of each member begins with prefix. The parameter allowed is
// "true", "false", or "null". The parameter reason is written without escapes.
func AppendDecision(dst []byte, prefix, allowed, reason string, r *Rule) []byte {
	dst = append(appendName(dst, prefix, "allowed"), allowed...)
	dst = append(append(appendName(append(dst, ','), prefix, "reason"), '"'), reason...)
	if dst = append(dst, '"'); r != nil {
		dst = r.appendJSON(appendName(append(dst, ','), prefix, "rule"))
	}
	return dst
}

func appendName(dst []byte, prefix, name string) []byte {
	return append(append(append(append(dst, '"'), prefix...), name...), `":`...)
}

func (r *Rule) appendJSON(dst []byte) []byte { return append(r.appendFields(append(dst, '{')), '}') }

func (r *Rule) appendFields(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `"line":`...), int64(r.Line), 10)
	dst = strconv.AppendBool(append(dst, `,"allow":`...), r.Allow)
	dst = appendText(dst, `,"pattern":`, r.Pattern)
	return appendB64(dst, `,"pattern_b64":`, r.PatternB64)
}

func (a Agent) appendJSON(dst []byte) []byte {
	if len(a) == 1 {
		return AppendString(dst, a[0])
	}
	return appendList(dst, "", a, func(dst []byte, token *string) []byte { return AppendString(dst, *token) })
}

func appendText(dst []byte, key, s string) []byte { return AppendString(append(dst, key...), s) }

// AppendNonempty appends a key and a string as JSON, unless the string is "".
func AppendNonempty(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return appendText(dst, key, s)
}

func appendB64(dst []byte, key string, b []byte) []byte {
	if len(b) == 0 {
		return dst
	}
	dst = append(append(dst, key...), '"')
	return append(base64.StdEncoding.AppendEncode(dst, b), '"')
}

// AppendString appends a string as JSON. It escapes characters that are not printable, and writes "\ufffd" for each byte
// that is not UTF-8.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	i := plainLen(s)
	dst = append(dst, s[:i]...)
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isPlain(r) && (r != utf8.RuneError || size > 1) {
			dst = append(dst, s[i:i+size]...)
		} else {
			dst = appendEscape(dst, r)
		}
		i += size
		plain := plainLen(s[i:])
		dst = append(dst, s[i:i+plain]...)
		i += plain
	}
	return append(dst, '"')
}

func isPlain(r rune) bool { return r != '"' && r != '\\' && strconv.IsPrint(r) }

var plainASCII = func() (plain [256]bool) {
	for c := range rune(0x7f) {
		plain[c] = isPlain(c)
	}
	return plain
}()

// plainLen returns how many bytes at the start of s are ASCII and need no escape. It checks eight bytes at a time.
//
// If a byte c needs an escape, one of these results has its high bit set:
//
//	c - ' '            if c is a control character: the difference is negative
//	(c ^ '"') - 1      if c is '"': c ^ '"' is 0, and 0 - 1 is negative
//	(c ^ '\\') - 1     if c is '\\'
//	c + 1              if c is 0x7f
//	c                  if c is not ASCII
//
// A byte that needs no escape never changes the result of the next byte. So the first byte that is found is right.
func plainLen(s string) int {
	const (
		lowBits  = 0x0101010101010101 // a word in which the lowest bit of each byte is set
		highBits = 0x8080808080808080 // a word in which the highest bit of each byte is set
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		e := s[i : i+8]
		x := uint64(e[0]) | uint64(e[1])<<8 | uint64(e[2])<<16 | uint64(e[3])<<24 |
			uint64(e[4])<<32 | uint64(e[5])<<40 | uint64(e[6])<<48 | uint64(e[7])<<56
		quote, backslash := x^lowBits*'"', x^lowBits*'\\'
		if ((x-lowBits*' ')|(quote-lowBits)|(backslash-lowBits)|(x+lowBits)|x)&highBits != 0 {
			break
		}
	}
	for i < len(s) && plainASCII[s[i]] {
		i++
	}
	return i
}

// AppendSafe appends JSON from another encoder, with escapes for characters that are not printable.
func AppendSafe(dst []byte, json string) []byte {
	for _, r := range json {
		if r < 0x7f || strconv.IsPrint(r) {
			dst = utf8.AppendRune(dst, r)
		} else {
			dst = appendEscape(dst, r)
		}
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	const shorts = "\"\"\\\\\bb\ff\nn\rr\tt" // pairs of a character, and the letter after the backslash in the escape of this character
	for i := 0; i < len(shorts); i += 2 {
		if r == rune(shorts[i]) {
			return append(dst, '\\', shorts[i+1])
		}
	}
	if r < 0x10000 {
		return appendHex(dst, r)
	}
	r -= 0x10000 // the character needs two UTF-16 surrogates, with ten bits in each
	return appendHex(appendHex(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
}

func appendHex(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// Text is a string as two JSON fields. The string may have any bytes.
type Text struct {
	Text string // the string, with U+FFFD in place of bytes that are not UTF-8
	B64  []byte // all bytes of the string, if the string is not UTF-8; else nil
}

// CheckURLB64 returns an error if the members "url" and "url_b64" of one object do not agree. The parameter
// exact has the bytes in "url_b64".
func CheckURLB64(url, exact string) error {
	if url != TextOf(exact).Text {
		return errOtherURL
	}
	return nil
}

var errOtherURL = errors.New(`"url" and "url_b64" name different URLs: give only one of them`)

// AppendMember appends a member with a string that may have any bytes. If the string is not UTF-8, a second member, named with
// "_b64", has all its bytes.
func AppendMember(dst []byte, name, value string) []byte {
	text := TextOf(value)
	dst = appendText(dst, `"`+name+`":`, text.Text)
	return appendB64(dst, `,"`+name+`_b64":`, text.B64)
}

func TextOf(s string) Text {
	if utf8.ValidString(s) {
		return Text{Text: s}
	}
	return Text{Text: strings.ToValidUTF8(s, "\ufffd"), B64: []byte(s)}
}
