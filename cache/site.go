package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// A Site is the state of an origin when Cache.Site or Cache.PeekSite was called. It answers many questions without a
// retrieval. A Site does not change, and is safe for concurrent use. The zero Site must not be used.
type Site struct {
	cache *Cache
	entry *entry
	state *state
	now   time.Time
}

// Origin returns the origin of the Site.
func (s *Site) Origin() origin.Origin { return s.entry.record.Origin }

// Result returns the retrieval that the answers come from, or nil if nothing is cached. The Result must not be changed.
func (s *Site) Result() *fetch.Result { return s.state.result }

// Check answers whether a crawler may fetch a target: a URL, or a path with its query. A URL of another origin is
// disallowed as OtherOrigin. A browser changes some targets before it requests them, for example a target with a
// tab. Such a target must be allowed in both forms.
//
// The error is ErrNoAgent, or says that the target is invalid. With an error, the Answer disallows the target.
func (s *Site) Check(agents []string, target string) (a Answer, err error) {
	if len(agents) == 0 {
		return Answer{Origin: s.Origin()}, ErrNoAgent
	}
	other, err := s.isOtherOrigin(target)
	if err != nil {
		return invalidTarget(), err
	}
	s.answer(&a, agents, target)
	if other {
		a.Decision = otherOrigin
	}
	return a, nil
}

// Records returns the records that apply to a crawler, such as Crawl-delay; see robotstxt.Policy.Records. If agents is
// empty, it returns ErrNoAgent.
func (s *Site) Records(agents []string) ([]record.Value, error) {
	if len(agents) == 0 {
		return nil, ErrNoAgent
	}
	return s.policy(agents).Records(), nil
}

// Usage returns what the robots.txt says about how a crawler may use the content (AI-1).
func (s *Site) Usage(agents []string) *usage.Policy {
	if s.state.copied && len(agents) > 0 {
		return s.cache.usageFor(s.entry, agents)
	}
	return usage.New(nil, usage.Options{}, agents...)
}

// CrawlDelay returns the crawl delay of a crawler, or 0 if there is none. If agents is empty, it returns ErrNoAgent.
func (s *Site) CrawlDelay(agents []string) (time.Duration, error) {
	if len(agents) == 0 {
		return 0, ErrNoAgent
	}
	return s.policy(agents).delay, nil
}

// File returns the robots.txt that is used, in the dialect of the Cache. If no robots.txt is used, it returns a File
// without lines that allows or disallows everything.
func (s *Site) File() *robotstxt.File {
	if s.state.copied {
		return s.cache.fileOf(s.entry)
	}
	return s.cache.settings.fixed[s.state.outcome].file
}

// SHA256 returns the SHA-256 of the robots.txt that is used, in hexadecimal. It returns "" if no robots.txt is used.
func (s *Site) SHA256() string {
	if !s.state.copied {
		return ""
	}
	if sum := s.entry.sum.Load(); sum != nil {
		return *sum
	}
	sum := s.entry.seen.Copy.SHA256()
	s.cache.grow(s.entry, func() { s.entry.sum.Store(&sum) })
	return sum
}

// ID returns 22 characters that identify the retrieval and the dialect. All processes that share the Store return the
// same ID.
func (s *Site) ID() string {
	if n := s.entry.lastID.Load(); n != nil && n.retrieval == s.state.result {
		return n.id
	}
	return s.cache.computeID(s)
}

// Sitemaps returns the URLs of the Sitemap lines, in the order of the file. It skips a value that is not a URL.
func (s *Site) Sitemaps() []string { return slices.Collect(s.File().SitemapURLs()) }

// Explain makes the same decision as Check, and returns the groups and rules that led to it. Its errors are those of Check.
func (s *Site) Explain(agents []string, target string) (robotstxt.Trace, error) {
	return s.ExplainIn(s.cache.settings.dialect, &s.cache.settings.statuses, agents, target)
}

