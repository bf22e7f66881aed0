package polite

import (
	"net/http"
	"testing"

	"github.com/heed-robots/heed/usage"
)

// AI-4, AI-9, AI-16: what a response may be used for is beside it, from robots.txt and headers, and with no request more.
func TestUsageOf(t *testing.T) {
	s := serve(t, "User-agent: ExampleBot\nContent-Usage: train-ai=y\nContent-Usage: /a search=y\n", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusFound)
		}
		w.Header()["content-usage"] = []string{"train-ai=n"}
		w.Header().Set("X-Robots-Tag", "otherbot: noindex")
	})
	response, err := (&http.Client{Transport: local()}).Get(s.URL + "/a")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	u, ok := UsageOf(response)
	if got := u.Answer(nil).String(); !ok || got != "train-ai=n" {
		t.Errorf("a response behind a redirect: %q, %v; want train-ai=n, of /b", got, ok)
	}
	if got := u.Answer([]byte("<meta name=examplebot content=noindex>")).String(); got != "train-ai=n, search=n" {
		t.Errorf("with its page: %q", got)
	}
	v := u.Explain(nil, usage.TrainAI)[0]
	if len(v.By) != 1 || v.By[0].Header != "content-usage" || len(v.Ignored) == 0 || v.Ignored[0].Line != 2 {
		t.Errorf("the evidence is %+v", v)
	}
	if got := s.saw(); got != "GET /a, GET /b" || s.robots.Load() != 1 {
		t.Errorf("the site saw %s, and %d requests for robots.txt", got, s.robots.Load())
	}
	chain := local()
	chain.Agents = []string{"ExampleBot-News", "ExampleBot"}
	if response, err = (&http.Client{Transport: chain}).Get(s.URL + "/b"); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if u, _ := UsageOf(response); len(u.Explain(nil, usage.TrainAI)[0].Ignored) == 0 {
		t.Error("a crawler with two names knows nothing of the robots.txt")
	}
	header := http.Header{"Content-Usage": {"search=y"}, "X-Robots-Tag": {"examplebot: noindex"}}
	for i, other := range []*http.Response{nil, {}, {Header: header}, {Header: header, Request: &http.Request{}}} {
		u, ok := UsageOf(other)
		if got, want := u.Answer(nil).String(), []string{"", "", "search=y", "search=y"}[i]; ok || got != want {
			t.Errorf("a response of somebody else: %q, %v; want %q", got, ok, want)
		}
	}
}
