package faces

import (
	"net/url"
	"os"
	"strings"
	"testing"
)

// operatorFaces ask about all crawlers of an operator that has a crawler with the operator's own name.
var operatorFaces = map[string]func(*run) string{
	"check":               commandOf("", "check", "-a", "@OpenAI", "--format", "jsonl", "--robots", "robots.txt", "/x"),
	"check --input jsonl": commandOf(`{"url":"/x","agent":"@OpenAI"}`, "check", "--robots", "robots.txt", "--input", "jsonl"),
	"explain":             commandOf("", "explain", "-a", "@OpenAI", "--robots", "robots.txt", "/x"),
	"show":                commandOf("", "show", "-a", "@OpenAI", "robots.txt"),
	"prove":               commandOf("", "prove", "blocks-all", "-a", "@OpenAI", "robots.txt"),
	"filter":              commandOf("https://a.example/x", "filter", "-a", "@OpenAI", "--robots", "sites.jsonl"),
	"diff":                commandOf("", "diff", "-a", "@OpenAI", "robots.txt", "empty.txt"),
	"write":               commandOf("@OpenAI: disallow", "write", "-"),
	"test":                commandOf("robots: robots.txt\nallow @OpenAI /x\n", "test", "-"),
	"audit":               commandOf(`1.2.3.4 - - [01/May/2026:10:00:00 +0000] "GET /x HTTP/1.1" 200 1 "-" "GPTBot/1.1"`, "audit", "-", "--robots", "robots.txt", "--evidence", "@OpenAI"),
	"GET /v1/check":       answerOf("GET", "/v1/check?agent=@OpenAI&url="+url.QueryEscape("https://h0.example/x"), ""),
	"GET /v1/robots":      answerOf("GET", "/v1/robots?agent=@OpenAI&url="+url.QueryEscape("https://h0.example/"), ""),
	"stream":              answerOf("POST", "/v1/check", `{"url":"/x","agent":"@OpenAI","robots":`+disallowsAll+`}`),
	"/v1/explain":         answerOf("POST", "/v1/explain", `{"url":"/x","agent":"@OpenAI","robots":`+disallowsAll+`}`),
	"/v1/grid":            answerOf("POST", "/v1/grid", `{"urls":["/x"],"agents":["@OpenAI"],"robots":`+disallowsAll+`}`),
	"/v1/compare":         answerOf("POST", "/v1/compare", operatorFiles+`}`),
	"/v1/flips":           answerOf("POST", "/v1/flips", operatorFiles+`,"list":"/x"}`),
	"/v1/preview":         answerOf("POST", "/v1/preview", `{"url":"https://h0.example/","agent":"@OpenAI","urls":["/x"],"robots":`+disallowsAll+`}`),
	"MCP check":           answerOf("POST", "/mcp", callOf("check", `{"url":"https://h0.example/x","agent":"@OpenAI"}`)),
	"MCP explain":         answerOf("POST", "/mcp", callOf("explain", `{"url":"/x","agent":"@OpenAI","robots":`+disallowsAll+`}`)),
	"MCP compare":         answerOf("POST", "/mcp", callOf("compare", operatorFiles+`}`)),
}

const operatorFiles = `{"agent":"@OpenAI","old":{"robots":""},"new":{"robots":` + disallowsAll + `}`

func commandOf(stdin string, args ...string) func(*run) string {
	return func(r *run) string {
		got := heed(stdin, args...)
		return got.stdout + got.stderr
	}
}

func answerOf(method, path, body string) func(*run) string {
	return func(r *run) string {
		_, answer := r.send(method, path, body)
		return answer
	}
}

// An operator means all its crawlers to every face, or is an error with their number. It never means only the crawler that
// has the name of the operator.
func TestOperators(t *testing.T) {
	defer closeDaemon()
	w := newWorld(1, 1)
	internet.Store(w)
	defer internet.Store(nil)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"robots.txt": "User-agent: *\nDisallow: /\n", "empty.txt": "", "sites.jsonl": keptText + "\n"} {
		must(os.WriteFile(name, []byte(text), 0o600))
	}
	r := &run{T: t, world: w, face: &face{}, source: &source{}, folder: t.TempDir()}
	r.path = r.folder
	for name, ask := range operatorFaces {
		got := ask(r)
		if !strings.Contains(got, "GPTBot") && !strings.Contains(got, "means 7 crawlers") {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}
