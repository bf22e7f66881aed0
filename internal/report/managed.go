package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
)

// Managed says what the managed blocks of two files do. These are parts that a CDN, for example, writes.
type Managed struct {
	Blocks []Block `json:"blocks"`

	// Changes says how many of the changes come from the managed blocks: "all" (proved), "some", "none" or "unknown".
	// "some" and "none" are only about the changes that were found. Absent if the files do not differ.
	Changes string `json:"changes,omitempty"`

	// If Changes is "some", Others are the crawlers with a change that does not come from a managed block.
	Others []Agent `json:"others,omitempty"`

	// The crawlers that are named in the managed blocks of the new file, in the order of the file; at most 1000.
	Merged []Merged `json:"merged"`
}

// A Block is a managed block, from a comment such as "# BEGIN Example managed content" to its END comment.
type Block struct {
	File  string `json:"file"`         // the file that has the block: "old" or "new"
	By    string `json:"by,omitempty"` // who writes the block, according to its comments
	First int    `json:"first_line"`
	Last  int    `json:"last_line,omitempty"` // absent if the block has no END comment
}

// Merged says what effect managed blocks have on the owner's groups, for one crawler.
type Merged struct {
	Agent  string `json:"agent"`
	Effect string `json:"effect"` // one of "joined", "replaces", "adds" and "nothing"
	// The number of the first line of each group that is in a block and applies to the crawler.
	Lines []int `json:"lines"`
	// The number of the first line of each group that would apply without the blocks. The list has
	// at most 10 numbers.
	Own []int `json:"own"`
}

// The effects of a block on the groups of the owner.
const (
	MergedJoined   = "joined"   // the rules of the block apply together with the rules of the owner's groups
	MergedReplaces = "replaces" // only the block applies; without it, groups of the owner would apply
	MergedAdds     = "adds"     // the block applies; without it, no group of the owner would apply
	MergedNothing  = "nothing"  // only the owner's groups apply, because the dialect uses only the first group, and the owner's group comes first
)

type managedFile struct {
	*robotstxt.File
	blocks []Block
	own    *robotstxt.File // the file without its blocks; all remaining lines keep their line numbers
}

func managedIn(f *robotstxt.File, which string) managedFile {
	m := managedFile{File: f, own: f}
	open := -1 // the index of the block whose end has not been found yet; -1 if there is no such block
	for line := range f.Lines() {
		by, begins, ends := markIn(line)
		switch {
		case begins:
			open = len(m.blocks)
			m.blocks = append(m.blocks, Block{File: which, By: TextOf(by).Text, First: line.Number})
		case ends && open >= 0 && ascii.EqualFold(m.blocks[open].By, TextOf(by).Text):
			m.blocks[open].Last = line.Number
			open = -1
		}
	}
	if len(m.blocks) > 0 {
		m.own = robotstxt.ParseString(m.ownText(), f.Dialect())
	}
	return m
}

// ManagedText returns the managed blocks of a file, without comments. Equal texts have the same meaning for crawlers.
func ManagedText(f *robotstxt.File) string {
	m := managedIn(f, "")
	if len(m.blocks) == 0 {
		return ""
	}
	var b strings.Builder
	for line := range f.Lines() {
		if by, begins, _ := markIn(line); begins {
			b.WriteString("# " + by + "\n")
		}
		if m.has(line.Number) && line.Kind != robotstxt.KindComment && line.Kind != robotstxt.KindBlank {
			b.WriteString(strings.TrimSpace(line.Raw) + "\n")
		}
	}
	return b.String()
}

// A comment with more than maxMarkWords words does not mark the first or last line of a block. Such a comment is only a
// sentence about a block.
const maxMarkWords = 8

func markIn(line robotstxt.Line) (writer string, isFirst, isLast bool) {
	if line.Kind != robotstxt.KindComment {
		return "", false, false
	}
	words := strings.Fields(strings.Trim(line.Raw, "\ufeff#-=*<>_ \t\r\n"))
	at := slices.IndexFunc(words, func(word string) bool { return ascii.EqualFold(word, "managed") })
	if at < 1 || len(words) > maxMarkWords {
		return "", false, false
	}
	return strings.Join(words[1:at], " "), ascii.EqualFold(words[0], "begin"), ascii.EqualFold(words[0], "end")
}

func (m *managedFile) has(line int) bool {
	at, begins := slices.BinarySearchFunc(m.blocks, line, func(b Block, line int) int { return cmp.Compare(b.First, line) })
	if !begins {
		at--
	}
	return at >= 0 && line <= m.blocks[at].Last
}

func (m *managedFile) isWhole() bool {
	return !slices.ContainsFunc(m.blocks, func(b Block) bool { return b.Last == 0 })
}

// Comments take the place of managed blocks, so that line numbers stay. A byte-order mark is removed, because it could
// become part of a key.
func (m *managedFile) ownText() string {
	var b strings.Builder
	begun := false // true after the first line of the owner
	for line := range m.Lines() {
		raw := line.Raw
		switch {
		case m.has(line.Number):
			raw = "#" + raw[len(strings.TrimRight(raw, "\r\n")):]
		case !begun && line.Kind != robotstxt.KindBlank:
			raw = strings.TrimPrefix(raw, "\ufeff")
			begun = true
		}
		b.WriteString(raw)
	}
	return b.String()
}

