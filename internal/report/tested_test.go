package report

import (
	"encoding/json"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// The JSON form of the results of cases. If a field is changed or removed, Schema must change.
func TestTestedJSON(t *testing.T) {
	f := robotstxt.ParseString("User-agent: a\nUser-agent: b\nDisallow: /\xff", nil)
	line, yes := 0, true
	tested := Tested{CaseFile: "x.cases", Line: 3, ID: "sales", From: "R-5", URLFrom: "important.txt:2", Expected: &Expected{Allowed: &yes, Line: &line},
		Answer: AnswerOf("/\xff", f.Agent("a").Check("/\xff"))}
	tested.Agent, tested.Dialect, tested.Source = AgentOf([]string{"a-news", "a"}), "rfc9309", "robots.txt"
	missed := []Missed{}
	for g := range f.Groups() {
		missed = append(missed, MissedOf(&g, robotstxt.Rule{}, 1), MissedOf(nil, g.Rules[0], 3))
	}
	for want, v := range map[string]any{
		`{"case_file":"x.cases","line":3,"id":"sales","case_source":"R-5","passed":false,"expected":{"allowed":true,"line":0},"url_from":"important.txt:2",` +
			`"url":"/` + "\ufffd" + `","url_b64":"L/8=","allowed":false,"reason":"rule","rule":{"line":3,"allow":false,"pattern":"/` + "\ufffd" + `","pattern_b64":"L/8="},` +
			`"agent":["a-news","a"],"dialect":"rfc9309","source":"robots.txt"}`: tested,
		`{"case_file":"x.cases","line":0,"passed":false,"url":"","allowed":false,"reason":"undecided","error":"no case in it"}`: Tested{
			CaseFile: "x.cases", Answer: Answer{Error: "no case in it"}},
		`{"robots":"robots.txt","rules":2,"reached":1,"missed":[{"line":1,"agents":["a","b"]},{"line":3,"rule":{"line":3,"allow":false,"pattern":"/` + "\ufffd" +
			`","pattern_b64":"L/8="}}]}`: Coverage{Robots: "robots.txt", Rules: 2, Reached: 1, Missed: missed},
		`{"robots":"","rules":0,"reached":0,"missed":[]}`: Coverage{Missed: []Missed{}},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
}
