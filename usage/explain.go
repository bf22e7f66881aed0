package usage

import (
	"strconv"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// Explain returns a Verdict for each of the given purposes. A Verdict has the answer of Check, the statements that
// decide, and the other statements. Each of the other statements has the reason why it does not decide (AI-16).
func (p *Policy) Explain(target string, crawlable bool, r *Response, purposes ...Purpose) []Verdict {
	answer := p.Check(target, crawlable, r)
	verdicts := make([]Verdict, len(purposes))
	for i, purpose := range purposes {
		verdicts[i] = Verdict{Purpose: purpose, Preference: answer[purpose]}
	}
	if !crawlable && !p.isToken || len(purposes) == 0 {
		return verdicts
	}
	heard := p.statementsAbout(target, r)
	for i := range verdicts {
		verdicts[i].add(heard)
		verdicts[i].More += p.more
	}
	return verdicts
}

func (v *Verdict) add(heard []statement) {
	for i := range heard {
		s := &heard[i]
		switch why := s.whyNotBy(v); {
		case why == "" && len(v.By) < maxBy:
			v.By = append(v.By, s.Statement)
		case why == "":
			v.MoreBy++
		case s.whyNoEffect != "" && s.answer[v.Purpose] == Unknown && s.answer != Answer{}: // s is only about other purposes
		case len(v.Ignored) < maxIgnored:
			v.Ignored = append(v.Ignored, Ignored{s.Statement, why, s.answer[v.Purpose], s.problem != "" || s.hasUnknownValue[v.Purpose]})
		default:
			v.More++
		}
	}
}

func (s *statement) whyNotBy(v *Verdict) string {
	switch says := s.answer[v.Purpose]; {
	case s.whyNoEffect != "":
		return s.whyNoEffect
	case says == Unknown:
		return s.silenceReason(v.Purpose)
	case says != v.Preference && v.Preference == Unknown:
		return "tdmrep.json is not known, and may disallow it"
	case says != v.Preference:
		return "another statement disallows it, and that decides"
	}
	return ""
}

func (s *statement) silenceReason(p Purpose) string {
	switch {
	case s.problem != "":
		return s.problem
	case len(s.unknown) > 0:
		return "it says nothing about " + p.String() + ": the purpose or the value is unknown in " + strings.Join(s.unknown, ", ")
	}
	return "it says nothing about " + p.String()
}

func (p *Policy) statementsAbout(target string, r *Response) (heard []statement) {
	longer := p.matching(ContentUsage, target)
	signals := p.matching(ContentSignal, target)
	for _, s := range p.statements {
		switch {
		case s.whyNoEffect != "":
		case !p.options.Profile.counts(s.Carrier):
			s.whyNoEffect = p.options.Profile.whyNot()
		case s.Carrier == ContentUsage:
			s.whyNoEffect = longer.whyNot(s)
		case s.Carrier == ContentSignal && s.path != "":
			s.whyNoEffect = signals.whyNot(s)
		}
		heard = append(heard, s)
	}
	for i := range p.tokens {
		for _, s := range p.tokens[i].statementsAbout(target) {
			if !p.used.tokens {
				s.whyNoEffect = p.options.Profile.whyNot()
			}
			heard = append(heard, s)
		}
	}
	heard = append(heard, p.tdmStatements(target, r)...)
	if r == nil {
		return heard
	}
	for _, s := range r.statements {
		switch {
		case !p.options.Profile.counts(s.Carrier):
			s.whyNoEffect = p.options.Profile.whyNot()
		case !p.isFor(s.agent):
			s.whyNoEffect = "it is for another crawler, " + shortened(s.agent)
		}
		heard = append(heard, s.statement)
	}
	return heard
}

// A match says which lines of one carrier, such as Content-Usage, have a path that matches a target.
type match struct {
	length  map[int]int // the length of the path in bytes, by line
	longest int         // the length of the longest path that matches; 0 if no path matches
	line    int
	all     bool // false if only the line with the longest path has an effect
}

func (p *Policy) matching(carrier Carrier, target string) match {
	m := match{length: map[int]int{}, all: carrier == ContentSignal}
	var patterns []string
	var lines []int
	for i := range p.statements {
		if s := &p.statements[i]; s.Carrier == carrier && s.whyNoEffect == "" && s.path != "" {
			patterns = append(patterns, s.path)
			lines = append(lines, s.Line)
		}
	}
	if len(patterns) == 0 {
		return m
	}
	for _, c := range explainPath(robotstxt.LongestOf(patterns), target).Candidates {
		line := lines[c.Rule.Line-1]
		m.length[line] = c.Length
		if c.Length > m.longest {
			m.longest, m.line = c.Length, line
		}
	}
	return m
}

func (m *match) whyNot(s statement) string {
	length, matches := m.length[s.Line]
	switch {
	case s.path != "" && !matches:
		return "its path does not match"
	case !m.all && length < m.longest:
		return "line " + strconv.Itoa(m.line) + " has a longer path, and that decides"
	}
	return ""
}

func (t *tokenRules) statementsAbout(target string) (heard []statement) {
	trace := explainPath(t.policy, target)
	for i, c := range trace.Candidates {
		s := statement{Statement: Statement{Carrier: PurposeToken, Line: c.Rule.Line, Text: shortened(c.Rule.Text() + " (for " + t.Name + ")")}}
		s.answer[t.Purpose] = said(c.Rule.Allow)
		if i > 0 {
			s.whyNoEffect = c.Beaten.String()
		}
		heard = append(heard, s)
	}
	if len(heard) == 0 {
		for _, g := range trace.Groups {
			if g.Role.Applies() {
				s := statement{Statement: Statement{Carrier: PurposeToken, Line: g.Agent.Line, Text: shortened("User-agent: " + g.Agent.Value)}}
				s.answer[t.Purpose] = Disallowed // only says which purpose the statement is about; whyNoEffect makes it ineffective
				s.whyNoEffect = "no rule of its group matches"
				heard = append(heard, s)
			}
		}
	}
	return heard
}

// explainPath reads a target without a path as "/", like checkPath.
func explainPath(policy *robotstxt.Policy, target string) robotstxt.Trace {
	trace := policy.Explain(target)
	if trace.Decision.Reason == robotstxt.InvalidTarget {
		return policy.Explain("/")
	}
	return trace
}

func (p *Policy) tdmStatements(target string, r *Response) (heard []statement) {
	holds := p.options.TDMRep.reservationAt(target, r)
	add := func(place Statement, reserved Reservation, why string) {
		s := statement{Statement: place, whyNoEffect: why}
		if reserved == Reserved {
			s.answer.addWord(TDMRep, tdmReservation, "1")
		}
		switch {
		case !p.used.tdm:
			s.whyNoEffect = p.options.Profile.whyNot()
		case why == "" && samePlace(place, holds.reservedBy) && reserved == holds.reserved:
		case why == "" && samePlace(place, holds.reservedBy):
			s.whyNoEffect = "the same place also reserves rights, and that decides"
		case why == "" && reserved == Unset:
			s.problem = "it has no reservation"
		case why == "":
			s.whyNoEffect = "a later place overrides it: headers override tdmrep.json, and the page overrides both"
		}
		if s.whyNoEffect == "" && reserved == NotReserved {
			s.problem = "rights are not reserved, which allows nothing by itself"
		}
		heard = append(heard, s)
	}
	if holds.failed != "" && p.used.tdm {
		heard = append(heard, statement{Statement: Statement{Carrier: TDMRep, Text: TDMRepPath}, problem: "it may reserve rights, but it could not be read: " + holds.failed})
	}
	if row := p.options.TDMRep.row(target); row != nil {
		add(row.place(), row.reservation, "")
	}
	if r != nil {
		for _, f := range r.tdm {
			if f.name == tdmReservation {
				add(f.Statement, f.reservation, f.silenceReason)
			}
		}
	}
	return heard
}
