package address

import "testing"

// An unknown scheme with a dot is no host: check and filter refuse it alike.
func TestSchemeIsNoHost(t *testing.T) {
	for _, text := range []string{"h.example://x", "localhost://x", "[::1]://x", "192.0.2.7://x"} {
		if WithScheme(text) != text {
			t.Errorf("%s is read as %s", text, WithScheme(text))
		}
	}
	if got := WithScheme("h.example:/x"); got != "https://h.example:/x" {
		t.Error(got)
	}
}

// The name of a file is no host.
func TestFileIsNoHost(t *testing.T) {
	for _, text := range []string{"about.html", "robots.txt", "a/b.php", "INDEX.HTM", "report.pdf?x"} {
		if got := WithScheme(text); got != text {
			t.Errorf("%s is read as %s", text, got)
		}
	}
	for _, text := range []string{"html.example", "example.md", "example.com/about.html"} {
		if got := WithScheme(text); got != "https://"+text {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}
