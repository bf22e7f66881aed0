package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A Comparison says how two robots.txt files differ, for all crawlers.
//
// The list Crawlers begins with "*": all crawlers without a group in either file. Then come the crawlers that the old file
// names, and then the crawlers that only the new file names.
//
// Then come known crawlers, and at the end made-up crawlers. A known or made-up crawler is listed only if no earlier crawler
// has the same groups. A known crawler that a file names is listed at the place of its name. Such a crawler is listed with
// all its product tokens if they make a difference. If the caller chose crawlers, only these are listed, in the given order.
type Comparison struct {
	Result       string `json:"result"`                  // "equal" (proved), "differs" or "undecided"
	Old          string `json:"old"`                     // the path or URL of the old robots.txt, or "-" for standard input
	New          string `json:"new"`                     // the path or URL of the new robots.txt, or "-" for standard input
	Dialect      string `json:"dialect"`                 // the dialect in which both files were read
	OldTruncated bool   `json:"old_truncated,omitempty"` // the old file is longer than what the dialect reads; the rest was not compared
	NewTruncated bool   `json:"new_truncated,omitempty"` // the new file is longer than what the dialect reads; the rest was not compared
	OldPage      string `json:"old_page,omitempty"`      // what the old file is in place of a robots.txt: "html" for an HTML page, or "json" for a JSON value
	NewPage      string `json:"new_page,omitempty"`      // what the new file is in place of a robots.txt: "html" for an HTML page, or "json" for a JSON value
	// The result is "equal" for the compared crawlers. A crawler with other product tokens may still have different
	// verdicts, for two reasons. One file may name a crawler that the other file does not name. Or the caller chose a known
	// crawler by one of its product tokens, and with all its tokens the verdicts differ.
	OtherChains bool `json:"other_chains,omitempty"`
	// Some crawlers were not compared, or are not listed here, because the files name so many. Then the result is not
	// "equal".
	Incomplete bool       `json:"incomplete,omitempty"`
	Crawlers   []Compared `json:"crawlers"`
	Purposes   []Purpose  `json:"purposes"`          // for each purpose, the known crawlers with this purpose; empty if the caller chose some crawlers
	Managed    *Managed   `json:"managed,omitempty"` // what managed blocks do; absent if neither file has such a block

	Preferences *ComparedPreferences `json:"preferences,omitempty"` // how the preferences about the use of content differ; absent if neither file has any

	tokens    []Compared // the results for purpose tokens, such as Google-Extended, which are not crawlers
	flipPairs flipPairs  // the crawlers for which a URL may have different verdicts
	hasOthers bool       // see compare.FilesResult.OtherChains
	others    []Compared // the known crawlers that the caller chose by one product token, with all their product tokens
}

// Compared says how two files differ for one crawler.
type Compared struct {
	Agent Agent `json:"agent"`
	Facts
	SameGroups []string `json:"same_groups,omitempty"` // known crawlers that are not listed, because the same groups apply to them; absent for "*"
	Result     string   `json:"result"`                // "equal" (proved), "differs" or "undecided"
	Effect     string   `json:"effect,omitempty"`      // if the result is "differs": one of "shut-out", "blocked", "blocked-and-opened" and "opened"
	MadeUp     bool     `json:"made_up,omitempty"`     // the name is in neither file: it was made up for this comparison, and contains a name from each file (S94-6)
	Old        Followed `json:"old"`                   // which rules of the old file apply
	New        Followed `json:"new"`                   // which rules of the new file apply
	Changes    []Change `json:"changes"`               // one change for each changed rule; the change with the shortest witness comes first
	Undecided  int      `json:"undecided,omitempty"`   // the number of changed rules whose effect was not found out
	More       bool     `json:"more,omitempty"`        // true if there may be more changes than the list has
	Steps      int      `json:"steps,omitempty"`       // how much work the search did; only present with "undecided"
}

// The effects of a change on a crawler.
const (
	ShutOut          = "shut-out"           // the crawler could fetch something before, and may fetch nothing now
	Blocked          = "blocked"            // some URLs were allowed, and are disallowed now
	BlockedAndOpened = "blocked-and-opened" // some URLs are disallowed now, and others are allowed now
	Opened           = "opened"             // some URLs were disallowed, and are allowed now
)

// Followed says which rules of the old or the new file apply to a crawler.
type Followed struct {
	Group string `json:"group"` // "own" if there is a group for the crawler, "*" if the group for everyone applies, or "none"
	// "allowed" or "disallowed" if every URL has this verdict. Absent if URLs have different verdicts, or if the result is
	// not "differs".
	Everything string `json:"everything,omitempty"`
}

