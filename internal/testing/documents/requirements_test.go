package documents

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirements returns the ids of docs/requirements.md: the first cells of its tables.
func requirements(t *testing.T) (ids []string) {
	t.Helper()
	text, err := os.ReadFile("docs/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+\d*-\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		ids = append(ids, row[1])
	}
	if len(ids) < 100 {
		t.Fatalf("only %d requirements in docs/requirements.md: has the form of its tables changed?", len(ids))
	}
	return ids
}

// Every id of docs/requirements.md is named in a test or in a case.
func TestEveryRequirementIsNamed(t *testing.T) {
	inRoot(t)
	tests := sources(t, func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") || strings.HasPrefix(file, "conformance/")
	})
	named := map[string]bool{}
	for _, id := range regexp.MustCompile(`\b[A-Z]+\d*-\d+\b`).FindAllString(tests, -1) {
		named[id] = true
	}
	for _, id := range requirements(t) {
		if !named[id] {
			t.Errorf("no test names the requirement %s", id)
		}
	}
}

// Every id that is named in code, tests and documents is in docs/requirements.md.
func TestEveryNamedRequirementExists(t *testing.T) {
	inRoot(t)
	text := sources(t, func(file string) bool {
		return strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".md") || strings.Contains(file, "/testdata/") || strings.HasPrefix(file, "conformance/")
	})
	known := requirements(t)
	for _, named := range regexp.MustCompile(`[ (]((?:S94|S96|AI|[RDGLKAMU])-\d+)\b`).FindAllStringSubmatch(text, -1) {
		if id := named[1]; !slices.Contains(known, id) {
			t.Errorf("the requirement %s is not in docs/requirements.md", id)
		}
	}
}

// sources returns the texts of the project's files that are wanted.
func sources(t *testing.T, wanted func(file string) bool) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if file = filepath.ToSlash(file); err != nil || entry.IsDir() || !wanted(file) {
			return err
		}
		data, err := os.ReadFile(file)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
