package lint

import (
	"strings"
	"unicode"

	"github.com/heed-robots/heed/internal/ascii"
)

// mediaType reads a Content-Type: the type in lower case, and the charset. The type is "" if it
// cannot be read or a parameter has two values. The charset is "" if there is none or if a parameter
// cannot be read. Package mime does the same, but is large.
func mediaType(header string) (kind, charset string) {
	kind, _, _ = strings.Cut(header, ";")
	rest := header[len(kind):]
	kind = ascii.ToLower(strings.TrimSpace(kind))
	main, sub, divided := strings.Cut(kind, "/")
	if !isToken(main) || divided && !isToken(sub) {
		return "", ""
	}
	parameters := map[string]string{}
	for rest = strings.TrimSpace(rest); rest != "" && rest != ";"; rest = strings.TrimSpace(rest) {
		var name, value string
		if name, value, rest = parameter(rest); name == "" {
			return kind, ""
		}
		if earlier, ok := parameters[name]; ok && earlier != value {
			return "", ""
		}
		parameters[name] = value
	}
	return kind, parameters["charset"]
}

// parameter reads the parameter with which a text begins, such as `; charset="utf-8"`. The name is
// in lower case, and "" if it cannot be read.
func parameter(text string) (name, value, rest string) {
	text, ok := strings.CutPrefix(text, ";")
	name, text = cutToken(trimLeft(text))
	text, hasValue := strings.CutPrefix(trimLeft(text), "=")
	if !ok || !hasValue {
		return "", "", ""
	}
	if inside, isQuoted := strings.CutPrefix(trimLeft(text), `"`); isQuoted {
		value, rest, ok = cutQuoted(inside)
	} else {
		value, rest = cutToken(trimLeft(text))
		ok = value != ""
	}
	if !ok {
		return "", "", ""
	}
	return ascii.ToLower(name), value, rest
}

func trimLeft(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }

// separators are the printable characters that are no part of a token (RFC 2045, 5.1).
const separators = `()<>@,;:\"/[]?=`

// cutToken returns the token with which a text begins, and what is behind it.
func cutToken(text string) (token, rest string) {
	rest = strings.TrimLeftFunc(text, func(r rune) bool {
		return ' ' < r && r <= '~' && !strings.ContainsRune(separators, r)
	})
	return text[:len(text)-len(rest)], rest
}

func isToken(text string) bool {
	token, rest := cutToken(text)
	return token != "" && rest == ""
}

// cutQuoted returns a value as far as the next quotation mark, and what is behind that. A backslash
// before another character than a separator is itself meant.
func cutQuoted(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text) && strings.IndexByte(separators, text[i+1]) >= 0:
			i++
			fallthrough
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}
