package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

func (w *writer) notes(all []*crawler, table *crawlers.Table, robots string) (notes []string) {
	var disobedient, open []string
	for _, c := range all[1:] {
		switch {
		case c.isNamed && c.isDisobedient:
			disobedient = append(disobedient, c.names...)
		case c.hasOnlyOwn && !c.isNamed && w.byCrawler[all[0]].lines != emptyGroup:
			open = append(open, c.names...)
		}
	}
	note := func(names []string, text string) {
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf(text, strings.Join(names, ", ")))
		}
	}
	notes = append(notes, w.notesOfProof()...)
	note(disobedient, "sources say that these crawlers do not follow robots.txt, or not always, so their group is only a request: %s")
	note(open, `the rules of everyone do not apply to these crawlers, which follow only groups that name them. To apply the rules to them, add this line to the policy: "%s: inherit"`)
	notes = append(notes, w.notOpened(all)...)
	notes = append(notes, w.stillTraining(all, table)...)
	notes = append(notes, w.usageOfPaths(all)...)
	notes = append(notes, w.usageOfTokens(all, robots)...)
	notes = append(notes, w.usageOfNothing(all)...)
	notes = append(notes, w.usageNotInherited(all)...)
	return notes
}

// notesOfProof says for which crawlers nothing is proved, and why.
func (w *writer) notesOfProof() []string {
	notes := slices.Clone(w.why)
	for _, lost := range w.losses {
		if len(lost.names) > 0 {
			notes = append(notes, lost.inWords())
		}
	}
	return notes
}

func (l *loss) inWords() string {
	var sets []string
	for _, b := range l.sets {
		sets = append(sets, b.title())
	}
	example := "heed could not find out whether more is disallowed for them than the policy says"
	if l.path != "" {
		example = fmt.Sprintf("for example, %s is disallowed for them, although the policy does not disallow it", printable.Text(l.path))
	}
	names := strings.Join(l.names, ", ")
	return fmt.Sprintf(`nothing is proved for %s, because heed found no rules that allow exactly what the lines for %s allow together: %s. To choose their rules, add a line with their names, such as "%s: only disallow /private/"`,
		names, strings.Join(sets, " and "), example, names)
}

// stillTraining returns notes about operators with two kinds of crawlers. The policy disallows an AI crawler of the
// operator by name. The policy does not disallow the crawlers of the operator for training. Many people think that
// "ChatGPT: disallow" is enough.
func (w *writer) stillTraining(all []*crawler, table *crawlers.Table) (notes []string) {
	for _, c := range all[1:] {
		isForAI := slices.Contains(c.purposes, crawlers.AIUser) || slices.Contains(c.purposes, crawlers.AISearch)
		if w.byWho[subject{token: c.token}] == nil || !w.byCrawler[c].isClosed() || w.byCrawler[all[0]].isClosed() || !isForAI {
			continue
		}
		var trainers []string
		for t := range table.For(crawlers.AITraining) {
			isSame := t.Operator == c.rows[0].Operator && t.Operator != "unknown"
			if isSame && t.Crawls != crawlers.No && len(t.Chain) < 2 && !w.speaksOf(&crawler{token: tokenOf(t.Token), purposes: t.Purposes, operators: []string{t.Operator}}) {
				trainers = append(trainers, t.Token)
			}
		}
		if len(trainers) > 0 {
			notes = append(notes, fmt.Sprintf("%s is disallowed, but %s collects data for AI training with other crawlers, which the policy does not name: %s",
				c.names[0], c.rows[0].Operator, strings.Join(trainers, ", ")))
		}
	}
	return notes
}

// usageOfPaths returns a note about the preferences of paths, which Content-Signal lines cannot state.
func (w *writer) usageOfPaths(all []*crawler) []string {
	var unsaid []string
	for _, c := range all {
		if c.isToken || w.byCrawler[c].isClosed() {
			continue
		}
		for _, one := range w.byCrawler[c].withoutSignals() {
			if text := one.statement(usage.Purposes()...); !slices.Contains(unsaid, text) {
				unsaid = append(unsaid, text)
			}
		}
	}
	if unsaid == nil || !slices.Contains(w.carriers(), usage.ContentSignal) {
		return nil
	}
	return []string{"Content-Signal lines cannot have a path, so only lines of other kinds say this: " + strings.Join(unsaid, "; ")}
}

// usageOfTokens returns notes about preferences for purpose tokens. The policy has these preferences, and the robots.txt does
// not state them. For a purpose token, only its rules have an effect (AI-10).
func (w *writer) usageOfTokens(all []*crawler, robots string) (notes []string) {
	file := usage.Read(robotstxt.ParseString(robots, robotstxt.RFC9309))
	names := map[wish][]string{}
	var unstated []wish
	for _, c := range all[1:] {
		if !c.isToken || w.byCrawler[c].isClosed() {
			continue
		}
		for _, wish := range w.byCrawler[c].wishes {
			if wish = wish.without(file, c.names[0], "*"); wish.answer == (usage.Answer{}) {
				continue
			}
			if names[wish] == nil {
				unstated = append(unstated, wish)
			}
			names[wish] = append(names[wish], c.names...)
		}
	}
	for _, wish := range unstated {
		notes = append(notes, wish.noEffect(strings.Join(names[wish], ", ")))
	}
	return notes
}

