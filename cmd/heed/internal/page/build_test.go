package page_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// The files of dist are what the sources give, to the byte: nobody edits them by hand, and nobody
// forgets to build them.
func TestBuildIsReproducible(t *testing.T) {
	portion.Skip(t, 4)
	dir := installed(t)
	out := filepath.Join(dir, "dist")
	build := exec.Command("node", "build.mjs", out)
	build.Dir = dir
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	tracked, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(built) != len(tracked) {
		t.Errorf("%d files are built, %d are in dist", len(built), len(tracked))
	}
	for _, file := range tracked {
		got, err := os.ReadFile(filepath.Join(out, file.Name()))
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := os.ReadFile(filepath.Join("dist", file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("dist/%s is not what the sources give; to write it: npm ci && node build.mjs in the folder web", file.Name())
		}
	}
}

// installed returns a copy of the folder web, with the packages of its lock file. The sources that it takes from
// packages/js are beside it, as in the repository.
func installed(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	const here, from = "cmd/heed/internal/page", "../../../../" // the root of the repository
	root := t.TempDir()
	for _, pattern := range []string{here + "/web/*.*", "packages/js/*.js"} {
		sources, err := filepath.Glob(from + pattern)
		if err != nil || len(sources) == 0 {
			t.Fatalf("%d files of %s: %v", len(sources), pattern, err)
		}
		for _, name := range sources {
			copyFile(t, filepath.Join(root, strings.TrimPrefix(filepath.ToSlash(name), from)), name)
		}
	}
	dir := filepath.Join(root, here, "web")
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("npm installs nothing here: %v\n%s", err, said)
		}
		t.Fatalf("%v\n%s", err, said)
	}
	return dir
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
