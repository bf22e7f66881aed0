package record

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/ascii"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, value string
		want        Value
	}{
		{"sitemap", "https://example.com/s.xml", Sitemap{"https://example.com/s.xml"}},
		{"SITEMAP", " \tHTTP://[::1]:8080/a b%é.xml\t", Sitemap{"HTTP://[::1]:8080/a b%é.xml"}},
		{"Sitemap", "ftp://user:pw@bücher.example.:21?x", Sitemap{"ftp://user:pw@bücher.example.:21?x"}},
		{"License", "https://example.com/l.xml", License{"https://example.com/l.xml"}},

		{"Crawl-delay", "10", CrawlDelay{10 * time.Second}},
		{"crawl-DELAY", "0.5", CrawlDelay{500 * time.Millisecond}},
		{"Crawl-delay", ".5", CrawlDelay{500 * time.Millisecond}},
		{"Crawl-delay", "1.0", CrawlDelay{time.Second}},
		{"Crawl-delay", "0", CrawlDelay{}},
		{"Crawl-delay", "0001.0000000019", CrawlDelay{time.Second + 1}},
		{"Crawl-delay", "1000000000", CrawlDelay{1e9 * time.Second}},
		{"Crawl-delay", "1e3", CrawlDelay{1000 * time.Second}},
		{"Crawl-delay", "2.5E-1", CrawlDelay{250 * time.Millisecond}},
		{"Crawl-delay", ".5e+1", CrawlDelay{5 * time.Second}},

		{"Request-rate", "1/5", RequestRate{Requests: 1, Per: 5 * time.Second}},
		{"Request-rate", "6/1m", RequestRate{Requests: 6, Per: time.Minute}},
		{"Request-rate", "1/1s", RequestRate{Requests: 1, Per: time.Second}},
		{"Request-rate", "100/24h", RequestRate{Requests: 100, Per: 24 * time.Hour}},
		{"Request-rate", "30/1h 0600-0845", RequestRate{30, time.Hour, VisitTime{360, 525}}},
		{"Request-rate", "1/1000000000", RequestRate{Requests: 1, Per: 1e9 * time.Second}},
		{"Request-rate", "1/1000000001", RequestRate{Requests: 1, Per: 1e9 * time.Second}},
		{"Request-rate", "1/277778h", RequestRate{Requests: 1, Per: 1e9 * time.Second}},
		{"Request-rate", "1/99999999999999999999m", RequestRate{Requests: 1, Per: 1e9 * time.Second}},
		{"Request-rate", "99999999999999999999/1", RequestRate{Requests: 1e9, Per: time.Second}},
		{"Visit-time", "0600-0845", VisitTime{360, 525}},
		{"Visit-time", "2200-0459", VisitTime{1320, 299}},
		{"Visit-time", "0100 - 0800", VisitTime{60, 480}},
		{"Visit-time", "0000-0000", VisitTime{}},

		{"Host", "www.example.com", Host{"www.example.com"}},
		{"Host", "https://example.com:8443", Host{"https://example.com:8443"}},
		{"Host", "пример.испытание", Host{"пример.испытание"}},

		{"Clean-param", "sid", CleanParam{Params: []string{"sid"}}},
		{"Clean-param", "a&b&c  /forum/*.php", CleanParam{Params: []string{"a", "b", "c"}, Path: "/forum/*.php"}},
		{"Noindex", "/tmp/*$", Noindex{"/tmp/*$"}},
		{"noarchive", "/", Text{"/"}},
		{"Revisit-After", "7 days", Text{"7 days"}},

		{"Content-Signal", "search=yes, AI-train = no", ContentSignal{Signals: []Signal{{"search", "yes", true}, {"ai-train", "no", true}}}},
		{"content-signal", "ai-input=no,ai-input=yes", ContentSignal{Signals: []Signal{{"ai-input", "no", true}, {"ai-input", "yes", true}}}},
		{"Content-Signal", "search=yes,ai-train=no,use=reference", ContentSignal{Signals: []Signal{
			{"search", "yes", true}, {"ai-train", "no", true}, {"use", "reference", true}}}},
		{"Content-Signal", "use=immediate,use=full", ContentSignal{Signals: []Signal{{"use", "immediate", true}, {"use", "full", true}}}},

		{"Content-Usage", "train-ai=n, search=y", ContentUsage{Preferences: []Preference{{"train-ai", "n"}, {"search", "y"}}}},
		{"Content-Usage", "/ai-ok/*\ttrain-ai=y", ContentUsage{Path: "/ai-ok/*", Preferences: []Preference{{"train-ai", "y"}}}},
		{"Content-Usage", "/only-a-path", ContentUsage{Path: "/only-a-path"}},
	}
	for _, test := range tests {
		got, err := Parse(test.name, test.value)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%q, %q) = %#v, %v; want %#v", test.name, test.value, got, err, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   string // part of each error
	}{
		{"Sitemap", []string{"/s.xml", "s.xml", "example.com/s.xml", "mailto:a@example.com"}, "absolute URL"},
		{"Sitemap", []string{"//example.com/?u=http://x", "file:///etc/passwd", "://x", "javascript://x"}, "scheme"},
		{"Sitemap", []string{"http://", "http:///x", "https://a b/", "http://<site>/", "http://a..b/", "http://a:x/", "http://a:99999/", "http://[::1/", "http://[1.2.3.4]/", "http://user@/"}, "host"},
		{"License", []string{"license.xml"}, "absolute URL"},
		{"Crawl-delay", []string{
			"abc", "5s", "1,5", "-1", "+1", "-1e9", "-0", "0x10", "0x1p9", "NaN", "inf", "+Inf", "Infinity", ".", "10.", "1.5.2", "1 2", "1_0", "٣",
			"e9", "1e", "1e+", "1e1.5", "1ee1", ".e1",
		}, "decimal number"},
		{"Request-rate", []string{"0/5", "/5", "x/5", "-1/5", "5", "1e9/5"}, "slash"},
		{"Request-rate", []string{"1/0", "1/", "1/0s", "1/s", "1/5d", "1/5sm", "1/1e9"}, "after the slash"},
		{"Request-rate", []string{"1/5 x", "1/5 0600", "1/5 0600-2400"}, "times of day"},
		{"Visit-time", []string{"0600", "600-0845", "0660-0845", "2400-0000", "06:00-08:45", "0600-0845-0900", "-", "+600-0845"}, "times of day"},
		{"Host", []string{"example.com/", "https://", "a b", "a:", ":80"}, "host name"},
		{"Host", []string{"ftp://example.com"}, "scheme"},
		{"Clean-param", []string{"&", "&&& /x", "\x01&\x02"}, "names of one or more parameters"},
		{"Clean-param", []string{"a b", "a /x y"}, "path"},
		{"Noindex", []string{"tmp", "/a b"}, "pattern"},
		{"Content-Signal", []string{"search=maybe", "search=maybe,use=no", "ai-train=full,,"}, "found none"},
		{"Content-Signal", []string{"search", ",", "search=YES", "ſearch=yes", "=yes", "x=", "a b=c", "search=\x00yes", "/api/", "/api/ x", "*/api/ ai-train=no"}, "found none"},
		{"Content-Signal", []string{"/\x01 ai-train=no"}, "control character"},
		{"Content-Usage", []string{"/\x01 train-ai=n"}, "control character"},
		{"Visit-time", []string{"0600-\x000845", "\x7f", "a\nb"}, "control character"},
	}
	for _, test := range tests {
		for _, value := range test.values {
			got, err := Parse(test.name, value)
			if got != nil || err == nil {
				t.Errorf("Parse(%q, %q) = %#v, want an error", test.name, value, got)
				continue
			}
			text := err.Error()
			if !strings.Contains(text, test.want) || !strings.Contains(text, test.name) || !strings.Contains(text, "expected") {
				t.Errorf("Parse(%q, %q): error %q lacks %q", test.name, value, text, test.want)
			}
		}
	}
}

