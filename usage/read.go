package usage

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/heed-robots/heed/robotstxt"
)

// A Robots has what a robots.txt says about the use of content. Crawlers with the same groups share memory. A Robots is safe for
// concurrent use.
type Robots struct {
	file   *robotstxt.File // nil if the site has none
	silent bool            // the robots.txt has no line about the use of content
	tokens func() []tokenRules

	mu   sync.Mutex
	kept []*lines // from earlier calls of For; the latest are the last
	size atomic.Int64
}

// Read reads what a robots.txt says about the use of content. If the site has no robots.txt, robots must be nil.
func Read(robots *robotstxt.File) *Robots {
	r := &Robots{silent: true, tokens: func() []tokenRules { return nil }}
	if robots == nil {
		return r
	}
	r.file = robots.In(robotstxt.RFC9309)
	r.silent = !r.file.HasKey(string(ContentUsage), string(ContentSignal), string(License))
	r.tokens = sync.OnceValue(func() []tokenRules { return readTokens(r.file) })
	return r
}

func readTokens(robots *robotstxt.File) (all []tokenRules) {
	for _, t := range allTokens() {
		if rules := robots.Agent(t.Name); rules.IsNamed() {
			compact, _ := robotstxt.Compact([]*robotstxt.Policy{rules})
			all = append(all, tokenRules{t, compact[0]})
		}
	}
	return all
}

// IsSilent reports whether the robots.txt says nothing about the use of content, like most files.
func (r *Robots) IsSilent() bool { return r.silent && len(r.tokens()) == 0 }

// Operators returns the operators of the purpose tokens that the robots.txt names, such as "Google" for Google-Extended.
func (r *Robots) Operators() (operators []string) {
	for _, t := range r.tokens() {
		if t.Operator != "" {
			operators = append(operators, t.Operator)
		}
	}
	return operators
}

// For returns the policy for a crawler. The arguments are those of the function New.
func (r *Robots) For(options Options, agents ...string) *Policy {
	p := (&Policy{lines: noLines}).With(options)
	if len(agents) > 0 {
		if t, ok := TokenNamed(agents[0]); ok {
			p.isToken, p.tokens = true, tokensFor(r.tokens(), func(other Token) bool { return other.Name == t.Name })
			return p
		}
	}
	for _, agent := range agents {
		if name, ok := robotstxt.RFC9309.ReadAgent(agent); ok && name != robotstxt.NotEveryone {
			p.agents = append(p.agents, name)
		}
	}
	operator := OperatorOf(agents)
	p.tokens = tokensFor(r.tokens(), func(t Token) bool { return t.Operator == "" || t.Operator == operator })
	if !r.silent {
		p.lines = r.linesFor(r.file.Agent(agents...).GroupsThatApply())
	}
	return p
}

func tokensFor(all []tokenRules, are func(Token) bool) (some []tokenRules) {
	for _, t := range all {
		if are(t.Token) {
			some = append(some, t)
		}
	}
	return some
}

// maxKept limits the bytes of the lines that linesFor keeps for later calls. The lines of the latest call are always kept.
const maxKept = 1 << 20

func (r *Robots) linesFor(groups []int) *lines {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.kept {
		if slices.Equal(l.groups, groups) {
			return l
		}
	}
	l := readLines(r.file, groups)
	r.kept = append(r.kept, l)
	size := l.size()
	for i := len(r.kept) - 2; i >= 0; i-- {
		if size += r.kept[i].size(); size > maxKept {
			size -= r.kept[i].size()
			r.kept = slices.Delete(r.kept, 0, i+1)
			break
		}
	}
	r.size.Store(int64(size))
	return l
}

// Size returns the approximate number of bytes that a Robots takes in memory, without its file.
func (r *Robots) Size() int {
	const robotsSize = 200
	return robotsSize + int(r.size.Load())
}
