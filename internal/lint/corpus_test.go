package lint

import (
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// TestCorpus lints real files: no rule of a warning or an error may fire on more than a third
// of them, because then it does not tell files with a mistake from others. Without HEED_WHOLE,
// one file in eight is read.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, seen, together, repeated, limited := 0, 0, 0, 0, 0
	firedOn, safeOn := map[string]int{}, map[string]int{}
	var sum, longest time.Duration
	slowest := ""
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !strings.HasSuffix(name, ".txt") {
			continue
		}
		if seen++; !portion.Of(48) {
			continue
		}
		files++
		start := time.Now()
		f := newFile(string(body))
		findings := f.findings(t.Context())
		took := time.Since(start)
		if sum += took; took > longest {
			longest, slowest = took, name
		}
		if f.usedWork > maxWork || f.proofWork > maxProofWork || len(f.policyByName) == maxPolicyNames {
			limited++
			t.Logf("%s needs more work than the limits allow", name)
		}
		together += checkSafeFixes(t, name, body, findings)
		if repeated += checkRepeats(t, body, findings); t.Failed() {
			t.Fatalf("in %s", name)
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
	t.Logf("in %d files, not all safe fixes are safe together", together)
	t.Logf("%d fixes repeat rules", repeated)
	if limited > 2+files/1000 {
		t.Errorf("%d files need more work than the limits allow", limited)
	}
	for _, rule := range Rules() {
		n := firedOn[rule.Code]
		t.Logf("%-11s %-28s %6d files, %5.2f %%, %5d with a safe fix", rule.Severity, rule.Code, n, 100*float64(n)/float64(files), safeOn[rule.Code])
		if rule.Severity > Note && 3*n > files && files > 500 { // of few files, more may have it by chance
			t.Errorf("%s fires on %d of %d files", rule.Code, n, files)
		}
	}
}

// checkSafeFixes proves that the safe fixes of a file change no verdict: all together, or else
// each alone, because of two equal lines, for example, each can go, but not both. It returns 1 if
// they are not proved together.
func checkSafeFixes(t *testing.T, name string, body []byte, findings []Finding) int {
	var fixes []Fix
	for _, f := range findings {
		if f.Fix != nil && f.Fix.Safe {
			fixes = append(fixes, *f.Fix)
		}
	}
	if fixed, _ := Apply(body, fixes); len(fixes) == 0 || ChangesNothing(body, fixed) {
		return 0
	}
	for _, fix := range fixes {
		if fixed, _ := Apply(body, []Fix{fix}); !ChangesNothing(body, fixed) {
			t.Errorf("%s: %s: the fix is not proved to be safe: %+v", name, fix.Title, fix.Edits)
		}
	}
	return 1
}
