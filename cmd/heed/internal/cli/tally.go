package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// tally counts answers.
type tally struct {
	urls                                      int
	allowed, disallowed, unreachable, another int // another: of another origin
	wrong                                     int // URLs that cannot be asked about
}

func (t *tally) count(d robotstxt.Decision) {
	switch {
	case d.Allowed:
		t.allowed++
	case d.Reason == robotstxt.OtherOrigin:
		t.another++
	case statusOf(d) == exitUndetermined:
		t.unreachable++
	default:
		t.disallowed++
	}
}

func (t *tally) add(other tally) {
	t.urls += other.urls
	t.allowed += other.allowed
	t.disallowed += other.disallowed
	t.unreachable += other.unreachable
	t.another += other.another
	t.wrong += other.wrong
}

// String returns what was answered, such as "188 allowed, 12 disallowed".
func (t *tally) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{t.allowed, "allowed"}, {t.disallowed, "disallowed"}, {t.unreachable, "unreachable"},
		{t.another, "of another origin"}, {t.wrong, "not understood"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprint(part.n, " ", part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// footer returns the last line of a run about several questions; "": none is shown.
func (o *check) footer() string {
	t := &o.sum
	if !o.shows || o.format != "text" || t.urls*len(o.crawlers)+t.wrong < 2 {
		return ""
	}
	s := t.String() + " of " + report.Counted(t.urls+t.wrong, "URL")
	if n := len(o.crawlers); n > 1 {
		s += fmt.Sprintf(" × %d crawlers", n)
	}
	if o.isLive() {
		s += " on " + report.Counted(len(o.sites), "site")
	}
	s += fmt.Sprintf(", %.1f s", time.Since(o.start).Seconds())
	return layout.Wrap(s, widthOf(o.screen.on), 0)
}

// progress says how a run goes on; "": it waits for input.
func (o *check) progress(elapsed time.Duration) string {
	done, waiting := o.done.Load(), o.live.waits.count()
	idle := waiting == 0 && done == o.shown
	o.shown = done
	switch {
	case idle:
		return ""
	case done == 0:
		return o.live.progress(elapsed)
	}
	s := report.Counted(int(done), "URL")
	if o.total > 0 {
		s = fmt.Sprintf("%d of %s", done, report.Counted(o.total, "URL"))
	}
	s += " answered"
	if rate := float64(done) / elapsed.Seconds(); rate >= 1 {
		s += fmt.Sprintf(", %.0f/s", rate)
	}
	if o.isLive() {
		return s + ", " + o.live.progress(elapsed)
	}
	return s + ", " + seconds(elapsed)
}
