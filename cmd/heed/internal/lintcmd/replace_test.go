package lintcmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// If there can be no new file in the folder, the error names the file that was given, and the file
// stays as it is. Here the name of a new file would be too long.
func TestReplaceFileNoNewFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("r", 250))
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Skip(err)
	}
	err := replaceFile(name, []byte("old"), []byte("new"))
	if err == nil || !strings.HasPrefix(err.Error(), name+": nothing is written") {
		t.Errorf("got error %v", err)
	}
	if got, _ := os.ReadFile(name); string(got) != "old" {
		t.Errorf("got %q", got)
	}
}

// A file that is mounted in a container is written.
func TestReplaceFileMounted(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "robots.txt")
	if err := os.WriteFile(name, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "--bind", name, name).CombinedOutput(); err != nil {
		t.Skipf("only with the right to mount: %v, %s", err, out)
	}
	defer exec.Command("umount", name).Run()
	if err := replaceFile(name, []byte("older"), []byte("new")); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(name); string(got) != "new" {
		t.Errorf("got %q", got)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("files left: %v, %v", files, err)
	}
}

// A file keeps its owner and its other names. In the folder, nothing else is left.
func TestReplaceFileKeepsOwnerAndNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no owners as numbers")
	}
	folder := t.TempDir()
	name, other := filepath.Join(folder, "robots.txt"), filepath.Join(folder, "other.txt")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	const user, group = 1234, 2345
	isRoot := os.Geteuid() == 0
	if isRoot {
		if err := os.Chown(name, user, group); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		old, body string
		link      bool
	}{{"old", "longer", false}, {"longer", "new", true}} {
		if step.link {
			if err := os.Link(name, other); err != nil {
				t.Skip(err)
			}
		}
		if err := replaceFile(name, []byte(step.old), []byte(step.body)); err != nil {
			t.Fatal(err)
		}
		for _, each := range []string{name, other} {
			if each == other && !step.link {
				continue
			}
			got, err := os.ReadFile(each)
			if err != nil || string(got) != step.body {
				t.Errorf("%s: got %q, %v, want %q", each, got, err, step.body)
			}
		}
		out, err := exec.Command("stat", "-c", "%u %g %a", name).Output()
		if want := fmt.Sprintf("%d %d 640\n", user, group); isRoot && err == nil && string(out) != want {
			t.Errorf("got owner and mode %q, want %q", out, want)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("files left: %v, %v", files, err)
	}
}

// A file is replaced only if it may be written, is a regular file and did not change meanwhile.
func TestReplaceFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.txt")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(problem, want string) {
		t.Helper()
		err := replaceFile(name, []byte("old"), []byte("new"))
		if problem == "" && err != nil || problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("got error %v, want %q", err, problem)
		}
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write("old", 0o600)
	check("", "new")
	check("", "new") // given twice
	write("somebody's", 0o600)
	check("changed while heed read it", "somebody's")
	write("old", 0o400)
	check("nothing is written", "old")
	write("old", 0o600)
	if err := replaceFile(filepath.Dir(name), []byte("old"), nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// The work of mending is limited: of very many fixes in a large file, the first ones are applied.
func TestMendingStops(t *testing.T) {
	portion.Skip(t, 3)
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow /a\n", 10_000))
	l := report.Linted{File: "robots.txt", Body: body, Findings: lint.Check(body)}
	settings := &lintSettings{choose: []string{"missing-colon"}}
	mended, stopped, err := safelyMended(l, settings)
	if fixed := bytes.Count(mended.Body, []byte("Disallow: /a")); err != nil || !stopped || fixed == 0 || fixed > 500 {
		t.Errorf("stopped %v with %d lines fixed, %v", stopped, fixed, err)
	}
	small := body[:len("User-agent: *\n")+20*len("Disallow /a\n")]
	l = report.Linted{File: "robots.txt", Body: small, Findings: lint.Check(small)}
	mended, stopped, err = safelyMended(l, settings)
	if fixed := bytes.Count(mended.Body, []byte("Disallow: /a")); err != nil || stopped || fixed != 20 {
		t.Errorf("small: stopped %v with %d lines fixed, %v", stopped, fixed, err)
	}
}

// A file .heed-lint may come with the repository of somebody else: it is read only if it is a regular
// file of usual size, and a long line is an error that names the file.
func TestHostileConfig(t *testing.T) {
	for _, test := range []struct {
		text, link, want string
	}{
		{strings.Repeat("ignore: no-sitemap\n", 10_000), "", "at most 65536 bytes"},
		{"", os.DevNull, "no regular file"},
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
		s, err := configOf(folder)
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
		text, before, n := marked(test.line, test.column, test.length, test.room)
		if carets := strings.Repeat(" ", before) + strings.Repeat("^", n); text != test.want || carets != test.carets {
			t.Errorf("%+v:\n%q\n%q", test, text, carets)
		}
	}
	wide := strings.Repeat("漢", 40)
	for column := range 40 {
		text, before, n := marked(wide, 3*column+1, 3, 20)
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
	if got, want := string(applied([]byte(body), fixes, true)), "User-agent: *\nDisallow: /a\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(applied([]byte(body), fixes, false)), "User-agent: *\n"; got != want {
		t.Errorf("all: got %q, want %q", got, want)
	}
}
