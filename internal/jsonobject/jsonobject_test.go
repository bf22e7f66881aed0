package jsonobject

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each accepts the same objects as encoding/json, and yields the same members.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { "a" : [ 1 , -0.5e+7, true,false ,null, {"b":"\u00e9\n"} ] } `, `{"a":"\ud83d\ude00\udc00","a":01}`, "{\"a\":\"\x00\"}",
		`{"a":1,}`, `{"a" 1}`, `[]`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":tru}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"`, `{"a":[1 2]}`, "{}\ufeff", `{"a":[],"b":[{}]}x`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := map[string]string{}
		err := Each(s, func(key, value string) error {
			name, err := String(key)
			if err != nil {
				return err
			}
			got[name] = value
			return nil
		})
		if !utf8.ValidString(s) {
			if err == nil {
				t.Error("accepted JSON that is not UTF-8")
			}
			return
		}
		var want map[string]json.RawMessage
		valid := json.Unmarshal([]byte(s), &want) == nil && strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{")
		if half := err != nil && strings.Contains(err.Error(), "halves"); valid != (err == nil) && !half {
			t.Fatalf("valid: %v, got error %v", valid, err)
		}
		if err != nil {
			return
		}
		for name, value := range want {
			if got[name] != string(value) {
				t.Errorf("%q is %q, want %q", name, got[name], value)
			}
			var wantString string
			isString := json.Unmarshal(value, &wantString) == nil && value[0] == '"'
			s, err := String(got[name])
			if half := err != nil && strings.Contains(err.Error(), "halves"); (err == nil) != isString && !half || err == nil && s != wantString {
				t.Errorf("%s is %q, %v, want %q", value, s, err, wantString)
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %d members, want %d", len(got), len(want))
		}
	})
}

// Deep nesting, wrong syntax and half a surrogate pair are errors. An error of yield ends
// Each.
func TestHostileJSONIsRefused(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	nothing := func(string, string) error { return nil }
	if err := Each(deep(maxNesting-1), nothing); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		deep(maxNesting + 1):                     "deeper than 1000",
		`{"a":` + strings.Repeat(`{"a":`, 4<<20): "deeper than 1000",
		"{\"a\":\"\xff\"}":                       "not UTF-8",
		"{\"a\":\"\x00\"}":                       `'\x00' at byte 7, expected an escape of this character`,
		`{"a":1`:                                 `ends at byte 7, expected "," or "}"`,
		`{"a":1} {"b":2}`:                        `'{' at byte 9, expected nothing after the object`,
		`https://a.example`:                      `'h' at byte 1, expected an object`,
	} {
		if err := Each(text, nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
	for value, half := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\ud83d"`: true, `"\ude00\ud83d"`: true, `"\ud83d\ud83d\ude00"`: true, `"\\ud83d"`: false, `"\ufffd�\n"`: false, `"\udcff"`: true,
	} {
		if _, err := String(value); (err != nil) != half {
			t.Errorf("%s: %v", value, err)
		}
	}
	stop := errors.New("stop")
	if err := Each(`{"a":1}`, func(string, string) error { return stop }); err != stop {
		t.Error(err)
	}
}

// TestPlainLen: every octet at every place, beside octets with and without the highest bit.
func TestPlainLen(t *testing.T) {
	for _, filler := range []string{"a", "\xff", " ", "!", "#", "[", "]", "\x80"} {
		for at := range 24 {
			for c := range 256 {
				s := strings.Repeat(filler, at) + string([]byte{byte(c)}) + strings.Repeat(filler, 24-at)
				want := at
				if c >= ' ' && c != '"' && c != '\\' {
					want = 24 // all blocks of eight
				}
				if got := plainLen(s); got != want {
					t.Fatalf("%q: %d, want %d", s, got, want)
				}
			}
		}
	}
}