// A Change is a URL with different verdicts.
type Change struct {
	Witness    string   `json:"witness"` // a short path, with its query, that shows the effect of the changed rule
	WitnessB64 []byte   `json:"witness_b64,omitempty"`
	Old        Decision `json:"old"`
	New        Decision `json:"new"`
}

// A Purpose says what the change of a file means for the known crawlers with one purpose.
type Purpose struct {
	Purpose string     `json:"purpose"`
	Known   int        `json:"known"`   // the number of known crawlers that were compared
	Changes []Affected `json:"changes"` // the most serious change comes first; empty if nothing changes
}

// Affected has the known crawlers on which the change of a file has the same effect.
type Affected struct {
	Result        string   `json:"result"` // "differs" or "undecided"
	Effect        string   `json:"effect,omitempty"`
	OldEverything string   `json:"old_everything,omitempty"` // "allowed" or "disallowed" if every URL has this verdict in the old file
	NewEverything string   `json:"new_everything,omitempty"`
	Crawlers      []string `json:"crawlers"` // the product token of each crawler; the crawler was compared with all its product tokens
}

// An Input is one of the robots.txt files that are compared.
type Input struct {
	Name      string // the path or URL, or "-" for standard input
	File      *robotstxt.File
	Truncated bool   // the file is longer than what the dialect reads
	Page      string // see Comparison.OldPage
}

func InputOf(name string, f *robotstxt.File) Input {
	return Input{Name: name, File: f, Truncated: pastLimit(f), Page: markup.PageOf([]byte(f.Body()))}
}

// pastLimit reports whether a file has more bytes than its dialect reads.
func pastLimit(f *robotstxt.File) bool {
	for line := range f.Lines() {
		if line.Notes.Has(robotstxt.NotePastLimit) {
			return true
		}
	}
	return false
}

// Compare returns how two files of the same dialect differ for the chosen crawlers. If no crawler is chosen, it compares
// all crawlers. The token "*" stands for all crawlers without a group in either file. A nil table means crawlers.Known().
// An error means that ctx ended.
func Compare(ctx context.Context, table *crawlers.Table, old, new Input, chosen [][]string) (Comparison, error) {
	table = cmp.Or(table, crawlers.Known())
	if len(chosen) > 0 {
		return compareChosen(ctx, table, old, new, chosen)
	}
	return compareKnown(ctx, table, old, new, slices.Collect(table.All()))
}

func compareKnown(ctx context.Context, table *crawlers.Table, old, new Input, known []crawlers.Crawler) (Comparison, error) {
	known = slices.DeleteFunc(known, func(c crawlers.Crawler) bool { _, token := usage.TokenNamed(c.Token); return token })
	var chains [][]string
	for _, c := range known {
		chains = append(chains, crawlernames.Agents(&c, old.File.Dialect()))
	}
	files := func(old, new *robotstxt.File) compare.FilesResult {
		return compare.Files(ctx, old, new, chains...)
	}
	return comparisonBy(ctx, table, files, old, new, known)
}

func compareChosen(ctx context.Context, table *crawlers.Table, old, new Input, chosen [][]string) (Comparison, error) {
	files := func(old, new *robotstxt.File) compare.FilesResult {
		return compare.FilesFor(ctx, old, new, chosen...)
	}
	c, err := comparisonBy(ctx, table, files, old, new, nil)
	if err != nil {
		return c, err
	}
	others := compare.FilesFor(ctx, old.File, new.File, wholeChains(table, chosen, old.File.Dialect())...)
	c.others = comparedOf(ctx, table, others.Crawlers)
	c.OtherChains = c.Result == compare.Equal.String() && others.Outcome != compare.Equal
	return c, nil
}

// wholeChains returns all product tokens of each known crawler of which only one is chosen.
func wholeChains(table *crawlers.Table, chosen [][]string, d *robotstxt.Dialect) (chains [][]string) {
	for _, tokens := range chosen {
		if len(tokens) != 1 {
			continue
		}
		known, ok := cmp.Or(table, crawlers.Known()).Lookup(tokens[0])
		if !ok {
			continue
		}
		if chain := crawlernames.Agents(&known, d); len(chain) > 1 {
			chains = append(chains, chain)
		}
	}
	return chains
}

