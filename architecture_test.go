package heed

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture: the table of packages in docs/architecture.md has the imports of rooms, each
// file in its tables exists, and its tables of packages have every source file.
func TestArchitecture(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([^`]+)`")
	title, table := "", map[string][]string{} // of each package: what it may import
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			title = strings.TrimSpace(line)
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "| `") && !strings.HasPrefix(line, "| the root") && (title != "## Who answers what" || !strings.HasPrefix(line, "| ")):
		case strings.HasPrefix(title, "## Packages"):
			imports := strings.Split(strings.TrimSpace(cells[2]), ", ")
			if slices.Equal(imports, []string{"nothing"}) || slices.Equal(imports, []string{"nothing of ours"}) {
				imports = nil
			}
			for i := range imports {
				imports[i] = strings.ReplaceAll(imports[i], "the root", ".")
			}
			for _, name := range names.FindAllStringSubmatch(cells[0], -1) {
				room := strings.TrimSuffix(name[1], "/")
				if room == "heed" {
					room = "."
				}
				table[room] = imports
			}
		case strings.HasPrefix(title, "## Inside"):
			for _, name := range names.FindAllStringSubmatch(cells[0], -1) {
				mustExist(t, path.Join(names.FindStringSubmatch(title)[1], name[1]))
			}
		case strings.HasPrefix(title, "## Who answers what"):
			for _, name := range names.FindAllStringSubmatch(cells[len(cells)-1], -1) {
				mustExist(t, name[1])
			}
		case strings.HasPrefix(title, "## Tests"):
			for _, name := range names.FindAllStringSubmatch(cells[0], -1) {
				if !strings.HasPrefix(name[1], "make ") {
					mustExist(t, name[1])
				}
			}
		}
	}
	allowed := map[string][]string{}
	for room, imports := range rooms {
		row := rowOf(table, room)
		for _, other := range imports {
			if rowOf(table, other) != row || row == "" {
				allowed[row] = append(allowed[row], other)
			}
		}
		if row == "" {
			t.Errorf("no row for %s", room)
		}
	}
	allowed["store/sqlite"] = append(allowed["store/sqlite"], allowed["store/redis"]...) // they have one row
	allowed["store/redis"] = allowed["store/sqlite"]
	for row, imports := range table {
		if got, want := sorted(imports), sorted(allowed[row]); !slices.Equal(got, want) {
			t.Errorf("the row of %s has the imports %q, rooms has %q", row, got, want)
		}
	}
	for _, room := range []string{"robotstxt", "robotstxt/record", "fetch", "cache"} {
		files, err := filepath.Glob(room + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(text), "\n## Inside `"+room+"`\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, file := range files {
			if base := filepath.Base(file); !strings.HasSuffix(base, "_test.go") && !strings.Contains(section, "`"+base+"`") {
				t.Errorf("%s has no row", file)
			}
		}
	}
}

// rowOf returns the package with a row to which another belongs: itself, or the nearest
// folder above it.
func rowOf(table map[string][]string, room string) string {
	for at := room; at != "."; at = path.Dir(at) {
		if _, ok := table[at]; ok {
			return at
		}
	}
	if _, ok := table[room]; ok {
		return room
	}
	return ""
}

func sorted(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func mustExist(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		t.Errorf("docs/architecture.md: %v", err)
	}
}
