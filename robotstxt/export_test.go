package robotstxt

// WithLookup returns the policy as it is when asked often.
func WithLookup(p *Policy) *Policy {
	return p.anew(func(r *rules) { r.index.Store(newLookup(r)) })
}

// WithSweep returns the policy as it is when asked often, with a sweep of every path.
func WithSweep(p *Policy) *Policy {
	return p.anew(func(r *rules) {
		r.sweepAt = -1
		r.swept.Store(newSweep(r))
		r.index.Store(newLookup(r))
	})
}

// WithEarlySweep returns the policy as it is at first, with a sweep of every path.
func WithEarlySweep(p *Policy) *Policy {
	return p.anew(func(r *rules) {
		r.sweepAt = -1
		r.swept.Store(newSweep(r))
	})
}

// anew returns a policy of the same groups with rules of its own.
func (p *Policy) anew(change func(*rules)) *Policy {
	if p.rules == nil {
		return p
	}
	r := p.file.compile(p.rules.lines)
	change(r)
	return &Policy{file: p.file, agents: p.agents, rules: r}
}
