package verdicts

import (
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
)

// TestArrived: the bodies that arrive with a share are not taken for those of the share before; an empty
// one can be read too.
func TestArrived(t *testing.T) {
	a := &shareArchive{}
	const url = "https://a.example/robots.txt"
	seen := map[capture.BodyID]string{}
	for i, bodies := range [][]string{{"one", ""}, {"two", "", "three"}, {""}, {"four"}} {
		var all [][]byte
		for day, body := range bodies {
			all = append(all, sent(&capture.Capture{URL: url, At: time.Date(2024, 5, 1+day, 0, 0, 0, 0, time.UTC), Body: body}))
		}
		next := func(to *[]byte) bool {
			if len(all) == 0 {
				return false
			}
			*to, all = all[0], all[1:]
			return true
		}
		if err := a.replace(next); err != nil {
			t.Fatal(err)
		}
		entries, err := a.Entries(url)
		if err != nil || len(entries) != len(bodies) {
			t.Fatal(entries, err)
		}
		for n, e := range entries {
			body, err := a.Body(e.Body)
			if before, ok := seen[e.Body]; ok && before != body || body != bodies[n] || err != nil {
				t.Errorf("share %d, capture %d: %q, %v; want %q; before: %q", i, n, body, err, bodies[n], before)
			}
			seen[e.Body] = body
		}
	}
}
