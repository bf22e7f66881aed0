package report

import (
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// A URL that is disallowed because the robots.txt is unreachable has a verdict of its own
//
func TestVerdictOf(t *testing.T) {
	for want, decisions := range map[string][]robotstxt.Decision{
		"allowed":     {{Allowed: true, Reason: robotstxt.ByRule}, {Allowed: true, Reason: robotstxt.RobotsTxtItself}},
		"disallowed":  {{Reason: robotstxt.ByRule}, {Reason: robotstxt.Restricted}, {Reason: robotstxt.OtherOrigin}, {Reason: robotstxt.InvalidAgent}},
		"unreachable": {{Reason: robotstxt.Unreachable}, {}},
	} {
		for _, d := range decisions {
			if got := VerdictOf(d); got != want {
				t.Errorf("%s: %s, want %s", d, got, want)
			}
		}
	}
}
