package audit

import (
	"testing"
	"time"
)

// TestSample (AU-17): of many findings the first and the last are kept, and only proved ones if there are some.
func TestSample(t *testing.T) {
	for _, n := range []int{0, 1, halfSample, halfSample + 1, 2 * halfSample, 2*halfSample + 1, 5*halfSample + 7} {
		var s sample
		s.add(&Finding{Line: -1})
		for i := range n {
			s.add(&Finding{Line: i, Proved: true, Time: time.Unix(int64(i), 0)})
			s.add(&Finding{Line: -1})
		}
		first, last := s.Findings()
		if n == 0 {
			if len(first) != 1 || len(last) != 0 {
				t.Errorf("without a proof: %d, %d", len(first), len(last))
			}
			continue
		}
		if len(first)+len(last) != min(n, 2*halfSample) || s.Left() != int64(n-min(n, 2*halfSample)) {
			t.Errorf("%d: %d and %d, left %d", n, len(first), len(last), s.Left())
		}
		for i, f := range first {
			if f.Line != i {
				t.Fatalf("%d: the first ones have %d at %d", n, f.Line, i)
			}
		}
		for i, f := range last {
			if f.Line != n-len(last)+i {
				t.Fatalf("%d: the last ones have %d at %d", n, f.Line, i)
			}
		}
	}
}