// A delay that is too long is read as the longest possible one, and not ignored: the site
// asks for a long wait.
func TestLongestCrawlDelay(t *testing.T) {
	for _, value := range []string{
		"1e9", "1E9", "1.0e+9", "1e10", "9e99999999", "1000000000.000000001", "1000000001",
		"9223372037", "18446744073710", "99999999999999999999999", strings.Repeat("9", 100_000), "9e" + strings.Repeat("9", 100_000),
	} {
		want := CrawlDelay{1e9 * time.Second}
		if got, err := Parse("Crawl-delay", value); got != want {
			t.Errorf("Crawl-delay: %.40s gives %v, %v", value, got, err)
		}
	}
}

// An unknown member of a list is kept. A member that cannot be read is in Unread, and the
// other members are still read. Empty members are ignored.
func TestListsLoseOnlyTheirBadMembers(t *testing.T) {
	search, train := Signal{"search", "yes", true}, Signal{"ai-train", "no", true}
	tests := []struct {
		name, value string
		want        Value
	}{
		{"Content-Signal", "search=yes, Shape=round=ish, ai-train=no", ContentSignal{Signals: []Signal{search, {"shape", "round=ish", false}, train}}},
		{"Content-Signal", "search=yes, use=never, ai-train=no", ContentSignal{Signals: []Signal{search, train}, Unread: []string{"use=never"}}},
		{"Content-Signal", "search=yes,ai-input,=no,ai-train=no", ContentSignal{Signals: []Signal{search, train}, Unread: []string{"ai-input", "=no"}}},
		{"Content-Signal", ",search=yes,, ai-train=no,", ContentSignal{Signals: []Signal{search, train}}},
		{"Content-Signal", "search=yes, ai-\x01train=yes, ai-train=no", ContentSignal{Signals: []Signal{search, train}, Unread: []string{"ai-\x01train=yes"}}},
		{"Content-Signal", "search=yes ai-train=yes, ai-train=no", ContentSignal{Signals: []Signal{train}, Unread: []string{"search=yes ai-train=yes"}}},

		{"Content-Signal", "/api/ ai-train=no", ContentSignal{Path: "/api/", Signals: []Signal{train}}}, // AI-11
		{"Content-Signal", "/*.pdf$\tsearch=yes,x", ContentSignal{Path: "/*.pdf$", Signals: []Signal{search}, Unread: []string{"x"}}},
		// A dictionary that cannot be read says nothing, and its members stay visible (AI-7). The text in a string or an
		// inner list is never a member, even if the string or the list has an error.
		{"Content-Usage", "train-ai=n, Bad=1, search=y", ContentUsage{Unread: []string{"train-ai=n", "Bad=1", "search=y"}}},
		{"Content-Usage", "/x train-ai=n search=y, a=(1, b=2), c, train-ai=", ContentUsage{Path: "/x",
			Unread: []string{"train-ai=n search=y", "a=(1, b=2)", "c", "train-ai="}}},
		{"Content-Usage", "a=1,,b=2,", ContentUsage{Unread: []string{"a=1", "b=2"}}},
		{"Content-Usage", "/x a=1,", ContentUsage{Path: "/x", Unread: []string{"a=1"}}},
		{"Content-Usage", "/x ,", ContentUsage{Path: "/x"}},
		{"Content-Usage", "/x Train=n", ContentUsage{Path: "/x", Unread: []string{"Train=n"}}},
		{"Content-Usage", `a="é, train-ai=y", b=1`, ContentUsage{Unread: []string{`a="é, train-ai=y"`, "b=1"}}},
		{"Content-Usage", `b=1, a="\", train-ai=y`, ContentUsage{Unread: []string{"b=1", `a="\", train-ai=y`}}},
		{"Content-Usage", "b=1, a=(x, train-ai=y", ContentUsage{Unread: []string{"b=1", "a=(x, train-ai=y"}}},
		{"Content-Usage", "a=1, c=\x00, b=2", ContentUsage{Unread: []string{"a=1", "c=\x00", "b=2"}}},

		{"Clean-param", "a&&b& /x", CleanParam{Params: []string{"a", "b"}, Path: "/x"}},
		{"Clean-param", "a&\x7f&b", CleanParam{Params: []string{"a", "b"}, Unread: []string{"\x7f"}}},
	}
	for _, test := range tests {
		got, err := Parse(test.name, test.value)
		if usage, ok := got.(ContentUsage); ok {
			if usage.Err == nil || !strings.Contains(usage.Err.Error(), "at offset") {
				t.Errorf("Parse(%q, %q): the error of the dictionary is %v", test.name, test.value, usage.Err)
			}
			usage.Err = nil
			got = usage
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%q, %q) =\n got %#v, %v\nwant %#v", test.name, test.value, got, err, test.want)
		}
	}
}

