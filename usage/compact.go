package usage

import "slices"

// Compact returns a policy with the same Check as p, and about how many bytes it takes. The policy has nothing that only
// Explain needs, so it does not keep the robots.txt in memory. It is nil if nothing in the robots.txt or tdmrep.json is
// about the crawler. Then a policy without a file gives the same answers, and one such policy is enough for all sites.
func (p *Policy) Compact() (compact *Policy, size int) {
	c := &Policy{options: p.options, counted: p.counted, agents: p.agents, isToken: p.isToken, lines: &lines{}}
	if p.counted.usage {
		c.usage = p.usage
	}
	if p.counted.signals {
		c.signals = p.signals
	}
	if p.counted.tokens {
		c.tokens = slices.Clone(p.tokens)
	}
	if c.usage.isSilent() && c.signals.isSilent() && len(c.tokens) == 0 && p.options.TDMRep == nil {
		return nil, 0
	}
	return c, c.Size()
}

// isSilent reports whether there is no statement about any purpose.
func (b *byPath) isSilent() bool {
	for i := range b.ways {
		if b.ways[i].policy != nil {
			return false
		}
	}
	return b.always == Answer{}
}