// compareFiles must compare the crawlers of the list known after all other crawlers.
func comparisonBy(ctx context.Context, table *crawlers.Table, compareFiles func(old, new *robotstxt.File) compare.FilesResult, old, new Input, known []crawlers.Crawler) (Comparison, error) {
	r, tokens := compareFiles(old.File, new.File).WithoutTokens()
	c := Comparison{
		Result: r.Outcome.String(), Old: TextOf(old.Name).Text, New: TextOf(new.Name).Text, Dialect: old.File.Dialect().String(),
		OldTruncated: old.Truncated, NewTruncated: new.Truncated, OldPage: old.Page, NewPage: new.Page, Incomplete: r.Incomplete, hasOthers: r.OtherChains,
		OtherChains: r.OtherChains && r.Outcome == compare.Equal,
	}
	c.addCrawlers(ctx, table, r, known)
	c.addManaged(old.File, new.File, r, func(old, new *robotstxt.File) compare.FilesResult {
		rest, _ := compareFiles(old, new).WithoutTokens()
		return rest
	})
	c.tokens = comparedOf(ctx, table, tokens)
	var preferring []compare.Crawler
	for _, i := range listedIndexes(r.Crawlers, len(known)) {
		preferring = append(preferring, r.Crawlers[i])
	}
	c.flipPairs = flippedOf(preferring, r.Incomplete)
	c.addPreferences(ctx, old.File, new.File, preferring, crawlersOfOperators(r.Crawlers, known, tokens), tokens)
	if ctx.Err() != nil {
		return Comparison{}, context.Cause(ctx)
	}
	return c, nil
}

func (c *Comparison) addCrawlers(ctx context.Context, table *crawlers.Table, r compare.FilesResult, known []crawlers.Crawler) {
	c.Crawlers, c.Purposes = []Compared{}, []Purpose{}
	first := firstKnown(r.Crawlers, len(known))
	all := comparedOf(ctx, table, r.Crawlers)
	listed := listedIndexes(r.Crawlers, len(known))
	addSameGroups(all, listed, r.Crawlers, first, known)
	room := maxChangesSize
	for _, i := range listed {
		if len(c.Crawlers) > 0 && all[i].size() > room {
			c.Incomplete = true
			continue
		}
		c.Crawlers = append(c.Crawlers, all[i])
		room -= all[i].size()
	}
	for _, purpose := range crawlers.Purposes() {
		p := Purpose{Purpose: string(purpose), Changes: []Affected{}}
		for i, k := range known {
			if slices.Contains(k.Purposes, purpose) {
				p.add(k.Token, all[first+i])
			}
		}
		slices.SortStableFunc(p.Changes, func(a, b Affected) int { return cmp.Compare(a.Gravity(), b.Gravity()) })
		if p.Known > 0 {
			c.Purposes = append(c.Purposes, p)
		}
	}
}

// The known crawlers are at the end of the list. Only made-up crawlers may come after them.
func firstKnown(all []compare.Crawler, known int) int {
	end := len(all)
	for end > 0 && all[end-1].MadeUp {
		end--
	}
	return end - known
}

// A known or made-up crawler is left out if an earlier crawler has the same groups.
func listedIndexes(all []compare.Crawler, known int) (places []int) {
	seen := map[string]bool{}
	first := firstKnown(all, known)
	for i, c := range all {
		if i < first || !seen[c.Groups] {
			places = append(places, i)
		}
		seen[c.Groups] = true
	}
	return places
}

// Each known crawler that is not listed is added to the first crawler with the same groups.
func addSameGroups(all []Compared, listed []int, found []compare.Crawler, first int, known []crawlers.Crawler) {
	byGroups, names := map[string]int{}, map[string]bool{}
	for _, i := range slices.Backward(listed) {
		byGroups[found[i].Groups] = i
		names[ascii.ToLower(all[i].Agent[0])] = true
	}
	for i, k := range known {
		c := found[first+i]
		if at := &all[byGroups[c.Groups]]; !names[ascii.ToLower(c.Tokens[0])] && !at.Agent.IsEveryone() {
			at.SameGroups = append(at.SameGroups, k.Token)
		}
	}
}

func comparedOf(ctx context.Context, table *crawlers.Table, crawlers []compare.Crawler) []Compared {
	type shared struct {
		old, new string // Followed.Everything for the old file and for the new file
		changes  []Change
	}
	known := map[string]shared{}
	var all []Compared
	for _, c := range crawlers {
		e, done := known[c.Groups]
		if !done {
			e.changes = changesOf(c.Result.Changes)
			if c.Result.Outcome == compare.Differs {
				e.old = everythingOf(ctx, c.Old, c.Result.Changes, func(c compare.Change) bool { return c.Old.Allowed })
				e.new = everythingOf(ctx, c.New, c.Result.Changes, func(c compare.Change) bool { return c.New.Allowed })
			}
			known[c.Groups] = e
		}
		each := Compared{
			Agent: agentOf(c), Facts: FactsOf(table, c.Tokens), Result: c.Result.Outcome.String(), MadeUp: c.MadeUp,
			Old:     Followed{groupOf(c.Old), e.old},
			New:     Followed{groupOf(c.New), e.new},
			Changes: e.changes, Undecided: c.Result.Undecided, More: c.Result.More,
		}
		if c.Result.Undecided > 0 {
			each.Steps = c.Result.Work
		}
		each.Effect = each.effect()
		all = append(all, each)
	}
	return all
}

