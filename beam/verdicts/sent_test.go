package verdicts

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

func TestSentCaptures(t *testing.T) {
	captures := []capture.Capture{
		{},
		{URL: "https://a.example/robots.txt", At: time.Date(2024, 5, 1, 2, 3, 4, 5, time.UTC), Order: 1 << 50, Facts: capture.Facts{Status: 200, Failed: true}, Body: "User-agent: *\x00\xff"},
		{URL: "//a.example/robots.txt", Facts: capture.Facts{Status: 301, Location: "https://b.example/", Page: fetch.HTML}},
		{At: time.Unix(0, 0).UTC(), Order: -1, Facts: capture.Facts{SaysNotFound: true}},
		{At: time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), Facts: capture.Facts{Truncated: true}, Body: strings.Repeat("x", 1<<20)},
	}
	for _, c := range captures {
		encoded := sent(&c)
		got, err := received[capture.Capture](encoded)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v, %v; want %+v", got, err, &c)
		}
		for n := range min(len(encoded)-len(c.Body), 1000) {
			if _, err := received[capture.Capture](encoded[:n]); err == nil {
				t.Errorf("%+v: cut at %d it is read", c, n)
			}
		}
	}
}

func TestSentLines(t *testing.T) {
	want := []stream.Line{
		{Format: stream.Plain, Text: "https://a.example/", URL: "https://a.example/"},
		{Format: stream.JSONLines, Text: `{"url":"https://a.example/\u0000"}`, URL: "https://a.example/\x00\xff"},
		{Format: stream.CDX, Text: "", URL: ""},
	}
	b := &block{}
	for i := range want {
		b.add(&want[i], true)
	}
	lines, err := received[[]sentLine](sent(b.lines))
	if len(lines) != len(want) || err != nil {
		t.Fatal(lines, err)
	}
	for i := range want {
		if got := lines[i].line(); got != want[i] {
			t.Errorf("%+v; want %+v", got, want[i])
		}
	}
	b = &block{}
	b.add(&want[1], false)
	if b.lines[0].Text != "" || b.lines[0].line().Text != want[1].URL {
		t.Error("the text is sent")
	}
}

// TestSentDamage: whatever arrives, nothing panics.
func TestSentDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	encoded := sent(&capture.Capture{URL: "https://a.example/robots.txt", At: time.Now(), Facts: capture.Facts{Location: "https://b.example/"}})
	for range 1000 {
		damaged := append([]byte(nil), encoded...)
		for range 3 {
			damaged[r.IntN(len(damaged))] = byte(r.Uint32())
		}
		received[capture.Capture](damaged)
		received[[]sentLine](damaged)
	}
	if _, err := received[[]sentLine]([]byte{1, 2, 3}); err != errSent {
		t.Error("a block of 3 bytes is read")
	}
}

func TestRobotsHost(t *testing.T) {
	for key, want := range map[string]string{
		"https://a.example/robots.txt":     "a.example",
		"http://a.example:8080/robots.txt": "a.example",
		"ftp://a.example/robots.txt":       "a.example",
		"//a.example/robots.txt":           "a.example",
		"//a.example:8080/robots.txt":      "a.example",
		"//a.example:80/robots.txt":        "a.example",
		"//a.example:443/robots.txt":       "a.example",
		"https://a.example/x/robots.txt":   "",
		"https://a.example/robots.txt?":    "",
		"https://a.example/":               "",
		"https://[2001:db8::1]/robots.txt": "[2001:db8::1]",
		"https://a.example/ROBOTS.TXT":     "",
		"https://a.example/?x=/robots.txt": "",
		"gopher://a.example/robots.txt":    "",
		"https:///robots.txt":              "",
		"":                                 "",
	} {
		if got := robotsHost(key); got != want {
			t.Errorf("%s: %q; want %q", key, got, want)
		}
	}
}
