package robotstxt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// Contrast explains in a sentence why two dialects decide differently. If the verdict and the deciding line are equal in
// both traces, it returns "". The traces must be about the same body or response, agent and target.
func Contrast(a, b Trace) string {
	if a.Decision.Allowed == b.Decision.Allowed && a.Decision.Rule.Line == b.Decision.Rule.Line {
		return ""
	}
	pairs := [2][2]*Trace{{&a, &b}, {&b, &a}}
	for _, pair := range pairs {
		if s := pair[0].exception(pair[1]); s != "" {
			return s
		}
	}
	if !a.readsRules() || !b.readsRules() {
		return a.summary() + "; " + b.summary()
	}
	for _, pair := range pairs {
		decider, other := pair[0], pair[1]
		if line := decider.Decision.Rule.Line; line > 0 {
			if why := other.whyNot(line, decider); why != "" {
				return fmt.Sprintf("line %d decides in %s, but not in %s: %s",
					line, decider.Dialect.InSentence(), other.Dialect.InSentence(), why)
			}
		}
	}
	if len(a.Candidates) == 0 || len(b.Candidates) == 0 { // the caller has changed a Decision of the Trace
		return a.summary() + "; " + b.summary()
	}
	return fmt.Sprintf("in %s %s; in %s %s", a.Dialect.InSentence(), a.precedence(), b.Dialect.InSentence(), b.precedence())
}

func (t *Trace) exception(other *Trace) string {
	if t.Decision.Reason != RobotsTxtItself || !other.readsRules() || other.Dialect.robotsAllowed {
		return ""
	}
	return fmt.Sprintf("%s always allows /robots.txt itself; %s does not", t.Dialect.InSentence(), other.Dialect.InSentence())
}

func (t *Trace) readsRules() bool {
	switch t.Decision.Reason {
	case ByRule, NoRuleMatched, NoGroup, IgnoresEveryone:
		return t.policy != nil && t.Dialect != nil
	}
	return false
}

func (t *Trace) summary() string {
	title := t.Dialect.InSentence()
	switch r := t.Decision.Reason; r {
	case ByRule:
		return fmt.Sprintf("in %s line %d decides", title, t.Decision.Rule.Line)
	case Unavailable:
		return title + " treats the site as one without robots.txt"
	case Unreachable:
		return title + " treats the site as unreachable"
	case Restricted:
		return title + " treats the whole site as restricted"
	case InvalidTarget:
		return fmt.Sprintf("in %s the URL is %s", title, r)
	default:
		return fmt.Sprintf("in %s %s", title, r)
	}
}

func (t *Trace) precedence() string {
	winner := t.Candidates[0]
	if !t.Dialect.longest {
		return fmt.Sprintf("the first rule in the file that matches decides (line %d)", winner.Rule.Line)
	}
	s := fmt.Sprintf("the longest pattern that matches decides (line %d, %s)", winner.Rule.Line, inBytes(winner.Length))
	if len(t.Candidates) > 1 && t.Candidates[1].Beaten == ByAllow {
		s += ", and Allow where two are equally long"
	}
	return s
}

func inBytes(n int) string { return printable.Counted(n, "byte") }

func (t *Trace) whyNot(number int, decider *Trace) string {
	matches := func(c Candidate) bool { return c.Rule.Line == number }
	if slices.ContainsFunc(t.Candidates, matches) {
		return ""
	}
	line := t.policy.file.line(number)
	if line.Notes.Has(NotePastLimit) {
		return "it is after the part of the file that is parsed"
	}
	noGroup := t.whyNoGroup(line)
	switch {
	case line.Kind.isRule() && noGroup != "":
		return noGroup
	case line.Kind.isRule():
		return t.whyNoMatch(line, decider)
	}
	noRule := t.whyNoRule(decider.policy.file.line(number))
	if noGroup != "" {
		return noGroup + ", and " + noRule
	}
	return noRule
}

// whyNoGroup returns why no group with the line applies, or "" if one does.
func (t *Trace) whyNoGroup(line Line) string {
	switch {
	case line.Group == 0 && t.Dialect.blankEndsGroup:
		return "it is in no group, since a blank line ends a group"
	case line.Group == 0:
		return "it is in no group"
	}
	if use := t.Groups[line.Group-1]; !use.Role.Applies() {
		return "its group does not apply, " + t.whyUnused(use)
	}
	return ""
}

// whyNoRule returns why a line is no rule. The parameter theirs is the same line in a dialect where it is a rule.
func (t *Trace) whyNoRule(theirs Line) string {
	switch {
	case theirs.Notes.Has(NoteMissingColon):
		return "its colon is missing"
	case theirs.Notes.Has(NoteKeyPrefix):
		return "its key only begins with a known key, which is enough for Google"
	case theirs.Notes.Has(NoteTypo):
		return "its key is misspelt"
	case theirs.Kind == KindAllow && !t.Dialect.allow:
		return "that dialect has no Allow"
	}
	return "it is read as something else"
}

func (t *Trace) whyUnused(unused GroupUse) string {
	for _, use := range t.Groups {
		switch {
		case use.Role.Applies() && unused.Role == NotFirst:
			return fmt.Sprintf("because only the first such group applies there: that of line %d (%s)", use.Agent.Line, t.whyUsed(use))
		case use.Role.Applies():
			return fmt.Sprintf("but that of line %d (%s)", use.Agent.Line, t.whyUsed(use))
		}
	}
	if t.Dialect == Google && !slices.ContainsFunc(t.Agents, ValidToken) {
		return `since Google's parser reads a name only up to the first character that is no letter, "_" or "-"`
	}
	return "since it " + unused.Role.String()
}

func (t *Trace) whyUsed(use GroupUse) string {
	for _, name := range t.Agents {
		if part := use.Agent.Name; t.Dialect.names == substringNames && len(part) < len(name) && t.Dialect.isNamedBy(part, name) {
			return fmt.Sprintf("%s is a part of the name %s, which is enough there", printable.Quote(part), printable.Text(name))
		}
	}
	return use.Role.String()
}

func (t *Trace) whyNoMatch(line Line, decider *Trace) string {
	d, pattern := t.Dialect, line.Value
	form, isAnchored := d.normalPattern(pattern)
	if isAnchored {
		form += "$"
	}
	asWildcards := d.with(func(d *Dialect) { d.wildcards = true })
	isIndexPage := func(c Candidate) bool { return c.Rule.Line == line.Number && c.IndexPage }
	switch {
	case pattern == "":
		return "an empty pattern is no rule"
	case slices.ContainsFunc(decider.Candidates, isIndexPage):
		return "only for Google an Allow of an index page also allows its directory"
	case d.wildcards && !decider.Dialect.wildcards && d.matchesPath(pattern+"*", t.Path): // before a "*", "$" is an ordinary character
		return `a "$" at the end matches only the end of the URL there`
	case !d.wildcards && decider.Dialect.wildcards && asWildcards.matchesPath(pattern, t.Path):
		return `"*" and "$" are ordinary characters there`
	case d.path == pathOnly && strings.Contains(form, "?") && !strings.Contains(t.Path, "?"):
		return "the path is compared without the query"
	}
	return fmt.Sprintf("there the pattern is read as %s and the URL as %s", form, t.Path)
}

// matchesPath compares one pattern with a path in normal form.
func (d *Dialect) matchesPath(written, path string) bool {
	p := pattern{text: written}
	p.compile(d, p.normalize(d, nil))
	s := subject{path: path, slashes: strings.Contains(path, encodedSlash)}
	return s.matches(p.text, p.traits)
}
