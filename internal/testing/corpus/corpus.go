// Package corpus reads archives of real files for tests and benchmarks.
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

// The environment variable names the folder with the archives.
const Variable = "HEED_CORPUS"

// Files yields the path and content of each file. If Variable is not set, the test is skipped.
func Files(tb testing.TB, archive string) iter.Seq2[string, []byte] {
	tb.Helper()
	dir := os.Getenv(Variable)
	if dir == "" {
		tb.Skipf("%s is not set: it must name the folder that contains %s", Variable, archive)
	}
	return func(yield func(string, []byte) bool) {
		if err := Read(filepath.Join(dir, archive), yield); err != nil {
			tb.Fatal(err)
		}
	}
}

func Read(archive string, yield func(name string, data []byte) bool) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	decompressed, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(decompressed); ; {
		header, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case header.Typeflag != tar.TypeReg:
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if !yield(path.Clean(header.Name), data) {
			return nil
		}
	}
}

func File(tb testing.TB, archive, name string) []byte {
	tb.Helper()
	for path, data := range Files(tb, archive) {
		if path == name {
			return data
		}
	}
	tb.Fatalf("%s is not in %s", name, archive)
	return nil
}
