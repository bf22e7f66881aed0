package lint

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/corpus"
)

// TestCorpus lints real files: no rule of a warning or an error may fire on more than a third
// of them, because then it does not tell files with a mistake from others. Without HEED_WHOLE,
// one file in eight is read.
func TestCorpus(t *testing.T) {
	every := 8
	if os.Getenv("HEED_WHOLE") != "" {
		every = 1
	}
	files, seen := 0, 0
	firedOn, safeOn := map[string]int{}, map[string]int{}
	var sum, longest time.Duration
	slowest := ""
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !strings.HasSuffix(name, ".txt") {
			continue
		}
		if seen++; seen%every != 0 {
			continue
		}
		files++
		start := time.Now()
		findings := Check(body)
		took := time.Since(start)
		if sum += took; took > longest {
			longest, slowest = took, name
		}
		fired, safe := map[string]bool{}, map[string]bool{}
		for _, f := range findings {
			fired[f.Code] = true
			if f.Fix != nil && f.Fix.Safe {
				safe[f.Code] = true
			}
		}
		for code := range fired {
			firedOn[code]++
		}
		for code := range safe {
			safeOn[code]++
		}
	}
	if files == 0 {
		t.Fatal("the archive holds no files")
	}
	t.Logf("%d files in %v; the longest took %v, %s", files, sum, longest, slowest)
	for _, rule := range Rules() {
		n := firedOn[rule.Code]
		t.Logf("%-11s %-28s %6d files, %5.2f %%, %5d with a safe fix", rule.Severity, rule.Code, n, 100*float64(n)/float64(files), safeOn[rule.Code])
		if rule.Severity > Information && 3*n > files {
			t.Errorf("%s fires on %d of %d files", rule.Code, n, files)
		}
	}
}
