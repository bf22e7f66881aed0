package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

func emptyAgent(f *file, report func(Finding)) {
	for _, line := range f.lines {
		if line.Kind != robotstxt.KindUserAgent || !line.Notes.Has(robotstxt.NoteEmptyValue) {
			continue
		}
		found := findingAt(line, line.Key, f.namesNobody(line))
		end := line.Offset + len(strings.TrimRight(line.Raw, "\r\n"))
		if !strings.Contains(line.Raw, "#") {
			found.Fix = f.newFix(`write "User-agent: *"`, Edit{line.Offset + indexIn(line, line.Key), end, "User-agent: *"})
		}
		report(found)
	}
}

func (f *file) namesNobody(line robotstxt.Line) string {
	if g := f.groups[line.Group-1]; len(g.Agents) == 1 && len(g.Rules) > 0 {
		return fmt.Sprintf("names no crawler, so %s for nobody", countText(len(g.Rules), "rule is", "%d rules are"))
	}
	return "names no crawler"
}

func agentList(f *file, report func(Finding)) {
	for _, line := range f.lines {
		names := listedAgents(line)
		if names == nil {
			continue
		}
		read := robotstxt.RFC9309.AgentIn(line).Name
		message := fmt.Sprintf("one line names one crawler: only %s is read here, and %s not", printable.Quote(read), listText(names[1:], "is", "are"))
		if read == "" {
			message = "one line names one crawler; this one is read as naming nobody"
		}
		found := findingAt(line, line.Value, message)
		if !slices.Contains(names, "*") {
			found.Crawlers = names
		}
		found.Fix = &Fix{Title: "write a line for each crawler", // not marked as safe: the new lines name more crawlers
			Edits: []Edit{replaceText(line, line.Value, strings.Join(names, f.lineEnd+"User-agent: "))}}
		report(found)
	}
}

