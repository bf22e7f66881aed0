package printable

import (
	"strings"
	"testing"
)

// Some shows six names, and five of more.
func TestSome(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "a": "a", "a b": "a or b", "a b c d e f": "a or b or c or d or e or f", "a b c d e f g": "a, b, c, d, e and 2 others",
	} {
		if got := Some(strings.Fields(given), " or "); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
