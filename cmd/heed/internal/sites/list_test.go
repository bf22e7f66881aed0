package sites

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// A list that cannot be read any more, or that names nothing, leaves the sites as they were, and says so once. A pipe is not
// opened again: that could take forever.
func TestListThatChanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sites.txt")
	write := func(text string) {
		t.Helper()
		os.RemoveAll(name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.example\nb.example\n")
	var notices bytes.Buffer
	l, err := ReadLists(&term.Terminal{Err: &notices}, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	pipe := func() {
		os.Remove(name)
		if !makePipe(name) {
			t.Log("no pipes on this system")
		}
	}
	for _, step := range []struct {
		what, notice string
		change       func()
		sites        int
		changed      bool
	}{
		{"nothing", "", func() {}, 2, false},
		{"deleted", "no such file", func() { os.Remove(name) }, 2, false},
		{"empty", "names no site: expected a URL or a host in each line; heed continues to use the sites that this list named before", func() { write("") }, 2, false},
		{"only a comment", "", func() { write("# later\n") }, 2, false},
		{"a folder", "is not a regular file: expected a file with a list of sites", func() { os.Remove(name); os.Mkdir(name, 0o700) }, 2, false},
		{"a pipe", "", pipe, 2, false},
		{"another list", "", func() { write("c.example\n") }, 1, true},
	} {
		notices.Reset()
		step.change()
		changed := l.reread()
		if n := len(l.All()); n != step.sites || changed != step.changed {
			t.Errorf("%s: %d sites, changed: %t", step.what, n, changed)
		}
		if got := notices.String(); !strings.Contains(got, step.notice) || step.notice == "" && got != "" {
			t.Errorf("%s: %q", step.what, got)
		}
	}
}
