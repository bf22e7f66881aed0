package usage

import "slices"

// Compact returns a policy for Check that takes less memory: without what only Explain needs, and without the
// robots.txt. size is about how many bytes it takes. compact is nil if neither the robots.txt nor tdmrep.json says
// anything to the crawler; one policy without a file is enough for all such sites.
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

// isSilent reports whether b contains no statements about any purpose.
func (b *byPath) isSilent() bool {
	for i := range b.ways {
		if b.ways[i].policy != nil {
			return false
		}
	}
	return b.always == Answer{}
}
