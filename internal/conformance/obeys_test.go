package conformance

import (
	"strings"
	"testing"
)

// No robots.txt disallows anything to a crawler that does not follow robots.txt, so such a case
// fails. The JSON form tests a parser.
func TestR23CrawlersThatDoNotObey(t *testing.T) {
	o := Options{Obeys: func(agents []string) bool { return agents[0] != "b" }}
	for text, want := range map[string]bool{
		"robots:\n  User-agent: *\n  Disallow: /\ndisallow a /x":                               true,
		"robots:\n  User-agent: *\n  Disallow: /\ndisallow b:a /x":                             false,
		"robots:\n  User-agent: *\n  Disallow:\nallow b /x":                                    true,
		`{"robots":"User-agent: *\nDisallow: /","agent":"b","url":"/x","allow":false}`:         true,
		`{"robots":"","agent":"` + strings.Repeat("b", 513) + `","url":"/x","allow":true}`:     false,
		"robots:\n  User-agent: *\n  Disallow:\nallow " + strings.Repeat("b", 513) + " /x":     false,
		"robots:\n  User-agent: *\n  Disallow:\nallow " + strings.Repeat("b:", 16) + "b /x":    false,
		`{"robots":"","agent":["a"` + strings.Repeat(`,"a"`, 16) + `],"url":"/","allow":true}`: false,
	} {
		results := 0
		err := RunReader(strings.NewReader(text), "cases", o, func(r Result) {
			if results++; r.Passed() != want || r.Ignored != strings.Contains(text, "disallow b:a") {
				t.Errorf("%.60s: passed %v, ignored %v; %v", text, r.Passed(), r.Ignored, r.Err)
			}
		})
		if err != nil || results != 1 {
			t.Errorf("%.60s: %d results, %v", text, results, err)
		}
	}
}
