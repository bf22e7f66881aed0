package report

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// Remarks are facts about a line in words; a line without effect is "ignored" (R-2, R-4,
// G-10).
func TestRemarks(t *testing.T) {
	const group = "User-agent: *\n"
	for text, want := range map[string]string{
		group + "Disallow: /":         "",
		group + "Disalow: /":          "misspelt key, read as meant",
		group + "Disallow:":           "no value",
		group + "Disallow x":          `missing colon | begins with neither "/" nor "*": matches nothing`,
		"Disallow: /":                 "ignored: outside any group",
		"Disallow:":                   "ignored: outside any group; no value",
		"Disalow: /":                  "ignored: outside any group | misspelt key, read as meant",
		"what is this":                "ignored: no key and value",
		"Nobody-knows: this":          "ignored: not a known record",
		"User-agent: MJ12bot":         `read as "MJ": a name has letters, "_" and "-" only`,
		"User-agent: GPTBot, CCBot":   `read as "GPTBot": one line names one crawler`,
		"User-agent: ExampleBot/1.0 ": `read as "ExampleBot", without the version`,
		"User-agent: 360Spider":       `names nobody: it begins with no letter, "_" or "-"`,
		"User-agent:":                 "no value",
		"Sitemap: https://a.example/": "",
		"Sitemap: x":                  "cannot be read: expected an absolute URL such as https://example.com/x",
		"Sitemap:":                    "ignored: no value",
		group + "Content-Signal: search=yes, use=never": `"use=never" cannot be read`,
		group + "Crawl-delay: 5":                        "",
		"\xef\xbb\xbf#\x00":                             "byte-order mark | control bytes",
		strings.Repeat("#", 512_000) + "\nDisallow: /":  "ignored: beyond the limit of what is read",
	} {
		if got := remarks(text, robotstxt.RFC9309); got != want {
			t.Errorf("%.80q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		group + "Crawl-delay: 5": "ignored: Google does not read such records",
		group + "Disallow:":      "no value",
		group + "Foo: bar":       "ignored: not a known record",
	} {
		if got := remarks(text, robotstxt.Google); got != want {
			t.Errorf("Google, %q: %q, want %q", text, got, want)
		}
	}
	if got := remarks(group+"Allow: /", robotstxt.Standard1994); got != "ignored: the 1994 standard does not know Allow" {
		t.Errorf("1994: %q", got)
	}
}

// remarks returns the remarks on the last line of a file.
func remarks(text string, d *robotstxt.Dialect) string {
	var last robotstxt.Line
	for line := range robotstxt.Parse([]byte(text), d).Lines() {
		last = line
	}
	var texts []string
	for _, r := range Remarks(last, d) {
		texts = append(texts, r.Text)
	}
	return strings.Join(texts, " | ")
}

// A known record has a sentence about it, and the crawlers that are known to use it.
func TestAboutRecord(t *testing.T) {
	for text, want := range map[string]string{
		"crawl-delay: 5": "Crawl-delay",
		"site-map: x":    "Sitemap",
		"Foo: bar":       "",
		"Disallow: /":    "",
	} {
		for line := range robotstxt.Parse([]byte(text), nil).Lines() {
			name, about := AboutRecord(line)
			if name != want || (about == "") != (want == "") {
				t.Errorf("%q: %q, %q", text, name, about)
			}
			if want == "Crawl-delay" && !strings.HasSuffix(about, " Used by Bing.") {
				t.Errorf("%q", about)
			}
		}
	}
}
