package robotstxt

// WithLookup gives a policy the lookup that it would build when asked often.
func WithLookup(p *Policy) *Policy {
	p.lookup.Store(newLookup(p.patterns))
	return p
}

// WithSweep gives a policy a lookup that sweeps every path.
func WithSweep(p *Policy) *Policy {
	l := newLookup(p.patterns)
	l.sweep = newSweep(p.patterns, l.tails)
	l.sweep.work = 0
	p.lookup.Store(l)
	return p
}
