package robotstxt

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// Every real file is read in every dialect without a panic and without losing
// a byte (R-17, S96-8). Without portion.Whole(), about one file in eight is read.
func TestCorpusIsLossless(t *testing.T) {
	t.Parallel()
	files := 0
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !strings.HasSuffix(name, ".txt") || !portion.Of(40) {
			continue
		}
		files++
		for _, d := range Dialects() {
			checkLossless(t, body, d)
			trace := Parse(body, d).Agent("ExampleBot").Explain("https://example.com/a?b=%2fc")
			if trace.Decision.Reason == Undecided {
				t.Errorf("%s, %s: undecided", name, d)
			}
		}
	}
	t.Logf("%d files", files)
	if files == 0 {
		t.Error("the archive holds no files")
	}
}
