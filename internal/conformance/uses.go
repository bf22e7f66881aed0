package conformance

import (
	"maps"
	"slices"

	"github.com/heed-robots/heed/internal/beside"
	"github.com/heed-robots/heed/usage"
)

// Uses has what a case expects about the use of a page. The zero Uses expects nothing.
type Uses struct {
	Expected []usage.Verdict // in the order of usage.Purposes
	Profile  *usage.Profile  // the places in which preferences are read; nil: all places

	// TDMRep and Response are what the site says outside its robots.txt. Only cases in the JSON form have them.
	TDMRep   *usage.TDMFile
	Response *usage.Response
}

type jsonUses struct {
	Usage   map[string]string `json:"usage"`
	Profile *string           `json:"profile"`
	Clause  string            `json:"clause"` // has no effect
	beside.Members
}

func (j *jsonUses) read() (u Uses, err error) {
	for _, name := range slices.Sorted(maps.Keys(j.Usage)) {
		expected, err := usage.ParsePreference(name, j.Usage[name])
		if err != nil {
			return u, err
		}
		u.Expected = append(u.Expected, expected)
	}
	slices.SortFunc(u.Expected, func(a, b usage.Verdict) int { return int(a.Purpose) - int(b.Purpose) })
	if j.Profile != nil {
		if u.Profile, err = usage.ProfileNamed(*j.Profile); err != nil {
			return u, err
		}
	}
	u.TDMRep, u.Response, err = j.Members.Read()
	return u, err
}

func (u *Uses) Purposes() (purposes []usage.Purpose) {
	for _, v := range u.Expected {
		purposes = append(purposes, v.Purpose)
	}
	return purposes
}

func (u *Uses) answer(policy *usage.Policy, target string, crawlable bool) []usage.Verdict {
	with := policy.With(usage.Options{Profile: u.Profile, TDMRep: u.TDMRep})
	return with.Explain(target, crawlable, u.Response, u.Purposes()...)
}

func (u *Uses) passed(got []usage.Verdict) bool {
	return slices.EqualFunc(u.Expected, got, func(a, b usage.Verdict) bool { return a.Preference == b.Preference })
}
