package lintcmd

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// The work of fixing is limited: of very many fixes in a large file, the first ones are applied.
func TestFixingStops(t *testing.T) {
	portion.Skip(t, 3)
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow /a\n", 10_000))
	l := report.Linted{File: "robots.txt", Body: body, Findings: lint.Check(body)}
	settings := &lintSettings{choose: []string{"missing-colon"}}
	fixed, err := makeFixes(l, settings, true)
	if n := bytes.Count(fixed.Body, []byte("Disallow: /a")); err != nil || !fixed.isCutShort || n == 0 || n > 500 {
		t.Errorf("stopped %v with %d lines fixed, %v", fixed.isCutShort, n, err)
	}
	small := body[:len("User-agent: *\n")+20*len("Disallow /a\n")]
	l = report.Linted{File: "robots.txt", Body: small, Findings: lint.Check(small)}
	fixed, err = makeFixes(l, settings, true)
	if n := bytes.Count(fixed.Body, []byte("Disallow: /a")); err != nil || fixed.isCutShort || n != 20 {
		t.Errorf("small: stopped %v with %d lines fixed, %v", fixed.isCutShort, n, err)
	}
}

// --fix fixes as many findings as lint calls safe. Each safe fix alone changes no verdict. What an unsafe fix says that
// crawlers may not fetch, they may not fetch after all fixes.
func TestFixesDoWhatLintSays(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	lines := strings.Split("User-agent: *|User-agent: *|User-agent: Googlebot|user-agent GPTBot|User-agent: Googelbot|User-agent: GPTBot/1.0|User-agent:|User-agent: Googlebot, bingbot|Useragent: x|"+
		"Disallow: /a|Disallow: /a|Disalow: /a|Disallow /b|Allow: /a/b|Allow: a|Allow: /|Disallow: /|Disallow:|Disallow: /old/|Disallow: a b|Disallow: /caf\xe9|Disallow: /é|Disallow: /a%2fb|Disallow: /a*|\ufeffDisallow: /z|"+
		"|||hello|# \xe9|Crawl-delay: 1s|Sitemap: /s.xml|\ufeff", "|")
	for range 2000 {
		body := []string{"", "", "\ufeff"}[r.IntN(3)]
		for range 1 + r.IntN(12) {
			body += lines[r.IntN(len(lines))] + "\n"
		}
		if checkFixes(t, []byte(body)); t.Failed() {
			t.Fatalf("in %q", body)
		}
	}
}

func TestFixesOfRealFiles(t *testing.T) {
	t.Parallel()
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !strings.HasSuffix(name, ".txt") || !portion.Of(48) {
			continue
		}
		if checkFixes(t, body); t.Failed() {
			t.Fatalf("in %s", name)
		}
	}
}

func checkFixes(t *testing.T, body []byte) {
	t.Helper()
	before := report.Linted{File: "robots.txt", Body: body, Findings: lint.Check(body)}
	safe := 0
	for _, found := range before.Findings {
		if found.Fix == nil || !found.Fix.Safe {
			continue
		}
		safe++
		if alone, _ := lint.Apply(body, []lint.Fix{*found.Fix}); !lint.ChangesNothing(body, alone) {
			t.Errorf("%s on line %d: the fix changes verdicts: %q", found.Code, found.Line, alone)
		}
	}
	fixed, err := makeFixes(before, &lintSettings{}, true)
	if fixed.isCutShort {
		return
	}
	if err != nil {
		t.Error(err)
	}
	want := "fixed " + printable.Counted(safe, "finding") + " "
	if got := fixed.message(); !strings.HasPrefix(got, want) {
		t.Errorf("%s; %d are safe: %q", got, safe, fixed.Body)
	}
	all, _ := makeFixes(before, &lintSettings{}, false)
	file := robotstxt.Parse(all.Body, nil)
	for _, found := range before.Findings {
		if found.Fix == nil {
			continue
		}
		_, path, closes := strings.Cut(found.Fix.Title, "may not fetch ")
		for _, name := range found.Crawlers {
			if closes && file.Agent(name).Check(path).Allowed {
				t.Errorf("%s: %s may fetch %s: %q", found.Fix.Title, name, path, all.Body)
			}
		}
	}
}

