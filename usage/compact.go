package usage

import (
	"unsafe"

	"github.com/heed-robots/heed/robotstxt"
)

// Compact returns a policy whose Check is that of p, without what only Explain needs, so that the robots.txt is not kept in
// memory, and about how many octets it takes. It is nil if nothing in the robots.txt or tdmrep.json is about the crawler:
// then a policy without a file answers alike, and one is enough for all sites.
func (p *Policy) Compact() (compact *Policy, size int) {
	if p.usage.isSilent() && p.signals.isSilent() && len(p.tokens) == 0 && p.options.TDMRep == nil {
		return nil, 0
	}
	c := &Policy{options: p.options, agents: p.agents, usage: p.usage, signals: p.signals}
	size = int(unsafe.Sizeof(*c)) + c.usage.compact() + c.signals.compact()
	for _, t := range p.tokens {
		policy, n := compactOne(t.policy)
		c.tokens, size = append(c.tokens, tokenRules{t.Token, policy}), size+n+int(unsafe.Sizeof(t))
	}
	return c, size
}

// isSilent reports whether no statement counts.
func (b *byPath) isSilent() bool {
	for i := range b.ways {
		if b.ways[i].policy != nil {
			return false
		}
	}
	return b.always == Answer{}
}

// compact makes the policies of the paths compact, and returns how many octets they take.
func (b *byPath) compact() (size int) {
	for i := range b.ways {
		if w := &b.ways[i]; w.policy != nil {
			policy, n := compactOne(w.policy)
			w.policy, size = policy, size+n+len(w.says)
		}
	}
	return size
}

func compactOne(p *robotstxt.Policy) (*robotstxt.Policy, int) {
	compact, size := robotstxt.Compact([]*robotstxt.Policy{p})
	return compact[0], size
}
