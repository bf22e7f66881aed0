package robotstxt

import (
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
)

// A File is a parsed robots.txt. It is immutable and safe for concurrent use.
// The zero File is an empty file, read as RFC9309: everything is allowed.
type File struct {
	dialect *Dialect
	body    string
	index   []byte    // of the lines that count; see entries
	fixed   *Decision // of a File that is no file: AllowAll, DisallowAll

	agentLines []agentLine // in file order

	mu   sync.Mutex
	kept []*rules // that were compiled, the latest last; see rulesOf
}

// Parse reads a robots.txt as the dialect does; a nil dialect is RFC9309.
// It never fails: what is not understood stays visible in Lines. The body is
// copied.
func Parse(body []byte, d *Dialect) *File { return ParseString(string(body), d) }

// ParseString is Parse without a copy: the File holds the string.
func ParseString(body string, d *Dialect) *File {
	d = d.orDefault()
	f := &File{dialect: d, body: body}
	f.index = make([]byte, 0, len(body)/typicalShare+16)
	w := newWalker(f.body, d)
	var e entry
	line, end, group := 0, 0, int32(-1) // of the entry before
	for w.next() {
		if w.entry(&e) {
			if e.kind == agentEntry {
				if e.marked {
					group++
				}
				f.agentLines = append(f.agentLines, agentLine{
					at: uint32(len(f.index)), line: uint32(line), end: uint32(end),
					start: uint32(e.start), size: uint32(e.end - e.start), group: group,
				})
			}
			f.index = appendEntry(f.index, line, end, &e)
			line, end = e.line, e.end
		}
	}
	f.index, f.agentLines = fitting(f.index), fitting(f.agentLines)
	return f
}

// fitting returns a slice without much more room than it needs.
func fitting[T any](s []T) []T {
	if cap(s) > len(s)+len(s)/4+64 {
		return slices.Clone(s)
	}
	return s
}

// typicalShare: the index of a typical file takes about a twelfth of its size.
const typicalShare = 12

// AllowAll returns the file that stands for a server without one: everything
// is allowed, for the given reason, such as Unavailable. The dialect is the one
// that takes the server for that, nil being RFC9309.
func AllowAll(r Reason, d *Dialect) *File {
	return &File{dialect: d, fixed: &Decision{Allowed: true, Reason: r}}
}

// DisallowAll returns the file that stands for one that could not be had:
// nothing is allowed, for the given reason, such as Unreachable. The dialect is
// as that of AllowAll.
func DisallowAll(r Reason, d *Dialect) *File {
	return &File{dialect: d, fixed: &Decision{Reason: r}}
}

// Size returns how many bytes of memory the file takes, about, for caches that are
// bounded: its body, and the compiled rules that it keeps for Agent, as large as they may
// become.
func (f *File) Size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	size := fileSize + len(f.body) + len(f.index) + agentLineSize*len(f.agentLines)
	for _, r := range f.kept {
		size += r.size(f.body)
	}
	return size
}

// Measured.
const (
	fileSize      = 120
	agentLineSize = 24
)

// Dialect returns the dialect that the file was read as.
func (f *File) Dialect() *Dialect { return f.dialect.orDefault() }

// Lines yields every line of the file. Joined, their Raw is the body that was
// parsed, byte for byte.
func (f *File) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		w := newWalker(f.body, f.Dialect())
		for w.next() {
			if !yield(w.line()) {
				return
			}
		}
	}
}

// A Group is what a file says to one or more agents.
type Group struct {
	Agents []Agent
	Rules  []Rule // empty patterns included
}

// An Agent is a User-agent line.
type Agent struct {
	Value    string // as written
	Name     string // what is read of it; empty when it names nobody
	Everyone bool   // "*": whoever no group names
	Line     int
}

// String returns the line with its number, such as "line 1: User-agent: ExampleBot",
// safe to show as a Decision is, and "no line" for the zero Agent.
func (a Agent) String() string {
	if a == (Agent{}) {
		return "no line"
	}
	return numbered(a.Line, "User-agent", a.Value)
}

// String names the agents of a group and counts its rules, on one line: "User-agent:
// a, b (2 rules)". It is safe to show as a Decision is.
func (g Group) String() string {
	names := make([]string, len(g.Agents))
	for i, a := range g.Agents {
		names[i] = a.Value
	}
	return numbered(0, "User-agent", strings.Join(names, ", ")) + " (" + counted(len(g.Rules), "rule") + ")"
}

