package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// valuesOf returns the values of a key in a YAML file that has each on one line.
func valuesOf(t *testing.T, file, key string) (values []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^[ -]*`+key+`: (.+)$`).FindAllStringSubmatch(string(text), -1) {
		values = append(values, m[1])
	}
	if len(values) == 0 {
		t.Fatalf("%s: no %s", file, key)
	}
	return values
}

// newSite returns a folder with two robots.txt files, of which one has an error, and a file
// that is none.
func newSite(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"robots.txt":        "User-agent: *\nDisallow: /cart\n",
		"public/robots.txt": "User-agent: *\nDisallow /cart\n",
		"not-robots.txt":    "Disallow /\n",
	} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestPreCommitHooks runs the hooks as pre-commit does: the entry with the files that match.
func TestPreCommitHooks(t *testing.T) {
	inRoot(t)
	t.Parallel()
	const file = ".pre-commit-hooks.yaml"
	entries, patterns := valuesOf(t, file, "entry"), valuesOf(t, file, "files")
	if len(entries) != 2 || len(patterns) != 2 {
		t.Fatal(entries, patterns)
	}
	site := newSite(t)
	sh := newShell(t, site)
	for i, want := range []string{
		"public/robots.txt:2:1: missing-colon (warning)", // the hook that changes nothing runs first
		"public/robots.txt: fixed 1 finding (missing-colon 1)",
	} {
		var matching []string
		for _, name := range []string{"robots.txt", "public/robots.txt", "not-robots.txt"} {
			if regexp.MustCompile(patterns[i]).MatchString(name) {
				matching = append(matching, name)
			}
		}
		got := sh.run(entries[i] + " --select missing-colon " + strings.Join(matching, " "))
		if !strings.Contains(got, want) || strings.Contains(got, "not-robots.txt") {
			t.Errorf("%s: got %s, want %s", entries[i], got, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(site, "public/robots.txt")); err != nil || string(text) != "User-agent: *\nDisallow: /cart\n" {
		t.Errorf("%v: %s", err, text)
	}
}

// TestAction runs the steps of the action as GitHub does, from the folder of a site.
func TestAction(t *testing.T) {
	inRoot(t)
	t.Parallel()
	portion.Skip(t, 4)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: the steps of the action are not run")
	}
	steps := valuesOf(t, "action.yml", "run")
	if len(steps) != 2 {
		t.Fatal(steps)
	}
	temp, site := t.TempDir(), newSite(t)
	run := func(folder, step string, more ...string) string {
		c := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step)
		c.Dir, c.Env = folder, append(os.Environ(), more...)
		out, err := c.CombinedOutput()
		if err != nil {
			return string(out) + err.Error()
		}
		return string(out)
	}
	paths := filepath.Join(temp, "paths")
	if got := run(".", steps[0], "RUNNER_TEMP="+temp, "GITHUB_PATH="+paths, "GOWORK=off"); got != "" {
		t.Fatal(got)
	}
	added, err := os.ReadFile(paths)
	if err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + strings.TrimSpace(string(added)) + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, c := range []struct{ files, arguments, want string }{
		{"robots.txt */robots.txt", "--select missing-colon --fail-on warning", `^::warning file=public/robots.txt,line=2,.*\nexit status 1$`},
		{"robots.txt", "--select missing-colon --fail-on warning", `^$`},
		{"*/robots.txt", "--select missing-colon", `^::warning .*\n$`},
		{"nosuch.txt", "", `there is no such file or folder\nexit status 2$`},
	} {
		if got := run(site, steps[1], path, "FILES="+c.files, "ARGUMENTS="+c.arguments); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q: got %s, want %s", c, got, c.want)
		}
	}
}
