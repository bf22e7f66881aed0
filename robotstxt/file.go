package robotstxt

import (
	"iter"
	"math"
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
	x := indexWriters.Get().(*indexWriter)
	x.reset()
	newWalker(f.body, d).index(x)
	f.index = append([]byte(nil), x.index...)
	f.agentLines = append([]agentLine(nil), x.agentLines...)
	indexWriters.Put(x)
	return f
}

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

// By their fields.
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
		g.Agents = append(g.Agents, f.Dialect().agentAt(f.body[e.start:e.end], e.line))
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
// Lines both go through it, so that what is shown is what was read; for plain lines
// Parse takes a short way (see plainLine), and tests compare the two.
type walker struct {
	dialect *Dialect
	split   splitter
	limit   int // bytes that are parsed

	span        span
	number      int
	content     content
	startsGroup bool // this line opens a group
	groups      int  // that were opened; counted by line only
	inGroup     bool // a group is open
	naming      bool // the open group may still be given agents
}

func newWalker(body string, d *Dialect) *walker {
	w := &walker{dialect: d, split: newSplitter(body, d), limit: d.limit}
	if w.limit == 0 {
		w.limit = min(math.MaxUint32, math.MaxInt) // positions are kept in 32 bits
	}
	return w
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
	w.follow(w.content.kind)
	return true
}

// follow keeps account of the open group, for a line of that kind.
func (w *walker) follow(kind Kind) {
	switch kind {
	case KindUserAgent:
		w.startsGroup = !w.naming
		w.inGroup, w.naming = true, true
	case KindAllow, KindDisallow:
		w.naming = false
	case KindBlank:
		if w.dialect.blankEndsGroup {
			w.inGroup, w.naming = false, false
		}
	}
}

// pastLimit: half a pattern is another rule, so a line that the limit cuts is
// ignored as a whole.
func (w *walker) pastLimit() bool {
	return w.span.end > w.limit || w.span.start >= w.limit
}

// index adds all lines that count to an index.
func (w *walker) index(x *indexWriter) {
	body, d := w.split.body, w.dialect
	for {
		key := w.split.pos
		kind, value, end := d.plainLine(body, key)
		if kind != KindInvalid && end < w.limit && (d.lineLimit == 0 || end-key <= d.lineLimit) {
			w.split.pos = afterLineEnd(body, end)
			w.number++
			w.follow(kind)
		} else if w.next() {
			c := &w.content
			kind, key, value, end = c.kind, c.keyStart, c.valueStart, c.valueEnd
		} else {
			return
		}
		if KindComment < kind && kind < KindInvalid { // the others never count
			w.entry(x, kind, key, value, end)
		}
	}
}

// entry adds the current line to an index, if it counts.
func (w *walker) entry(x *indexWriter, kind Kind, key, value, end int) {
	switch kind {
	case KindUserAgent:
		x.addAgent(w.startsGroup, w.number, value, end)
	case KindAllow:
		if w.inGroup {
			x.add(allowEntry, false, w.number, value, end)
		}
	case KindDisallow:
		if w.inGroup {
			x.add(disallowEntry, false, w.number, value, end)
		}
	case KindSitemap, KindOther:
		x.add(recordEntry, w.inGroup, w.number, key, end)
	}
}

// line returns the current line with everything worth knowing about it. It is called once
// for each line, or for none.
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
	if line.Kind == KindUserAgent && w.startsGroup {
		w.groups++
	}
	if w.inGroup && !line.Notes.Has(NotePastLimit) {
		line.Group = w.groups
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
