package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
)

// The page asks the daemon, or asks without a server: both answer alike, right and wrong questions.
func TestAnswersWithoutServer(t *testing.T) {
	daemon := start(t, &Server{})
	const file = "User-agent: *\nDisallow: /cart\nDisalow: /x\n\nUser-agent: GPTBot\nDisallow: /\n"
	for _, c := range []struct{ path, question string }{
		{"grid", `{"robots": FILE, "agents": ["GPTBot", ["A", "B"]], "urls": ["/cart", "https://example.com/"]}`},
		{"grid", `{"robots": FILE, "agents": ["1"], "urls": ["cart"], "dialect": "google"}`},
		{"grid", `{"robots": FILE, "agents": [], "urls": []}`},
		{"grid", `{"robots": FILE, "agents": [` + strings.Repeat(`"a",`, 100) + `"b"], "urls": []}`},
		{"grid", `{"robots": FILE, "agents": ["a", "b"], "urls": [` + strings.Repeat(`"/",`, 500) + `"/"]}`},
		{"explain", `{"robots": FILE, "agent": "GPTBot", "url": "/cart"}`},
		{"explain", `{"robots": FILE, "agent": ["A", "B"], "url": "https://example.com/cart", "dialect": "google"}`},
		{"explain", `{"robots": FILE, "agent": "GPTBot"}`},
		{"explain", `{"robots": FILE, "url": "/cart"}`},
		{"explain", `{"robots": FILE, "agent": "1", "url": "/cart"}`},
		{"explain", `{"robots": FILE, "agent": "GPTBot", "url": "cart"}`},
		{"explain", `{"robots": FILE, "agent": "GPTBot", "url": "/", "dialect": "gogle"}`},
		{"lint", `{"robots": FILE}`},
		{"lint", `{"robots": "# heed-lint: ignore\n"}`},
		{"lint", `{"robots": FILE, "robots_b64": ""}`},
		{"lint", `{"robots": ` + `"` + strings.Repeat("a", asked.MaxRobots+1) + `"}`},
		{"lint", `{"robot": FILE}`},
		{"lint", `{"robots": 1}`},
		{"lint", `{"robots": "`},
		{"lint", ``},
		{"lint", `{} {}`},
		{"compare", `{"old": {"robots": FILE}, "new": {"robots": ""}}`},
		{"compare", `{"old": {"robots": FILE}, "new": {"robots": ""}, "agent": "GPTBot"}`},
		{"compare", `{"old": {"robots": FILE}, "new": {"robots": ""}, "agent": "1"}`},
		{"flips", `{"old": {"robots": FILE}, "new": {"robots": ""}, "list": "/cart\n# none\nhttps://a.example/cart\nno url", "examples": 1}`},
		{"flips", `{"old": {"robots": FILE}, "new": {"robots": ""}, "list": "www.example.com/cart\nbücher.example/cart\nabout.html\n1:30", "examples": 9}`},
		{"grid", `{"robots": FILE, "agents": ["GPTBot"], "list": "www.example.com/cart\nlocalhost/cart\n[::1]/cart\nindex.php"}`},
		{"flips", `{"old": {"robots": FILE}, "new": {"robots": ""}, "list": "", "examples": 101}`},
		{"crawlers", `{}`},
	} {
		question, method := strings.ReplaceAll(c.question, "FILE", body(t, file)), http.MethodPost
		if c.path == "crawlers" {
			method = http.MethodGet
		}
		wantStatus, want := ask(t, method, daemon+"/v1/"+c.path, question)
		delete(want, "provenance")
		delete(want, "decision")
		if text, ok := want["error"].(string); ok {
			want["error"] = strings.TrimPrefix(text, "the body: ") // only the server has the question in a body
		}
		questions := map[string]*asked.Question{"in the body": {Decode: decoderOf(question)}}
		if rest, ok := strings.CutPrefix(c.question, `{"robots": FILE`); ok {
			text, rest := file, "{"+strings.TrimPrefix(rest, ", ")
			questions["apart"] = &asked.Question{Decode: decoderOf(rest), Robots: &text}
		}
		for where, q := range questions {
			status, text := asked.Answer(t.Context(), "/v1/"+c.path, q)
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if status != wantStatus || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %.200s, the file %s:\n%d %v, want\n%d %v", c.path, question, where, status, got, wantStatus, want)
			}
		}
	}
}

// decoderOf reads a question as the daemon does.
func decoderOf(question string) func(any) error {
	return func(into any) error {
		return message.ReadBody(httptest.NewRequest("POST", "/", strings.NewReader(question)), into)
	}
}
