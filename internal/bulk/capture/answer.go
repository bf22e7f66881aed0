package capture

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// Archives are searched as one archive. If several captures have the same time, the strictest of their answers is used, as
// docs/filter.md says.
type Archives []Archive

// An Answer is what captures say about a robots.txt at a time. In the zero Answer, nothing is known.
type Answer struct {
	Facts            // the facts of the last capture, after all redirects
	At     time.Time // the time of the first capture, before redirects
	Body   BodyID
	In     Archive // the archive that has the Body; nil if nothing is known about the origin
	Missed string  // the Location of the last redirect or revisit if there is no capture of its target; else ""

	redirects int
	ofHost    bool
}

// maxRedirects is one more than the most that any dialect follows.
const maxRedirects = 11

// Find returns the answer for an origin at the time asOf. The zero time means the last answer. For the target of a
// redirect, a later capture is better than no capture.
func (a Archives) Find(o origin.Origin, asOf time.Time, s fetch.Statuses) (Answer, error) {
	applies := func(at time.Time) bool { return asOf.IsZero() || !at.After(asOf) }
	compare := func(at, best time.Time) int {
		if applies(at) && applies(best) {
			return at.Compare(best)
		}
		return best.Compare(at)
	}
	for _, key := range keys(o) {
		all, err := a.best(key, compare)
		if err != nil {
			return Answer{}, err
		}
		if len(all) == 0 || !applies(all[0].At) {
			continue
		}
		at := all[0].At
		if all, err = a.ends(all, compare); err != nil {
			return Answer{}, err
		}
		answer, err := strictest(all, o, s)
		answer.At = at
		return answer, err
	}
	return Answer{}, nil
}

// ends follows the revisits and redirects of the given answers, and returns the answers to which they lead.
func (a Archives) ends(all []Answer, compare func(at, best time.Time) int) (ends []Answer, err error) {
	for redirects := 0; len(all) > 0; redirects++ {
		if all, err = a.resolved(all); err != nil {
			return nil, err
		}
		next, isCaptured := []Answer(nil), map[string]bool{}
		for _, from := range all {
			from.redirects = redirects
			if from.Location == "" || redirects == maxRedirects {
				ends = append(ends, from)
				continue
			}
			is, isKnown := isCaptured[from.Location]
			if !isKnown {
				targets, err := a.best(from.Location, compare)
				if err != nil {
					return nil, err
				}
				next, is = append(next, targets...), len(targets) > 0
				isCaptured[from.Location] = is
			}
			if !is {
				from.redirects++
				ends = append(ends, from.withoutTarget())
			}
		}
		all = next
	}
	return ends, nil
}

func (a Answer) withoutTarget() Answer {
	a.Missed, a.Location = a.Location, ""
	return a
}

// best returns the captures of the best time. The function compare says which of two times is better; 0 means that both are
// equally good.
func (a Archives) best(key string, compare func(at, best time.Time) int) (all []Answer, err error) {
	for _, archive := range a {
		entries, err := archive.Entries(key)
		if err != nil {
			return nil, err
		}
		for i := range entries {
			e, c := &entries[i], 0
			if len(all) > 0 {
				c = compare(e.At, all[0].At)
			}
			if c > 0 {
				all = all[:0]
			}
			if c >= 0 {
				all = append(all, Answer{Facts: e.Facts, At: e.At, Body: e.Body, In: archive, ofHost: strings.HasPrefix(key, "//")})
			}
		}
	}
	return all, nil
}

// Outcome returns what an answer means for a crawler. ok is false if a capture is missing.
func (a *Answer) Outcome(o origin.Origin, s fetch.Statuses) (outcome fetch.Outcome, ok bool) {
	if a.In == nil || a.Missed != "" && a.redirects <= s.MaxRedirects {
		return fetch.Unreachable, false
	}
	if a.ofHost {
		o = origin.Origin{}
	}
	r := fetch.Result{Origin: o, Status: a.Status, Page: a.Page, SaysNotFound: a.SaysNotFound}
	if o.Scheme() == "ftp" && a.Status == http.StatusOK {
		r.Status = ftp.StatusClosingDataConnection
	}
	for range a.redirects {
		r.Hops = append(r.Hops, fetch.Hop{Status: http.StatusFound})
	}
	if a.Missed == "" {
		r.Hops = append(r.Hops, fetch.Hop{Status: a.Status})
	}
	if a.Failed {
		r.Err = &fetch.Failure{Kind: fetch.NoRobotsTxt}
	}
	return r.OutcomeBy(s), true
}

// Versions returns the answer at each capture of an origin, the earliest first. Failed captures are left out.
func (a Archives) Versions(o origin.Origin, s fetch.Statuses) ([]Answer, error) {
	var times []time.Time
	for _, key := range keys(o) {
		for _, archive := range a {
			entries, err := archive.Entries(key)
			if err != nil {
				return nil, err
			}
			for i := range entries {
				times = append(times, entries[i].At)
			}
		}
		if len(times) > 0 {
			break
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	var all []Answer
	for _, t := range slices.CompactFunc(times, time.Time.Equal) {
		asOf := t
		if t.IsZero() {
			asOf = t.Add(1) // for Find, a zero time would mean the last answer
		}
		answer, err := a.Find(o, asOf, s)
		if err != nil {
			return nil, err
		}
		if answer.In != nil && !answer.Failed {
			answer.At = t
			all = append(all, answer)
		}
	}
	return all, nil
}
