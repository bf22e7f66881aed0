package policyfile

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// maxRobots is the maximum size of a written robots.txt in bytes. Crawlers need not read more bytes.
const maxRobots = 500 << 10

// maxBytes is the maximum size of all groups together in bytes, before equal groups are joined.
const maxBytes = 16 << 20

// maxWork is the maximum number of rules of all crawlers together, before crawlers with the same rules are joined.
const maxWork = 4 << 20

// A Written is the robots.txt that was written from a policy.
type Written struct {
	Policy string         `json:"policy"` // the name of the policy
	Robots string         `json:"robots"`
	Table  string         `json:"table"`  // the date of the table of crawlers
	Groups []WrittenGroup `json:"groups"` // in the order of the robots.txt; the group for everyone is the last
	Proof  *Proof         `json:"proof"`
	Cases  int            `json:"cases"` // number of expectations in the policy; the robots.txt meets all of them
	Notes  []string       `json:"notes,omitempty"`

	contents []*content
	scope    scope
	tokens   []tokenGroup
	names    map[string]bool // the names in User-agent lines, in lower case
	agents   int
	rules    int
}

// A WrittenGroup is a group of the robots.txt.
type WrittenGroup struct {
	Line     int       `json:"line"` // the line of the first User-agent of the group
	Sections []Section `json:"sections"`
	Rules    int       `json:"rules"`
	Closed   bool      `json:"closed"` // the group disallows everything
}

// A Section has crawlers that are in a group for the same reason.
type Section struct {
	For      string   `json:"for"` // the reason: the purposes of the crawlers, their operator as in "@OpenAI", "everyone", "name" (the policy names them), or "fallback" (without their names, they would follow the group of another crawler)
	Crawlers []string `json:"crawlers"`
}

// A content is the lines of a group. All crawlers in users follow this group.
type content struct {
	meaning
	lines string // the lines of the group after its User-agent lines
	exact string // the lines, before rules without effect were left out
	users []*crawler
}

type writer struct {
	*File
	contents  map[string]*content // the key is the result of levelsKey
	byLines   map[string]*content
	all       []*content
	byCrawler map[*crawler]*content
	lost      map[string]*loss // as in contents
	losses    []*loss
	without   []string // crawlers that cannot have their rules; see contentFor, leaveOutNameless and loss
	why       []string // notes about these crawlers
	work      int
	bytes     int
	left      effort
	idle      effort
	strict    int // the work that is left for the function strictest
}

func newWriter(f *File) *writer {
	return &writer{File: f, contents: map[string]*content{}, lost: map[string]*loss{}, byLines: map[string]*content{}, byCrawler: map[*crawler]*content{}, left: maxEffort, idle: maxEffort, strict: compare.MaxWork}
}

