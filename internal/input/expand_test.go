package input

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A pattern is replaced by the files that match, and a name that is a file is no pattern.
func TestExpand(t *testing.T) {
	folder := t.TempDir()
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
		return paths
	}
	for _, name := range at("a.log", "b.log", "[c].log") {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(_ string, why error) error { return why }
	got, err := Expand(append(at("b.log", "?.log", "[c].log"), "-"), refused)
	if want := append(at("b.log", "a.log", "b.log", "[c].log"), "-"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, name := range at("c.log", "*.txt", "[") {
		if got, err := Expand([]string{name}, refused); got != nil || !os.IsNotExist(err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