func TestParseUnknown(t *testing.T) {
	for _, name := range []string{"", "unicorns", "disallow", "user-agent", "sitemap ", "ſitemap", "Clean\x0dparam", strings.Repeat("s", 1<<20)} {
		if got, err := Parse(name, "x"); got != nil || err != ErrUnknown {
			t.Errorf("Parse(%.20q) = %v, %v; want nil, ErrUnknown", name, got, err)
		}
		if info, ok := Lookup(name); ok || info.Name != "" {
			t.Errorf("Lookup(%.20q) = %v, true", name, info)
		}
	}
}

func TestDictionary(t *testing.T) {
	tests := []struct {
		in   string
		want []Preference
	}{
		{"", nil},
		{"  ", nil},
		{"a", []Preference{{"a", "?1"}}},
		{"a;x=1;y, b=?0 \t,\t c", []Preference{{"a", "?1"}, {"b", "?0"}, {"c", "?1"}}},
		{"a=1,b=2,a=3", []Preference{{"a", "3"}, {"b", "2"}}},
		{"a=1;x=2,a", []Preference{{"a", "?1"}}},
		{"*k_-.9=-999999999999999", []Preference{{"*k_-.9", "-999999999999999"}}},
		{"a=-123456789012.125;q=0.1", []Preference{{"a", "-123456789012.125"}}},
		{`a="x, \"y\" \\;"; p="z"`, []Preference{{"a", `"x, \"y\" \\;"`}}},
		{"a=*t:/!#$%&'*+-.^_`|~", []Preference{{"a", "*t:/!#$%&'*+-.^_`|~"}}},
		{"a=:aGk=:,b=:aGk:,c=::", []Preference{{"a", ":aGk=:"}, {"b", ":aGk:"}, {"c", "::"}}},
		{"a=@-1659578233;d=@0", []Preference{{"a", "@-1659578233"}}},
		{`a=%"f%c3%bc \ 10"`, []Preference{{"a", `%"f%c3%bc \ 10"`}}},
		{"a=( 1  x;p \"s\" );q=1,b=()", []Preference{{"a", "( 1  x;p \"s\" )"}, {"b", "()"}}},
	}
	for _, test := range tests {
		got, err := parseDictionary(test.in)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("parseDictionary(%q) = %q, %v; want %q", test.in, got, err, test.want)
		}
	}
}

