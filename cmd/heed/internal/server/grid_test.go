package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

func TestGrid(t *testing.T) {
	daemon := start(t, &Server{Version: "v9"})
	const robots = "User-agent: a\nDisallow: /x\nAllow: /x/y\nUser-agent: *\nDisallow: /\n"
	question := map[string]any{
		"robots": robots, "agents": []any{"a", []string{"b", "a"}, "9"}, "urls": []string{"/x/y", "https://any.example/x", "x"},
	}
	status, answer := ask(t, "POST", daemon+"/v1/grid", body(t, question))
	if status != 200 || len(answer["rows"].([]any)) != 3 || len(at(answer, "rows.0.cells").([]any)) != 3 {
		t.Fatalf("%d %v", status, answer)
	}
	expect(t, answer, map[string]any{
		"dialect": "rfc9309", "crawlers.0": "a", "crawlers.1": "[b a]", "size": len(robots), "site": nil,
		"rows.0.url": "/x/y", "rows.0.cells.0.allowed": true, "rows.0.cells.0.rule.line": 3, "rows.0.cells.1.rule.pattern": "/x/y",
		"rows.0.cells.2.allowed": false, "rows.0.cells.2.error": `the crawler has no product token in it (letters, "_" and "-")`,
		"rows.1.cells.0.allowed": false, "rows.1.cells.0.rule.line": 2, "rows.1.cells.0.error": nil,
		"rows.2.cells.0.allowed": false, "rows.2.cells.0.error": `heed cannot compare this URL with rules; expected a path, such as "/cart", or an absolute URL, such as "https://www.example.com/cart"`, "rows.2.cells.0.rule": nil,
		"rules.0.line": 2, "rules.0.decides": 2, "rules.1.decides": 2, "rules.2.line": 5, "rules.2.decides": 0, "rules.3": nil,
		"provenance.heed": "v9", "provenance.dialect": "rfc9309", "provenance.origin": nil,
	})
	if answer["decision"] == nil || at(answer, "provenance.sha256") == nil {
		t.Errorf("%v", answer)
	}
	question["urls"], question["list"] = []string{"/first"}, "# none\n  /x \nwww.example.com/x/y # another\n\nno url"
	_, answer = ask(t, "POST", daemon+"/v1/grid", body(t, question))
	expect(t, answer, map[string]any{
		"rows.0.url": "/first", "rows.1.url": "/x", "rows.2.url": "https://www.example.com/x/y", "rows.2.cells.0.rule.line": 3,
		"rows.3.url": "no url", "rows.3.cells.0.reason": "invalid-target", "rows.4": nil,
	})
	question["urls"] = []string{"/x/y", "https://any.example/x", "x"}
	delete(question, "list")
	question["brief"] = true
	_, answer = ask(t, "POST", daemon+"/v1/grid", body(t, question))
	expect(t, answer, map[string]any{"rules": "[]", "rows.1.cells.0.rule.line": 2, "size": len(robots)})
	if answer["records"] != nil {
		t.Errorf("records that nobody asked for: %v", answer["records"])
	}
	question["records"], question["robots"] = true, robots+"Crawl-delay: 5\nSitemap: https://a.example/s\n"
	_, answer = ask(t, "POST", daemon+"/v1/grid", body(t, question))
	expect(t, answer, map[string]any{
		"records.crawlers.0.records": "[]", "records.crawlers.0.crawl_delay": nil, "records.crawlers.2.crawl_delay": nil,
		"records.sitemaps.0.value": "https://a.example/s", "records.records": "[]",
	})
	delete(question, "records")
	delete(question, "robots")
	question["robots_b64"], question["dialect"] = base64.StdEncoding.EncodeToString([]byte(robots)), "standard1994"
	_, answer = ask(t, "POST", daemon+"/v1/grid", body(t, question))
	expect(t, answer, map[string]any{"dialect": "standard1994", "rows.0.cells.0.allowed": false, "rows.0.cells.0.rule.line": 2, "size": len(robots)})
}

// A grid says which crawlers the names probably mean, and why a name after "@" is refused.
func TestGridOfMisspelt(t *testing.T) {
	daemon := start(t, &Server{})
	for _, dialect := range []string{"rfc9309", "google"} {
		_, answer := ask(t, "POST", daemon+"/v1/grid", body(t, map[string]any{
			"robots": "User-agent: *\nDisallow: /\n", "agents": []any{"Gogglebot", "@serach", "Googlebot", []string{"Gogglebot", "x"}}, "urls": []string{"/"}, "dialect": dialect,
		}))
		expect(t, answer, map[string]any{
			"meant.0": "Googlebot", "meant.1": "@search", "meant.2": "", "meant.3": "", "meant.4": nil,
			"rows.0.cells.0.error": nil, "rows.0.cells.1.allowed": false, "rows.0.cells.1.rule": nil, "rows.0.cells.1.reason": "invalid-agent",
			"rows.0.cells.1.error": `agent "@serach": no known crawler has this name; did you mean @search?`,
		})
	}
	_, answer := ask(t, "GET", daemon+"/v1/check?agent=GPTBott&url="+site(t, ""), "")
	expect(t, answer, map[string]any{"agent": "GPTBott", "meant": "GPTBot"})
	_, answer = ask(t, "POST", daemon+"/v1/explain", `{"agent":"Gogglebot","url":"/","robots":""}`)
	expect(t, answer, map[string]any{"meant": "Googlebot"})
	_, answer = ask(t, "POST", daemon+"/v1/grid", body(t, map[string]any{"robots": "", "agents": []any{"Googlebot", "Unknown"}, "urls": []string{"/"}}))
	if answer["meant"] != nil {
		t.Errorf("%v", answer)
	}
}

