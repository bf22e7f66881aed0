package heed

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/heed-robots/heed"

// rooms has the packages of this project that each package may import; docs/architecture.md
// has the reasons. A package without a row fails the test.
var rooms = map[string][]string{
	".":                       {"cache", "fetch", "internal/pages", "origin", "polite", "robotstxt", "robotstxt/record"},
	"heedtest":                {"."},
	"robotstxt":               {"internal/ascii", "internal/printable", "robotstxt/record"},
	"robotstxt/record":        {"internal/ascii", "internal/printable"},
	"conformance":             {"internal/crawlernames", "internal/jsonobject", "internal/lines", "internal/ordered", "origin", "robotstxt"},
	"compare":                 {"internal/ascii", "internal/printable", "robotstxt"},
	"crawlers":                {"internal/ascii", "internal/printable"},
	"lint":                    {"compare", "crawlers", "internal/ascii", "internal/markup", "internal/printable", "internal/spelling", "robotstxt", "robotstxt/record"},
	"origin":                  {"internal/printable"},
	"sitemap":                 {"internal/printable", "origin"},
	"warc":                    nil,
	"fetch":                   {"internal/build", "internal/defaults", "internal/guard", "internal/markup", "internal/octets", "internal/printable", "origin", "robotstxt", "robotstxt/record"},
	"cache":                   {"fetch", "internal/defaults", "internal/printable", "origin", "robotstxt", "robotstxt/record"},
	"bulk":                    {"bulk/capture", "fetch", "internal/crawlernames", "origin", "robotstxt"},
	"bulk/archive":            {"bulk/capture", "fetch", "internal/zstandard"},
	"bulk/parquetfile":        {"bulk", "internal/ordered"},
	"bulk/capture":            {"fetch", "origin"},
	"bulk/source":             {"bulk", "bulk/archive", "bulk/capture", "bulk/parquetfile", "cache", "fetch", "internal/jsonobject", "internal/lines", "internal/saved", "origin", "warc"},
	"bulk/stream":             {"bulk", "internal/jsonobject", "internal/lines", "internal/ordered", "internal/printable", "origin", "report"},
	"cache/storetest":         {"cache", "fetch", "origin"},
	"store/sqlite":            {"cache", "internal/defaults", "internal/zstandard", "origin"},
	"store/redis":             {"cache", "internal/defaults", "internal/zstandard", "origin"},
	"polite":                  {"cache", "fetch", "internal/pages", "internal/printable", "origin", "robotstxt"},
	"examples/colly":          {"polite"},
	"cmd/heed":                {"cmd/heed/internal/cli"},
	"report":                  {"compare", "crawlers", "internal/ascii", "internal/printable", "lint", "robotstxt", "robotstxt/record"},
	"report/sarif":            {"lint", "report"},
	"report/live":             {"cache", "fetch", "internal/printable", "lint", "origin", "report", "robotstxt"},
	"cmd/heed/internal/cli":   {"bulk", "bulk/archive", "bulk/capture", "bulk/parquetfile", "bulk/source", "bulk/stream", "internal/asked", "cmd/heed/internal/exit", "internal/jsonobject", "cmd/heed/internal/layout", "internal/lines", "cmd/heed/internal/questions", "cmd/heed/internal/robotsfiles", "cmd/heed/internal/server", "cache", "compare", "conformance", "crawlers", "fetch", "internal/crawlernames", "internal/ordered", "internal/build", "internal/guard", "internal/pages", "internal/printable", "internal/spelling", "lint", "origin", "report", "report/live", "report/sarif", "robotstxt", "sitemap", "store/redis", "store/sqlite", "internal/saved"},
	"internal/crawlernames":   {"crawlers", "internal/spelling", "robotstxt"},
	"internal/ascii":          nil,
	"internal/caserun":        {"conformance", "internal/corpus", "robotstxt"},
	"internal/corpus":         nil,
	"internal/defaults":       nil,
	"internal/dropper":        nil,
	"internal/redistest":      nil,
	"internal/hostile":        nil,
	"internal/markup":         {"internal/ascii"},
	"internal/octets":         {"robotstxt", "robotstxt/record"},
	"internal/ordered":        nil,
	"internal/build":          nil,
	"internal/guard":          nil,
	"internal/pages":          {"internal/guard"},
	"internal/printable":      {"internal/ascii"},
	"internal/screenshot":     nil,
	"internal/spelling":       nil,
	"internal/zstandard":      nil,
	"internal/screenshot/svg": {"internal/screenshot"},
	"release":                 nil,
	"packages/js":             nil,
	"packages/js/pack":        {"packages/js"},
	"packages/js/wasm":        {"internal/binding"},
	"bench":                   {"cache", "conformance", "fetch", "internal/corpus", "internal/defaults", "internal/hostile", "origin", "robotstxt"},

	"cmd/heed/internal/server":      {"cache", "internal/asked", "cmd/heed/internal/page", "cmd/heed/internal/questions", "cmd/heed/internal/robotsfiles", "crawlers", "fetch", "internal/guard", "internal/jsonobject", "internal/lines", "internal/printable", "lint", "origin", "report", "report/live", "robotstxt"},
	"cmd/heed/internal/questions":   {"cache", "cmd/heed/internal/exit", "cmd/heed/internal/robotsfiles", "internal/asked", "internal/jsonobject", "internal/lines", "internal/ordered", "internal/saved", "origin", "report", "report/live", "robotstxt"},
	"internal/binding":              {"crawlers", "internal/asked", "internal/crawlernames", "internal/octets", "internal/printable", "report", "robotstxt"},
	"packages/c":                    {"internal/binding", "internal/build"},
	"internal/asked":                {"crawlers", "internal/crawlernames", "lint", "report", "robotstxt"},
	"cmd/heed/internal/page":        nil,
	"cmd/heed/internal/page/static": {"cmd/heed/internal/page", "packages/js"},
	"cmd/heed/internal/robotsfiles": {"crawlers", "internal/crawlernames", "cmd/heed/internal/exit", "internal/jsonobject", "fetch", "report", "report/live", "robotstxt", "internal/saved"},
	"cmd/heed/internal/exit":        {"robotstxt"},
	"internal/jsonobject":           nil,
	"internal/lines":                nil,
	"internal/saved":                {"bulk/capture", "internal/jsonobject", "internal/lines", "origin"},
	"bench/bulk":                    {"bulk", "bulk/archive", "bulk/capture", "fetch", "internal/corpus", "internal/lines", "internal/ordered", "origin", "robotstxt"},
	"beam":                          {"beam/verdicts", "bulk", "bulk/stream", "fetch", "internal/crawlernames", "robotstxt"},
	"beam/verdicts":                 {"bulk", "bulk/capture", "bulk/source", "bulk/stream", "fetch", "origin", "robotstxt"},
	"bench/serve":                   nil,
	"cmd/heed/internal/genman":      {"cmd/heed/internal/cli"},
	"cmd/heed/internal/layout":      {},
}

// standardOnly are the packages that may import no module of others.
var standardOnly = []string{"internal/binding", "packages/c", "packages/js/wasm", "robotstxt", "robotstxt/record", "report", "report/sarif", "compare", "conformance", "crawlers", "lint", "internal/asked", "internal/crawlernames", "internal/ascii", "internal/corpus", "internal/hostile", "internal/markup", "internal/octets", "internal/ordered", "internal/build", "internal/printable", "internal/spelling"}

func TestRooms(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room := path.Dir(filepath.ToSlash(file))
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the package %s has no row in rooms", file, room)
		}
		seen[room] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			other, ours := strings.CutPrefix(name, module)
			other = cmp.Or(strings.TrimPrefix(other, "/"), ".")
			switch {
			case ours && !slices.Contains(allowed, other):
				t.Errorf("%s: %s must not import %s", file, room, other)
			case !ours && isThirdParty(name) && slices.Contains(standardOnly, room):
				t.Errorf("%s: %s must not import %s: standard library only", file, room, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range rooms {
		if !seen[room] {
			t.Errorf("rooms has a row for the package %s, which has no sources", room)
		}
	}
}

// isThirdParty reports whether a package is not of the standard library: the first element
// of its path then has a dot.
func isThirdParty(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}
