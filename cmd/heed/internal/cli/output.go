package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// visible returns text that may come from a remote file in a form that is safe
// on a terminal.
func visible(s string) string { return printable.Text(s) }

// marshal returns v as JSON on one line. What a terminal might take for more
// than text is escaped there too.
func marshal(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // every value is a struct of this package
	}
	text := strings.TrimSuffix(b.String(), "\n")
	safe := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case r < 0x7f || strconv.IsPrint(r):
			safe = utf8.AppendRune(safe, r)
		case r < 0x10000:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		default:
			r -= 0x10000
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return safe
}

// text is a string that may hold any bytes, as a pair of JSON fields.
type text struct {
	Text string
	B64  []byte // where the bytes are not UTF-8
}

func newText(s string) text {
	if utf8.ValidString(s) {
		return text{Text: s}
	}
	return text{Text: strings.ToValidUTF8(s, "\ufffd"), B64: []byte(s)}
}

// answer is a Decision about a URL as JSON.
type answer struct {
	URL     string           `json:"url"`
	URLB64  []byte           `json:"url_b64,omitempty"` // where it is not UTF-8
	Allowed bool             `json:"allowed"`
	Reason  robotstxt.Reason `json:"reason"`
	Rule    *rule            `json:"rule,omitempty"`
	Site    *site            `json:"site,omitempty"` // where a live site was asked
	Error   string           `json:"error,omitempty"`
}

// rule is a Rule as JSON.
type rule struct {
	Line       int    `json:"line"`
	Allow      bool   `json:"allow"`
	Pattern    string `json:"pattern"`
	PatternB64 []byte `json:"pattern_b64,omitempty"`
}

func newAnswer(url string, d robotstxt.Decision) answer {
	u := newText(url)
	return answer{URL: u.Text, URLB64: u.B64, Allowed: d.Allowed, Reason: d.Reason, Rule: newRule(d.Rule)}
}

func newRule(r robotstxt.Rule) *rule {
	if r == (robotstxt.Rule{}) {
		return nil
	}
	p := newText(r.Pattern)
	return &rule{Line: r.Line, Allow: r.Allow, Pattern: p.Text, PatternB64: p.B64}
}

// verdict is the word for a decision.
func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// reasonText says what a decision rests on: the line and the rule, or why
// there is none.
func reasonText(d robotstxt.Decision) string { return string(appendReason(nil, d)) }

func appendReason(dst []byte, d robotstxt.Decision) []byte {
	if d.Reason != robotstxt.ByRule {
		return append(dst, d.Reason.String()...)
	}
	return append(dst, d.Rule.String()...)
}

// counted returns "1 rule", "2 rules".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// The colours of a terminal (ECMA-48).
const (
	bold  = "1"
	red   = "31"
	green = "32"
	faint = "2"
)

// paint wraps text in a colour where standard output wants any.
func (a *app) paint(colour, s string) string {
	if !a.colour {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// verdict returns the word for a decision, padded and in its colour.
func (a *app) verdict(allowed bool) string {
	if allowed {
		return a.paint(green, "allowed   ")
	}
	return a.paint(red, "disallowed")
}

// list writes values as they come: as a JSON array, or one a line.
type list struct {
	w     io.Writer
	array bool
	begun bool
}

// appendItem appends a value of a list, so that items can be made apart.
func appendItem(dst []byte, v any, array bool) []byte {
	if !array {
		return append(append(dst, marshal(v)...), '\n')
	}
	dst = append(dst, itemPrefix...)
	return append(dst, marshal(v)...)
}

const itemPrefix = ",\n  "

// add writes items.
func (l *list) add(items []byte) {
	if l.array && !l.begun && len(items) > 0 {
		io.WriteString(l.w, "[")
		items = items[len(","):]
		l.begun = true
	}
	l.w.Write(items)
}

func (l *list) close() {
	switch {
	case l.begun:
		io.WriteString(l.w, "\n]\n")
	case l.array:
		io.WriteString(l.w, "[]\n")
	}
}