// Groups yields the groups in file order.
func (f *File) Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		var g Group
		for r := f.entries(); r.next(); {
			if r.entry.kind == agentEntry && r.entry.marked {
				if r.group > 0 && !yield(g) {
					return
				}
				g = Group{}
			}
			g.add(f, r.entry)
		}
		if len(g.Agents) > 0 {
			yield(g)
		}
	}
}

func (g *Group) add(f *File, e entry) {
	switch e.kind {
	case agentEntry:
		a := Agent{Value: f.body[e.start:e.end], Line: e.line}
		a.Name, a.Everyone = f.Dialect().agentName(a.Value)
		g.Agents = append(g.Agents, a)
	case allowEntry, disallowEntry:
		g.Rules = append(g.Rules, Rule{Allow: e.kind == allowEntry, Pattern: f.body[e.start:e.end], Line: e.line})
	}
}

// Sitemaps yields the sitemap lines, wherever they stand: they belong to no
// group (R-11, G-15). record.Parse tells what is wrong with a value.
func (f *File) Sitemaps() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for line := range f.Lines() {
			if line.Kind == KindSitemap && !line.Notes.Has(NotePastLimit) && !yield(line) {
				return
			}
		}
	}
}

// walker reads a body line by line and knows which group is open. Parse and
// Lines both go through it, so that what is shown is what was read.
type walker struct {
	dialect *Dialect
	split   splitter

	span        span
	number      int
	content     content
	startsGroup bool // this line opens a group
	inGroup     bool // a group is open
	naming      bool // the open group may still be given agents
}

func newWalker(body string, d *Dialect) walker {
	return walker{dialect: d, split: newSplitter(body, d)}
}

func (w *walker) next() bool {
	var ok bool
	if w.span, ok = w.split.next(); !ok {
		return false
	}
	w.number++
	if w.pastLimit() {
		w.content = content{kind: KindInvalid, notes: NotePastLimit}
		return true
	}
	w.dialect.read(w.split.body, w.span.text, w.span.end, &w.content)
	switch kind := w.content.kind; {
	case kind == KindUserAgent:
		w.startsGroup = !w.naming
		w.inGroup, w.naming = true, true
	case kind.isRule():
		w.naming = false
	case kind == KindBlank && w.dialect.blankEndsGroup:
		w.inGroup, w.naming = false, false
	}
	return true
}

// pastLimit: half a pattern is another rule, so a line that the limit cuts is
// ignored as a whole.
func (w *walker) pastLimit() bool {
	limit := w.dialect.limit
	if limit == 0 {
		limit = min(math.MaxUint32, math.MaxInt) // positions are kept in 32 bits
	}
	return w.span.end > limit || w.span.start >= limit
}

// entry sets e to what the index says of the current line, if it counts.
func (w *walker) entry(e *entry) bool {
	c := &w.content
	e.marked, e.line, e.start, e.end = false, w.number, c.valueStart, c.valueEnd
	switch c.kind {
	case KindUserAgent:
		e.kind, e.marked = agentEntry, w.startsGroup
	case KindAllow:
		e.kind = allowEntry
		return w.inGroup
	case KindDisallow:
		e.kind = disallowEntry
		return w.inGroup
	case KindSitemap, KindOther:
		e.kind, e.marked, e.start = recordEntry, w.inGroup, c.keyStart
	default:
		return false
	}
	return true
}

// line returns the current line with everything worth knowing about it.
func (w *walker) line() Line {
	body, c := w.split.body, &w.content
	line := Line{
		Number: w.number,
		Offset: w.span.start,
		Raw:    body[w.span.start:w.span.next],
		Kind:   c.kind,
		Key:    body[c.keyStart:c.keyEnd],
		Value:  body[c.valueStart:c.valueEnd],
		Notes:  c.notes,
	}
	if w.span.text > w.span.start {
		line.Notes |= NoteBOM
	}
	line.Notes = w.dialect.annotate(line, w.inGroup)
	return line
}

// line returns the line of that number; the zero Line where there is none.
func (f *File) line(number int) Line {
	for line := range f.Lines() {
		if line.Number == number {
			return line
		}
	}
	return Line{}
}
