package asked

import (
	"strings"
	"testing"
)

// The place of a robots.txt is not its text, which would have no rules.
func TestPlaceIsNoText(t *testing.T) {
	for text, wrong := range map[string]bool{
		"https://shop.example/robots.txt":    true,
		" HTTP://shop.example \n":            true,
		"shop.example/robots.txt":            true,
		"/srv/www/robots.txt":                true,
		`www\robots.txt`:                     true,
		"robots.txt":                         true,
		"https://x.example/robots.txt#top":   true,
		`C:\site\robots.txt`:                 true,
		"ftp://x.example/robots.txt":         true,
		"x.example:8080/robots.txt":          true,
		"x.example/robots.txt?v=2":           true,
		"/srv/my site/robots.txt":            true,
		"Noindex: /robots.txt":               false,
		"https://x.example/ is closed":       false,
		"":                                   false,
		"User-agent: *":                      false,
		"Disallow:/robots.txt":               false,
		"#robots.txt":                        false,
		"sitemap:https://shop.example/":      false,
		"https://shop.example/\nDisallow: /": false,
		"see robots.txt":                     false,
	} {
		_, err := (&Text{Robots: &text}).Raw()
		if (err != nil) != wrong || wrong && !strings.Contains(err.Error(), `expected the text of a robots.txt`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
