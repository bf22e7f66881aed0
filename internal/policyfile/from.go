package policyfile

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

type Drawn struct {
	Policy   string   `json:"policy"`
	Findings []string `json:"findings,omitempty"`
	Rules    int      `json:"rules"`      // number of rules of the policy
	Lines    int      `json:"rule_lines"` // number of Allow and Disallow lines of the robots.txt
	Proof    *Proof   `json:"proof"`      // the proof that the policy and the robots.txt have the same meaning
}

type converter struct {
	file        *robotstxt.File
	table       *crawlers.Table
	records     map[int][]string // by the index of their group
	fileRecords []string
	groups      []robotstxt.Group
	everyone    *namedAgent
	agents      []*namedAgent
	byToken     map[string]*namedAgent
	byGroups    map[string]*meaning // the key lists groups that apply together
	left        effort
	googleProof *Proof
	findings    []string
	carriers    []usage.Carrier // how the preferences in the policy are written; nil if the policy has no preferences
}

// A namedAgent is a product token that the robots.txt names, or everyone.
type namedAgent struct {
	token string
	name  string
	names []string // the names that the policy uses
	line  int
	meaning
	groups     []int
	outer      *namedAgent     // the agent from which this one inherits rules in the policy; nil for everyone
	hasOnlyOwn bool            // the crawler does not follow the group for "*"
	isToken    bool            // the token names a purpose, not a crawler (AI-10)
	block      *convertedBlock // several agents may share one block
}

// A convertedBlock is what the policy says about an agent, without inherited rules.
type convertedBlock struct {
	meaning
	isNeeded bool // the policy must name the product token
	isAlone  bool
	text     string
}

