package usage_test

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// AI-1, AI-7, AI-17: nothing that cannot be read allows a purpose, and nothing panics. What allows one has the word for it.
func FuzzNothingUnreadAllows(f *testing.F) {
	f.Add("User-agent: *\nContent-Usage: /a train-ai=y\nContent-Signal: search=yes\n\nUser-agent: __usage_ai-training\nAllow: /\n", "ai-use=y, search=n", "noai, a: noindex",
		"<meta name=robots content=noindex><meta name=tdm-reservation content=0>", `[{"location":"/","tdm-reservation":1}]`, "/a")
	f.Fuzz(func(t *testing.T, robots, header, tag, html, tdmrep, url string) {
		file, err := usage.ReadTDMRep([]byte(tdmrep))
		if (file == nil) == (err == nil) {
			t.Fatalf("a tdmrep.json %q: %v, %v", tdmrep, file, err)
		}
		parsed := robotstxt.ParseString(robots, nil)
		policy := usage.New(parsed, usage.Options{TDMRep: file}, "a")
		response := usage.ReadResponse(map[string][]string{"Content-Usage": {header}, "X-Robots-Tag": {tag}}, []byte(html))
		crawlable := parsed.Agent("a").Check(url).Allowed
		answer := policy.Check(url, crawlable, response)
		for _, v := range policy.Explain(url, crawlable, response, usage.Purposes()...) {
			if v.Preference != answer[v.Purpose] || !crawlable && v.Preference != usage.NotCrawlable {
				t.Fatalf("%v is %v, and Check says %v", v.Purpose, v.Preference, answer)
			}
			if decided := v.Preference == usage.Allowed || v.Preference == usage.Disallowed; decided != (len(v.By) > 0) {
				t.Fatalf("%v is %v by %v", v.Purpose, v.Preference, v.By)
			}
			for _, s := range v.By {
				if v.Preference == usage.Allowed && !allows(s) {
					t.Fatalf("%v is allowed by %+v", v.Purpose, s)
				}
			}
		}
	})
}

// allows reports whether a statement has the word of its carrier that allows something.
func allows(s usage.Statement) bool {
	switch s.Carrier {
	case usage.ContentUsage:
		return strings.Contains(s.Text, "=y")
	case usage.ContentSignal:
		return strings.Contains(s.Text, "yes")
	case usage.PurposeToken:
		return strings.Contains(s.Text, "Allow:")
	}
	return false
}
