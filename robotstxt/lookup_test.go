package robotstxt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// A policy decides every case the same in all its Ways: a lookup and a sweep change no verdict
// and no line. Without portion.Whole(), about one in four of the shared cases is checked.
func TestLookupsDecideAlike(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../internal/conformance/testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	own := len(files)
	if dir := os.Getenv("HEED_CONFORMANCE"); dir != "" {
		for _, name := range []string{"google-cases.jsonl", "google-fuzz.jsonl.gz", "rfc9309-figures.jsonl", "traps.jsonl"} {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for i, file := range files {
		err := conformance.Run(file, conformance.Options{}, func(r conformance.Result) {
			if i >= own && !portion.Of(16) {
				return
			}
			c := r.Case
			f := robotstxt.Parse(c.Robots, c.Dialect)
			for name, p := range robotstxt.Ways(f.Agent(c.Agents...)) {
				if got := p.Check(c.URL); got != r.Got {
					t.Errorf("%s:%d: %s: with %s %+v, without %+v", c.File, c.FileLine, c.ID, name, got, r.Got)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
