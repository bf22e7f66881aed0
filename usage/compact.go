package usage

import "slices"

// Compact returns a policy that takes less memory, about size bytes. Its Check returns the same answers, but its Explain
// does not. If the site says nothing to the crawler, compact is nil.
func (p *Policy) Compact() (compact *Policy, size int) {
	c := &Policy{options: p.options, used: p.used, agents: p.agents, isToken: p.isToken, lines: &lines{}}
	if p.used.usage {
		c.usage = p.usage
	}
	if p.used.signals {
		c.signals = p.signals
	}
	if p.used.tokens {
		c.tokens = slices.Clone(p.tokens)
	}
	if c.usage.isSilent() && c.signals.isSilent() && len(c.tokens) == 0 && p.options.TDMRep == nil {
		return nil, 0
	}
	return c, c.Size()
}

func (b *byPath) isSilent() bool {
	for i := range b.byPurpose {
		if b.byPurpose[i].policy != nil {
			return false
		}
	}
	return b.pathless == Answer{}
}
