package asked

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Purposes are what a question asks beside whether a page may be crawled: what it may be used for. The zero value asks nothing.
type Purposes struct {
	For     PurposeList `json:"for"`
	Profile ProfileName `json:"profile"`

	TDMRep *usage.TDMFile `json:"-"` // of the site; nil: none
}

// A PurposeList is some purposes. In JSON it is a list of names, or a string with commas.
type PurposeList []usage.Purpose

// UnmarshalJSON reads a list, or a string.
func (l *PurposeList) UnmarshalJSON(text []byte) error {
	var names string
	if json.Unmarshal(text, &names) != nil {
		var list []string
		if json.Unmarshal(text, &list) != nil {
			return errors.New(`expected a purpose such as "train-ai", or a list of them`)
		}
		names = strings.Join(list, ",")
	}
	purposes, err := usage.ParsePurposes(names)
	*l = purposes
	return err
}

// A ProfileName is a profile, in JSON its name; nil: all carriers count.
type ProfileName struct{ *usage.Profile }

// UnmarshalJSON reads a name.
func (p *ProfileName) UnmarshalJSON(text []byte) (err error) {
	var name string
	if json.Unmarshal(text, &name) != nil {
		return errors.New("expected the name of a profile")
	}
	p.Profile, err = usage.ProfileNamed(name)
	return err
}

// ReadPurposes reads the purposes and the profile of a query; "" is the usual one.
func ReadPurposes(names, profile string) (p Purposes, err error) {
	if names != "" {
		if p.For, err = usage.ParsePurposes(names); err != nil {
			return p, Wrong(`"for": %w`, err)
		}
	}
	if profile != "" {
		if p.Profile.Profile, err = usage.ProfileNamed(profile); err != nil {
			return p, Wrong(`"profile": %w`, err)
		}
	}
	return p, p.CheckProfile()
}

// CheckProfile returns an error if a profile is given for no question.
func (p *Purposes) CheckProfile() error {
	if len(p.For) == 0 && p.Profile.Profile != nil {
		return Wrong(`"profile" says whose statements count, but "for" is missing`)
	}
	return nil
}

// Options returns how the answers are found.
func (p *Purposes) Options() usage.Options {
	return usage.Options{Profile: p.Profile.Profile, TDMRep: p.TDMRep}
}

// Explain returns what a page may be used for, after the decision whether it may be crawled; nil if that is not asked. The
// policy is only called for if it is.
func (p *Purposes) Explain(policy func() *usage.Policy, target string, d robotstxt.Decision) report.Preferences {
	if len(p.For) == 0 {
		return nil
	}
	return policy().With(p.Options()).Explain(target, d.Allowed, nil, p.For...)
}

// Add adds what the page may be used for to the explanation of a decision.
func (p *Purposes) Add(e *report.Explained) {
	e.Preferences = p.Explain(func() *usage.Policy { return usage.New(e.File, usage.Options{}, e.Agents...) }, e.Main.Target, e.Main.Decision)
}

// A Uses is a question what a page may be used for, with what is said beside the robots.txt.
type Uses struct {
	Purposes
	response *usage.Response
}

// ReadUses reads a Uses from a JSON object; "" is an empty one. Without "for", it is about all purposes.
func ReadUses(question string) (*Uses, error) {
	var q struct {
		Purposes
		Headers map[string]oneOrMore `json:"headers"`
		HTML    string               `json:"html"`
		TDMRep  json.RawMessage      `json:"tdmrep"`
	}
	if question != "" {
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return nil, Wrong("%w", err)
		}
	}
	u := &Uses{Purposes: q.Purposes}
	if len(u.For) == 0 {
		u.For = usage.Purposes()
	}
	if len(q.TDMRep) > 0 && string(q.TDMRep) != "null" {
		file, err := usage.ReadTDMRep(q.TDMRep)
		if err != nil {
			return nil, Wrong("%w", err)
		}
		u.TDMRep = file
	}
	headers := map[string][]string{}
	for name, lines := range q.Headers {
		headers[name] = lines
	}
	u.response = usage.ReadResponse(headers, []byte(q.HTML))
	return u, nil
}

// oneOrMore is a list of strings, in JSON also a single one.
type oneOrMore []string

func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// Explain answers the question.
func (u *Uses) Explain(policy *usage.Policy, target string, d robotstxt.Decision) report.Preferences {
	return policy.With(u.Options()).Explain(target, d.Allowed, u.response, u.For...)
}