// The function compareAgain must compare two files for the crawlers in r.
func (c *Comparison) addManaged(old, new *robotstxt.File, r compare.FilesResult, compareAgain func(old, new *robotstxt.File) compare.FilesResult) {
	a, b := managedIn(old, "old"), managedIn(new, "new")
	m := &Managed{Blocks: append(a.blocks, b.blocks...), Merged: []Merged{}}
	if len(m.Blocks) == 0 {
		return
	}
	c.Managed = m
	whole := a.isWhole() && b.isWhole()
	if whole {
		m.Merged = append(m.Merged, b.merged()...)
	}
	switch {
	case r.Outcome != compare.Differs:
	case !whole:
		m.Changes = "unknown"
	default:
		c.findCauses(r, &a, &b, compareAgain(a.own, b.own).Outcome)
	}
}

// ownOutcome must be the result of comparing the files without their blocks.
func (c *Comparison) findCauses(r compare.FilesResult, old, new *managedFile, ownOutcome compare.Outcome) {
	m := c.Managed
	if ownOutcome == compare.Equal {
		m.Changes = "all"
		return
	}
	// The list c.Crawlers does not have all crawlers of r. A crawler is left out if an earlier crawler has the same
	// groups.
	shown := map[string]bool{}
	for _, each := range c.Crawlers {
		shown[strings.Join(each.Agent, ":")] = true
	}
	managed, other := false, false
	for _, each := range r.Crawlers {
		byBlocks, byOwner := causesOf(each, old.own, new.own)
		managed, other = managed || byBlocks, other || byOwner
		agent := agentOf(each)
		if name := strings.Join(agent, ":"); byOwner && shown[name] {
			m.Others = append(m.Others, agent)
			shown[name] = false
		}
	}
	switch {
	case !managed:
		m.Changes, m.Others = "none", nil
	case !other && ownOutcome == compare.Undecided:
		m.Changes = "unknown"
	default:
		m.Changes = "some"
	}
}

// The parameters old and new are the two files after their managed blocks were removed.
func causesOf(c compare.Crawler, old, new *robotstxt.File) (byBlocks, byOwner bool) {
	if len(c.Result.Changes) == 0 {
		return false, false
	}
	a, b := old.Agent(c.Tokens...), new.Agent(c.Tokens...)
	for _, change := range c.Result.Changes {
		if compare.Check(a, change.Witness).Allowed == compare.Check(b, change.Witness).Allowed {
			byBlocks = true
		} else {
			byOwner = true
		}
	}
	return byBlocks, byOwner
}

// maxMerged is the maximum number of crawlers in Managed.Merged. Real blocks name about ten crawlers.
const maxMerged = 1000

func (m *managedFile) merged() (all []Merged) {
	merger := merger{m, m.groups(), (&managedFile{File: m.own, blocks: m.blocks}).groups()}
	seen := map[string]bool{}
	for g := range m.Groups() {
		for _, agent := range g.Agents {
			if key := ascii.ToLower(agent.Name); m.has(agent.Line) && key != "" && !seen[key] && len(all) < maxMerged {
				seen[key] = true
				all = append(all, merger.merge(agent.Name))
			}
		}
	}
	return all
}

type groupPlace struct {
	line      int  // the number of the first line of the group
	isManaged bool // at least one line of the group is in a block
	isOwn     bool // at least one line of the group is in no block
}

func (m *managedFile) groups() (places []groupPlace) {
	for g := range m.Groups() {
		place := groupPlace{line: g.Agents[0].Line}
		add := func(line int) {
			in := m.has(line)
			place.isManaged, place.isOwn = place.isManaged || in, place.isOwn || !in
		}
		for _, a := range g.Agents {
			add(a.Line)
		}
		for _, r := range g.Rules {
			add(r.Line)
		}
		places = append(places, place)
	}
	return places
}

type merger struct {
	file        *managedFile
	groups, own []groupPlace // the groups of the file, and the groups of the file without its blocks
}

// maxOwnLines is the maximum length of Merged.Own. A limit is needed, because a file may have many groups for "*".
const maxOwnLines = 10

func (m *merger) merge(name string) Merged {
	merged := Merged{Agent: TextOf(name).Text, Lines: []int{}, Own: []int{}}
	joined := false
	for _, n := range m.file.Agent(name).GroupsThatApply() {
		if m.groups[n].isManaged {
			merged.Lines = append(merged.Lines, m.groups[n].line)
		}
		joined = joined || m.groups[n].isOwn
	}
	for _, n := range m.file.own.Agent(name).GroupsThatApply() {
		if len(merged.Own) < maxOwnLines {
			merged.Own = append(merged.Own, m.own[n].line)
		}
	}
	switch {
	case len(merged.Lines) == 0:
		merged.Effect = MergedNothing
	case joined:
		merged.Effect = MergedJoined
	case len(merged.Own) > 0:
		merged.Effect = MergedReplaces
	default:
		merged.Effect = MergedAdds
	}
	return merged
}
