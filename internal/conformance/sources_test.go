package conformance_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/heed-robots/heed/internal/conformance"
)

// gathered returns the results that run reports.
func gathered(t *testing.T, run func(report func(conformance.Result)) error) (rs []conformance.Result) {
	t.Helper()
	if err := run(func(r conformance.Result) { rs = append(rs, r) }); err != nil {
		t.Error(err)
	}
	return rs
}

// withSizes has the size of the file in place of each file, in which policies keep what they have compiled.
func withSizes(rs []conformance.Result) (sized []any) {
	for _, r := range rs {
		if r.File != nil {
			sized = append(sized, r.File.Size())
		}
		r.File = nil
		sized = append(sized, r)
	}
	return sized
}

// The project's own cases have the same results with Run and RunReader.
func TestSameResultsFromEachSource(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, name := range names {
		name = filepath.ToSlash(name)
		want := gathered(t, func(report func(conformance.Result)) error {
			return conformance.Run(name, conformance.Options{}, report)
		})
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := gathered(t, func(report func(conformance.Result)) error {
			return conformance.RunReader(iotest.HalfReader(bytes.NewReader(body)), name, conformance.Options{ReadFile: conformance.Under("testdata")}, report)
		})
		if !reflect.DeepEqual(withSizes(got), withSizes(want)) {
			t.Errorf("%s: RunReader has other results than Run", name)
		}
	}
}

// filesOf returns files with some texts.
func filesOf(texts map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// Paths are relative to the folder of the case file, or to that of Under.
func TestPathsOfRun(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, `{"robots_file": "robots.txt", "agent": "a", "url": "/x", "allow": false, "line": 2}`)
	w.Close()
	files := map[string]string{
		"robots.txt":         "user-agent: a\ndisallow: /y\n",
		"deep/robots.txt":    "user-agent: a\ndisallow: /x\n",
		"deep/a.cases":       "robots: robots.txt\ndisallow a /x line 2\nallow a /y\n",
		"deep/b.jsonl.gz":    zipped.String(),
		"deep/up.cases":      "robots: ../robots.txt\ndisallow a /y line 2\nallow a /x\n",
		"deep/missing.cases": "robots: none\nallow a /x\n",
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, filesOf(files)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"deep/a.cases":       {"2 true", "3 true"},
		"deep/b.jsonl.gz":    {"1 true"},
		"deep/up.cases":      {"2 true", "3 true"},
		"deep/missing.cases": {"2 false heed cannot use the robots.txt of this test case: "},
	} {
		compare(t, describe(gathered(t, func(report func(conformance.Result)) error {
			return conformance.Run(filepath.Join(folder, name), conformance.Options{}, report)
		})), want)
	}
	root := conformance.Options{ReadFile: conformance.Under(folder)}
	compare(t, describe(gathered(t, func(report func(conformance.Result)) error {
		return conformance.Run(filepath.Join(folder, "deep/a.cases"), root, report)
	})), []string{"2 false", "3 false"})
}

// An error about a case file that cannot be read has its name. With RunReader and no ReadFile, a
// case that names a file is a Result with an Err.
func TestUnreadableFilesAreErrors(t *testing.T) {
	report := func(r conformance.Result) { t.Errorf("a result: %+v", r) }
	if err := conformance.Run(filepath.Join(t.TempDir(), "none.cases"), conformance.Options{}, report); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none.cases") {
		t.Errorf("a file that is not there: %v", err)
	}
	broken := errors.New("broken")
	if err := conformance.RunReader(iotest.ErrReader(broken), "the name", conformance.Options{}, report); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the name") {
		t.Errorf("a reader that fails: %v", err)
	}
	const content = "robots: robots.txt\nallow a /\nrobots:\n  disallow: /\nallow a /\n"
	rs := gathered(t, func(report func(conformance.Result)) error {
		return conformance.RunReader(strings.NewReader(content), "the name", conformance.Options{}, report)
	})
	compare(t, describe(rs), []string{"2 false heed cannot use the robots.txt of this test case: heed cannot read files of robots.txt here: set Options.ReadFile", "5 true"})
	if rs[0].Case.File != "the name" {
		t.Errorf("the case is of %q", rs[0].Case.File)
	}
}
