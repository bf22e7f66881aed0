package checkcmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

type tally struct {
	urls int
	by   [len(kinds)]int
}

var kinds = [...]string{isAllowed: "allowed", isDisallowed: "disallowed", isUnreachable: "unreachable", isOtherOrigin: "of another origin", isWrong: "not understood"}

const (
	isAllowed = iota
	isDisallowed
	isUnreachable
	isOtherOrigin
	isWrong // URLs that have no answer
)

func (t *tally) count(d robotstxt.Decision) {
	switch {
	case d.Allowed:
		t.by[isAllowed]++
	case d.Reason == robotstxt.OtherOrigin:
		t.by[isOtherOrigin]++
	case exit.ForDecision(d) == exit.Undetermined:
		t.by[isUnreachable]++
	default:
		t.by[isDisallowed]++
	}
}

func (t *tally) add(other tally) {
	t.urls += other.urls
	for kind, n := range other.by {
		t.by[kind] += n
	}
}

func (t *tally) String() string {
	var parts []string
	for kind, n := range t.by {
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", kinds[kind]))
		}
	}
	return strings.Join(parts, ", ")
}

func (o *check) footer() string {
	t := &o.sum
	if !o.Term.ErrTTY || o.Format != "text" || t.urls*len(o.subjects)+t.by[isWrong] < 2 {
		return ""
	}
	s := t.String() + " of " + printable.Counted(t.urls+t.by[isWrong], "URL")
	if len(o.subjects) > 1 {
		s += " × " + crawlernames.CountedBy(o.subjects, func(s subject) []string { return s.tokens })
	}
	if o.IsLive() {
		s += " on " + printable.Counted(len(o.sites), "site")
	}
	s += fmt.Sprintf(", %.1f s", time.Since(o.start).Seconds())
	return layout.Wrap(s, term.WidthOf(o.Term.Screen.On), 0)
}

// progress returns "" while heed waits for input that a person may be typing.
func (o *check) progress(elapsed time.Duration) string {
	done := o.doneCount.Load()
	_, waiting := o.Live.Waits.OneSite()
	idle := waiting == 0 && done == o.lastDone
	o.lastDone = done
	switch {
	case idle:
		return ""
	case done == 0:
		return o.Live.Progress(elapsed)
	}
	s := printable.Counted(int(done), "URL")
	if o.total > 0 {
		s = fmt.Sprintf("%d of %s", done, printable.Counted(o.total, "URL"))
	}
	s += " answered"
	if rate := float64(done) / elapsed.Seconds(); rate >= 1 {
		s += fmt.Sprintf(", %.0f/s", rate)
	}
	if o.IsLive() {
		return s + ", " + o.Live.Progress(elapsed)
	}
	return s + ", " + term.Seconds(elapsed)
}
