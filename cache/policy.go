package cache

import (
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// A policy is an element of a linked list, with the newest first. A policy in the list does not change, so readers need
// no lock.
type policy struct {
	*robotstxt.Policy
	delay  time.Duration
	agents []string
	older  *policy
	length int // the length of the list from here
}

func (c *Cache) policyFor(e *entry, agents []string) (p *policy) {
	if p = e.keptPolicy(agents); p != nil {
		return p
	}
	c.grow(e, func() {
		if p = e.keptPolicy(agents); p == nil {
			p = newPolicy(c.settings.parsedFile(e), agents)
			e.keep(p, c.settings.policyBytes)
		}
	})
	return p
}

func (e *entry) keptPolicy(agents []string) *policy {
	for p := e.policies.Load(); p != nil; p = p.older {
		if slices.Equal(p.agents, agents) {
			return p
		}
	}
	return nil
}

// maxPolicies limits the list of policies. To compile a policy again is faster than to search a longer list.
const maxPolicies = 128

// If the list would have too many policies or bytes, keep drops the older policies. The caller must hold e.mu.
func (e *entry) keep(p *policy, maxBytes int) {
	p.length = 1
	older := e.policies.Load()
	if older != nil && older.length < maxPolicies && policiesBytes(older)+policyBytes(p) <= maxBytes {
		p.older, p.length = older, older.length+1
	}
	e.policies.Store(p)
}

func newPolicy(f *robotstxt.File, agents []string) *policy {
	p := &policy{agents: make([]string, len(agents))}
	for i, agent := range agents {
		// The agent may be a part of a large string, which would stay in memory without this copy.
		p.agents[i] = strings.Clone(agent)
	}
	p.Policy = f.Agent(p.agents...)
	p.delay, _ = p.CrawlDelay()
	return p
}
