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

// A text that cannot be the authority of a URL is no host.
func TestWrongAuthorityIsNoHost(t *testing.T) {
	for _, text := range []string{"12:30", "1.2.3", "0x7f.1:80", "a..example", ".example", "-a.example", "a b.example", "a.example:0", "[::g]", "[::1]x", "\xff.example", "a\u00a0b.example", ":80", ""} {
		if IsHost(text) {
			t.Errorf("%q is read as a host", text)
		}
	}
	for _, text := range []string{"bücher.example", "A_b.example:8080", "[2001:db8::1]:8080/x", "192.0.2.1", "0X7F.a"} {
		if !IsHost(text) {
			t.Errorf("%q is read as no host", text)
		}
	}
}
