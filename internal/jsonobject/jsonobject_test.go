package jsonobject

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/testing/portion"
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
		if strict := err != nil && (strings.Contains(err.Error(), "surrogate") || strings.Contains(err.Error(), "given twice")); valid != (err == nil) && !strict {
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
			if (err == nil) != isString || err == nil && s != wantString {
				t.Errorf("%s is %q, %v, want %q", value, s, err, wantString)
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %d members, want %d", len(got), len(want))
		}
	})
}

// What others read in two ways, or not at all, is an error that says where. An error of yield ends Each.
func TestHostileJSONIsRefused(t *testing.T) {
	portion.Skip(t, 4)
	nothing := func(string, string) error { return nil }
	for text, want := range map[string]string{
		`{"a":` + strings.Repeat(`{"a":`, 4<<20): "not JSON",
		"{\"robots\":\"\xff\"}":                  `invalid UTF-8 within "/robots" after offset 11; give bytes that are not UTF-8 in base64`,
		`{"robots":"\udcff"}`:                    "base64",
		"{\"a\":\"\x00\"}":                       "invalid character '\\x00'",
		`{"a":1`:                                 "unexpected EOF",
		`{"a":1} {"b":2}`:                        "found more text after the end of the object",
		`https://a.example`:                      "invalid character 'h'",
		`["a"]`:                                  "found a JSON list; expected a JSON object",
		`null`:                                   "found a JSON null; expected a JSON object",
		`not json`:                               "not JSON: ",
		` `:                                      "empty",
		`{"robots":"","robots":"Disallow: /"}`:   `"robots" is given twice; give it only once`,
		`{"robots":"","robot\u0073":""}`:         `"robots" is given twice; give it only once`,
		`{"x":{"b":1,"b":2}}`:                    `"b" is given twice; give it only once`,
	} {
		var into struct {
			Robots string `json:"robots"`
			A      int    `json:"a"`
			X      any    `json:"x"`
		}
		for _, err := range []error{Each(text, nothing), Decode([]byte(text), &into)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.40q: %v, want %s", text, err, want)
			}
		}
	}
	const deep = 9_999 // of the library's 10,000
	if err := Each(`{"a":`+strings.Repeat("[", deep)+strings.Repeat("]", deep)+"}", nothing); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := Each(`{"a":1}`, func(string, string) error { return stop }); err != stop {
		t.Error(err)
	}
}

// The members of an object come before those of the objects in it, and only some of these objects are entered.
func TestEachPath(t *testing.T) {
	var got []string
	enters := func(path string) bool { return IsWithin("a.b.c", path) || IsWithin("\u00e9.x", path) }
	err := EachPath(`{"a":{"b":{"c":1,"d":{"c":2}},"b.c":3},"a.b":{"c":4},"\u00e9":{"x":5},"a.b.c":6,"x":{"b":7},"":{}}`, enters, func(path, value string) error {
		got = append(got, path+"="+value)
		return nil
	})
	want := `a.b.c=6 x={"b":7} ={} a.b.c=3 a.b.c=1 a.b.d={"c":2} a.b.c=4 é.x=5`
	if strings.Join(got, " ") != want || err != nil {
		t.Errorf("%v, %v\nwant %s", got, err, want)
	}
	stop := errors.New("stop")
	if err := EachPath(`{"a":{"b":{"c":1}}}`, enters, func(string, string) error { return stop }); err != stop {
		t.Error(err)
	}
	if IsWithin("a.b", "a.b") || IsWithin("ab", "a") || IsWithin("a", "a.b") {
		t.Error("within an object is only what its name begins")
	}
}

// Decode reads only members that the struct has, by their exact names.
func TestDecode(t *testing.T) {
	type inner struct {
		B64 *[]byte `json:"robots_b64"`
		URL string  `json:"url"`
	}
	for text, want := range map[string]string{
		`{"Robots":""}`:                   `the member "Robots" is unknown`,
		`{"x":1}`:                         `the member "x" is unknown`,
		`{"robots":1}`:                    `"robots" is a JSON number; expected a string`,
		`{"status":"404"}`:                `"status" is a JSON string; expected a number without a fraction`,
		`{"old":"x"}`:                     `"old" is a JSON string; expected an object with one of the members robots_b64, url`,
		`{"seconds":"0.5"}`:               `"seconds" is a JSON string; expected a number`,
		`{"headers":"x"}`:                 `"headers" is a JSON string; expected an object`,
		`{"yes":"true"}`:                  `"yes" is a JSON string; expected true or false`,
		`{"old":{"robots_b64":[85,115]}}`: `"old/robots_b64" is a JSON list; expected a string in base64`,
		`{"old":{"robots_b64":"%"}}`:      `"old/robots_b64": expected base64: illegal base64`,
		`{"old":{"robots_b64":"YQ==\n"}}`: `"old/robots_b64": expected base64 without line ends`,
		`{"old":{"robots_b64":"Y\rQ=="}}`: `"old/robots_b64": expected base64 without line ends`,
		`{"old":{"robots_b64":"YQ =="}}`:  `"old/robots_b64": expected base64: illegal base64`,
		`{"urls":"x"}`:                    `"urls" is a JSON string; expected a list`,
		`{"robots":null}`:                 `"robots": the value is null: give a value, or leave this member out`,
		`{"status":null}`:                 `"status": the value is null`,
		`{"old":null}`:                    `"old": the value is null`,
		`{"old":{"robots_b64":null}}`:     `"old/robots_b64": the value is null`,
		`{"urls":null}`:                   `"urls": the value is null`,
		`{"urls":["",null]}`:              `"urls/1": the value is null`,
		`{"old":{"robots_b64":"YQ=="},"urls":["\ud83d\ude00"]}`: "",
	} {
		var into struct {
			Robots  *string           `json:"robots"`
			Status  int               `json:"status"`
			Seconds float64           `json:"seconds"`
			Old     inner             `json:"old"`
			URLs    []string          `json:"urls"`
			Headers map[string]string `json:"headers"`
			Yes     bool              `json:"yes"`
		}
		if err := Decode([]byte(text), &into); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Decode reads base64 as Bytes does, and as it is: also that of nothing is there.
func TestBase64(t *testing.T) {
	for text, want := range map[string]string{`""`: "", `"YQ=="`: "a", `"\u0059Q=="`: "a", `"/+8="`: "\xff\xef"} {
		var into struct {
			B64 *[]byte `json:"robots_b64"`
		}
		err := Decode([]byte(`{"robots_b64":`+text+`}`), &into)
		if err != nil || into.B64 == nil || *into.B64 == nil || string(*into.B64) != want {
			t.Errorf("%s: %v, %v, want %q", text, into.B64, err, want)
		}
		if got, err := Bytes(text); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}