// "@NAME" is all crawlers of an operator, or with a purpose, as for "heed check".
func TestGridOfOperator(t *testing.T) {
	daemon := start(t, &Server{})
	_, answer := ask(t, "POST", daemon+"/v1/grid", body(t, map[string]any{
		"robots": "User-agent: GPTBot\nDisallow: /\n", "agents": []any{"Gogglebot", "@OpenAI", "@academic", "Foo"}, "urls": []string{"/"},
	}))
	names := fmt.Sprint(at(answer, "crawlers"))
	if !strings.HasPrefix(names, "[Gogglebot OpenAI ") || !strings.HasSuffix(names, " Foo]") || strings.Count(names, " ") != len(at(answer, "rows.0.cells").([]any))-1 {
		t.Errorf("crawlers: %s", names)
	}
	gpt := slices.Index(at(answer, "crawlers").([]any), any("GPTBot"))
	expect(t, answer, map[string]any{
		"meant.0": "Googlebot", "rows.0.cells.1.allowed": true, fmt.Sprintf("rows.0.cells.%d.allowed", gpt): false, fmt.Sprintf("meant.%d", gpt): "",
	})
}

// A grid decides as the site does: as with GET /v1/check, whatever the outcome of its retrieval is.
func TestGridOfSite(t *testing.T) {
	daemon := start(t, &Server{})
	answering := func(status int, text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	const robots = "User-agent: *\nDisallow: /a\n"
	for _, c := range []struct {
		status   int
		dialect  string
		outcome  string
		reasons  []string // of /a, of /, of /robots.txt
		allowed  []bool
		size     int
		ruleLine any
	}{
		{200, "rfc9309", "rules", []string{"rule", "no-rule-matched", "robots-txt-itself"}, []bool{false, true, true}, len(robots), 2},
		{404, "rfc9309", "unavailable", []string{"unavailable", "unavailable", "unavailable"}, []bool{true, true, true}, 0, nil},
		{503, "rfc9309", "unreachable", []string{"unreachable", "unreachable", "robots-txt-itself"}, []bool{false, false, true}, 0, nil},
		{403, "standard1994", "restricted", []string{"restricted", "restricted", "restricted"}, []bool{false, false, false}, 0, nil},
	} {
		shop := answering(c.status, robots)
		status, answer := ask(t, "POST", daemon+"/v1/grid", body(t, map[string]any{
			"url": shop, "agents": []string{"a"}, "dialect": c.dialect,
			"urls": []string{"/a", shop, shop + "/robots.txt", "https://other.example/", "mailto:x"},
		}))
		want := map[string]any{
			"site.outcome": c.outcome, "site.origin": shop, "provenance.origin": shop, "size": c.size,
			"rows.0.cells.0.rule.line": c.ruleLine, "rules.0.line": c.ruleLine,
			"rows.3.cells.0.reason": "other-origin", "rows.3.cells.0.allowed": false, "rows.3.cells.0.error": nil,
			"rows.4.cells.0.reason": "invalid-target", "rows.4.cells.0.allowed": false,
		}
		for i, reason := range c.reasons {
			want[fmt.Sprintf("rows.%d.cells.0.reason", i)], want[fmt.Sprintf("rows.%d.cells.0.allowed", i)] = reason, c.allowed[i]
			url := []string{shop + "/a", shop, shop + "/robots.txt"}[i]
			if _, one := ask(t, "GET", daemon+"/v1/check?agent=a&dialect="+c.dialect+"&url="+url, ""); one["reason"] != reason || one["allowed"] != c.allowed[i] {
				t.Errorf("%d %s: check says %v", c.status, url, one)
			}
		}
		expect(t, answer, want)
		if why := at(answer, "rows.4.cells.0.error"); status != 200 || why == nil {
			t.Errorf("%d: %d, error %v", c.status, status, why)
		}
	}
}

func TestGridErrors(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "")
	for question, want := range map[string]string{
		`{}`:                            `400 expected one of "robots", "robots_b64" and "url"`,
		`{"robots":"","url":"SITE"}`:    `400 expected one of "robots", "robots_b64" and "url"`,
		`{"robots":"","agent":"a"}`:     `400 the body: the member "agent" is unknown; expected one of robots, robots_b64, url, agents, urls, list, dialect, brief, records`,
		`{"robots":"","urls":"/"}`:      `400 the body: "urls" is a JSON string; expected a list`,
		`{"robots":"","dialect":"x"}`:   ``,
		`{"url":"shop"}`:                ``,
		`{"robots":"","agents":[[]]}`:   `400 the body: "agents/0": expected a product token, such as "Googlebot", or a list of product tokens`,
		`{"robots_b64":"JVBERi0xLjcK"}`: `400 the robots.txt cannot be used: the body is a PDF`,
		`{"robots":"","agents":["a","b"],"urls":[""` + strings.Repeat(`,""`, 500) + `]}`:                                                            `400 501 URLs for 2 crawlers are too many; expected at most 1000 in all`,
		`{"url":"SITE","urls":[""` + strings.Repeat(`,""`, 1000) + `]}`:                                                                             `400 1001 URLs for 0 crawlers are too many; expected at most 1000 in all`,
		`{"robots":"","agents":["a"` + strings.Repeat(`,"a"`, 100) + `]}`:                                                                           `400 "agents" has 101 crawlers; expected at most 100`,
		`{"robots":"","agents":["@known"]}`:                                                                                                         ``,
		`{"robots":"","agents":[[` + strings.Repeat(`"a",`, 16) + `"a"]]}`:                                                                          `400 "agent": the crawler has 17 product tokens; expected at most 16`,
		`{"robots":"User-agent: *\nDisallow: /` + strings.Repeat("*", 400<<10) + `","agents":["a"],"urls":["/"` + strings.Repeat(`,"/"`, 50) + `]}`: `400 the answer would be too large, because the rules in it are very long; ask about fewer URLs or crawlers`,
		`{"robots":"` + strings.Repeat("a", 1<<20) + `a"}`:                                                                                          `413 the robots.txt is larger than 1048576 bytes; expected a smaller file`,
	} {
		status, answer := ask(t, "POST", daemon+"/v1/grid", strings.ReplaceAll(question, "SITE", shop))
		if got := fmt.Sprint(status, " ", answer["error"]); got != want && want != "" || status < 400 || status >= 500 {
			t.Errorf("%.60s: %s, want %s", question, got, want)
		}
	}
}

