package auditcmd

import (
	"slices"
	"testing"
	"time"

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

func TestPeriodInOneMinute(t *testing.T) {
	first := time.Date(2026, 5, 3, 10, 1, 7, 0, time.UTC)
	for seconds, want := range map[int]string{
		0:  "at 2026-05-03 10:01",
		9:  "at 2026-05-03 10:01",
		60: "between 2026-05-03 10:01 and 2026-05-03 10:02",
	} {
		if got := periodInWords(&audit.Period{First: first, Last: first.Add(time.Duration(seconds) * time.Second)}); got != want {
			t.Errorf("%d seconds: %q; want %q", seconds, got, want)
		}
	}
}
