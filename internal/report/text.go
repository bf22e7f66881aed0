package report

import (
	"strings"
	"unicode/utf8"
)

// Text is a string of any bytes, as a pair of JSON fields.
type Text struct {
	Text string // with U+FFFD in place of bytes that are not UTF-8
	B64  []byte // all bytes, if some are not UTF-8; else nil
}

// TextOf returns a string as a pair of JSON fields.
func TextOf(s string) Text {
	if utf8.ValidString(s) {
		return Text{Text: s}
	}
	return Text{Text: strings.ToValidUTF8(s, "\ufffd"), B64: []byte(s)}
}
