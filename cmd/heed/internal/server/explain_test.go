package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// body returns a value as the body of a request.
func body(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// at returns a value inside of an answer, such as that of "site.outcome"; nil: it is not there. A
// number is an index of a list.
func at(answer any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := answer.(type) {
		case map[string]any:
			answer = v[name]
		case []any:
			var i int
			if fmt.Sscan(name, &i); i >= len(v) {
				return nil
			}
			answer = v[i]
		default:
			return nil
		}
	}
	return answer
}

// expect checks values inside of an answer; nil means that there is none.
func expect(t *testing.T, answer map[string]any, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if got := at(answer, path); fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s: %v, want %v", path, got, value)
		}
	}
}

// A file with one meaning in RFC 9309 and another one in 1994, where the first match decides.
const twoMeanings = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"

func TestExplain(t *testing.T) {
	daemon, shop := start(t, &Server{Version: "v9"}), site(t, twoMeanings)
	status, live := ask(t, "POST", daemon+"/v1/explain", body(t, map[string]any{"url": shop + "/a/b", "agent": "ExampleBot"}))
	if status != 200 {
		t.Fatalf("%d %v", status, live)
	}
	expect(t, live, map[string]any{
		"url": shop + "/a/b", "agents": "[ExampleBot]", "dialect": "rfc9309",
		"dialects.3.allowed": true, "dialects.3.rule.line": 3, "dialects.0.allowed": false, "dialects.0.rule.line": 2,
		"dialects.3.candidates.1.use": "needed", "differences.0.dialect": "standard1994",
		"site.outcome": "rules", "site.origin": shop, "site.status": 200,
		"provenance.origin": shop, "provenance.dialect": "rfc9309", "provenance.heed": "v9",
	})
	if live["decision"] == "" || at(live, "provenance.id") == nil {
		t.Errorf("%v", live)
	}
	text := map[string]any{"url": "/a/b", "agent": "ExampleBot", "robots": twoMeanings, "dialect": "standard1994"}
	status, given := ask(t, "POST", daemon+"/v1/explain", body(t, text))
	expect(t, given, map[string]any{
		"url": "/a/b", "dialect": "standard1994", "dialects.0.allowed": false, "dialects.3.allowed": true, "site": nil,
		"provenance.id": nil, "provenance.sha256": at(live, "provenance.sha256"), "provenance.dialect": "standard1994",
	})
	delete(text, "robots")
	text["robots_b64"] = base64.StdEncoding.EncodeToString([]byte(twoMeanings))
	again, encoded := ask(t, "POST", daemon+"/v1/explain", body(t, text))
	given["decision"] = encoded["decision"]
	text["url_b64"] = base64.StdEncoding.EncodeToString([]byte("/a/b\xff"))
	delete(text, "url")
	if status, odd := ask(t, "POST", daemon+"/v1/explain", body(t, text)); status != 200 || at(odd, "url_b64") != text["url_b64"] || at(odd, "dialects.0.allowed") != false {
		t.Errorf("url_b64: %d %v", status, odd)
	}
	if status != 200 || again != 200 || fmt.Sprint(given) != fmt.Sprint(encoded) {
		t.Errorf("%d %v\n%d %v", status, given, again, encoded)
	}
}

func TestExplainErrors(t *testing.T) {
	daemon := start(t, &Server{})
	for question, want := range map[string]string{
		``:              `400 the body: the text is empty; expected a JSON object`,
		`{"agent":"a"}`: `400 "url" is missing; expected a URL of http, https or ftp`,
		`{"url":"/"}`:   `400 "agent" is missing; expected the product token of a crawler, or "*" for one without a group`,
		`{"url":"http://a.example","agent":"a","x":1}`:                            `400 the body: the member "x" is unknown; expected one of agent, dialect, robots, robots_b64, url, url_b64, for, profile`,
		`{"url":"http://a.example","agent":["!"],"robots":""}`:                    `400 "agent" has no product token in it (letters, "_" and "-")`,
		`{"url":"/","url_b64":"L2E=","agent":"a","robots":""}`:                    `400 "url" and "url_b64" name different URLs: give only one of them`,
		`{"url_b64":"","agent":"a","robots":""}`:                                  `400 "url" is missing; expected a URL of http, https or ftp`,
		`{"url_b64":"=","agent":"a","robots":""}`:                                 `400 the body: "url_b64": expected base64: illegal base64 data at input byte 0`,
		`{"url":"shop","agent":"a","robots":""}`:                                  `400 heed cannot compare this URL with rules; expected a path, such as "/cart", or an absolute URL, such as "https://www.example.com/cart"`,
		`{"url":"/","agent":"a","robots":"","robots_b64":""}`:                     `400 expected one of "robots" and "robots_b64"`,
		`{"url":"/","agent":"a","robots_b64":"iVBORw0KGgoAAAAN"}`:                 `400 the robots.txt cannot be used: the body is binary, without a record`,
		`{"url":"/","agent":"a","robots":"` + strings.Repeat("a", 1<<20) + `a"}`:  `413 the robots.txt is larger than 1048576 bytes; expected a smaller file`,
		`{"url":"/","agent":"` + strings.Repeat("a", 513) + `","robots":""}`:      `400 "agent": a product token has 513 bytes; expected at most 512`,
		`{"url":"/","agent":[` + strings.Repeat(`"a",`, 16) + `"a"],"robots":""}`: `400 "agent": the crawler has 17 product tokens; expected at most 16`,
	} {
		status, answer := ask(t, "POST", daemon+"/v1/explain", question)
		if got := fmt.Sprint(status, " ", answer["error"]); got != want {
			t.Errorf("%.60s: %s, want %s", question, got, want)
		}
	}
}
