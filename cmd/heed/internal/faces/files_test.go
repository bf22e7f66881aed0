package faces

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// The commands about one robots.txt, and everything that compares two.
var fileFaces = []face{
	{name: "explain", sources: "file import store live", carries: inArguments, ask: askExplain, most: 20},
	{name: "show", sources: "file import store live", single: true, ask: askShow, most: 60},
	{name: "diff", sources: "file import store live", single: true, ask: askDiff, most: 40},
}

func askExplain(r *run, all []*question) (answers []answer) {
	for _, q := range all {
		got := heed("", r.args("explain", "--format", "json", "--", q.url)...)
		if got.stdout == "" {
			answers = append(answers, answer{verdict: refused})
			continue
		}
		answers = append(answers, r.explanationOf(got.stdout))
	}
	return answers
}

// siteArgs returns the file or the site that a command is about, with the flags for it.
func (r *run) siteArgs() []string {
	if r.source.kind == oneFile {
		return []string{r.written()}
	}
	return append(r.sourceArgs(), r.origin+"/")
}

// askShow decides about the questions with the rules that "heed show" lists: the first that matches.
func askShow(r *run, all []*question) []answer {
	args := append([]string{"show", "-a", strings.Join(r.world.agents, ":"), "--dialect", r.world.dialect.String(), "--format", "json"}, r.siteArgs()...)
	got := heed("", args...)
	var sheet struct {
		Crawlers []struct {
			Rules     []rule
			Useless   []rule `json:"rules_without_effect"`
			Otherwise string
		}
		Site struct{ Outcome string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &sheet); err != nil || len(sheet.Crawlers) != 1 {
		return pickRows(0, numbersTo(len(all)), got.stderr, nil)
	}
	var answers []answer
	for _, q := range all {
		a := answer{verdict: sheet.Crawlers[0].Otherwise}
		if unknownReasons[sheet.Site.Outcome] {
			a.verdict = unknown
		}
		rules := slices.Concat(sheet.Crawlers[0].Rules, sheet.Crawlers[0].Useless) // to Google's parser, an empty pattern decides
		for i := range rules {
			if decided, ok := rules[i].decide(r.world.dialect, q.url); ok {
				a = decided
				break
			}
		}
		if r.want(q).verdict == refused {
			a = answer{verdict: refused} // it is not asked about URLs
		}
		if d := robotstxt.ParseString("", r.world.dialect).Agent("a").Check(q.url); d.Reason == robotstxt.RobotsTxtItself && a.verdict != unknown {
			a = answer{verdict: allowed}
		}
		answers = append(answers, a)
	}
	return answers
}

// decide decides by one rule; ok is false if it does not match.
func (r *rule) decide(d *robotstxt.Dialect, url string) (a answer, ok bool) {
	key := "Disallow"
	if r.Allow {
		key = "Allow"
	}
	by := robotstxt.ParseString("User-agent: *\n"+key+": "+r.bytes()+"\n", d).Agent("a").Check(url)
	a = answer{verdict: disallowed, line: r.Line, pattern: r.bytes()}
	if by.Allowed {
		a.verdict = allowed
	}
	return a, by.Reason == robotstxt.ByRule
}

// A comparison is the JSON of a comparison.
type comparison struct {
	Result   string
	Crawlers []struct {
		Changes []struct {
			Witness    string
			WitnessB64 *[]byte `json:"witness_b64"`
			Old, New   struct {
				Allowed bool
				Rule    rule
			}
		}
	}
}

// other returns another robots.txt, with which that of the source is compared.
func (w *world) other() string { return w.files[0].body }

// compared returns as answers to questions what a comparison proves about them: that of package
// robotstxt, unless the comparison contradicts it.
func (r *run) compared(text string, all []*question) []answer {
	answers := make([]answer, len(all))
	for i, q := range all {
		answers[i] = r.want(q)
	}
	var c comparison
	if err := json.Unmarshal([]byte(text), &c); err != nil || c.Result == "" {
		for i, a := range answers {
			if a.verdict != refused && a.verdict != unknown {
				answers[i] = answer{verdict: fmt.Sprintf("no comparison: %.200s", text)}
			}
		}
		return answers
	}
	if all[0].status == 404 || all[0].status == 403 {
		return answers
	}
	if all[0].file == nil {
		answers[0].verdict = "a comparison with an unreachable site"
		return answers
	}
	body := all[0].file.body
	for i, q := range all {
		a, b := decide(body, r.world, q.url), decide(r.world.other(), r.world, q.url)
		if c.Result == "equal" && a.verdict != b.verdict {
			answers[i].verdict = "equal, but it is " + a.verdict + " and " + b.verdict
		}
	}
	for _, crawler := range c.Crawlers {
		for _, change := range crawler.Changes {
			if change.WitnessB64 != nil {
				change.Witness = string(*change.WitnessB64)
			}
			a, b := decide(body, r.world, change.Witness), decide(r.world.other(), r.world, change.Witness)
			if a.verdict == b.verdict || (a.verdict == allowed) != change.Old.Allowed || (b.verdict == allowed) != change.New.Allowed || a.line != change.Old.Rule.Line || b.line != change.New.Rule.Line {
				answers[0].verdict = fmt.Sprintf("%+v, but it is %s and %s", change, a, b)
			}
		}
	}
	return answers
}

func askDiff(r *run, all []*question) []answer {
	args := append([]string{"diff", "-a", strings.Join(r.world.agents, ":"), "--dialect", r.world.dialect.String(), "--format", "json"}, r.siteArgs()...)
	got := heed("", append(args, writeFile(r, "other.txt", r.world.other()))...)
	return r.compared(got.stdout, all)
}

// comparing returns the question of /v1/compare.
func (r *run) comparing() map[string]any {
	return map[string]any{
		"old": r.given(map[string]any{}), "new": map[string]any{"robots_b64": base64Of(r.world.other())}, "agent": r.world.agents, "dialect": r.world.dialect.String(),
	}
}

func askCompare(r *run, all []*question) []answer {
	status, body := r.send("POST", "/v1/compare", string(jsonOf(r.comparing())))
	if status != http.StatusOK {
		body = fmt.Sprint("status ", status, ": ", body)
	}
	return r.compared(body, all)
}

func askToolCompare(r *run, all []*question) []answer {
	object := r.comparing()
	if isText(r.world.other()) {
		object["new"] = map[string]any{"robots": r.world.other()}
	}
	object["agent"] = r.world.agents[0]
	text, _ := r.tool("compare", object)
	return r.compared(text, all)
}
