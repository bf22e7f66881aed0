package bulk

import "github.com/heed-robots/heed/usage"

// With a Use, each verdict of a Decider also says whether the site wants the page to be used for some purposes, such as
// training (AI-16).
type Use struct {
	Purposes []usage.Purpose

	profile           *usage.Profile
	unknownDisallowed bool
	texts             [answers]string // all results of the method Text; the index is numberOf(Verdict.Preferences)
}

// NewUse returns a Use for some purposes. The profile says which statements of a site are read; nil means all. If
// unknownDisallowed is true, an unknown preference about an allowed URL sets Verdict.Refused too.
func NewUse(purposes []usage.Purpose, profile *usage.Profile, unknownDisallowed bool) *Use {
	u := &Use{Purposes: purposes, profile: profile, unknownDisallowed: unknownDisallowed}
	for n := range u.texts {
		u.texts[n] = answerOf(n).Text(purposes...)
	}
	return u
}

// UsageColumn is the name of the column, or of the JSON member, with the preferences.
const UsageColumn = "usage"

// Columns returns the names of the columns with preferences. For the verdict columns "A" and "B" they are "A usage" and "B
// usage"; for only one verdict column, the name is "usage". For a nil Use, the result is nil.
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

// Text returns the preferences of a Verdict for the purposes of the Use, such as "train-ai=n, search=y" or "not-crawlable". It
// is "" if nothing is known (AI-16).
func (u *Use) Text(v *Verdict) string { return u.texts[numberOf(v.Preferences)] }

// decideUse sets v.Preferences and v.Refused. p has the preferences in the robots.txt, and r has the preferences in the
// response. If p is nil, decideUse changes v.Preferences only for a disallowed URL.
func (u *Use) decideUse(v *Verdict, p *usage.Policy, url string, r *usage.Response) {
	switch {
	case v.Word == Disallowed:
		v.Preferences = usage.NoAnswer
	case p != nil:
		v.Preferences = p.Check(url, true, r)
	}
	v.Refused = u.isRefusal(v)
}

// isRefusal reports whether v.Preferences disallow one of u.Purposes. With u.unknownDisallowed, an unknown preference about an
// allowed URL is a refusal too.
func (u *Use) isRefusal(v *Verdict) bool {
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
