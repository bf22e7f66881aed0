package report

import (
	"strings"
	"unicode/utf8"
)

// Text is a string that may hold any bytes, as a pair of JSON fields.
type Text struct {
	Text string // with U+FFFD for what is not UTF-8
	B64  []byte // all of its bytes where they are not UTF-8; nil: they are
}

// TextOf returns a string as JSON can hold it.
func TextOf(s string) Text {
	if utf8.ValidString(s) {
		return Text{Text: s}
	}
	return Text{Text: strings.ToValidUTF8(s, "\ufffd"), B64: []byte(s)}
}
