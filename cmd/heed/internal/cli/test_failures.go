package cli

import (
	"fmt"

	"github.com/heed-robots/heed/conformance"
)

// failures chooses which failures are printed: at most maxFailures. If many URLs of one set
// fail for the same reason, only maxAlike of them are printed, because the user must also
// see failures with other reasons.
type failures struct {
	*test
	count, shown int
	alike        map[string]*alike // by alike.about
	order        []*alike          // in the order of their first failures
}

// alike counts the failures of one line of a case file, for one crawler and one reason.
type alike struct {
	about         string // place, crawler and reason, as they are printed
	failed, shown int
}

const maxAlike = 3

// shows counts a failure and reports whether to print it.
func (f *failures) shows(r *conformance.Result) bool {
	f.count++
	a := &alike{} // one of its own
	if r.Case.From != "" {
		a = f.alikeOf(r)
	}
	a.failed++
	if f.shown >= f.maxFailures || a.shown >= maxAlike {
		return false
	}
	f.shown++
	a.shown++
	return true
}

// alikeOf returns the failures of the same line, crawler and reason.
func (f *failures) alikeOf(r *conformance.Result) *alike {
	why := "has no answer"
	if r.Err == nil {
		why = f.got(r)
	}
	about := place(r.Case.File, r.Case.FileLine) + "  " + why
	if name := f.crawlerOf(&r.Case); name != "" {
		about = fmt.Sprintf("%s  %s  %s", place(r.Case.File, r.Case.FileLine), name, why)
	}
	a := f.alike[about]
	if a == nil {
		if f.alike == nil {
			f.alike = map[string]*alike{}
		}
		a = &alike{about: about}
		f.alike[about] = a
		f.order = append(f.order, a)
	}
	return a
}

// writeRest prints how many failures were not printed, for each reason.
func (f *failures) writeRest() {
	rest, lines := f.count-f.shown, 0
	for _, a := range f.order {
		if hidden := a.failed - a.shown; hidden > 0 && lines < f.maxFailures {
			fmt.Fprintf(f.out, "… and %d more: %s\n", hidden, a.about)
			rest -= hidden
			lines++
		}
	}
	if rest > 0 {
		fmt.Fprintf(f.out, "… and %d more\n", rest)
	}
}
