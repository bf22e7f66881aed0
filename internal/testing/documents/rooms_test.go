package documents

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/heed-robots/heed"

// A floor is packages that do not import each other. They may import those of the floors below.
type floor struct{ what, rooms string }

// floors has every package, from the highest floor to the ground. docs/architecture.md shows it.
var floors = []floor{
	{"programs", "cmd/heed cmd/heed/internal/genman beam bench packages/c packages/js/wasm packages/python release"},
	{"the command line", "cmd/heed/internal/cli cmd/heed/internal/faces cmd/heed/internal/soak"},
	{"its commands", "cmd/heed/internal/auditcmd cmd/heed/internal/cachecmd cmd/heed/internal/checkcmd cmd/heed/internal/crawlerscmd cmd/heed/internal/diffcmd cmd/heed/internal/explaincmd cmd/heed/internal/filtercmd cmd/heed/internal/identitycmd cmd/heed/internal/lintcmd cmd/heed/internal/servecmd cmd/heed/internal/testcmd cmd/heed/internal/watchcmd cmd/heed/internal/writecmd"},
	{"what they share: sites and files", "cmd/heed/internal/sites cmd/heed/internal/server"},
	{"flags, streams of questions", "cmd/heed/internal/captures cmd/heed/internal/flags cmd/heed/internal/questions cmd/heed/internal/gate beam/verdicts"},
	{"the terminal, files for questions", "cmd/heed/internal/document cmd/heed/internal/term cmd/heed/internal/robotsfiles cmd/heed/internal/page/static"},
	{"sources of captures", "internal/bulk/source"},
	{"lists and tables", "internal/bulk/stream internal/bulk/parquetfile internal/binding heedtest packages/js/pack"},
	{"for crawlers, messages of HTTP", ". cmd/heed/internal/message"},
	{"many URLs, stores, live answers", "internal/asked internal/bulk internal/bulk/archive internal/expected internal/report/live internal/report/sarif internal/saved internal/turns internal/watch polite store/redis store/sqlite cache/storetest"},
	{"cached sites, captures, answers", "cache internal/report internal/bulk/capture internal/testing/caserun"},
	{"retrievals, findings, cases", "fetch internal/lint internal/conformance internal/policyfile"},
	{"comparisons, bytes of a body", "compare internal/beside internal/crawlernames internal/rawbody cmd/heed/internal/exit"},
	{"preferences of use, audits, URLs that flip, charsets", "usage identity internal/audit internal/charset internal/flips internal/flips/sieve"},
	{"rules", "robotstxt internal/sitemap internal/address internal/ranges internal/accesslog"},
	{"origins, crawlers, records", "origin crawlers robotstxt/record"},
	{"authorities of URLs", "internal/authority"},
	{"texts of others", "internal/loads internal/csvrecords internal/markup internal/pages internal/printable"},
	{"the ground", "internal/testing/portion internal/input internal/ascii internal/build internal/claim internal/testing/corpus internal/defaults internal/redirect internal/testing/dropper internal/guard internal/testing/hostile internal/jsonobject internal/lines internal/ordered internal/testing/redistest internal/testing/signature internal/testing/documents internal/spelling internal/warc internal/zstandard cmd/heed/internal/layout cmd/heed/internal/page cmd/heed/internal/replace packages/js internal/bulk/parquetpages"},
}

// standardOnly has the packages that import no third-party package.
const standardOnly = " internal/address internal/authority internal/binding packages/c packages/js/wasm robotstxt robotstxt/record internal/report internal/report/sarif compare internal/conformance crawlers internal/lint internal/asked internal/beside internal/crawlernames internal/ascii internal/testing/corpus internal/testing/hostile internal/markup internal/lines internal/charset internal/rawbody internal/ordered internal/policyfile internal/build internal/printable internal/spelling "

// TestFloors: each package imports those of lower floors only, so there is no circle, and what decides has no I/O above it.
func TestFloors(t *testing.T) {
	inRoot(t)
	at := map[string]int{}
	for i, f := range floors {
		for room := range strings.FieldsSeq(f.rooms) {
			at[room] = i
		}
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "examples") {
			return err
		}
		room := path.Dir(filepath.ToSlash(file))
		seen[room] = true
		floor, known := at[room]
		if !known {
			t.Errorf("%s: the package %s has no floor", file, room)
		}
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
			first, _, _ := strings.Cut(name, "/")
			switch {
			case ours && at[other] <= floor:
				t.Errorf("%s: %s must not import %s: it is on no lower floor", file, room, other)
			case !ours && strings.Contains(first, ".") && strings.Contains(standardOnly, " "+room+" "):
				t.Errorf("%s: %s must not import %s: standard library only", file, room, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range at {
		if entries, err := filepath.Glob(room + "/*.go"); err != nil || len(entries) == 0 {
			t.Errorf("the package %s has a floor and no sources", room)
		}
	}
}

// TestFloorsAreShown: docs/architecture.md has the floors. UPDATE_TRANSCRIPTS=1 writes them.
func TestFloorsAreShown(t *testing.T) {
	inRoot(t)
	const name, begin, end = "docs/architecture.md", "<!-- floors -->\n", "<!-- end of the floors -->"
	var table strings.Builder
	table.WriteString("| floor | packages |\n| --- | --- |\n")
	for _, f := range floors {
		rooms := strings.Fields(f.rooms)
		slices.Sort(rooms)
		table.WriteString("| " + f.what + " | `" + strings.Join(rooms, "`, `") + "` |\n")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	shown, after, found := strings.Cut(rest, end)
	switch {
	case !found:
		t.Fatalf("%s has no place for the floors: expected %q and %q", name, begin, end)
	case shown == table.String():
	case os.Getenv("UPDATE_TRANSCRIPTS") == "":
		t.Errorf("%s shows other floors: run UPDATE_TRANSCRIPTS=1 go test -run FloorsAreShown ./internal/testing/documents", name)
	default:
		if err := os.WriteFile(name, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoLargeDependencies: the packages that answer without I/O are also WebAssembly in web pages
// and in a package for npm, where some packages of the standard library would cost much of the size.
func TestNoLargeDependencies(t *testing.T) {
	inRoot(t)
	out, err := exec.Command("go", "list", "-deps", "./robotstxt", "./internal/report", "./compare", "./internal/lint", "./crawlers", "./internal/asked", "./internal/binding").Output()
	if err != nil {
		t.Fatal(err)
	}
	dependencies := strings.Fields(string(out))
	if !slices.Contains(dependencies, "encoding/json") {
		t.Errorf("encoding/json is not among the dependencies: %q", dependencies)
	}
	for _, large := range []string{"crypto/sha256", "mime", "net/http", "net/url", "regexp"} {
		if slices.Contains(dependencies, large) {
			t.Errorf("%s is among the dependencies", large)
		}
	}
}
