package bulk

import "github.com/heed-robots/heed/usage"

// A Use is a question about the use of pages, in addition to whether they may be fetched (AI-16): for some purposes, such as
// training, what does the site prefer? NewUse returns one.
type Use struct {
	Purposes []usage.Purpose

	profile           *usage.Profile
	unknownDisallowed bool
	texts             [answers]string // what Text returns, by numberOf an answer
}

// NewUse returns a Use for some purposes. The profile says which signals of a site are read; nil means all. unknownDisallowed
// makes an unknown preference count as one that disallows when URLs are kept or left out (Keep). Otherwise an unknown
// preference does not matter there.
func NewUse(purposes []usage.Purpose, profile *usage.Profile, unknownDisallowed bool) *Use {
	u := &Use{Purposes: purposes, profile: profile, unknownDisallowed: unknownDisallowed}
	for n := range u.texts {
		u.texts[n] = answerOf(n).Text(purposes...)
	}
	return u
}

// UsageColumn is the name of the column with the preferences in a table, and of the member with them in JSON.
const UsageColumn = "usage"

// Columns returns the names of the columns with preferences in a table. verdicts are the names of its columns with verdicts.
// A nil Use has no columns.
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

// Text returns the preferences of a Verdict about the purposes, such as "train-ai=n, search=y" or "not-crawlable". It is ""
// if nothing is known (AI-16).
func (u *Use) Text(v *Verdict) string { return u.texts[numberOf(v.Preferences)] }

// decide sets the preferences of a Verdict. If the robots.txt is not known, p has no rules, and only the response r is asked.
func (u *Use) decide(v *Verdict, p *usage.Policy, url string, r *usage.Response) {
	switch {
	case v.Word == Disallowed:
		v.Preferences = usage.NoAnswer
	case p != nil:
		v.Preferences = p.Check(url, true, r)
	}
	v.Refused = u.refuses(v)
}

// refuses reports whether the preferences of a URL that may be fetched disallow one of the purposes.
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