// From makes a policy from a robots.txt, and proves that both have the same meaning.
func From(ctx context.Context, name string, file *robotstxt.File, table *crawlers.Table) (*Drawn, error) {
	switch reason := file.Agent().Otherwise().Reason; reason {
	case robotstxt.Unavailable, robotstxt.Restricted, robotstxt.Unreachable:
		return nil, fmt.Errorf("%w: %s", ErrNoRobots, reason)
	}
	d := &converter{file: file, table: table, records: map[int][]string{}, byToken: map[string]*namedAgent{}, byGroups: map[string]*meaning{}, left: maxEffort}
	d.groups = slices.Collect(d.file.Groups())
	d.readRecords()
	d.readAgents()
	d.readWishes()
	drawn := &Drawn{}
	for _, g := range d.groups {
		drawn.Lines += len(g.Rules)
	}
	exact := map[*namedAgent]bool{}
	for {
		blocks := map[string]*convertedBlock{}
		for _, p := range d.all() {
			key := fmt.Sprintf("%v %p %v %v %v", p.groups, p.outer, p.hasOnlyOwn, p.isToken, exact[p])
			if blocks[key] == nil {
				block := d.blockOf(p, exact[p])
				block.text = block.write()
				blocks[key] = &block
			}
			p.block = blocks[key]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		drawn.Policy, drawn.Rules = d.text(name)
		var err error
		if drawn.Proof, err = d.prove(ctx, drawn.Policy); err != nil {
			return nil, err
		}
		if drawn.Proof.Result == compare.Equal.String() || !d.addExact(exact, drawn.Proof) {
			break
		}
	}
	if drawn.Proof.Result != compare.Equal.String() {
		return nil, fmt.Errorf("heed could not prove that a policy would mean the same as the robots.txt, so write the policy without --from: %s", drawn.Proof.why())
	}
	d.findOddities()
	drawn.Findings = d.findings
	return drawn, nil
}

func (d *converter) all() []*namedAgent { return append([]*namedAgent{d.everyone}, d.agents...) }

func (d *converter) readRecords() {
	var unknown []string
	comments := 0
	for line := range d.file.Lines() {
		switch line.Kind {
		case robotstxt.KindComment:
			comments++
		case robotstxt.KindInvalid:
			unknown = append(unknown, strconv.Itoa(line.Number))
		case robotstxt.KindOther:
			info, _, err := line.Record()
			switch {
			case info.Name == "" || err != nil || !info.BindsFile && line.Group == 0 || info.Name != "Crawl-delay" && !isRecord(info.Name+": "+line.Value):
				unknown = append(unknown, strconv.Itoa(line.Number))
			case info.BindsFile:
				d.fileRecords = append(d.fileRecords, info.Name+": "+line.Value)
			case info.Name != "Crawl-delay":
				d.records[line.Group-1] = append(d.records[line.Group-1], info.Name+": "+line.Value)
			}
		}
	}
	d.addNames("left out, because no crawler reads them: lines %s", unknown)
	if comments > 0 {
		d.addFinding("comments are not carried over: %s", printable.Counted(comments, "line"))
	}
}

func (d *converter) readAgents() {
	known := map[string][]string{} // the names of crawlers by the token that they read
	for c := range d.table.All() {
		known[tokenOf(c.Token)] = append(known[tokenOf(c.Token)], c.Token)
	}
	d.everyone = d.newAgent(everyone, d.file.Agent())
	for _, g := range d.groups {
		for _, agent := range g.Agents {
			token := ascii.ToLower(agent.Name)
			if agent.Everyone || token == "" || d.byToken[token] != nil {
				continue
			}
			p := d.newAgent(agent.Name, d.file.Agent(agent.Name))
			p.token, p.line = token, agent.Line
			if tokenOf(agent.Value) == token && isWord(agent.Value) {
				p.name = agent.Value
			}
			p.names = namesToAll(p.name, token, known[token])
			p.name = p.names[0]
			d.byToken[token] = p
			d.agents = append(d.agents, p)
		}
	}
	for _, p := range d.agents {
		p.outer = d.everyone
		c, _ := d.table.Lookup(p.name)
		p.hasOnlyOwn = c.ObeysWildcard == crawlers.No
		_, p.isToken = usage.TokenNamed(p.name)
		for _, agent := range c.Agents()[min(1, len(c.Agents())):] {
			if other := d.byToken[ascii.ToLower(agent)]; other != nil {
				p.outer = other
				break
			}
		}
	}
}

// namesToAll returns the names that a policy needs to be about all known crawlers that read a token. In a robots.txt, one name
// is enough.
func namesToAll(name, token string, known []string) []string {
	isOther := func(one string) bool { return !ascii.EqualFold(one, name) }
	if ascii.ToLower(name) == token || !slices.ContainsFunc(known, isOther) {
		return []string{name}
	}
	return known
}

func (d *converter) newAgent(name string, policy *robotstxt.Policy) *namedAgent {
	p := &namedAgent{name: name, groups: policy.GroupsThatApply()}
	groups := fmt.Sprint(p.groups)
	if d.byGroups[groups] == nil {
		d.byGroups[groups] = d.meaningOf(policy)
	}
	p.meaning = *d.byGroups[groups]
	return p
}

func (d *converter) meaningOf(policy *robotstxt.Policy) *meaning {
	m := &meaning{}
	verdict, seen := map[string]bool{}, map[string]bool{}
	for r := range policy.Rules() {
		if r.Pattern == "" || r.Pattern[0] != '/' && r.Pattern[0] != '*' {
			continue // a rule with such a pattern matches nothing
		}
		r.Pattern = asWord(r.Pattern)
		one := newRule(r)
		first, again := verdict[one.key]
		text := strings.TrimRight(r.Pattern, "*")
		if strings.HasSuffix(text, "$") {
			text = r.Pattern // "/$*" is not "/$"
		}
		if seen[text] || again && first != r.Allow {
			continue // an earlier rule with the same pattern decides
		}
		verdict[one.key], seen[text] = r.Allow, true
		m.rules = append(m.rules, one)
	}
	slices.SortStableFunc(m.rules, func(a, b rule) int { return a.Line - b.Line })
	if delay, ok := policy.CrawlDelay(); ok {
		m.delay = strconv.FormatFloat(delay.Seconds(), 'f', -1, 64)
	}
	for _, g := range policy.GroupsThatApply() {
		m.records = append(m.records, d.records[g]...)
	}
	return m
}

// readWishes makes preferences of the records with preferences, if a policy can say all of them.
func (d *converter) readWishes() {
	w := &writer{File: &File{carriers: []usage.Carrier{}}}
	for _, carrier := range []usage.Carrier{usage.ContentUsage, usage.ContentSignal} {
		isUsed := func(line string) bool { return statedIn(line).carrier == carrier }
		if slices.ContainsFunc(d.all(), func(p *namedAgent) bool { return slices.ContainsFunc(p.records, isUsed) }) {
			w.File.carriers = append(w.File.carriers, carrier)
		}
	}
	if len(w.carriers()) == 0 {
		return
	}
	wishes := map[*namedAgent][]wish{}
	for _, p := range d.all() {
		all, isExact := w.wishesIn(p.records)
		if !isExact {
			return
		}
		wishes[p] = all
	}
	for _, p := range d.all() {
		p.wishes = wishes[p]
		p.records = slices.DeleteFunc(slices.Clone(p.records), func(line string) bool { return statedIn(line).carrier != "" })
	}
	d.carriers = w.carriers()
}

// asWord percent-encodes the characters that a pattern cannot have in a policy, such as a space.
func asWord(pattern string) string {
	if printable.Text(pattern) == pattern && !strings.ContainsAny(pattern, " #") {
		return pattern
	}
	return percentEncoded(pattern, func(c rune) bool {
		return c > ' ' && c != '#' && c != utf8.RuneError && printable.Text(string(c)) == string(c)
	})
}

// blockOf returns a short block with the meaning that the robots.txt has for p. If exact is true, the block inherits nothing.
func (d *converter) blockOf(p *namedAgent, exact bool) convertedBlock {
	whole := convertedBlock{meaning: p.meaning, isNeeded: true, isAlone: true}
	switch {
	case p.outer == nil: // p is everyone
		whole.isAlone, whole.isNeeded = false, !p.saysNothing()
		return whole
	case exact:
		if !p.isToken && !slices.ContainsFunc(p.rules, func(r rule) bool { return !r.Allow }) {
			whole.rules = nil
		}
		return whole
	}
	best, inherited := d.inheritingBlock(p)
	if p.isClosed() && (!inherited || len(best.rules) > 1) {
		best, inherited = convertedBlock{isNeeded: true, meaning: meaning{rules: []rule{newRule(robotstxt.Rule{Pattern: "/"})}}}, true
	}
	whole.rules = neededRules(p.rules, &d.left)
	if !inherited || len(whole.rules) < len(best.rules) {
		return whole
	}
	return best
}

// inheritingBlock returns a block that inherits from p.outer. If no such block has the meaning of the robots.txt, ok is false.
func (d *converter) inheritingBlock(p *namedAgent) (b convertedBlock, ok bool) {
	if len(p.outer.rules) > 2*len(p.rules)+10 {
		return b, false // limits the work: p has few of the outer rules
	}
	b.delay = p.delay
	switch {
	case p.delay == p.outer.delay:
		b.delay = ""
	case p.delay == "":
		b.delay = "none"
	}
	if !slices.Equal(p.records, p.outer.records) {
		if len(p.outer.records) > 0 && !hasKeys(p.records, p.outer.records) {
			return b, false
		}
		b.records = p.records
	}
	if !slices.Equal(p.wishes, p.outer.wishes) {
		if !slices.Equal(completeWishes(overlayWishes(p.outer.wishes, p.wishes)), p.wishes) {
			return b, false
		}
		b.wishes = p.wishes
	}
	has := map[string]robotstxt.Rule{}
	for _, r := range p.outer.rules {
		has[r.key] = r.Rule
	}
	own := map[string]bool{}
	for _, r := range p.rules {
		own[r.key] = true
		if o, ok := has[r.key]; !ok || o.Allow != r.Allow || o.Pattern != r.Pattern {
			b.rules = append(b.rules, r)
		}
	}
	both := slices.Clone(p.rules)
	for _, r := range p.outer.rules {
		if !own[r.key] {
			both = append(both, r)
		}
	}
	if len(both) > len(p.rules) { // some rules of p.outer are not rules of p, but perhaps they change no verdict
		kept := map[string]bool{}
		for _, r := range neededRules(both, &d.left) {
			kept[r.key] = true
		}
		for _, r := range both[len(p.rules):] {
			if kept[r.key] {
				return b, false
			}
		}
	}
	b.isNeeded = !b.saysNothing() || p.isToken ||
		// Without this block, readers of the policy would not see that the crawler ignores "*" or follows another crawler.
		p.hasOnlyOwn && d.everyone.block.isNeeded || p.outer.outer != nil
	return b, true
}

func hasKeys(records, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(o string) bool {
		return !slices.ContainsFunc(records, func(r string) bool { return keyOfRecord(r) == keyOfRecord(o) })
	})
}