func TestDictionaryErrors(t *testing.T) {
	for _, in := range []string{
		",", "a,", "a,,b", "a b", "a=1 b", "A=1", "1=a", "_a", "é", "a\x00",
		"a=", "a= 1", "a =1", "a==1", "a;", "a;;b", "a;B", "a ;b", "a;x=", "a;x=(1)", "a;\tx",
		"a=-", "a=--1", "a=1000000000000000", "a=1234567890123.1", "a=1.", "a=1.1234", "a=.1", "a=1.1.1",
		`a="`, `a="x`, `a="\`, `a="\x"`, "a=\"\t\"", `a="é"`,
		"a=:", "a=:a:", "a=:a=b=:", "a=:a b:", "a=:-_:", "a=é",
		"a=?", "a=?2", "a=?10", "a=@", "a=@1.5", "a=@x", "a=@1000000000000000",
		"a=%", "a=%x", `a=%"`, `a=%"%"`, `a=%"%C3%BC"`, `a=%"%c"`, `a=%"%c3"`, `a=%"é"`,
		"a=(", "a=(1", "a=(1 ", "a=(1,2)", "a=((1))", "a=(1\"x\")", "a=(1\t2)", "a=)", "a=(1;)",
	} {
		for _, in := range []string{in, "z=1, " + in, in + ", z=1"} {
			if got, err := parseDictionary(in); err == nil || got != nil {
				t.Errorf("parseDictionary(%q) = %q, %v; want an error", in, got, err)
			}
		}
	}
}

