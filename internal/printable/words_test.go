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

// Lines shows six numbers, and five of more.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		numbers []int
		want    string
	}{
		{[]int{3}, "line 3"}, {[]int{3, 5}, "lines 3 and 5"}, {[]int{1, 2, 3, 4, 5, 6}, "lines 1, 2, 3, 4, 5 and 6"},
		{[]int{1, 2, 3, 4, 5, 6, 7}, "lines 1, 2, 3, 4, 5 and 2 others"},
	} {
		if got := Lines(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
	}
}
