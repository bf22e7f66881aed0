package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
)

// run runs a command line on a file as standard input.
func run(t *testing.T, file string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	t.Setenv("COLUMNS", "80")
	var out, err bytes.Buffer
	status = Run(args, strings.NewReader(file), &out, &err)
	return out.String(), err.String(), status
}

// Lines beyond the size limit are ignored, and show and parse print that once.
func TestLinesBeyondTheLimitAreIgnored(t *testing.T) {
	file := "User-agent: *\nAllow: /x\n" + strings.Repeat("# "+strings.Repeat("-", 97)+"\n", 5120) + "Disallow: /\nDisallow: /y\n"
	out, _, _ := run(t, file, "show", "-a", "ExampleBot", "-")
	if !strings.HasPrefix(out, "- (RFC 9309)\n  The file is longer than 500 KiB: the rest is ignored.\n  ExampleBot  everything is allowed: no rule disallows anything\n") {
		t.Errorf("%.300s", out)
	}
	out, _, _ = run(t, file, "show", "-a", "ExampleBot", "--format", "json", "-")
	if !strings.Contains(out, `"dialect":"rfc9309","truncated":true,`) {
		t.Errorf("%.300s", out)
	}
	out, _, status := run(t, file, "parse", "--strict", "-")
	_, end, _ := strings.Cut(out, " 5121  ")
	want := "comment     # " + strings.Repeat("-", 97) + "\n" +
		" 5122  invalid     # " + strings.Repeat("-", 97) + "\n" +
		"                   ^ ignored: beyond the limit of what is read, as is all that\n                     follows\n" +
		" 5123  invalid     Disallow: /\n 5124  invalid     Disallow: /y\n\n5124 lines, 1 group, 1 rule, 0 sitemaps, 3 lines with remarks (RFC 9309)\n\n" +
		"Remarks\n  3  ignored: beyond the limit of what is read (lines 5122–5124)\n"
	if end != want || status != exit.Disallowed {
		t.Errorf("status %d, ends with\n%s", status, end)
	}
	out, _, _ = run(t, file, "show", "-a", "ExampleBot", "--dialect", "google", "-")
	if !strings.Contains(out, "2 Disallow rules, 1 Allow rule") {
		t.Errorf("Google: %.300s", out)
	}
}

// Google's parser reads a whole file, and its crawlers 500 KiB of it. Commands that read one file say so.
func TestGoogleReadsAFileWhole(t *testing.T) {
	file := "User-agent: *\nAllow: /x\n" + strings.Repeat("# "+strings.Repeat("-", 97)+"\n", 5120) + "Disallow: /\n"
	for _, args := range [][]string{
		{"check", "-a", "ExampleBot", "--robots", "-", "/y"}, {"explain", "-a", "ExampleBot", "--robots", "-", "/y"}, {"show", "-a", "ExampleBot", "-"},
		{"parse", "-"}, {"prove", "blocks-nothing", "-a", "ExampleBot", "-"}, {"diff", "-", os.DevNull},
	} {
		for dialect, want := range map[string]bool{"google": true, "rfc9309": false} {
			_, err, _ := run(t, file, append(args, "--dialect", dialect)...)
			if got := strings.Contains(err, "note: - is longer than 500 KiB: with --dialect google, heed reads all of it"); got != want {
				t.Errorf("%q, %s: %q", args, dialect, err)
			}
		}
	}
}

// No byte of a file can control the terminal, wherever the byte is in the file.
func TestFilesCannotControlTheTerminal(t *testing.T) {
	const bad = "\x1b[2J\u009b\u202e\xff\x00\a"
	file := "User-agent: *" + bad + "\nUser-agent: * " + bad + "\nDisallow: /" + bad + "\nDisallow: " + bad + "\nCrawl-delay: " + bad +
		"\nContent-Signal: " + bad + "=yes\nSitemap: https://x.example/" + bad + "\nLicense: " + bad + "\n" + bad + ": x\n" + bad + "\n"
	for _, args := range [][]string{
		{"show", "-a", "*", "-"}, {"show", "-a", "*", "--format", "json", "-"}, {"show", "-a", "*" + bad, "--dialect", "google", "-"},
		{"parse", "-"}, {"parse", "--format", "jsonl", "-"}, {"parse", "no\x1b[2Jsuch"}, {"show", "-a", "x", "no\x1b[2Jsuch.example", "--offline", "--store", t.TempDir()},
		{"cache", "import", "--store", t.TempDir(), "-"},
	} {
		out, err, _ := run(t, file, args...)
		if text := out + err; strings.ContainsAny(text, "\x1b\x00\a\u009b\u202e") || strings.Contains(text, "\xff") {
			t.Errorf("%q: %q", args, text)
		}
	}
}
