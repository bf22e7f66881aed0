package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/accesslog"
)

// TestWrongTime (AU-10): one line with a wrong time does not change up to when a log was read.
func TestWrongTime(t *testing.T) {
	s, out := &scanner{}, &batch{first: maxTime}
	for i, c := range []struct{ at, want int64 }{{10, 10}, {20, 10}, {30, 20}, {9999, 30}, {40, 40}, {1, 40}, {50, 40}, {60, 50}} {
		out.Lines++
		out.first = min(out.first, c.at)
		if got := s.steadyTime(out, c.at); got != c.want {
			t.Errorf("line %d: %d, want %d", i, got, c.want)
		}
	}
	line := func(hour, year int) string {
		return fmt.Sprintf(`192.0.2.1 - - [03/May/%d:%02d:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "x"`+"\n", year, hour)
	}
	f, err := accesslog.Find([]string{strings.TrimSpace(line(1, 2026))}, accesslog.Fields{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		line(1, 2026) + line(2, 2026) + line(3, 2026) + line(4, 2099): "03:00",
		line(1, 2026) + line(2, 2026) + line(3, 2026) + line(4, 2010): "02:00",
		line(1, 2026):                 "01:00",
		line(1, 2026) + "nothing\n\n": "01:00",
	} {
		if got := utc(lastTime(text, f)).Format("15:04"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if lastTime("nothing\n", f) != minTime {
		t.Error("a text without lines has a time")
	}
}