func TestDictionaryErrorPlace(t *testing.T) {
	tests := map[string]string{
		"a=1, b=1000000000000000": "at offset 7",
		"a=1; b=(1 (2))":          "at offset 7", // the value of a parameter is no list
		"a=1, b=(1 (2))":          "at offset 10",
		"ab=1 c":                  "expected a comma at offset 5",
	}
	for in, want := range tests {
		if _, err := parseDictionary(in); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("parseDictionary(%q): error %v, want one that ends in %q", in, err, want)
		}
	}
}

// TestHostileValues parses long values that repeat one part, for every record. In quadratic
// time this would take hours.
func TestHostileValues(t *testing.T) {
	const size = 1 << 20
	parts := []string{"a=1,", "a,", "a&", "(1 ", ";a", `\"`, "%c3%bc", "search=yes,", "\xff", "é", "09", "://", "[::"}
	for c := range rune(128) {
		if !ascii.IsLetter(byte(c)) && !ascii.IsDigit(byte(c)) && c > 0x1e {
			parts = append(parts, string(c))
		}
	}
	prefixes := map[string][]string{
		"Sitemap":       {"http://", "http://["},
		"Crawl-delay":   {"0."},
		"Request-rate":  {"1/5 "},
		"Content-Usage": {"/", "a=", `a="`, "a=(", `a=%"`, "a=:"},
	}
	for _, info := range All() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			for _, prefix := range append(prefixes[info.Name], "", "/x ") {
				for _, part := range parts {
					got, err := Parse(info.Name, prefix+strings.Repeat(part, size/len(part)))
					if (got == nil) == (err == nil) {
						t.Fatalf("%q%q...: got a record: %v, error %v", prefix, part, got != nil, err)
					}
					if err != nil && len(err.Error()) > 1000 {
						t.Fatalf("%q%q...: error of %d bytes", prefix, part, len(err.Error()))
					}
				}
			}
		})
	}
}

func TestAll(t *testing.T) {
	infos := All()
	if len(infos) != 14 || infos[0].Name != "Sitemap" || !infos[0].BindsFile {
		t.Fatalf("All() = %+v", infos)
	}
	infos[0].Name, infos[0].UsedBy[0] = "x", "x"
	info, ok := Lookup("sItEmAp")
	if !ok || info.Name != "Sitemap" || info.UsedBy[0] == "x" {
		t.Errorf("Lookup after a change to the result of All: %+v, %v", info, ok)
	}
	info.UsedBy[0] = "y"
	if again := All()[0]; again.UsedBy[0] == "y" {
		t.Errorf("All after a change to the result of Lookup: %+v", again)
	}
}

func TestInfos(t *testing.T) {
	fileWide := []string{"Sitemap", "Host", "Clean-param", "License", "Domain"}
	dead := []string{"Visit-time", "Host", "Noindex", "Nofollow", "Noarchive", "Revisit-after", "Domain"}
	seen := map[string]bool{}
	for _, info := range All() {
		if got, want := info.BindsFile, slices.Contains(fileWide, info.Name); got != want {
			t.Errorf("%s: binds %v", info.Name, info.BindsFile)
		}
		if info.Dead != slices.Contains(dead, info.Name) || info.Dead && len(info.UsedBy) > 0 {
			t.Errorf("%s: dead %v, used by %q", info.Name, info.Dead, info.UsedBy)
		}
		if !strings.HasSuffix(info.Note, ".") || seen[strings.ToLower(info.Name)] {
			t.Errorf("%s: twice in the registry, or note %q is no sentence", info.Name, info.Note)
		}
		seen[strings.ToLower(info.Name)] = true
		if _, err := Parse(strings.ToUpper(info.Name), " "); err == nil || errors.Is(err, ErrUnknown) {
			t.Errorf("%s: an empty value gives %v", info.Name, err)
		}
	}
}