func listedAgents(line robotstxt.Line) []string {
	if line.Kind != robotstxt.KindUserAgent || strings.Contains(line.Value, "(") { // a value with "(" is a whole User-Agent header
		return nil
	}
	if names := strings.FieldsFunc(line.Value, func(r rune) bool { return strings.ContainsRune(",;|", r) }); len(names) > 1 {
		return tokens(names)
	}
	var names []string
	for _, name := range strings.FieldsFunc(line.Value, func(r rune) bool { return strings.ContainsRune(" \t&+", r) }) {
		if _, known := crawlers.Known().Lookup(name); known || name == "*" {
			names = append(names, name)
		} else if !ascii.EqualFold(name, "and") && !ascii.EqualFold(name, "or") {
			return nil // the name contains a space, or other words follow the name
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

func tokens(texts []string) (names []string) {
	for _, text := range texts {
		token, _, _ := strings.Cut(strings.TrimSpace(text), "/")
		_, known := crawlers.Known().Lookup(token)
		switch {
		case token == "":
		case token == "*" || known || robotstxt.ValidToken(token):
			names = append(names, token)
		default:
			return nil
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

func groupsMerged(f *file, report func(Finding)) {
	for i, g := range f.groups {
		start := 0 // g.Agents[start:j] looks like a group of its own
		for j := 1; j < len(g.Agents); j++ {
			what := f.separatorBefore(g, j)
			if what == "" {
				continue
			}
			above, below := f.line(g.Agents[j-1].Line), f.line(g.Agents[j].Line)
			if found, differs := f.mergedGroups(i+1, g.Agents[start:j], above, below, what); differs {
				report(found)
			}
			start = j
		}
	}
}

func (f *file) separatorBefore(g robotstxt.Group, agent int) string {
	what := f.separatorBetween(f.line(g.Agents[agent-1].Line), f.line(g.Agents[agent].Line))
	// Some owners write an empty line after each User-agent line, and mean no new group.
	last := g.Agents[len(g.Agents)-1].Line // counted from 1, so this is the index of the line after it
	if what == anEmptyLine && last < len(f.lines) && f.lines[last].Kind == robotstxt.KindBlank {
		return ""
	}
	return what
}

const anEmptyLine = "an empty line"

func (f *file) separatorBetween(above, below robotstxt.Line) string {
	what := ""
	for _, line := range f.lines[above.Number : below.Number-1] {
		switch line.Kind {
		case robotstxt.KindOther, robotstxt.KindSitemap:
			return printable.Short(line.Key)
		case robotstxt.KindBlank:
			what = anEmptyLine
		}
	}
	return what
}

func (f *file) mergedGroups(group int, agents []robotstxt.Agent, above, below robotstxt.Line, what string) (found Finding, ok bool) {
	for _, agent := range agents {
		p := f.policyFor(agent.Name)
		if p == nil || len(p.GroupsThatApply()) > 1 || isPurposeToken(agent.Name) {
			continue // the line names no crawler, or several groups apply to the crawler
		}
		witness := f.disallowedPath(p, group)
		if witness == "" {
			continue
		}
		found = findingAt(below, below.Value, fmt.Sprintf("%s above is no rule, so this line is in one group with line %d: %s also follows the rules below, which disallow %s",
			what, above.Number, crawlerName(agent), printable.Text(witness)))
		found.Crawlers = namesOf(agents) // the fix is about all of them
		end := above.Offset + len(above.Raw)
		found.Fix = &Fix{Title: `end the group above with an empty "Disallow:"`, Edits: []Edit{{end, end, "Disallow:" + f.lineEnd}}}
		return found, true
	}
	return Finding{}, false
}

// namesOf returns nil if one of the agents is "*". Then a finding is about all crawlers.
func namesOf(agents []robotstxt.Agent) (names []string) {
	for _, agent := range agents {
		if agent.Everyone {
			return nil
		}
		if agent.Name != "" {
			names = append(names, agent.Name)
		}
	}
	return names
}

func crawlerName(agent robotstxt.Agent) string {
	if agent.Everyone {
		return `every other crawler ("*")`
	}
	return printable.Text(agent.Name)
}

func agentNotToken(f *file, report func(Finding)) {
	for _, line := range f.lines {
		if !line.Notes.Has(robotstxt.NoteNameCut) && !line.Notes.Has(robotstxt.NoteNamesNoCrawler) || listedAgents(line) != nil {
			continue
		}
		read := robotstxt.RFC9309.AgentIn(line).Name
		c, known := crawlers.Known().Named(line.Value)
		if known && read != "" {
			continue // the operator uses this name, which the owner of the file cannot change
		}
		message := fmt.Sprintf("crawlers read only %s of this name", printable.Quote(read))
		if read == "" {
			message = f.namesNobody(line) + `: a product token begins with a letter, "_" or "-"`
		}
		found := findingAt(line, line.Value, message)
		if known {
			found.Message += ", and the name of this crawler does not; " + crawlernames.OnlyEveryone
			found.Crawlers = []string{c.Token}
		}
		if token, ok := robotstxt.ProductToken(line.Value); ok && (token != read || !isPiece(line.Value, token)) {
			found.Fix = &Fix{Title: "write " + printable.Quote(token), Edits: []Edit{replaceText(line, line.Value, token)}, Safe: token == read}
			if token != read {
				found.Message += fmt.Sprintf("; the product token in it is %s", printable.Quote(token))
			}
		}
		report(found)
	}
}

func agentMisspelt(f *file, report func(Finding)) {
	for _, line := range f.lines {
		name := robotstxt.RFC9309.AgentIn(line).Name
		if operator, ok := crawlernames.OperatorNamed(name); ok {
			report(namesOperator(line, operator))
			continue
		}
		meant := f.meantBy(name)
		if meant == "" || crawlernames.SameLetters(name, meant) && f.haveSameRules(name, meant) {
			continue // owners write both GPTBot and GPT-Bot on purpose
		}
		found := findingAt(line, line.Value, fmt.Sprintf("no known crawler has the name %s; did you mean %s?", printable.Quote(name), meant)).withCrawlers([]string{meant})
		found.reason = ascii.ToLower(name)
		found.Fix = &Fix{Title: "write " + printable.Quote(meant), Edits: []Edit{replaceText(line, name, meant)}}
		report(found)
	}
}

func (f *file) haveSameRules(a, b string) bool {
	p, q := f.policyFor(a), f.policyFor(b)
	return p != nil && q != nil && textOfRules(slices.Collect(p.Rules())) == textOfRules(slices.Collect(q.Rules()))
}

func namesOperator(line robotstxt.Line, operator crawlernames.Operator) Finding {
	its := "crawlers are"
	if len(operator.Tokens) == 1 {
		its = "crawler is"
	}
	found := findingAt(line, line.Value, fmt.Sprintf("%s is the name of an operator, not of a crawler; its %s %s",
		printable.Quote(operator.Name), its, printable.Some(operator.Tokens, ", ")))
	found.reason = operator.Name
	return found
}

// meantBy returns the known crawler whose name is misspelt. It returns "" if there is none.
func (f *file) meantBy(name string) string {
	name = ascii.ToLower(name)
	meant, known := f.meant[name]
	if !known {
		meant = crawlernames.Misspelt(name)
		f.meant[name] = meant
	}
	return meant
}

// A fix must not shorten a name to a piece of it: isPiece("k2spider", "k") is true.
func isPiece(value, token string) bool {
	if _, known := crawlers.Known().Lookup(token); known {
		return false
	}
	rest := strings.TrimPrefix(value, token)
	version := strings.TrimLeft(rest, " ")
	return version != "" && strings.IndexByte("/*(", version[0]) < 0 && (version == rest || !ascii.IsDigit(version[0]))
}

func duplicateGroup(f *file, report func(Finding)) {
	first := map[string]int{} // for each name, the index of the first group with this name
	for i, g := range f.groups {
		for _, a := range g.Agents {
			name := ascii.ToLower(a.Name)
			if name == "" {
				continue
			}
			earlier, known := first[name]
			if !known {
				first[name] = i
				continue
			}
			if earlier == i {
				continue
			}
			line := f.line(a.Line)
			if isPiece(line.Value, a.Name) || f.isAnotherName(line.Value, f.lineOf(earlier, name)) {
				continue // the two lines mean different crawlers
			}
			readers := "crawlers"
			if isPurposeToken(name) {
				readers = "who read it"
			}
			found := findingAt(line, line.Value, fmt.Sprintf("%s already has a group, in line %d; not all %s join the two",
				printable.Quote(a.Name), f.lineOf(earlier, name), readers))
			if !a.Everyone && !isPurposeToken(name) {
				found.Crawlers = []string{a.Name}
			}
			found.Fix = f.joinGroups(earlier, i)
			report(found)
			break // at most one finding for each group
		}
	}
}

// "Sogou web spider" and "Sogou inst spider" are two names, although crawlers read only "Sogou" of both lines.
func (f *file) isAnotherName(value string, otherLine int) bool {
	c, known := crawlers.Known().Named(value)
	return known && !ascii.EqualFold(value, c.Token) && !ascii.EqualFold(value, f.line(otherLine).Value)
}

func (f *file) lineOf(group int, name string) int {
	agents := f.groups[group].Agents
	return agents[slices.IndexFunc(agents, func(a robotstxt.Agent) bool { return ascii.EqualFold(a.Name, name) })].Line
}

func (f *file) joinGroups(earlier, later int) *Fix {
	to, from := f.groups[earlier], f.groups[later]
	// A line with a list of names must stay, because it shows what the owner meant.
	isList := func(a robotstxt.Agent) bool { return listedAgents(f.line(a.Line)) != nil }
	if !slices.Equal(sortedNames(to), sortedNames(from)) || len(to.Rules) == 0 || len(from.Rules) == 0 || slices.ContainsFunc(from.Agents, isList) ||
		later > earlier+1 && f.hasRecord(later+1) {
		return nil
	}
	var edits []Edit
	for _, a := range from.Agents {
		edits = append(edits, removeRecord(f.line(a.Line)))
	}
	if later == earlier+1 {
		for number := to.Rules[len(to.Rules)-1].Line + 1; number < from.Rules[0].Line; number++ {
			if line := f.line(number); strings.TrimSpace(line.Raw) == "" { // an empty line ends the group in the dialects of 1994 and 1996
				edits = append(edits, removeLine(line))
			}
		}
		return f.newFix("join the two groups", edits...)
	}
	last := f.line(to.Rules[len(to.Rules)-1].Line)
	end := last.Offset + len(last.Raw)
	var moved strings.Builder
	for _, rule := range from.Rules {
		line := f.line(rule.Line)
		moved.WriteString(strings.TrimRight(line.Raw, "\r\n") + f.lineEnd)
		edits = append(edits, removeLine(line))
	}
	return f.newFix("join the two groups", append([]Edit{{end, end, moved.String()}}, edits...)...)
}

func (f *file) hasRecord(group int) bool {
	for _, line := range f.lines[f.groups[group-1].Agents[0].Line-1:] {
		if line.Group == group && line.Kind == robotstxt.KindOther {
			return true
		} else if line.Group > group {
			break
		}
	}
	return false
}
