package fetch

import (
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/dropper"
)

// A request is sent once, however a server drops it.
func TestDroppedRequestIsSentOnce(t *testing.T) {
	for name, start := range dropper.All {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			r := get(t, &Fetcher{Timeout: 3 * time.Second}, parse(t, server.URL))
			if r.Outcome(nil) != Unreachable || r.Err == nil {
				t.Errorf("%s, %v", r.Outcome(nil), r.Err)
			}
			if n := server.Requests(); n != 1 {
				t.Errorf("%d requests, %v", n, r.Err)
			}
		})
	}
}
