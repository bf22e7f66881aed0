package policyfile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/usage"
)

// A crawler stands for all known crawlers that use one product token in User-agent lines.
type crawler struct {
	token         string // the product token in lower case; "" for all crawlers without a group
	names         []string
	rows          []crawlers.Crawler // the rows of the table with this token, and a row for each other name in the policy
	chain         []string           // the names whose groups the crawler follows, in lower case, its own name first
	purposes      []crawlers.Purpose
	operators     []string
	hasOnlyOwn    bool // the crawler does not follow the group for "*"
	isDisobedient bool
	isToken       bool // token is not a crawler, but a purpose token (AI-10)
	isNamed       bool
	isByPurpose   bool   // only its purposes or its operator are a reason to name the crawler
	set           string // the name of this purpose or operator in the policy
}

// crawlersOf returns first the entry for everyone (all crawlers without a name). A crawler comes after the crawlers whose
// groups it follows, because nameCrawlers needs this order.
func crawlersOf(table *crawlers.Table, f *File, otherNames ...string) (relevant []*crawler, covered scope) {
	var all []*crawler
	byToken := map[string]*crawler{}
	add := func(token string, row crawlers.Crawler) *crawler {
		c := byToken[token]
		if c == nil {
			c = &crawler{token: token, chain: chainOf(row)}
			byToken[token] = c
			all = append(all, c)
		}
		c.names, c.rows = append(c.names, row.Token), append(c.rows, row)
		if _, ok := usage.TokenNamed(row.Token); ok {
			c.isToken = true
		}
		return c
	}
	for known := range table.All() {
		token := tokenOf(known.Token)
		if token == "" {
			continue // no User-agent line can name the crawler; see writer.leaveOutNameless
		}
		c := add(token, known)
		for _, p := range known.Purposes {
			if !slices.Contains(c.purposes, p) {
				c.purposes = append(c.purposes, p)
			}
		}
		if !slices.Contains(c.operators, known.Operator) {
			c.operators = append(c.operators, known.Operator)
		}
		c.hasOnlyOwn = c.hasOnlyOwn || known.ObeysWildcard == crawlers.No
		c.isDisobedient = c.isDisobedient || known.Obeys == crawlers.No
	}
	covered.known = len(all)
	for _, b := range f.blocks {
		if b.token == "" {
			continue
		}
		c := byToken[b.token]
		for _, lower := range slices.Sorted(maps.Keys(b.names)) {
			if c == nil || lower != b.token && !c.hasRow(lower) {
				add(b.token, crawlers.Crawler{Token: b.names[lower]})
				covered.unknown = append(covered.unknown, b.names[lower])
			}
		}
	}
	isOther := map[string]bool{}
	for _, name := range otherNames {
		isOther[tokenOf(name)] = true
		if token := tokenOf(name); token != "" && byToken[token] == nil {
			add(token, crawlers.Crawler{Token: name})
			covered.unknown = append(covered.unknown, name)
		}
	}
	all = slices.DeleteFunc(all, func(c *crawler) bool {
		return !isOther[c.token] && !c.hasOnlyOwn && len(c.chain) == 1 && !f.speaksOf(c)
	})
	slices.SortStableFunc(all, func(a, b *crawler) int { return len(a.chain) - len(b.chain) })
	return append([]*crawler{{rows: make([]crawlers.Crawler, 1)}}, all...), covered
}

// chainOf returns the names in the chain of a crawler that a User-agent line can name, in lower case.
func chainOf(row crawlers.Crawler) (chain []string) {
	names := row.Chain
	if names == nil {
		names = []string{row.Token}
	}
	for _, name := range names {
		if tokenOf(name) != "" {
			chain = append(chain, ascii.ToLower(name))
		}
	}
	return chain
}

func (c *crawler) hasRow(name string) bool {
	return slices.ContainsFunc(c.rows, func(row crawlers.Crawler) bool { return ascii.EqualFold(row.Token, name) })
}

// inRows returns a crawler for each row of c. They have one name in User-agent lines, but the policy may say different things
// about them.
func (c *crawler) inRows() (all []*crawler) {
	for _, row := range c.rows {
		all = append(all, &crawler{chain: chainOf(row), purposes: row.Purposes, operators: []string{row.Operator},
			hasOnlyOwn: row.ObeysWildcard == crawlers.No, isToken: c.isToken})
	}
	return all
}

// A scope says for which crawlers a proof is. Crawlers without a group are always included.
type scope struct {
	known   int      // number of product tokens in the table
	unknown []string // other crawlers that the policy or a robots.txt names
	without []string // known crawlers that cannot have the rules of the policy; see writer.without
}

func (s scope) inWords() string {
	text := printable.Counted(s.known, "product token") + " of known crawlers"
	if many := len(s.unknown); many > 5 {
		text += ", " + printable.Counted(many, "other name")
	} else if many > 0 {
		text += ", " + printable.Text(strings.Join(s.unknown, ", "))
	}
	text += " and all others"
	if len(s.without) > 0 {
		text += " except " + strings.Join(s.without, " and ")
	}
	return text
}

func (f *File) speaksOf(c *crawler) bool {
	return f.byWho[subject{token: c.token}] != nil || len(f.setsOf(c)) > 0
}

