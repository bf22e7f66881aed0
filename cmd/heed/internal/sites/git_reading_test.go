package sites

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSplitGit(t *testing.T) {
	for arg, want := range map[string][2]string{
		"git:HEAD:robots.txt":                  {"HEAD", "robots.txt"},
		"git::robots.txt":                      {"", "robots.txt"},
		"git:v1:./a b:c.txt":                   {"v1", "./a b:c.txt"},
		"git:HEAD@{2026-05-03 10:00}:web/x":    {"HEAD@{2026-05-03 10:00}", "web/x"},
		"git:HEAD^{/a: b}:robots.txt":          {"HEAD^{/a: b}", "robots.txt"},
		"git:HEAD":                             {},
		"git:":                                 {},
		"git::":                                {},
		"git:HEAD:":                            {},
		"git:HEAD@{1:robots.txt":               {},
		"git:-h:robots.txt":                    {},
		"git:HEAD:robots.txt\nHEAD:secret.txt": {},
	} {
		rev, path, err := splitGit(arg)
		if [2]string{rev, path} != want || (err != nil) != (want[1] == "") {
			t.Errorf("%q: %q, %q, %v", arg, rev, path, err)
		}
	}
}

// Whatever the command git does, the error says it, and neither time nor memory is wasted.
func TestGitMisbehaves(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell")
	}
	for _, c := range []struct{ name, script, want string }{
		{"huge file", "echo abc blob 999999999999; exec cat /dev/zero", "the file is larger than 16 MiB: expected a robots.txt, which is smaller"},
		{"endless line", "exec cat /dev/zero", "heed cannot read what git printed: bufio: buffer full"},
		{"endless complaint", "head -c 9000000 /dev/zero | tr '\\0' x >&2; exit 1", "git: " + strings.Repeat("x", 1<<10)},
		{"cut file", "echo abc blob 10; printf abc", "git ended before it had printed the whole file: run heed again"},
		{"no file", "echo abc blob 10", "git ended before it had printed the whole file: run heed again"},
		{"wrong size", "echo abc blob -1", `heed does not understand what git printed: "abc blob -1"; try another version of git`},
		{"other answer", "echo a b c d", `heed does not understand what git printed: "a b c d"; try another version of git`},
		{"nothing", "exit 3", "git printed nothing, not even an error message (exit status 3): try git status in this folder"},
		{"nothing at all", "exit 0", "git printed nothing, not even an error message: try git status in this folder"},
		{"complaint", "echo 'fatal: no' >&2; exit 128", "git: fatal: no"},
		{"a commit", "echo abc commit 10", "expected a file, found a commit"},
		{"ambiguous", "echo abc:robots.txt ambiguous", "several revisions begin with abc; give more characters of the revision that you mean"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeGit(t, c.script)
			start := time.Now()
			body, err := readGit(context.Background(), "git:abc:robots.txt")
			if want := "git:abc:robots.txt: " + c.want; body != nil || err == nil || err.Error() != want {
				t.Errorf("%q, %v, want %s", body, err, want)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// An interrupt ends a git that hangs.
func TestGitHangs(t *testing.T) {
	fakeGit(t, "exec sleep 60")
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	start := time.Now()
	if _, err := readGit(ctx, "git:HEAD:robots.txt"); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

func TestGitIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := readGit(context.Background(), "git:HEAD:robots.txt")
	if err == nil || err.Error() != "git:HEAD:robots.txt: the command git was not found: install it, or add its folder to PATH" {
		t.Error(err)
	}
}

// fakeGit makes a command git that runs a shell script.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}
