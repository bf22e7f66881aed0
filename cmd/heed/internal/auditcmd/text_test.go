package auditcmd

import (
	"slices"
	"testing"

	"github.com/heed-robots/heed/internal/audit"
)

// A crawler with several rows, or an impostor with several reasons, has one number in each sentence.
func TestNotProved(t *testing.T) {
	got := notProved([]*audit.Row{
		{Crawler: "a", Identity: audit.Impostor, Reasons: map[string]int64{"method": 2, "not-verified": 1000}},
		{Crawler: "a", Identity: audit.Verified, Reasons: map[string]int64{"method": 3}},
		{Crawler: "b", Identity: audit.NotCheckable, Reasons: map[string]int64{"method": 4}},
		{Crawler: "a", Identity: audit.NotCheckable, Reasons: map[string]int64{"method": 5}},
	})
	if want := []string{reasons[impostor] + ": a 1,002", reasons["method"] + ": a 8, b 4"}; !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}