// ExplainIn explains the decision that another dialect would make. A nil d means RFC 9309. The parameter statuses has
// the meanings of HTTP statuses; nil means fetch.StatusesOf(d).
//
// After failures for a long time, the Site may allow everything. Then ExplainIn allows everything too, if the
// statuses mean that the origin is unreachable. In Draft1996 this is so only if Cache.RelaxAfter is set.
func (s *Site) ExplainIn(d *robotstxt.Dialect, statuses *fetch.Statuses, agents []string, target string) (robotstxt.Trace, error) {
	if len(agents) == 0 {
		return robotstxt.Trace{}, ErrNoAgent
	}
	if d == nil {
		d = robotstxt.RFC9309
	}
	if statuses == nil {
		of := fetch.StatusesOf(d)
		statuses = &of
	}
	other, err := s.isOtherOrigin(target)
	if err != nil {
		return robotstxt.Trace{Decision: invalidTarget().Decision, Dialect: d, Agents: agents, Target: target}, err
	}
	if other {
		return robotstxt.Trace{Decision: otherOrigin, Dialect: d, Agents: agents, Target: target}, nil
	}
	outcome, p := s.outcomeIn(d, *statuses, agents)
	t := p.Explain(p.Requested(target))
	t.Target = target
	if len(t.Agents) == 0 { // no robots.txt is used, so no group applies
		t.Agents = agents
	}
	amend(&t.Decision, outcome, robotstxt.Parse(nil, d).Agent(), target)
	return t, nil
}

func (s *Site) outcomeIn(d *robotstxt.Dialect, statuses fetch.Statuses, agents []string) (fetch.Outcome, *robotstxt.Policy) {
	own := &s.cache.settings
	if d == own.dialect && statuses == own.statuses { // the file is already parsed in this dialect
		return s.state.outcome, s.policy(agents).Policy
	}
	r := s.state.result
	if r == nil {
		return fetch.Unreachable, robotstxt.DisallowAll(robotstxt.Unreachable, d).Agent()
	}
	outcome, file := r.OutcomeBy(statuses), r.FileBy(statuses, d)
	switch {
	case outcome == fetch.Rules:
		return outcome, file.Agent(agents...)
	case outcome == fetch.Unreachable && s.isRelaxed() && cmp.Or(s.cache.RelaxAfter, relaxAfterOf(d)) > 0:
		outcome, file = fetch.Unavailable, robotstxt.AllowAll(robotstxt.Unavailable, d)
	}
	return outcome, file.Agent()
}

// isRelaxed reports whether everything is allowed because the origin has been unreachable for a long time.
func (s *Site) isRelaxed() bool {
	return s.state.outcome == fetch.Unavailable && s.cache.settings.outcome(s.state.result) == fetch.Unreachable
}

// answer sets *a and returns nothing, because an Answer is large to copy.
func (s *Site) answer(a *Answer, agents []string, target string) {
	p := s.policy(agents)
	*a = s.state.answer
	a.Decision = p.CheckRequest(target)
	amend(&a.Decision, s.state.outcome, s.cache.emptyFile, target)
	a.CrawlDelay = p.delay
	if s.state.result != nil {
		a.Age = s.now.Sub(a.Fetched)
	}
}

func (s *Site) policy(agents []string) *policy {
	if s.state.copied {
		return s.cache.policyFor(s.entry, agents)
	}
	return &s.cache.settings.fixed[s.state.outcome].policy
}

// amend allows /robots.txt itself if the dialect always does. emptyFile is the policy of an empty file.
func amend(d *robotstxt.Decision, outcome fetch.Outcome, emptyFile *robotstxt.Policy, target string) {
	if d.Allowed || outcome == fetch.Rules {
		return
	}
	if always := emptyFile.Check(target); always.Reason == robotstxt.RobotsTxtItself {
		*d = always
	}
}

func (s *Site) isOtherOrigin(target string) (bool, error) {
	if strings.HasPrefix(target, "/") || s.Origin().Begins(target) {
		return false, nil
	}
	o, err := origin.Parse(target)
	if err != nil {
		err = fmt.Errorf("%w; a path must begin with \"/\"", err)
	}
	return o != s.Origin(), err
}

var otherOrigin = robotstxt.Decision{Reason: robotstxt.OtherOrigin}

func invalidTarget() Answer {
	return Answer{Decision: robotstxt.Decision{Reason: robotstxt.InvalidTarget}}
}
