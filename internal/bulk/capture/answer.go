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

// Archives are searched as one archive. If several captures have the same time, the strictest of them is used.
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

// Find returns the answer for an origin at the time asOf; zero means the last answer. For the target of a redirect, a
// later capture is better than none.
func (a Archives) Find(o origin.Origin, asOf time.Time) (Answer, error) {
	applies := func(e *Entry) bool { return asOf.IsZero() || !e.At.After(asOf) }
	for _, key := range keys(o) {
		first, err := a.pick(key, func(e, best *Entry) int {
			switch {
			case !applies(e):
				return -1
			case best == nil:
				return 1
			}
			return e.At.Compare(best.At)
		})
		if err != nil || first.In != nil {
			first.ofHost = strings.HasPrefix(key, "//")
			return a.follow(first, err, applies)
		}
	}
	return Answer{}, nil
}

func (a Archives) follow(answer Answer, err error, applies func(*Entry) bool) (Answer, error) {
	at := answer.At
	compare := func(e, best *Entry) int {
		switch {
		case best == nil || !applies(best) && applies(e):
			return 1
		case applies(best) && !applies(e):
			return -1
		case applies(e):
			return e.At.Compare(best.At)
		}
		return best.At.Compare(e.At)
	}
	for revisits := 0; answer.redirects < maxRedirects && answer.Location != ""; {
		next, redirects := Answer{}, answer.redirects
		switch {
		case !IsRevisit(answer.Location):
			next, err = a.pick(answer.Location, compare)
			redirects++
		case revisits < maxRevisits:
			next, err = a.original(&answer)
			revisits++
		}
		if next.In == nil {
			next = answer
			next.Missed, next.Location = answer.Location, ""
		}
		next.redirects = redirects
		answer = next
	}
	answer.At = at
	return answer, err
}

// compare gets a capture e and the best so far (nil at first). A positive result means that e is better; 0 means
// the same time.
func (a Archives) pick(key string, compare func(e, best *Entry) int) (Answer, error) {
	var best []found
	for _, archive := range a {
		entries, err := archive.Entries(key)
		if err != nil {
			return Answer{}, err
		}
		for i := range entries {
			var soFar *Entry
			if len(best) > 0 {
				soFar = best[0].Entry
			}
			switch c := compare(&entries[i], soFar); {
			case c > 0:
				best = append(best[:0], found{&entries[i], archive})
			case c == 0:
				best = append(best, found{&entries[i], archive})
			}
		}
	}
	if len(best) == 0 {
		return Answer{}, nil
	}
	f, err := strictest(key, best)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Facts: f.Facts, At: f.At, Body: f.Body, In: f.in}, nil
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
func (a Archives) Versions(o origin.Origin) ([]Answer, error) {
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
		answer, err := a.Find(o, asOf)
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
