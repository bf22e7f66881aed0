package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// byReflection returns what AppendJSON must return.
func byReflection(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(AppendSafe(nil, strings.TrimSuffix(b.String(), "\n")))
}

// AppendJSON returns what encoding/json does, for any text in the fields. A test of package
// live checks that no field is missing.
func FuzzAnswerJSON(f *testing.F) {
	f.Add("https://a.example/", "/x", "no", "ExampleBot", "Example", 3, uint8(1), true)
	f.Add("/\x00\x1f\"\\\b\f\n\r\t\x7f<>&", "/\u0080\u2028\u2029\u202e\ufeff\ufffd", "\xff\xed\xa0\x80", "", "\U000e0041\U0001f600", -1, uint8(200), false)
	f.Add("12345678", "1234567\"", "123456\x7f8", "1234567\xc3", "é2345678", 0, uint8(0), false)
	f.Fuzz(func(t *testing.T, url, pattern, why, first, second string, line int, reason uint8, allowed bool) {
		rule := robotstxt.Rule{Allow: allowed, Pattern: pattern, Line: line}
		a := AnswerOf(url, robotstxt.Decision{Allowed: allowed, Reason: robotstxt.Reason(reason), Rule: rule})
		a.Error, a.Agent, a.Dialect, a.Source = why, AgentOf([]string{first, second}), second, first
		if second == "" {
			a.Agent = AgentOf([]string{first})
			a.URL = url // any bytes; AnswerOf has replaced those that are not UTF-8
		}
		if got, want := string(a.AppendJSON(nil)), byReflection(t, a); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
		if !json.Valid(a.AppendJSON(nil)) {
			t.Error("not JSON")
		}
	})
}
