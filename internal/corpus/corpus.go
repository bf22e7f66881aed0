// Package corpus gives tests the archives of real files that they are run
// against where the environment has them.
package corpus

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// Variable names the environment variable that holds the folder of archives.
const Variable = "HEED_CORPUS"

// Files yields the path and content of every file in an archive of the corpus,
// such as "robots-txt.tar.gz". Where the variable is not set, the test is
// skipped and says so.
func Files(tb testing.TB, archive string) iter.Seq2[string, []byte] {
	tb.Helper()
	dir := os.Getenv(Variable)
	if dir == "" {
		tb.Skipf("%s is not set: it names the folder that holds %s", Variable, archive)
	}
	return func(yield func(string, []byte) bool) {
		f, err := os.Open(filepath.Join(dir, archive))
		check(tb, err)
		defer f.Close()
		unzipped, err := gzip.NewReader(f)
		check(tb, err)
		for r := tar.NewReader(unzipped); ; {
			header, err := r.Next()
			if err == io.EOF {
				return
			}
			check(tb, err)
			if header.Typeflag != tar.TypeReg {
				continue
			}
			data, err := io.ReadAll(r)
			check(tb, err)
			if !yield(path.Clean(header.Name), data) {
				return
			}
		}
	}
}

// File returns one file of an archive.
func File(tb testing.TB, archive, name string) []byte {
	tb.Helper()
	for have, data := range Files(tb, archive) {
		if have == name {
			return data
		}
	}
	tb.Fatalf("%s is not in %s", name, archive)
	return nil
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