func (d *converter) addExact(exact map[*namedAgent]bool, proof *Proof) (more bool) {
	for _, difference := range proof.Differences {
		for _, name := range difference.Crawlers {
			p := d.byToken[tokenOf(name)]
			if c, ok := d.table.Lookup(name); p == nil && ok {
				for _, agent := range c.Agents() {
					if p == nil {
						p = d.byToken[ascii.ToLower(agent)]
					}
				}
			}
			if p != nil && !exact[p] {
				exact[p], more = true, true
			}
		}
	}
	return more
}

func (d *converter) prove(ctx context.Context, policy string) (*Proof, error) {
	r := &reader{file: &File{Name: "the policy", byWho: map[subject]*block{}}, table: d.table, isQuiet: true}
	if r.readAll(policy); len(r.wrong) > 0 {
		return nil, fmt.Errorf("no policy has the meaning of this robots.txt, so write the policy without --from: %w", r.wrong[0])
	}
	f := r.file
	written, err := f.write(ctx, d.table, namesIn(d.file)...)
	if err != nil {
		return nil, err
	}
	if p := prove(ctx, written.contents, written.tokens, robotstxt.ParseString(written.Robots, robotstxt.RFC9309), proved...); p.Result != compare.Equal.String() {
		return p, nil
	}
	with := &prover{ctx: ctx, tokens: written.tokens, skipsRecords: true} // findings already say which records the policy leaves out
	p := with.prove(written.contents, d.file, robotstxt.RFC9309)
	if p.Result == compare.Equal.String() {
		d.googleProof = with.prove(written.contents, d.file, robotstxt.Google)
	}
	p.setScope(written.scope)
	return p, nil
}

