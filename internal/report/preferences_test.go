package report

import (
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// AI-16: the JSON and the words of an answer, without anything of a stranger that a terminal would obey (AI-17).
func TestPreferences(t *testing.T) {
	policy := usage.New(robotstxt.ParseString("User-agent: *\nContent-Signal: /a ai-train=no, \x1b[31m=\xff\nContent-Usage: Search=y\n", nil), usage.Options{})
	response := usage.ReadResponse(map[string][]string{"X-Robots-Tag": {"noai"}}, []byte("<meta name=robots content=noindex>"))
	verdicts := policy.Explain("/a", true, response, usage.TrainAI, usage.Search)
	got := string(AppendJSON(nil, Preferences(verdicts)))
	want := `{"train-ai":{"preference":"disallowed","by":[{"carrier":"content-signal","line":2,"text":"Content-Signal: /a ai-train=no, \u001b[31m=` + "\ufffd" + `","text_b64":"Q29udGVudC1TaWduYWw6IC9hIGFpLXRyYWluPW5vLCAbWzMxbT3/","note":"Cloudflare's document has no paths, so its readers may not read this line"},{"carrier":"x-robots-tag","header":"x-robots-tag","text":"noai"}],"ignored":[{"carrier":"content-usage","line":3,"text":"Content-Usage: Search=y","why":"it cannot be read, so all of it is unknown: expected a key that begins with a lower-case letter or * at offset 0"},{"carrier":"meta-robots","meta":"robots","text":"noindex","why":"it says nothing about train-ai"}]},"search":{"preference":"disallowed","by":[{"carrier":"meta-robots","meta":"robots","text":"noindex"}],"ignored":[{"carrier":"content-signal","line":2,"text":"Content-Signal: /a ai-train=no, \u001b[31m=` + "\ufffd" + `","text_b64":"Q29udGVudC1TaWduYWw6IC9hIGFpLXRyYWluPW5vLCAbWzMxbT3/","note":"Cloudflare's document has no paths, so its readers may not read this line","why":"it says nothing about search: the purpose or the value is unknown in \\x1b[31m=\\xff"},{"carrier":"content-usage","line":3,"text":"Content-Usage: Search=y","why":"it cannot be read, so all of it is unknown: expected a key that begins with a lower-case letter or * at offset 0"},{"carrier":"x-robots-tag","header":"x-robots-tag","text":"noai","why":"it says nothing about search"}]}}`
	if got != want {
		t.Errorf("the JSON is\n%s\nwant\n%s", got, want)
	}
	for i, want := range []string{
		`line 2: Content-Signal: /a ai-train=no, \x1b[31m=\xff, and 1 more`,
		`<meta name="robots">: noindex`,
	} {
		if got := Because(verdicts[i]); got != want {
			t.Errorf("in words %q, want %q", got, want)
		}
	}
	for header, want := range map[string]string{
		"":           "nothing says it",
		"train-ai=n": "nothing says it",
		"Search=n":   "header content-usage: Search=n (does not count: it cannot be read, so all of it is unknown: expected a key that begins with a lower-case letter or * at offset 0)",
	} {
		v := usage.New(nil, usage.Options{}).Explain("/", true, usage.ReadResponse(map[string][]string{"Content-Usage": {header}}, nil), usage.Search)
		if got := Because(v[0]); got != want {
			t.Errorf("unknown: %q, want %q", got, want)
		}
	}
	v := policy.Explain("/a", false, nil, usage.Search)
	if got := Because(v[0]); got != "the page may not be crawled, so it has no preference" {
		t.Errorf("not crawlable: %q", got)
	}
}
