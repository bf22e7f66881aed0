package bulk

import "github.com/heed-robots/heed/usage"

// A Use is what is asked about the use of pages, beside whether they may be fetched (AI-16). NewUse returns one.
type Use struct {
	Purposes []usage.Purpose

	profile           *usage.Profile
	unknownDisallowed bool
	texts             [answers]string // by the number of an answer
}

// NewUse returns a Use for some purposes. A nil profile counts all carriers. Of which URLs are kept, unknownDisallowed makes an
// unknown preference count as one that disallows; otherwise it does not matter.
func NewUse(purposes []usage.Purpose, profile *usage.Profile, unknownDisallowed bool) *Use {
	u := &Use{Purposes: purposes, profile: profile, unknownDisallowed: unknownDisallowed}
	for n := range u.texts {
		u.texts[n] = answerOf(n).Text(purposes...)
	}
	return u
}

// UsageColumn is the name of the column, or of the member, with the preferences.
const UsageColumn = "usage"

// Columns returns the names of the columns with the preferences, in a table with the verdicts of some columns. A nil Use has none.
func (u *Use) Columns(verdicts []string) (names []string) {
	switch {
	case u == nil:
		return nil
	case len(verdicts) == 1:
		return []string{UsageColumn}
	}
	for _, name := range verdicts {
		names = append(names, name+" "+UsageColumn)
	}
	return names
}

const (
	preferences = int(usage.NotCrawlable) + 1
	answers     = preferences * preferences * preferences
)

func numberOf(a usage.Answer) (n int) {
	for _, p := range a {
		n = n*preferences + int(p)
	}
	return n
}

func answerOf(number int) (a usage.Answer) {
	for i := len(a) - 1; i >= 0; i-- {
		a[i] = usage.Preference(number % preferences)
		number /= preferences
	}
	return a
}

// Text returns the preferences of a Verdict about the purposes, such as "train-ai=n, search=y" or "not-crawlable"; "": nothing is
// known (AI-16).
func (u *Use) Text(v *Verdict) string { return u.texts[numberOf(v.Preferences)] }

// decide sets the preferences of a Verdict. If nothing is known about fetching the URL, only what its own response says is known.
func (u *Use) decide(v *Verdict, p *usage.Policy, url string, r *usage.Response) {
	switch {
	case v.Word == Disallowed:
		v.Preferences = usage.NoAnswer
	case p != nil:
		v.Preferences = p.Check(url, true, r)
	}
	v.Refused = u.refuses(v)
}

// refuses reports whether a purpose is disallowed, though the URL may be fetched.
func (u *Use) refuses(v *Verdict) bool {
	for _, p := range u.Purposes {
		switch v.Preferences[p] {
		case usage.Disallowed:
			return true
		case usage.Unknown:
			if u.unknownDisallowed && v.Word == Allowed {
				return true
			}
		}
	}
	return false
}