func (w *writer) readContents(ctx context.Context, all []*crawler, table *crawlers.Table) error {
	for _, c := range all {
		if !c.isToken {
			continue
		}
		// Purpose tokens come first, because contentOf remembers its results. contentOf keeps
		// all rules only for these tokens.
		if _, err := w.contentsOf(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range all {
		content, err := w.contentFor(ctx, c)
		if err != nil {
			return err
		}
		w.byCrawler[c] = content
		content.users = append(content.users, c)
	}
	return w.leaveOutNameless(ctx, w.byCrawler[all[0]], table)
}

// leaveOutNameless leaves out of the proof the crawlers that no User-agent line can name. It does so only if the policy has
// other rules for these crawlers than for everyone.
func (w *writer) leaveOutNameless(ctx context.Context, everyone *content, table *crawlers.Table) error {
	var names []string
	for row := range table.All() {
		if tokenOf(row.Token) != "" {
			continue
		}
		inPolicy, err := w.contentOf(ctx, &crawler{purposes: row.Purposes, operators: []string{row.Operator}})
		if err != nil {
			return err
		}
		if inPolicy.lines != everyone.lines {
			names = append(names, row.Token)
		}
	}
	if len(names) > 0 {
		w.addWithout(names...)
		w.why = append(w.why, fmt.Sprintf("nothing is proved for %s: no User-agent line can name these crawlers, so they follow the rules for everyone, which differ from what the policy says for them",
			strings.Join(names, ", ")))
	}
	return nil
}

// contentFor returns the content of the group for all rows of c. These rows have the same name in User-agent lines. For
// example, "AI2Bot" and "AI2Bot-DeepResearchEval" are both read as "AI". If the policy has different rules for the rows,
// the strictest rules apply to all rows.
func (w *writer) contentFor(ctx context.Context, c *crawler) (*content, error) {
	all, err := w.contentsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	w.addLosses(c)
	differs := func(c *content) bool { return c.lines != all[0].lines }
	if !slices.ContainsFunc(all, differs) {
		return all[0], nil
	}
	content, err := w.newContent(strictestMeaning(ctx, all, &w.strict), c.isToken)
	if err != nil {
		return nil, err
	}
	w.leaveOut(c, all, content)
	return content, nil
}

func (w *writer) contentsOf(ctx context.Context, c *crawler) (all []*content, err error) {
	for _, row := range c.inRows() {
		content, err := w.contentOf(ctx, row)
		if err != nil {
			return nil, err
		}
		all = append(all, content)
	}
	return all, nil
}

// leaveOut leaves out of the proof the rows of c that get another content than the policy has for them.
func (w *writer) leaveOut(c *crawler, inPolicy []*content, written *content) {
	var names []string
	for i, row := range c.rows {
		if inPolicy[i].lines != written.lines {
			names = append(names, row.Token)
		}
	}
	if len(names) > 0 {
		w.addWithout(names...)
		all := strings.Join(c.names, ", ")
		w.why = append(w.why, fmt.Sprintf(`nothing is proved for %s: crawlers read %s in a User-agent line as the same name, "%s", so all of them have the same rules, the strictest. To choose these rules, name them in one line of the policy, such as "%s: disallow"`,
			strings.Join(names, ", "), all, c.rows[0].ReadAs(), all))
	}
}

// addLosses leaves out of the proof the rows of c that lose paths because of their purposes.
func (w *writer) addLosses(c *crawler) {
	for i, row := range c.inRows() {
		if lost := w.lost[w.levelsKey(row)]; lost != nil {
			lost.names = append(lost.names, c.rows[i].Token)
			w.addWithout(c.rows[i].Token)
		}
	}
}

func (w *writer) addWithout(names ...string) {
	for _, name := range names {
		if !slices.Contains(w.without, name) {
			w.without = append(w.without, name)
		}
	}
}

var errTooMuch = errors.New("the policy is too complex for heed to prove what the robots.txt means: give rules to fewer crawlers, or give them fewer rules")

var errTooLarge = errors.New("the robots.txt would be larger than 500 KiB, and crawlers need not read more than 500 KiB: name fewer crawlers, or replace many paths by fewer and shorter paths")

// contentOf leaves out rules that change no verdict. For a purpose token, it keeps all rules,
// because each rule of such a token is a preference (AI-10).
func (w *writer) contentOf(ctx context.Context, c *crawler) (*content, error) {
	key := w.levelsKey(c)
	if known := w.contents[key]; known != nil {
		return known, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, lost := w.meaningFor(ctx, c)
	new, err := w.newContent(m, c.isToken)
	if err == nil {
		w.contents[key], w.lost[key] = new, lost
		if lost != nil {
			w.losses = append(w.losses, lost)
		}
	}
	return new, err
}

// newContent returns the content with a meaning, or an earlier content with the same lines.
func (w *writer) newContent(m meaning, isToken bool) (*content, error) {
	new := &content{meaning: m}
	if w.work += len(new.rules); w.work > maxWork {
		return nil, errTooMuch
	}
	new.exact = w.linesOf(&new.meaning, new.rules)
	if w.bytes += len(new.exact); w.bytes > maxBytes {
		return nil, errTooMuch
	}
	new.lines = new.exact
	if new.meaning.isClosed() {
		new.lines = "Disallow: /\n"
	} else if rules := inASCII(new.rules); isToken {
		new.lines = w.linesOf(&new.meaning, w.inOrder(rules))
	} else if len(rules) > 0 {
		new.lines = w.linesOf(&new.meaning, withoutIdle(w.inOrder(neededRules(rules, &w.left)), &w.idle))
	}
	if len(new.lines) > maxRobots {
		return nil, errTooLarge
	}
	if err := w.checkWishes(&new.meaning); err != nil {
		return nil, err
	}
	if same := w.byLines[new.lines]; same != nil && same.exact == new.exact {
		new = same
	} else {
		w.all = append(w.all, new)
	}
	w.byLines[new.lines] = new
	return new, nil
}

func (w *writer) levelsKey(c *crawler) string {
	key := strconv.AppendBool(nil, c.isToken) // contentOf leaves out no rule for a token
	for _, level := range w.levels(c) {
		key = append(key, 0)
		for _, b := range level {
			key = binary.AppendUvarint(key, uint64(b.index)+1)
		}
	}
	return string(key)
}

// keyOf returns the key for crawlers of which the policy only says that they are in this set.
func (w *writer) keyOf(set *block) string {
	return w.levelsKey(&crawler{purposes: []crawlers.Purpose{set.purpose}, operators: []string{set.operator}})
}

func (w *writer) inOrder(rules []rule) []rule { return inOrder(rules, &w.left) }

func (w *writer) linesOf(m *meaning, rules []rule) string {
	var b strings.Builder
	for _, r := range rules {
		b.WriteString(r.Text())
		b.WriteByte('\n')
	}
	if len(rules) == 0 {
		b.WriteString("Disallow:\n")
	}
	if m.delay != "" {
		fmt.Fprintf(&b, "Crawl-delay: %s\n", m.delay)
	}
	for _, r := range m.records {
		b.WriteString(r + "\n")
	}
	for _, wish := range m.wishes {
		w.writeWish(&b, wish, m.wishes)
	}
	return b.String()
}

func keyOfRecord(line string) string {
	key, _, _ := strings.Cut(line, ":")
	return ascii.ToLower(key)
}

// write is like Write, but does not prove that the robots.txt has the meaning of the policy. It also considers crawlers
// with the otherNames.
func (f *File) write(ctx context.Context, table *crawlers.Table, otherNames ...string) (*Written, error) {
	w := newWriter(f)
	all, scope := crawlersOf(table, f, otherNames...)
	if err := w.readContents(ctx, all, table); err != nil {
		return nil, err
	}
	written := &Written{Policy: f.Name, Table: table.Date(), contents: w.all, scope: scope, names: map[string]bool{}}
	w.nameCrawlers(all)
	w.write(written, w.groups(all))
	written.scope.without = w.without
	written.tokens = w.tokens(all)
	written.Notes = w.notes(all, table, written.Robots)
	if len(written.Robots) > maxRobots {
		return nil, errTooLarge
	}
	return written, nil
}

func (w *writer) nameCrawlers(all []*crawler) {
	byToken := map[string]*crawler{}
	for _, c := range all[1:] {
		byToken[c.token] = c
	}
	rest := w.byCrawler[all[0]].lines
	for _, c := range all[1:] { // if crawler A follows the groups of crawler B, B comes before A in this list
		follows := rest
		if c.hasOnlyOwn {
			follows = emptyGroup
		}
		for _, name := range c.chain[1:] {
			if other := byToken[tokenOf(name)]; other != nil && other.isNamed {
				follows = w.byCrawler[other].lines
				break
			}
		}
		lines := w.byCrawler[c].lines
		// A purpose token (isToken) has an effect only if a User-agent line names it.
		c.isNamed = lines != follows || w.speaksOf(c) && (lines != rest || c.isToken)
		c.isByPurpose = c.isNamed && w.byWho[subject{token: c.token}] == nil
		if sets := w.setsOf(c); c.isByPurpose && len(sets) > 0 {
			c.set = sets[0][0].name
		}
	}
}

const emptyGroup = "Disallow:\n"

type group struct {
	WrittenGroup
	lines    string
	sections []*section
	place    int  // the place of its first section
	isTokens bool // the group names only purpose tokens
}

type section struct {
	Section
	place int // the place of its first block: an index in File.blocks
}

func (w *writer) groups(all []*crawler) []*group {
	type key struct {
		lines    string
		isTokens bool
	}
	var groups []*group
	known := map[key]*group{}
	for _, c := range all[1:] {
		if !c.isNamed {
			continue
		}
		content := w.byCrawler[c]
		k := key{content.lines, c.isToken && content.hasPaths()} // for rules with paths, lint wants separate groups (purpose-token-mixed)
		g := known[k]
		if g == nil {
			g = newGroup(content)
			g.isTokens = k.isTokens
			known[k] = g
			groups = append(groups, g)
		}
		g.add(w.sectionOf(c), c)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.sections, func(a, b *section) int { return a.place - b.place })
		g.place = g.sections[0].place
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return a.place - b.place })
	rest := newGroup(w.byCrawler[all[0]])
	rest.sections = []*section{{Section: Section{For: everyone, Crawlers: []string{"*"}}}}
	return append(groups, rest)
}

func newGroup(c *content) *group {
	g := &group{lines: c.lines, WrittenGroup: WrittenGroup{Closed: c.isClosed()}}
	if !c.isEmpty() {
		g.Rules = rulesIn(c.lines)
	}
	return g
}

func (c *content) isEmpty() bool { return strings.HasPrefix(c.lines, emptyGroup) }

// hasPaths reports whether the rules allow a part of the site, and disallow another part.
func (c *content) hasPaths() bool { return !c.isEmpty() && !c.isClosed() }

func rulesIn(lines string) (rules int) {
	for line := range strings.Lines(lines) {
		if key := keyOfRecord(line); key == "allow" || key == "disallow" {
			rules++
		}
	}
	return rules
}

func (w *Written) addName(name string) {
	w.names[tokenOf(name)] = true
	w.agents++
}

func (w *writer) sectionOf(c *crawler) section {
	if b := w.byWho[subject{token: c.token}]; b != nil {
		return section{Section{For: "name"}, b.index}
	}
	var names []string
	place := 0
	sets := slices.Concat(w.setsOf(c)...)
	slices.SortStableFunc(sets, func(a, b *block) int { return a.index - b.index })
	for _, b := range sets {
		if len(names) == 0 {
			place = b.index
		}
		name := cmp.Or(string(b.purpose), b.name)
		if alone := w.contents[w.keyOf(b)]; alone != nil && alone.lines == w.byCrawler[c].lines { // this set alone gives c all its rules
			return section{Section{For: name}, b.index}
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return section{Section{For: "fallback"}, len(w.blocks)}
	}
	return section{Section{For: strings.Join(names, " and ")}, place}
}

func (g *group) add(to section, c *crawler) {
	at := slices.IndexFunc(g.sections, func(s *section) bool { return s.For == to.For })
	if at < 0 {
		at = len(g.sections)
		g.sections = append(g.sections, &to)
	}
	s := g.sections[at]
	s.place = min(s.place, to.place)
	s.Crawlers = append(s.Crawlers, c.names...)
}

func (w *writer) write(to *Written, groups []*group) {
	var b strings.Builder
	line := 1
	put := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		line += strings.Count(text, "\n")
		b.WriteString(text)
	}
	put("# Written by \"heed write\" from %s: change that, and write this file again.\n", printable.Text(filepath.Base(w.Name)))
	if len(groups) > 1 {
		put("# Crawlers by purpose are those that Heed knows as of %s.\n", to.Table)
	}
	for _, g := range groups {
		put("\n")
		for _, s := range g.sections {
			slices.SortFunc(s.Crawlers, ascii.Compare)
			if title := titleOf(s.For, g.isTokens); title != "" {
				put("# %s\n", title)
			}
			g.Line = cmp.Or(g.Line, line)
			for _, name := range s.Crawlers {
				put("User-agent: %s\n", name)
				to.addName(name)
			}
			g.Sections = append(g.Sections, s.Section)
		}
		to.Groups = append(to.Groups, g.WrittenGroup)
		put("%s", g.lines)
		to.rules += rulesIn(g.lines)
	}
	for _, t := range w.tokensForAll() {
		put("\n# a purpose token, and no crawler\nUser-agent: %s\n%s", t.name, t.lines)
		to.addName(t.name)
		to.rules += rulesIn(t.lines)
	}
	if len(w.records)+len(w.sitemaps) > 0 {
		put("\n")
	}
	for _, r := range w.records {
		put("%s\n", r)
	}
	for _, s := range w.sitemaps {
		put("Sitemap: %s\n", s)
	}
	to.Robots = b.String()
}

func titleOf(what string, isTokens bool) string {
	const tokens = "purpose tokens, and no crawlers"
	switch {
	case what == "fallback":
		return "as for everyone: without this group they follow that of another crawler"
	case what == "name" && isTokens:
		return tokens
	case what == "name", what == everyone:
		return ""
	case isTokens:
		return what + ": " + tokens
	}
	return what
}
