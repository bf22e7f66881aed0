package redirect

import (
	"strings"
	"testing"
)

// Target follows only what a fetch.Fetcher follows.
func TestTarget(t *testing.T) {
	for location, want := range map[string]string{
		"/y#z": "https://a.example/y", "y?z": "https://a.example/x/y?z", "HTTP://u:p@B.example:80": "http://B.example:80", "//b.example/é": "https://b.example/%C3%A9",
		"ftp://a.example/": "", "": "", "http://": "", "http://[": "", "/" + strings.Repeat("a", MaxURL): "", "/" + strings.Repeat("é", MaxURL/3): "",
	} {
		if got, err := Target("https://a.example/x/robots.txt", location); got != want || (err == nil) != (want != "") {
			t.Errorf("%.50q: %q, %v", location, got, err)
		}
	}
}