// K-10: Lookup knows every name that Google's parser knows but does not support.
func TestKnownToGoogle(t *testing.T) {
	for _, name := range strings.Fields(`clean-param content-signal content-usage crawl-delay domain host noarchive
		nofollow noindex request-rate revisit-after visit-time`) {
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestStrings(t *testing.T) {
	if got := TimeOfDay(525).String(); got != "0845" {
		t.Errorf("TimeOfDay(525) is %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Sitemap", "http://user@[::1]:80/a?b#c")
	f.Add("Request-rate", "30/1h 0600-0845")
	f.Add("Content-Usage", `/x a=(1 "b";c);d=%"%c3%bc", e=:aGk=:, f=@1, g=?0, h=1.5`)
	f.Add("Content-Signal", "search=yes, ai-train=no")
	f.Fuzz(func(t *testing.T, name, value string) {
		if got, err := Parse(name, value); (got == nil) == (err == nil) {
			t.Errorf("Parse(%q, %q) = %v, %v", name, value, got, err)
		}
		for i := range kinds { // a random name is hardly ever a known one
			known := kinds[i].info.Name
			got, err := Parse(known, value)
			if (got == nil) == (err == nil) {
				t.Errorf("Parse(%q, %q) = %v, %v", known, value, got, err)
			}
			if delay, ok := got.(CrawlDelay); ok && (delay.Delay < 0 || delay.Delay > maxSeconds*time.Second) {
				t.Errorf("Crawl-delay %q gives %v", value, delay.Delay)
			}
		}
	})
}

// AI-7: the dictionary cases of the public test suite for structured fields (RFC 9651).
func TestStructuredFieldSuite(t *testing.T) {
	for i, line := range cases(t, "rfc9651-dictionary.jsonl") {
		var c struct {
			ID       string   `json:"id"`
			Raw      []string `json:"raw"`
			MustFail bool     `json:"must_fail"`
			Expected [][]any  `json:"expected"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		got, err := parseDictionary(strings.Join(c.Raw, ", "))
		if (err != nil) != c.MustFail || err != nil && got != nil {
			t.Errorf("%s: %q gives %q, %v", c.ID, c.Raw, got, err)
			continue
		}
		if len(got) != len(c.Expected) {
			t.Errorf("%s: %q gives %q, want %v", c.ID, c.Raw, got, c.Expected)
			continue
		}
		for i, want := range c.Expected {
			if value := want[1].([]any)[0]; want[0] != got[i].Name || !says(got[i].Value, value) {
				t.Errorf("%s: %q gives %q for %v", c.ID, c.Raw, got[i], want)
			}
		}
	}
}

// says reports whether a written value is the one of a case, as far as a preference needs: tokens and what is none.
func says(written string, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		isToken := value["__type"] == "token"
		return isToken && written == value["value"] || !isToken && strings.IndexByte(":@%", written[0]) >= 0
	case bool:
		return written == map[bool]string{true: "?1", false: "?0"}[value]
	case string:
		return written[0] == '"'
	case float64:
		n, err := strconv.ParseFloat(written, 64)
		return err == nil && n == value
	default: // an inner list
		return written[0] == '('
	}
}

// cases returns the lines of a file of cases.
func cases(t *testing.T, name string) []string {
	folder := os.Getenv("HEED_CONFORMANCE")
	if folder == "" {
		t.Skip("the cases are not here: HEED_CONFORMANCE is not set")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}