// usageOfNothing returns notes about preferences that the robots.txt does not state, because nothing may be fetched.
func (w *writer) usageOfNothing(all []*crawler) (notes []string) {
	for _, b := range w.blocks {
		if c := w.contentOfBlock(b, all); c == nil || !c.isClosed() {
			continue
		}
		for _, wish := range b.wishes {
			notes = append(notes, fmt.Sprintf("%s is not written for %s, for which everything is disallowed", wish.statement(usage.Purposes()...), b.title()))
		}
	}
	return notes
}

// usageNotInherited returns a note about preferences of everyone that do not apply to crawlers because of the word "only".
func (w *writer) usageNotInherited(all []*crawler) []string {
	everyone := w.byWho[subject{}]
	if everyone == nil || len(everyone.wishes) == 0 {
		return nil
	}
	var names []string
	for _, b := range w.blocks {
		_, isToken := usage.TokenNamed(b.name)
		if c := w.contentOfBlock(b, all); b.isAlone && len(b.wishes) == 0 && !isToken && c != nil && !c.isClosed() {
			names = append(names, b.title())
		}
	}
	if names == nil {
		return nil
	}
	return []string{fmt.Sprintf(`because of "only", "%s" does not apply to %s; if it should, add it to the lines for them`,
		everyone.wishes[0].statement(usage.Purposes()...), strings.Join(names, ", "))}
}

// without leaves out the preferences that a robots.txt states for one of the agents.
func (w wish) without(file *usage.Robots, agents ...string) wish {
	for _, agent := range agents {
		stated := file.For(usage.Options{}, agent).Check(w.path, true, nil)
		for _, p := range usage.Purposes() {
			if w.answer[p] == stated[p] {
				w.answer[p] = usage.Unknown
			}
		}
	}
	return w
}

func (w *wish) noEffect(tokens string) string {
	text := fmt.Sprintf("%s has no effect for %s: for purpose tokens, only rules have an effect, and only for %s", w.statement(usage.Purposes()...), tokens, usage.TrainAI)
	rule := "disallow"
	switch w.answer[usage.TrainAI] {
	case usage.Unknown:
		return text
	case usage.Allowed:
		rule = "allow"
	}
	return fmt.Sprintf(`%s; write for example "%s: %s %s"`, text, tokens, rule, w.path)
}

func (w *writer) notOpened(all []*crawler) (notes []string) {
	for _, b := range w.blocks {
		at := slices.IndexFunc(b.rules, func(r rule) bool { return r.Allow && r.isForSite() })
		if at < 0 || b.isAlone || b.subject == (subject{}) {
			continue
		}
		c := w.contentOfBlock(b, all)
		if c == nil {
			continue
		}
		if wider := slices.IndexFunc(c.rules, func(r rule) bool { return !r.Allow && !slices.Contains(b.rules, r) }); wider >= 0 {
			notes = append(notes, fmt.Sprintf(`%s:%d: "allow" does not open %s for %s, which line %d disallows; "only allow" would`,
				w.Name, b.rules[at].Line, printable.Text(c.rules[wider].Pattern), b.title(), c.rules[wider].Line))
		}
	}
	return notes
}

// contentOfBlock returns what applies to the crawlers of b, or nil if no crawler has only the rules of b and of everyone.
func (w *writer) contentOfBlock(b *block, all []*crawler) *content {
	if b.subject == (subject{}) {
		return w.byCrawler[all[0]]
	}
	if i := slices.IndexFunc(all, func(c *crawler) bool { return c.token == b.token }); b.token != "" && i >= 0 {
		return w.byCrawler[all[i]]
	}
	return w.contents[w.keyOf(b)]
}

func (g *WrittenGroup) InWords() string {
	switch {
	case g.Closed:
		return "nothing is allowed"
	case g.Rules == 0:
		return "everything is allowed"
	}
	return printable.Counted(g.Rules, "rule")
}

// InWords returns which crawlers are in a section, such as "ai-training (24 User-agent lines)".
func (s *Section) InWords() string {
	switch s.For {
	case everyone:
		return everyone
	case "name":
		return printable.Text(strings.Join(s.Crawlers, ", "))
	case "fallback":
		return "as everyone: " + strings.Join(s.Crawlers, ", ")
	}
	return fmt.Sprintf("%s (%s)", s.For, printable.Counted(len(s.Crawlers), "User-agent line"))
}
