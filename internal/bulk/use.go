package bulk

import "github.com/heed-robots/heed/usage"

// A Use asks which preferences a site has about the use of its pages for some purposes, such as training (AI-16). This
// question is asked in addition to whether the pages may be fetched. NewUse returns a Use.
type Use struct {
	Purposes []usage.Purpose

	profile           *usage.Profile
	unknownDisallowed bool
	texts             [answers]string // the results of the method Text; the index of an answer is the result of numberOf
}

// NewUse returns a Use for some purposes. The profile says which statements of a site are read; nil means all. unknownDisallowed
// matters only if Keep leaves out some URLs. If it is true, a URL with an unknown preference is treated as if the preference
// disallowed the purpose. If it is false, an unknown preference has no effect.
func NewUse(purposes []usage.Purpose, profile *usage.Profile, unknownDisallowed bool) *Use {
	u := &Use{Purposes: purposes, profile: profile, unknownDisallowed: unknownDisallowed}
	for n := range u.texts {
		u.texts[n] = answerOf(n).Text(purposes...)
	}
	return u
}

// UsageColumn is the name of the column with the preferences in a table, and of the JSON member with the preferences.
const UsageColumn = "usage"

// Columns returns the names of those columns of a table that have preferences. verdicts are the names of the columns with
// verdicts. A nil Use has no such columns.
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

// Text returns the preferences of a Verdict for the purposes of the Use, such as "train-ai=n, search=y" or "not-crawlable".
// It is "" if nothing is known (AI-16).
func (u *Use) Text(v *Verdict) string { return u.texts[numberOf(v.Preferences)] }

// decide sets the preferences of a Verdict from the robots.txt, with its policy p, and from the response r. If the robots.txt
// is not known, p has no rules, and only r is used.
func (u *Use) decide(v *Verdict, p *usage.Policy, url string, r *usage.Response) {
	switch {
	case v.Word == Disallowed:
		v.Preferences = usage.NoAnswer
	case p != nil:
		v.Preferences = p.Check(url, true, r)
	}
	v.Refused = u.refuses(v)
}

// refuses reports whether the preferences for a URL disallow one of the purposes, although the URL may be fetched.
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