func changesOf(found []compare.Change) []Change {
	changes := []Change{}
	for _, change := range found {
		w := TextOf(change.Witness)
		changes = append(changes, Change{w.Text, w.B64, DecisionOf(change.Old), DecisionOf(change.New)})
	}
	return changes
}

// maxChangesSize limits the bytes of all changes: thousands of crawlers may have thousands of changes each.
const maxChangesSize = 16 << 20

func (c *Compared) size() (n int) {
	for _, change := range c.Changes {
		n += 200 + len(change.Witness) + len(change.WitnessB64)
		for _, rule := range []*Rule{change.Old.Rule, change.New.Rule} {
			if rule != nil {
				n += 50 + len(rule.Pattern) + len(rule.PatternB64)
			}
		}
	}
	return n
}

func agentOf(c compare.Crawler) Agent {
	if len(c.Tokens) == 0 {
		return Agent{compare.Everyone}
	}
	return AgentOf(c.Tokens)
}

// The function allowed returns the verdict of p in a change. If p has different verdicts, everythingOf returns "".
func everythingOf(ctx context.Context, p *robotstxt.Policy, changes []compare.Change, allowed func(compare.Change) bool) string {
	isAllowed := slices.ContainsFunc(changes, allowed)
	isDisallowed := slices.ContainsFunc(changes, func(c compare.Change) bool { return !allowed(c) })
	all := compare.BlocksAll
	if isAllowed {
		all = compare.BlocksNothing
	}
	if isAllowed && isDisallowed {
		return ""
	}
	if outcome, _ := all(ctx, p); outcome != compare.Equal {
		return ""
	}
	return Verdict(isAllowed)
}

func groupOf(p *robotstxt.Policy) string {
	switch {
	case p.IsNamed():
		return ownGroup
	case len(p.GroupsThatApply()) > 0:
		return compare.Everyone
	}
	return "none"
}

const ownGroup = "own"

func (c *Compared) effect() string {
	blocks := slices.ContainsFunc(c.Changes, Change.Blocks)
	opens := slices.ContainsFunc(c.Changes, func(c Change) bool { return !c.Blocks() })
	switch {
	case blocks && c.New.Everything == Verdict(false):
		return ShutOut
	case blocks && opens:
		return BlockedAndOpened
	case blocks:
		return Blocked
	case opens:
		return Opened
	}
	return ""
}

// Blocks reports whether the new file disallows, for some crawler, a URL that the old file allows.
func (c *Comparison) Blocks() bool {
	return slices.ContainsFunc(c.Crawlers, func(c Compared) bool { return slices.ContainsFunc(c.Changes, Change.Blocks) })
}

// IsUndecided reports whether the effect of a changed rule is unknown, or some crawlers were not compared.
func (c *Comparison) IsUndecided() bool {
	return c.Incomplete || slices.ContainsFunc(c.Crawlers, func(c Compared) bool { return c.Undecided > 0 })
}

func (c Change) Blocks() bool { return c.Old.Allowed }

func (c *Compared) LostGroup() bool { return c.Old.Group == ownGroup && c.New.Group != ownGroup }

// Gravity returns 0 for the most serious change. The largest number means that nothing changes.
func (c *Compared) Gravity() int {
	if c.LostGroup() && c.Effect != ShutOut && c.Effect != "" {
		return gravity(c.Result, lostGroup)
	}
	return gravity(c.Result, c.Effect)
}

var gravities = []string{ShutOut, lostGroup, BlockedAndOpened, Blocked, Opened}

// lostGroup is an effect only for Gravity. Losing the own group is more serious than Blocked or
// Opened.
const lostGroup = "lost-group"

func gravity(result, effect string) int {
	switch i := slices.Index(gravities, effect); {
	case i >= 0:
		return i
	case result == compare.Undecided.String():
		return len(gravities)
	}
	return len(gravities) + 1
}

func (a Affected) Gravity() int { return gravity(a.Result, a.Effect) }

func (p *Purpose) add(name string, c Compared) {
	p.Known++
	if c.Result == compare.Equal.String() {
		return
	}
	i := slices.IndexFunc(p.Changes, func(a Affected) bool {
		return a.Result == c.Result && a.Effect == c.Effect && a.OldEverything == c.Old.Everything && a.NewEverything == c.New.Everything
	})
	if i < 0 {
		i = len(p.Changes)
		p.Changes = append(p.Changes, Affected{c.Result, c.Effect, c.Old.Everything, c.New.Everything, nil})
	}
	p.Changes[i].Crawlers = append(p.Changes[i].Crawlers, name)
}
