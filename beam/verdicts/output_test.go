package verdicts

import (
	"reflect"
	"testing"

	"github.com/heed-robots/heed/internal/bulk"
)

// TestSum: the numbers of all parts are added, also of parts that checked nothing.
func TestSum(t *testing.T) {
	checked := tally{Counts: bulk.Counts{URLs: 2, Columns: []bulk.Tally{{bulk.Allowed: 1, bulk.Disallowed: 1}}}}
	read := tally{Counts: bulk.Counts{Rejected: 3}, Broken: 1, Records: 4}
	s := &sum{}
	a := s.AddInput(s.AddInput(s.CreateAccumulator(), read), checked)
	b := s.AddInput(s.AddInput(s.CreateAccumulator(), checked), read)
	want := tally{Counts: bulk.Counts{URLs: 4, Rejected: 6, Columns: []bulk.Tally{{bulk.Allowed: 2, bulk.Disallowed: 2}}}, Broken: 2, Records: 8}
	if got := s.MergeAccumulators(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
	text, err := encodeTally(want)
	if got, wrong := decodeTally(text); err != nil || wrong != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, %v", got, err, wrong)
	}
}
