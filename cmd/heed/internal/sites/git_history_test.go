package sites

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// TestGitHistory (AU-1): versions follow one another as the branch got them: a merged branch counts from its merge on, a commit with an
// earlier time than the one before it has that one's time, and a deleted file is missing.
func TestGitHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Example")
		t.Setenv("GIT_"+who+"_EMAIL", "example@example.com")
	}
	git := func(day int, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", folder}, args...)...)
		c.Env = append(os.Environ(), fmt.Sprintf("GIT_COMMITTER_DATE=2026-05-%02dT00:00:00Z", day), "GIT_AUTHOR_DATE=2020-01-01T00:00:00Z")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(1, "init", "-q", "-b", "main")
	write("public/robots.txt", "one")
	git(1, "add", "-A")
	git(1, "commit", "-q", "-m", "one")
	git(2, "checkout", "-q", "-b", "side")
	write("public/robots.txt", "two")
	git(2, "commit", "-q", "-a", "-m", "two")
	git(3, "checkout", "-q", "main")
	write("other", "x")
	git(3, "add", "-A")
	git(3, "commit", "-q", "-m", "other")
	git(9, "merge", "-q", "--no-ff", "side", "-m", "merge")
	write("public/robots.txt", "three")
	git(8, "commit", "-q", "-a", "-m", "three") // by a wrong clock
	git(11, "rm", "-q", "public/robots.txt")
	git(11, "commit", "-q", "-m", "gone")
	write("public/robots.txt", "not committed")

	const want = "2026-05-01 one false, 2026-05-09 two false, 2026-05-09 three false, 2026-05-11  true"
	a := term.New(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	t.Chdir(folder)
	for arg, want := range map[string]string{
		"git:" + filepath.Join(folder, "public/robots.txt"): want,
		"git:public/robots.txt":                             want,
		"git:HEAD:public/robots.txt":                        want,
		"git:HEAD~1:public/robots.txt":                      strings.TrimSuffix(want, ", 2026-05-11  true"),
		"git:side:public/robots.txt":                        "2026-05-01 one false, 2026-05-02 two false",
	} {
		all, isShallow, err := GitHistory(a, arg)
		if err != nil || isShallow {
			t.Errorf("%s: %v, shallow %t", arg, err, isShallow)
		}
		var got []string
		for _, r := range all {
			got = append(got, fmt.Sprintf("%s %s %t", r.At.Format("2006-01-02"), r.Body, r.IsMissing))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s:\n got %s\nwant %s", arg, strings.Join(got, ", "), want)
		}
	}
	if err := exec.Command("git", "clone", "-q", "--depth", "1", "file://"+folder, "shallow").Run(); err != nil {
		t.Fatal(err)
	}
	if _, isShallow, err := GitHistory(a, "git:HEAD~1:public/robots.txt"); err != nil || isShallow {
		t.Errorf("%v, %t", err, isShallow)
	}
	t.Chdir(filepath.Join(folder, "shallow"))
	if _, _, err := GitHistory(a, "git:public/robots.txt"); err == nil {
		t.Error("a shallow clone whose one commit deletes the file: no error")
	}
}
