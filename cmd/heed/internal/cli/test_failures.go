package cli

import (
	"fmt"

	"github.com/heed-robots/heed/conformance"
)

// failures chooses which failures of a test are printed: at most so many in all, and few
// of those that a set of URLs has for the same reason, so that other reasons are seen.
type failures struct {
	*test
	count, shown int
	alike        map[string]*alike
	order        []*alike // as they came
}

// alike are failures of one line of a case file, for one crawler and one reason.
type alike struct {
	about         string
	failed, shown int
}

const mostAlike = 3

// shows counts a failure and reports whether it is printed.
func (f *failures) shows(r *conformance.Result) bool {
	f.count++
	if r.Case.From == "" {
		if f.shown < f.most {
			f.shown++
			return true
		}
		return false
	}
	a := f.of(r)
	a.failed++
	if f.shown >= f.most || a.shown >= mostAlike {
		return false
	}
	f.shown++
	a.shown++
	return true
}

// of returns the failures that are like this one.
func (f *failures) of(r *conformance.Result) *alike {
	why := "has no answer"
	if r.Err == nil {
		why = f.got(r)
	}
	about := place(r.Case.File, r.Case.FileLine) + "  " + why
	if name := crawlerOf(&r.Case); name != "" {
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

// writeRest says what was not printed.
func (f *failures) writeRest() {
	rest, lines := f.count-f.shown, 0
	for _, a := range f.order {
		if hidden := a.failed - a.shown; hidden > 0 && lines < f.most {
			fmt.Fprintf(f.out, "… and %d more: %s\n", hidden, a.about)
			rest -= hidden
			lines++
		}
	}
	if rest > 0 {
		fmt.Fprintf(f.out, "… and %d more\n", rest)
	}
}
