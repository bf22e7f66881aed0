package lint

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
)

// A Fix is a change of a file that fixes a finding.
type Fix struct {
	Title string `json:"title"`           // what the fix does, such as `write "Disallow"`
	Safe  bool   `json:"safe"`            // true if it is proved that the fix changes no verdict
	Edits []Edit `json:"edits,omitempty"` // the parts of the file that the fix replaces, in file order; they do not overlap

	closes string // the path that the crawlers of the finding may not fetch after the fix, according to the title
}

// An Edit replaces a part of a file.
type Edit struct {
	Start int    `json:"start"` // the offset in bytes of the first byte that is replaced; the file begins at 0
	End   int    `json:"end"`   // the offset of the first byte after the part that is replaced
	Text  string `json:"text"`  // the new text for this part of the file
}

// Apply applies fixes to a file. It skips a fix that overlaps an earlier fix, and returns the indexes of the fixes that it
// applied. An insertion does not overlap an edit that begins at the same place. The inserted text comes first.
func Apply(body []byte, fixes []Fix) (newBody []byte, applied []int) {
	var edits []Edit
	for i, fix := range fixes {
		if !overlaps(edits, fix.Edits) {
			edits = append(edits, fix.Edits...)
			applied = append(applied, i)
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	end := 0
	for _, e := range edits {
		newBody = append(newBody, body[end:e.Start]...)
		newBody = append(newBody, e.Text...)
		end = e.End
	}
	return append(newBody, body[end:]...), applied
}

func overlaps(edits, more []Edit) bool {
	for _, e := range edits {
		if slices.ContainsFunc(more, func(m Edit) bool {
			return e.Start < m.End && m.Start < e.End || e.isInsertion() && m.isInsertion() && e.Start == m.Start
		}) {
			return true
		}
	}
	return false
}

func (e Edit) isInsertion() bool { return e.Start == e.End }

// Each proof reads the whole file, so a hostile file could take very long. A line takes as much time as lineWork bytes.
const (
	maxProofWork = 16 << 20
	lineWork     = 32
)

func (f *file) newFix(title string, edits ...Edit) *Fix {
	fix := Fix{Title: title, Edits: edits}
	if f.proofWork += f.workOfProof(); f.proofWork > maxProofWork {
		return &fix
	}
	fix.Safe = f.provesSafe(fix)
	return &fix
}

func (f *file) provesSafe(fixes ...Fix) bool {
	fixed, _ := Apply([]byte(f.body), fixes)
	return !slices.ContainsFunc(f.bothReadings(), func(r reading) bool { return !r.provesEqual(fixed) })
}

// compareFixes compares the fixes of all findings, because they are made together.
func (f *file) compareFixes(findings []Finding) {
	f.keepSafeTogether(findings)
	f.keepTrue(findings)
}

// keepSafeTogether tests each safe fix together with all safe fixes above it. The fix stays safe only if all these fixes
// together are proved to change no verdict. For example, one of two equal rules can be removed. It is not safe to remove
// both rules.
func (f *file) keepSafeTogether(findings []Finding) {
	var safe []*Fix
	for _, found := range findings {
		if found.Fix != nil && found.Fix.Safe {
			safe = append(safe, found.Fix)
		}
	}
	var proved []Fix
	work := 0
	var prove func(some []*Fix)
	prove = func(some []*Fix) {
		all := proved
		for _, fix := range some {
			all = append(all, *fix)
		}
		switch work += f.workOfProof(); {
		case len(all) < 2 || work <= maxProofWork && f.provesSafe(all...):
			proved = all
		case len(some) == 1:
			some[0].Safe = false
		default:
			prove(some[:len(some)/2])
			prove(some[len(some)/2:])
		}
	}
	prove(safe)
}

// keepTrue removes a fix if its title would be false after all other fixes.
func (f *file) keepTrue(findings []Finding) {
	var fixes []Fix
	var closing []*Finding
	for i, found := range findings {
		if found.Fix == nil {
			continue
		}
		if fixes = append(fixes, *found.Fix); found.Fix.closes != "" {
			closing = append(closing, &findings[i])
		}
	}
	if len(closing) == 0 {
		return
	}
	fixed, _ := Apply([]byte(f.body), fixes)
	file := robotstxt.Parse(fixed, robotstxt.RFC9309)
	for _, found := range closing {
		url := urlWithPath(found.Fix.closes)
		if slices.ContainsFunc(found.Crawlers, func(name string) bool { return file.Agent(name).Check(url).Allowed }) {
			found.Fix = nil
		}
	}
}

func (f *file) workOfProof() int { return len(f.body) + lineWork*len(f.lines) }

func (f *file) bothReadings() []reading {
	if f.readings == nil {
		f.readings = []reading{{f.parsed, f.groups}, newReading(f.google)}
	}
	return f.readings
}

// ChangesNothing reports whether it is proved that two files have the same verdict for every URL and crawler, in RFC
// 9309 and in Google's parser.
func ChangesNothing(old, new []byte) bool {
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
		if !newReading(robotstxt.Parse(old, d)).provesEqual(new) {
			return false
		}
	}
	return true
}

type reading struct {
	file   *robotstxt.File
	groups []robotstxt.Group
}

func newReading(f *robotstxt.File) reading { return reading{f, slices.Collect(f.Groups())} }

func (r reading) provesEqual(body []byte) bool {
	other := newReading(robotstxt.Parse(body, r.file.Dialect()))
	old, new := withoutCommon(r.groups, other.groups)
	if len(old) > 0 && len(new) > 0 && isRefuted(r.file, other.file, old[0], new[0]) {
		return false // a quick test, which is enough for most files that differ
	}
	return maps.EqualFunc(rulesByName(old), rulesByName(new), slices.Equal) || // a second quick test, which is enough for most files that do not differ
		compare.Files(context.Background(), r.file, other.file, knownChains()...).Outcome == compare.Equal
}

// The crawlers that have several product tokens, or do not follow the groups for "*".
var knownChains = sync.OnceValue(func() (chains [][]string) {
	for c := range crawlers.Known().All() {
		if agents := c.Agents(); len(agents) > 1 {
			chains = append(chains, agents)
		}
	}
	return chains
})

// A B C D and A X D become B C and X.
func withoutCommon(a, b []robotstxt.Group) (restA, restB []robotstxt.Group) {
	for len(a) > 0 && len(b) > 0 && saysTheSame(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && saysTheSame(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

func saysTheSame(a, b robotstxt.Group) bool {
	sameName := func(a, b robotstxt.Agent) bool { return ascii.EqualFold(a.Name, b.Name) }
	return slices.EqualFunc(a.Agents, b.Agents, sameName) && slices.EqualFunc(a.Rules, b.Rules, isSameRule)
}

// isRefuted is a quick test. The result true means that some URL has different verdicts. The result
// false means that this is not known.
func isRefuted(old, new *robotstxt.File, a, b robotstxt.Group) bool {
	if a.Agents[0].Name == "" {
		return false // no crawler has this name
	}
	p, q := old.Agent(a.Agents[0].Name), new.Agent(a.Agents[0].Name)
	return slices.ContainsFunc(firstDifferent(a.Rules, b.Rules), func(rule robotstxt.Rule) bool {
		path := matchingPath(strings.TrimSuffix(rule.Pattern, "$"))
		return compare.Check(p, path).Allowed != compare.Check(q, path).Allowed
	})
}

func firstDifferent(a, b []robotstxt.Rule) []robotstxt.Rule {
	for len(a) > 0 && len(b) > 0 && isSameRule(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	return slices.Concat(a[:min(len(a), 1)], b[:min(len(b), 1)])
}

// rulesByName is only right for a dialect that joins groups with the same name and ignores the order of rules.
func rulesByName(groups []robotstxt.Group) map[string][]robotstxt.Rule {
	byName, again := map[string][]robotstxt.Rule{}, map[string]bool{}
	for _, g := range groups {
		rules := sortedRules(g.Rules)
		for _, name := range sortedNames(g) {
			switch earlier, known := byName[name]; {
			case !known:
				byName[name] = rules
			case again[name]:
				byName[name] = append(earlier, rules...)
			default: // Concat makes a new slice, because several names may share the old slice
				byName[name], again[name] = slices.Concat(earlier, rules), true
			}
		}
	}
	for name := range again {
		byName[name] = sortedRules(byName[name])
	}
	return byName
}

func sortedRules(rules []robotstxt.Rule) []robotstxt.Rule {
	sorted := slices.Clone(rules)
	for i := range sorted {
		sorted[i].Line = 0
	}
	slices.SortStableFunc(sorted, compareRules)
	return sorted
}

func isSameRule(a, b robotstxt.Rule) bool { return a.Allow == b.Allow && a.Pattern == b.Pattern }

func compareRules(a, b robotstxt.Rule) int {
	switch {
	case a.Allow == b.Allow:
		return strings.Compare(a.Pattern, b.Pattern)
	case a.Allow:
		return -1
	}
	return 1
}

func replaceText(line robotstxt.Line, part, text string) Edit {
	return replacePart(line, max(indexIn(line, part), 0), len(part), text)
}

func replacePart(line robotstxt.Line, start, length int, text string) Edit {
	start += line.Offset
	return Edit{start, start + length, text}
}

func removeLine(line robotstxt.Line) Edit { return replacePart(line, 0, len(line.Raw), "") }

// The comment at the end of the line stays. But a lint comment is removed too, because it would then turn rules off for
// another line.
func removeRecord(line robotstxt.Line) Edit {
	edit := removeLine(line)
	if i := strings.IndexByte(line.Raw, '#'); i >= 0 && !strings.Contains(line.Raw, lintMark) {
		edit.Text = line.Raw[i:]
	}
	return edit
}

// indexIn looks first after the key and its colon, because these may contain the same text as the value.
func indexIn(line robotstxt.Line, part string) int {
	if part != line.Key {
		rest := line.Raw[max(strings.Index(line.Raw, line.Key), 0)+len(line.Key):]
		rest = strings.TrimPrefix(strings.TrimLeft(rest, ascii.Space), ":")
		if i := strings.Index(rest, part); i >= 0 {
			return len(line.Raw) - len(rest) + i
		}
	}
	return strings.Index(line.Raw, part)
}

func sortedNames(g robotstxt.Group) (names []string) {
	for _, a := range g.Agents {
		names = append(names, ascii.ToLower(a.Name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
