package usage

import (
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
)

// Options are the settings of a Policy. The zero value has all defaults.
type Options struct {
	Profile *Profile // says which carriers (kinds of statements) are used; nil means all
	TDMRep  *TDMFile // the tdmrep.json of the site; nil if there is none
}

// A Policy says for which purposes a site allows one crawler to use its content. Robots.For and New return one. It never
// changes, and is safe for concurrent use.
type Policy struct {
	options Options
	used    usedCarriers
	agents  []string // the product tokens of the crawler, as RFC 9309 reads them

	*lines
	tokens []tokenRules
	// isToken is true if the policy is for a purpose token such as Google-Extended, which fetches nothing (AI-10).
	isToken bool
}

type usedCarriers struct{ usage, signals, tokens, tdm bool }

// tokenRules has the rules for a purpose token, for example the rules of the group "User-agent: Google-Extended" (AI-10).
type tokenRules struct {
	Token
	policy *robotstxt.Policy
}

// New returns the policy of a site for a crawler with the given product tokens. Groups and paths are read as in RFC 9309
// (AI-5). For many crawlers, use Read.
//
// For a purpose token such as Google-Extended, only the groups that name the token apply. Pages that these groups disallow
// have preferences too (AI-10).
func New(robots *robotstxt.File, options Options, agents ...string) *Policy {
	return Read(robots).For(options, agents...)
}

// OperatorOf returns the operator of the crawler with the given product tokens, or "". The operator's purpose tokens apply
// to the crawler.
func OperatorOf(agents []string) string {
	for _, agent := range agents {
		if c, ok := crawlers.Known().Lookup(agent); ok {
			return c.Operator
		}
	}
	return ""
}

// With returns a copy of the policy with other options.
func (p *Policy) With(options Options) *Policy {
	with := *p
	with.options = options
	counts := options.Profile.counts
	with.used = usedCarriers{counts(ContentUsage), counts(ContentSignal), counts(PurposeToken), counts(TDMRep)}
	return &with
}

// Size returns the approximate number of bytes that the policy takes in memory, without the TDMFile.
func (p *Policy) Size() int {
	const policySize = 150
	size := policySize + p.lines.size()
	for _, t := range p.tokens {
		size += t.policy.SizeWithFile()
	}
	return size
}

// HasUnread reports whether the robots.txt has preferences for the crawler that cannot be read. Such preferences say
// nothing. After Compact, HasUnread always returns false.
func (p *Policy) HasUnread() bool {
	return slices.ContainsFunc(p.statements, func(s statement) bool {
		return s.problem != "" && s.whyNoEffect == "" && p.options.Profile.counts(s.Carrier)
	})
}

// Check returns what the site wants for a target, which is a URL or a path. r is what the response says, or nil. If
// crawlable is false (robots.txt disallows the target), the answer is NoAnswer (AI-3), except for a purpose token (AI-10).
// Only some of the first calls allocate memory.
func (p *Policy) Check(target string, crawlable bool, r *Response) (a Answer) {
	if !crawlable && !p.isToken {
		return NoAnswer
	}
	if p.used.usage {
		p.usage.decide(&a, target)
	}
	if p.used.signals {
		p.signals.decide(&a, target)
	}
	for i := range p.tokens {
		t := &p.tokens[i]
		if !p.used.tokens {
			break
		}
		if d := checkPath(t.policy, target); d.Reason == robotstxt.ByRule {
			a[t.Purpose] = combine(a[t.Purpose], said(d.Allowed))
		}
	}
	if r != nil || p.options.TDMRep != nil {
		p.addResponse(&a, target, r)
	}
	return a
}

func said(allowed bool) Preference {
	if allowed {
		return Allowed
	}
	return Disallowed
}

func checkPath(policy *robotstxt.Policy, target string) robotstxt.Decision {
	d := policy.Check(target)
	if d.Reason == robotstxt.InvalidTarget {
		return policy.Check("/")
	}
	return d
}

func (p *Policy) addResponse(a *Answer, target string, r *Response) {
	var t tdmState
	if p.used.tdm {
		if t = p.options.TDMRep.reservationAt(target, r); t.reserved == Reserved {
			a.addWord(TDMRep, tdmReservation, "1")
		}
	}
	p.addStatements(a, r)
	if t.failed != "" && a[TrainAI] == Allowed {
		a[TrainAI] = Unknown
	}
}

// addStatements leaves out statements of TDMRep, because these override each other (see reservationAt).
func (p *Policy) addStatements(a *Answer, r *Response) {
	if r == nil {
		return
	}
	for i := range r.statements {
		if s := &r.statements[i]; p.options.Profile.counts(s.Carrier) && p.isFor(s.agent) {
			a.combine(s.answer)
		}
	}
}

func (p *Policy) isFor(agent string) bool {
	return agent == "" || slices.ContainsFunc(p.agents, func(name string) bool { return ascii.EqualFold(name, agent) })
}