// A file .heed-lint may come with the repository of somebody else: it is read only if it is a regular
// file of usual size, and a long line is an error that names the file.
func TestHostileConfig(t *testing.T) {
	for _, test := range []struct {
		text, link, want string
	}{
		{strings.Repeat("ignore: no-sitemap\n", 10_000), "", "at most 65536 bytes"},
		{"", os.DevNull, "not a regular file"},
		{strings.Repeat("x", 65_536), "", "/.heed-lint, line 1: "},
		{"ignore: " + strings.Repeat(" ", 65_500) + "tie\n", "", ""},
	} {
		folder := t.TempDir()
		name := filepath.Join(folder, configName)
		err := os.WriteFile(name, []byte(test.text), 0o600)
		if test.link != "" {
			err = errors.Join(os.Remove(name), os.Symlink(test.link, name))
		}
		if err != nil {
			t.Skip(err)
		}
		s, err := findConfig(folder)
		switch {
		case test.want == "" && (err != nil || len(s.ignore) != 1):
			t.Errorf("%+v, %v", s, err)
		case test.want != "" && (err == nil || !strings.Contains(filepath.ToSlash(err.Error()), test.want) || len(err.Error()) > 500):
			t.Errorf("got error %.300v, want %q", err, test.want)
		}
	}
}

// The carets are below the part of the line that is meant, also behind tabs, wide characters
// and escapes, and if the line is cut.
func TestMarked(t *testing.T) {
	for _, test := range []struct {
		line                 string
		column, length, room int
		want, carets         string
	}{
		{"Disallow /x", 1, 8, 20, "Disallow /x", "^^^^^^^^"},
		{"Disallow /x", 10, 0, 20, "Disallow /x", "         ^^"},
		{"Disallow /x", 0, 0, 20, "Disallow /x", "^^^^^^^^^^^"},
		{"\tDisallow\t/x", 10, 2, 30, "    Disallow    /x", "            ^^^^^"},
		{"/漢字/x", 8, 2, 30, "/漢字/x", "     ^^"},
		{"/漢字/x", 2, 6, 30, "/漢字/x", " ^^^^"},
		{"/\x1b/x", 3, 2, 30, `/\x1b/x`, "     ^^"},
		{"/x", 3, 0, 30, "/x", "  ^"}, // behind the end
		{"/x", 9, 9, 30, "/x", "  ^"},
		{"aaaaaaaaaabbbbbbbbbbcccccccccc", 11, 10, 16, "…aaaabbbbbbbbbb…", "     ^^^^^^^^^^"},
		{"aaaaaaaaaabbbbbbbbbbcccccccccc", 1, 10, 16, "aaaaaaaaaabbbbb…", "^^^^^^^^^^"},
		{"aaaaaaaaaabbbbbbbbbbcccccccccc", 21, 10, 16, "…bbbbbcccccccccc", "      ^^^^^^^^^^"},
		{"aaaaaaaaaabbbbbbbbbbcccccccccc", 6, 0, 12, "…aaaaaaaabb…", "    ^^^^^^^^"},
	} {
		text, before, n := markedPart(test.line, test.column, test.length, test.room)
		if carets := strings.Repeat(" ", before) + strings.Repeat("^", n); text != test.want || carets != test.carets {
			t.Errorf("%+v:\n%q\n%q", test, text, carets)
		}
	}
	wide := strings.Repeat("漢", 40)
	for column := range 40 {
		text, before, n := markedPart(wide, 3*column+1, 3, 20)
		if layout.Width(text) > 20 || before+n > layout.Width(text) || layout.Cut(text, before, before+2) != "漢" {
			t.Errorf("column %d: %q, %d, %d", 3*column+1, text, before, n)
		}
	}
}

// Of two equal rules each can go, but not both: the fixes are safe one by one only.
func TestFixesSafeTogether(t *testing.T) {
	const body = "User-agent: *\nDisallow: /a\nDisallow: /a\n"
	first, second := strings.Index(body, "Disallow"), strings.LastIndex(body, "Disallow")
	size := len("Disallow: /a\n")
	fixes := []lint.Fix{
		{Title: "1", Safe: true, Edits: []lint.Edit{{Start: first, End: first + size}}},
		{Title: "2", Safe: true, Edits: []lint.Edit{{Start: second, End: second + size}}},
	}
	for onlySafe, want := range map[bool]string{true: "User-agent: *\nDisallow: /a\n", false: "User-agent: *\n"} {
		if got, applied := fixedBody([]byte(body), fixes, onlySafe); string(got) != want || len(applied) != 2-strings.Count(want, "/a") {
			t.Errorf("onlySafe %v: got %q with fixes %v, want %q", onlySafe, got, applied, want)
		}
	}
}
