package bulk

import "github.com/heed-robots/heed/usage"

// A Use makes each verdict also say whether the site allows a use of the page, such as training (AI-16).
type Use struct {
	Purposes []usage.Purpose

	profile           *usage.Profile
	unknownDisallowed bool
	texts             [answers]string
}

// NewUse returns a Use. If profile is nil, all statements are read. With unknownDisallowed, an unknown preference sets
// Verdict.Refused.
func NewUse(purposes []usage.Purpose, profile *usage.Profile, unknownDisallowed bool) *Use {
	u := &Use{Purposes: purposes, profile: profile, unknownDisallowed: unknownDisallowed}
	for n := range u.texts {
		u.texts[n] = answerOf(n).Text(purposes...)
	}
	return u
}

const UsageColumn = "usage"

// Columns names the columns with preferences: "usage", or "A usage" and "B usage" for the verdict columns "A" and "B".
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

// Text returns the preferences of a Verdict, such as "train-ai=n, search=y", or "" if nothing is known (AI-16).
func (u *Use) Text(v *Verdict) string { return u.texts[numberOf(v.Preferences)] }

// The parameter p is from the robots.txt, and may be nil. The parameter r is from the response.
func (u *Use) decideUse(v *Verdict, p *usage.Policy, url string, r *usage.Response) {
	switch {
	case v.Word == Disallowed:
		v.Preferences = usage.NoAnswer
	case p != nil:
		v.Preferences = p.Check(url, true, r)
	}
	v.Refused = u.isRefusal(v)
}

// With u.unknownDisallowed, an unknown preference is a refusal too.
func (u *Use) isRefusal(v *Verdict) bool {
	for _, p := range u.Purposes {
		if is := v.Preferences[p]; is == usage.Disallowed || is == usage.Unknown && u.unknownDisallowed {
			return true
		}
	}
	return false
}
