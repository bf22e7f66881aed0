package replace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// If there can be no new file in the folder, the error names the file that was given, and the file
// stays as it is. Here the name of a new file would be too long.
func TestReplaceFileNoNewFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("r", 250))
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Skip(err)
	}
	err := File(name, []byte("old"), []byte("new"))
	if err == nil || !strings.HasPrefix(err.Error(), name+" is not changed") {
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
	if err := File(name, []byte("older"), []byte("new")); err != nil {
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
		if err := File(name, []byte(step.old), []byte(step.body)); err != nil {
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
		err := File(name, []byte("old"), []byte("new"))
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
	check("another program changed ", "somebody's")
	write("old", 0o400)
	check("is read-only, so heed cannot write it", "old")
	write("old", 0o600)
	if err := File(filepath.Dir(name), []byte("old"), nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// A file that is not there is made. One that is there is replaced, also behind a link; a folder or device is not.
func TestOrCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.txt")
	for _, body := range []string{"one", "two\n", ""} {
		if err := OrCreate(name, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != body {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, wrong := range []string{filepath.Dir(name), filepath.Join(name, "x"), filepath.Join(filepath.Dir(name), "no", "such")} {
		if err := OrCreate(wrong, []byte("x")); err == nil || !strings.Contains(err.Error(), "nothing is written") && !strings.Contains(err.Error(), "is not a regular file, so heed cannot write it: name another file") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*")); len(left) != 1 {
		t.Error(left)
	}
}
