package fetch

import (
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// behind more redirects than a dialect follows a failure of our own stays one; that
// of the site does not matter there any more.
func TestOursBehindRedirects(t *testing.T) {
	for kind, want := range map[FailureKind]Outcome{LocalFailure: Unreachable, AddressRefused: Unreachable, HostBusy: Unreachable, TimedOut: Unavailable} {
		r := Result{Hops: make([]Hop, 8), Err: &Failure{Kind: kind}}
		for i := range 7 {
			r.Hops[i].Status = 301
		}
		if got := r.Outcome(robotstxt.RFC9309); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}