// setsOf returns the levels of blocks about sets of crawlers: those about the purposes of a crawler, and those about its operators.
func (f *File) setsOf(c *crawler) (levels [][]*block) {
	var purposes, operators []subject
	for _, p := range c.purposes {
		purposes = append(purposes, subject{purpose: p})
	}
	for _, o := range c.operators {
		operators = append(operators, subject{operator: ascii.ToLower(o)})
	}
	for _, subjects := range [][]subject{purposes, operators} {
		var level []*block
		for _, s := range subjects {
			if b := f.byWho[s]; b != nil && s != (subject{}) {
				level = append(level, b)
			}
		}
		if len(level) > 0 {
			levels = append(levels, level)
		}
	}
	return levels
}

// levels returns the blocks about a crawler, from the widest (everyone) to the narrowest (the crawler itself). The blocks of
// all its purposes are one level.
func (f *File) levels(c *crawler) (levels [][]*block) {
	levels = f.setsOf(c)
	for _, name := range slices.Backward(c.chain) {
		if b := f.byWho[subject{token: tokenOf(name)}]; b != nil && b.isAbout(name) {
			levels = append(levels, []*block{b})
		}
	}
	if b := f.byWho[subject{}]; b != nil && (!c.hasOnlyOwn || len(levels) > 0) {
		levels = slices.Insert(levels, 0, []*block{b})
	}
	return levels
}

// isAbout reports whether a block is about a crawler with the token b.token. A block with the token itself, such as AI, is about
// all crawlers whose names are read as this token, such as AI2Bot.
func (b *block) isAbout(name string) bool { return b.names[b.token] != "" || b.names[name] != "" }

type meaning struct {
	rules   []rule // rules with the same key have the same verdict
	delay   string
	records []string
	wishes  []wish
}

// A loss says that crawlers with several purposes may fetch less than the policy says. The reason is that no rules disallow
// exactly what the lines for one of the purposes disallow.
type loss struct {
	sets  []*block // the lines for the purposes
	path  string   // a path that is disallowed, although no line disallows it; "" if it is not known whether there is one
	names []string
}

// meaningFor returns the meaning of the policy for a crawler. If the purposes of a crawler disagree about a path, "disallow" wins.
func (w *writer) meaningFor(ctx context.Context, c *crawler) (m meaning, lost *loss) {
	levels := w.levels(c)
	first := 0 // levels before this one do not apply
	for i, level := range levels {
		if !slices.ContainsFunc(level, func(b *block) bool { return !b.isAlone }) {
			first = i
		}
	}
	var whole meaning // also with the rules that the function strictest leaves out
	var lists [][]rule
	for _, level := range levels[first:] {
		all := rulesOf(level)
		own := joinRules(all)
		whole.addRules(level, own)
		if len(all) > 1 {
			if strict := strictest(ctx, all, &w.strict); len(strict) < len(own) {
				lists, lost, own = append(lists, all...), &loss{sets: level}, strict
			}
		}
		m.add(level)
		m.addRules(level, own)
	}
	if lost != nil {
		var isLost bool
		if lost.path, isLost = lostPath(ctx, append(lists, whole.rules), m.rules, &w.strict); !isLost {
			lost = nil
		}
	}
	if m.delay == "none" {
		m.delay = ""
	}
	m.wishes = completeWishes(m.wishes)
	return m, lost
}

func (m *meaning) add(level []*block) {
	var records []string
	var wishes []wish
	delay := ""
	for _, b := range level {
		if seconds(b.delay) >= seconds(delay) {
			delay = cmp.Or(b.delay, delay)
		}
		records = append(records, b.records...)
		wishes = append(wishes, b.wishes...)
	}
	m.delay = cmp.Or(delay, m.delay)
	m.records = replaceValues(m.records, records, keyOfRecord)
	m.wishes = overlayWishes(m.wishes, joinWishes(wishes))
}

func rulesOf(level []*block) (lists [][]rule) {
	for _, b := range level {
		lists = append(lists, b.rules)
	}
	return lists
}

func (m *meaning) addRules(level []*block, own []rule) {
	if slices.ContainsFunc(level, func(b *block) bool { return b.isClosed }) {
		m.rules = slices.DeleteFunc(slices.Clone(m.rules), func(r rule) bool { return r.Allow })
	}
	m.rules = replaceValues(m.rules, own, func(r rule) string { return r.key })
}

func replaceValues[T any](old, new []T, key func(T) string) []T {
	if len(new) == 0 {
		return old
	}
	keys := map[string]bool{}
	for _, one := range new {
		keys[key(one)] = true
	}
	all := make([]T, 0, len(old)+len(new))
	for _, one := range old {
		if !keys[key(one)] {
			all = append(all, one)
		}
	}
	return append(all, new...)
}

func (m *meaning) saysNothing() bool {
	return len(m.rules)+len(m.records)+len(m.wishes) == 0 && m.delay == ""
}

func (m *meaning) isClosed() bool {
	closed := false
	for _, r := range m.rules {
		if r.Allow {
			return false
		}
		closed = closed || r.isForSite()
	}
	return closed
}
