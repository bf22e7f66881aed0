package lint

import (
	"fmt"
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

func signalOutsideGroup(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if isSignal(r) && r.Notes.Has(robotstxt.NoteOutsideGroup) {
			report(at(r.Line, r.Key, fmt.Sprintf("no User-agent line is before this %s, so it is for no crawler", r.info.Name)))
		}
	}
}

func isSignal(r recordLine) bool {
	return r.info.Name == "Content-Signal" || r.info.Name == "Content-Usage"
}

func unparseableUsage(f *file, report func(Finding)) {
	invalidRecord("Content-Usage")(f, report)
	for _, r := range f.records() {
		usage, ok := r.value.(record.ContentUsage)
		if !ok || len(usage.Unread) > 0 {
			continue // the line has a finding already
		}
		for _, p := range usage.Preferences {
			if p.Value != "y" && p.Value != "n" {
				part := r.firstIn(p.Name+"="+p.Value, p.Name)
				report(at(r.Line, part, fmt.Sprintf("%s has the value %s, expected y or n", printable.Text(p.Name), printable.Quote(p.Value))))
				break
			}
		}
	}
}

// A claim is what a line says about one use of the content.
type claim struct {
	line   recordLine
	use    string // in the words of Content-Signal, such as "ai-train"
	path   string // the pattern for which it holds; "": every path
	grants bool
	text   string // as in the line, such as "train-ai=n"
}

// purposes has, for each use, the purposes of the crawlers that need it.
var purposes = map[string][]crawlers.Purpose{
	"search":   {crawlers.Search},
	"ai-input": {crawlers.AISearch, crawlers.AIUser},
	"ai-train": {crawlers.AITraining},
}

// usesOfUsage has the words of Content-Usage, in those of Content-Signal.
var usesOfUsage = map[string]string{"train-ai": "ai-train", "search": "search"}

// claims returns what a record says, without what is neither yes nor no.
func claims(r recordLine) []claim {
	var all []claim
	switch v := r.value.(type) {
	case record.ContentSignal:
		for _, s := range v.Signals {
			if s.Known && (s.Value == "yes" || s.Value == "no") {
				all = append(all, claim{r, s.Name, "", s.Value == "yes", s.Name + "=" + s.Value})
			}
		}
	case record.ContentUsage:
		path := v.Path
		if path == "/" {
			path = ""
		}
		for _, p := range v.Preferences {
			if use, ok := usesOfUsage[p.Name]; ok && (p.Value == "y" || p.Value == "n") {
				all = append(all, claim{r, use, path, p.Value == "y", p.Name + "=" + p.Value})
			}
		}
	}
	return all
}

// A subject is what two claims must have in common to contradict each other.
type subject struct{ crawler, use, path string }

// signalContradicts reports for each line what contradicts it: a line before it, or the rule that
// keeps out the crawlers that the line is for. One finding is enough for a line.
func signalContradicts(f *file, report func(Finding)) {
	earlier := map[subject]claim{}
	for _, r := range f.records() {
		if !isSignal(r) || r.Group == 0 {
			continue
		}
		reported := false
		for _, c := range claims(r) {
			if found, ok := f.contradiction(c, earlier); ok && !reported {
				report(found)
				reported = true
			}
		}
	}
}

// contradiction returns the first thing that contradicts a claim, with all crawlers for which it
// does, and remembers the claim.
func (f *file) contradiction(c claim, earlier map[subject]claim) (found Finding, ok bool) {
	everyone := false
	for _, agent := range f.groups[c.line.Group-1].Agents {
		message := f.against(agent, c, earlier)
		switch {
		case message == "":
			continue
		case !ok:
			found, ok = at(c.line.Line, c.line.firstIn(c.text, c.line.Value), message), true
		case message != found.Message:
			continue
		}
		everyone = everyone || agent.Everyone
		if !slices.ContainsFunc(found.Crawlers, func(name string) bool { return ascii.EqualFold(name, agent.Name) }) {
			found.Crawlers = append(found.Crawlers, agent.Name)
		}
	}
	if everyone {
		found.Crawlers = nil
	}
	return found, ok
}

// against says what contradicts a claim for the crawlers of one User-agent line; "": nothing.
func (f *file) against(agent robotstxt.Agent, c claim, earlier map[subject]claim) string {
	if agent.Name == "" {
		return "" // the line names no crawler
	}
	key := subject{ascii.ToLower(agent.Name), c.use, c.path}
	first, again := earlier[key]
	if !again {
		earlier[key] = c
	} else if first.grants != c.grants {
		return fmt.Sprintf("%s contradicts %s in line %d", printable.Text(c.text), printable.Text(first.text), first.line.Number)
	}
	if rule, ok := f.shutsOut(agent, c); ok {
		return fmt.Sprintf("%s grants a use, but the crawlers for it may fetch no page (%v)", printable.Text(c.text), rule)
	}
	return ""
}

// shutsOut returns the rule that keeps the crawlers of a User-agent line from every page, if a
// claim grants them a use of the pages and they are crawlers for that use.
func (f *file) shutsOut(agent robotstxt.Agent, c claim) (robotstxt.Rule, bool) {
	if !c.grants || c.path != "" {
		return robotstxt.Rule{}, false
	}
	policy := f.parsed.Agent() // of the crawlers that no group names
	if !agent.Everyone {
		known, _ := crawlers.Known().Lookup(agent.Name)
		if !slices.ContainsFunc(known.Purposes, func(p crawlers.Purpose) bool { return slices.Contains(purposes[c.use], p) }) {
			return robotstxt.Rule{}, false
		}
		policy = f.parsed.Agent(agent.Name)
	}
	return policy.Check("/").Rule, blocksAll(policy)
}
