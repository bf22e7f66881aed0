package asked

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/heed-robots/heed/internal/beside"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Purposes is a question about the use of a page. Without purposes in For, nothing is asked about it.
type Purposes struct {
	For     PurposeList `json:"for"`
	Profile ProfileName `json:"profile"`

	// The site can also say something outside its robots.txt; nil means that it says nothing.
	TDMRep   *usage.TDMFile  `json:"-"` // its file tdmrep.json
	Response *usage.Response `json:"-"` // the response with the page
}

// In JSON, a PurposeList is a list of names, or a string with commas.
type PurposeList []usage.Purpose

func (l *PurposeList) UnmarshalJSON(text []byte) error {
	var names string
	if json.Unmarshal(text, &names) != nil {
		var list []string
		if json.Unmarshal(text, &list) != nil {
			return errors.New(`expected a purpose, such as "train-ai", or a list of purposes`)
		}
		names = strings.Join(list, ",")
	}
	purposes, err := usage.ParsePurposes(names)
	*l = purposes
	return err
}

// In JSON, a ProfileName is the name of a profile. If the profile is nil, all statements are read.
type ProfileName struct{ *usage.Profile }

func (p *ProfileName) UnmarshalJSON(text []byte) (err error) {
	var name string
	if json.Unmarshal(text, &name) != nil {
		return errors.New("expected the name of a profile, such as \"ietf\"")
	}
	p.Profile, err = usage.ProfileNamed(name)
	return err
}

// ReadPurposes reads values from the query of a URL; "" means that there is none.
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

func (p *Purposes) CheckProfile() error {
	if len(p.For) == 0 && p.Profile.Profile != nil {
		return Wrong(`"profile" is only used with "for", which is missing; expected purposes such as "train-ai"`)
	}
	return nil
}

func (p *Purposes) Options() usage.Options {
	return usage.Options{Profile: p.Profile.Profile, TDMRep: p.TDMRep}
}

// Explain returns for which purposes a page may be used. d is the decision whether it may be crawled.
func (p *Purposes) Explain(policy func() *usage.Policy, target string, d robotstxt.Decision) report.Preferences {
	if len(p.For) == 0 {
		return nil
	}
	return policy().With(p.Options()).Explain(target, d.Allowed, p.Response, p.For...)
}

func (p *Purposes) Add(e *report.Explained) {
	e.Preferences = p.Explain(func() *usage.Policy { return usage.New(e.File, usage.Options{}, e.Agents...) }, e.Main.Target, e.Main.Decision)
}

// AddBeside adds what the site says about the use of content outside its robots.txt, for example in headers.
func (p *Purposes) AddBeside(m *beside.Members) (err error) {
	if p.TDMRep, p.Response, err = m.Read(); err != nil {
		return Wrong("%w", err)
	}
	return nil
}

// ReadUses reads a question about the use of a page. Without "for", the question is about all
// purposes.
func ReadUses(question string) (*Purposes, error) {
	var q struct {
		Purposes
		beside.Members
	}
	if question != "" {
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return nil, Wrong("%w", err)
		}
	}
	if len(q.For) == 0 {
		q.For = usage.Purposes()
	}
	return &q.Purposes, q.AddBeside(&q.Members)
}