// A grid at its limits is answered; without crawlers or URLs it has the rules.
func TestGridSizes(t *testing.T) {
	daemon := start(t, &Server{})
	for _, c := range []struct{ crawlers, urls int }{{100, 10}, {1, 1000}, {0, 1000}, {100, 0}, {0, 0}} {
		question := map[string]any{"robots": "User-agent: *\nDisallow: /", "agents": []string{}, "urls": []string{}}
		for range c.crawlers {
			question["agents"] = append(question["agents"].([]string), "a")
		}
		for range c.urls {
			question["urls"] = append(question["urls"].([]string), "/")
		}
		status, answer := ask(t, "POST", daemon+"/v1/grid", body(t, question))
		rows, _ := answer["rows"].([]any)
		if status != 200 || len(rows) != c.urls || len(answer["crawlers"].([]any)) != c.crawlers {
			t.Errorf("%+v: %d, %d rows", c, status, len(rows))
			continue
		}
		expect(t, answer, map[string]any{"rules.0.decides": c.crawlers * c.urls})
	}
}

// The JSON of a grid is that of encoding/json.
func TestGridJSON(t *testing.T) {
	grid, err := report.GridOf(t.Context(), robotstxt.ParseString("User-agent: *\nDisallow: /", nil), [][]string{{"a"}}, []string{"/", "x"}, false)
	if err != nil {
		t.Fatal(err)
	}
	provenance := live.ProvenanceOfFile(nil, robotstxt.RFC9309, "v9")
	for value, same := range map[any]any{
		&gridAnswer{grid, &live.Site{}}: struct {
			gridAnswer
			stamp[live.Provenance]
		}{gridAnswer{grid, &live.Site{}}, stamp[live.Provenance]{provenance, "x.1"}},
		&grid: struct {
			report.Grid
			stamp[live.Provenance]
		}{grid, stamp[live.Provenance]{provenance, "x.1"}},
	} {
		var got, want any
		text, err := json.Marshal(same)
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		if err == nil {
			err = json.Unmarshal(report.AppendJSON(nil, &answerWithID{value, &provenance, "x.1"}), &got)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n got %v\nwant %v", err, got, want)
		}
	}
}

func TestCrawlers(t *testing.T) {
	daemon := start(t, &Server{})
	for range 2 { // the second answer is the same text
		status, answer := ask(t, "GET", daemon+"/v1/crawlers", "")
		list, _ := answer["crawlers"].([]any)
		found := false
		for i := range list {
			if at(list[i], "token") == "Googlebot-Image" {
				found = true
				expect(t, list[i].(map[string]any), map[string]any{"operator": "Google", "agent": "[Googlebot-Image Googlebot]", "purposes.0": "search"})
			}
		}
		if status != 200 || !found || at(answer, "purposes.0") != "search" {
			t.Errorf("%d, %d crawlers", status, len(list))
		}
	}
	if status, answer := ask(t, "GET", daemon+"/v1/crawlers?for=search", ""); status != 400 || answer["error"] != `the URL has the parameter "for"; expected no parameters in the URL` {
		t.Errorf("%d %v", status, answer)
	}
}
