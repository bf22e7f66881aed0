package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the top of the repository, seen from this package.
const root = "../../../.."

// blocks returns the fenced blocks of a language in the README.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1) {
		if m[1] == language {
			found = append(found, m[2])
		}
	}
	if len(found) == 0 {
		t.Fatalf("no blocks of %s", language)
	}
	return found
}

// The README's examples print what it says they print.
func TestReadmeTranscripts(t *testing.T) {
	bin := filepath.Dir(buildHeed(t))
	for _, block := range blocks(t, "console") {
		for _, part := range strings.Split(block, "$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			if got := shell(bin, command); got != want {
				t.Errorf("$ %s\n got %s\nwant %s", command, got, want)
			}
		}
	}
	for _, command := range strings.Split(blocks(t, "sh")[0], "\n") {
		if strings.HasPrefix(command, "go run ./cmd/heed ") {
			if got := shell(bin, command); !strings.Contains(got, "is allowed for Googlebot (RFC 9309)\n  line 16") {
				t.Errorf("$ %s\n%s", command, got)
			}
		}
	}
}

// shell returns what a command prints at the top of the repository.
func shell(bin, command string) string {
	c := exec.Command("sh", "-c", command)
	c.Dir = root
	c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, _ := c.CombinedOutput() // an exit status is part of an answer
	return string(out)
}

// The README's program compiles and runs.
func TestReadmeProgram(t *testing.T) {
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	programs := slices.DeleteFunc(blocks(t, "go"), func(s string) bool { return !strings.HasPrefix(s, "package main") })
	for name, content := range map[string]string{
		"main.go": programs[0],
		"go.sum":  string(sums),
		"go.mod": "module example\n\ngo 1.26\n\nrequire github.com/heed-robots/heed v0.0.0\n\n" +
			"replace github.com/heed-robots/heed => " + top + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "run", "-mod=mod", ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	out, err := c.CombinedOutput()
	if want := "disallowed by line 2: Disallow: /cart\n"; err != nil || string(out) != want {
		t.Errorf("%v: got %s, want %s", err, out, want)
	}
}
