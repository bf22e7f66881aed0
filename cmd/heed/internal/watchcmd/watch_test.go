package watchcmd

import (
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

func TestSummaryInWords(t *testing.T) {
	site, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	failing := []watch.Failing{{Site: site, Since: time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC), Why: "status 503"}}
	due := time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)
	for want, c := range map[string]struct {
		sum      watch.Summary
		severity string
	}{
		"2 sites: 2 tried; no event\nthe next retrieval is due at 2030-01-02 00:00 UTC": {
			watch.Summary{Tried: 2, Due: due}, "low"},
		"2 sites: 0 tried, 2 not due; no event with --severity high\nthe next retrieval is due at 2030-01-02 00:00 UTC; --refresh also looks at sites that are not due": {
			watch.Summary{Due: due}, "high"},
		"2 sites: 2 tried; 1 event\n1 unreachable: https://a.example (status 503, since 2030-01-01 09:00:00 UTC)\nthe next retrieval is due at 2030-01-02 00:00 UTC": {
			watch.Summary{Tried: 2, Unreachable: failing, Told: 1, Due: due}, "low"},
		"2 sites: 2 tried; no event\n1 failed, but heed still uses the copy: https://a.example (status 503, since 2030-01-01 09:00:00 UTC)\nthe next retrieval is due at 2030-01-02 00:00 UTC": {
			watch.Summary{Tried: 2, CopyUsed: failing, Due: due}, "low"},
	} {
		if got := strings.Join((&command{severity: c.severity}).facts(&c.sum, 2), "\n"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