func (d *converter) text(name string) (text string, rules int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by \"heed write --from\" of %s.\n", printable.Text(name))
	var order []string
	names := map[string][]string{}
	for _, p := range d.all() {
		if !p.block.isNeeded {
			continue
		}
		text := p.block.text
		if names[text] == nil {
			order = append(order, text)
			rules += len(p.block.rules)
		}
		names[text] = append(names[text], d.words(p)...)
	}
	if len(order) == 0 {
		b.WriteString("\neveryone: allow\n")
	}
	for i, text := range order {
		if i == 0 || strings.Contains(text, "\n    ") || strings.Contains(order[i-1], "\n    ") {
			b.WriteByte('\n')
		}
		b.WriteString(wrapped(names[text]) + ":" + text)
	}
	if len(d.carriers) == 1 {
		fmt.Fprintf(&b, "\ncarriers: %s\n", d.carriers[0])
	}
	writeLines(&b, "record", d.fileRecords)
	writeLines(&b, "sitemap", slices.DeleteFunc(slices.Collect(d.file.SitemapURLs()), func(s string) bool { return !isWritable(s) }))
	return b.String(), rules
}

func writeLines(b *strings.Builder, key string, values []string) {
	for i, value := range values {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s: %s\n", key, value)
	}
}

func (d *converter) words(p *namedAgent) (words []string) {
	if p.outer == nil {
		return []string{everyone}
	}
	for _, name := range p.names {
		words = append(words, wordFor(name, p.token, d.table))
	}
	return words
}

// wordFor returns a product token as a policy names it. The token is in quotes if it would mean
// something else without quotes.
func wordFor(name, token string, table *crawlers.Table) string {
	r := reader{file: &File{}, table: table, isQuiet: true}
	if all, err := r.whosNamed(name); err != nil || len(all) != 1 || all[0].token != token || isKey(name) {
		return `"` + name + `"`
	}
	return name
}

func wrapped(names []string) string {
	var b strings.Builder
	width := 0
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
			if width += len(name) + 2; width > 100 {
				b.WriteByte('\n')
				width = len(name)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(name)
	}
	return b.String()
}

func (b *convertedBlock) write() string {
	var parts []string
	for _, r := range b.rules {
		part := "disallow"
		if r.Allow {
			part = "allow"
		}
		if r.Pattern != "/" {
			part += " " + r.Pattern
		}
		parts = append(parts, part)
	}
	switch {
	case b.isAlone && len(parts) == 1 && !b.rules[0].Allow:
		parts[0] = "only " + parts[0]
	case b.isAlone:
		parts = append([]string{"only"}, parts...)
	}
	if b.delay != "" {
		parts = append(parts, "crawl-delay "+b.delay)
	}
	for _, r := range b.records {
		parts = append(parts, "record "+r)
	}
	for _, w := range b.wishes {
		parts = append(parts, w.statement(usage.Purposes()...))
	}
	switch len(parts) {
	case 0:
		return " inherit\n"
	case 1:
		return " " + parts[0] + "\n"
	}
	return "\n    " + strings.Join(parts, "\n    ") + "\n"
}
