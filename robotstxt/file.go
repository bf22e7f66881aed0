package robotstxt

import (
	"iter"
)

// A File is a parsed robots.txt. It is immutable and safe for concurrent use.
// The zero File is an empty file, read as RFC9309: everything is allowed.
type File struct {
	dialect *Dialect
	body    string
	groups  []group
	agents  []agentLine
	rules   []Rule
	records []recordLine
	fixed   Decision // of a File that is no file: AllowAll, DisallowAll
}

// group holds agents and rules up to the ends; they begin where those of the
// group before end.
type group struct {
	agentsEnd, rulesEnd int
}

type agentLine struct {
	value string
	line  int
}

// recordLine is a line that is neither of a group's kinds: a sitemap or
// another record.
type recordLine struct {
	name, value string
	line        int
	group       int // in which it stands; -1: in none
}

// Parse reads a robots.txt as the dialect does; a nil dialect is RFC9309.
// It never fails: what is not understood stays visible in Lines. The body is
// copied.
func Parse(body []byte, d *Dialect) *File {
	d = d.orDefault()
	f := &File{dialect: d, body: string(body)}
	w := newWalker(f.body, d)
	for w.next() {
		switch kind := w.content.kind; {
		case kind == KindUserAgent:
			f.addAgent(w.content.value, w.number, w.startsGroup)
		case kind.isRule() && w.inGroup:
			f.rules = append(f.rules, Rule{Allow: kind == KindAllow, Pattern: w.content.value, Line: w.number})
			f.groups[len(f.groups)-1].rulesEnd = len(f.rules)
		case kind == KindSitemap || kind == KindOther:
			f.addRecord(&w)
		}
	}
	return f
}

// AllowAll returns the file that stands for a server without one: everything
// is allowed, for the given reason, such as Unavailable.
func AllowAll(r Reason) *File {
	return &File{fixed: Decision{Allowed: true, Reason: r}}
}

// DisallowAll returns the file that stands for one that could not be had:
// nothing is allowed, for the given reason, such as Unreachable.
func DisallowAll(r Reason) *File {
	return &File{fixed: Decision{Reason: r}}
}

func (f *File) addAgent(value string, line int, startsGroup bool) {
	if startsGroup {
		f.groups = append(f.groups, group{rulesEnd: len(f.rules)})
	}
	f.agents = append(f.agents, agentLine{value, line})
	f.groups[len(f.groups)-1].agentsEnd = len(f.agents)
}

func (f *File) addRecord(w *walker) {
	r := recordLine{name: w.content.key, value: w.content.value, line: w.number, group: -1}
	if w.content.kind == KindSitemap {
		r.name = KindSitemap.String()
	}
	if w.inGroup {
		r.group = len(f.groups) - 1
	}
	f.records = append(f.records, r)
}

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

// Groups yields the groups in file order.
func (f *File) Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		for i := range f.groups {
			if !yield(f.group(i)) {
				return
			}
		}
	}
}

func (f *File) group(i int) Group {
	g := Group{Rules: f.rulesOf(i)}
	for _, a := range f.agentsOf(i) {
		name, everyone := f.Dialect().agentName(a.value)
		g.Agents = append(g.Agents, Agent{Value: a.value, Name: name, Everyone: everyone, Line: a.line})
	}
	return g
}

func (f *File) agentsOf(i int) []agentLine {
	start := 0
	if i > 0 {
		start = f.groups[i-1].agentsEnd
	}
	return f.agents[start:f.groups[i].agentsEnd:f.groups[i].agentsEnd]
}

func (f *File) rulesOf(i int) []Rule {
	start := 0
	if i > 0 {
		start = f.groups[i-1].rulesEnd
	}
	return f.rules[start:f.groups[i].rulesEnd:f.groups[i].rulesEnd]
}

// Sitemaps yields the sitemap lines, wherever they stand: they belong to no
// group (R-11, G-15). ParseRecord tells what is wrong with a value.
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
	w.startsGroup = false
	if w.pastLimit() {
		w.content = content{kind: KindInvalid, notes: NotePastLimit}
		return true
	}
	w.content = w.dialect.read(w.split.body[w.span.text:w.span.end])
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
	return limit > 0 && (w.span.end > limit || w.span.start >= limit)
}

// line returns the current line with everything worth knowing about it.
func (w *walker) line() Line {
	raw := w.split.body[w.span.start:w.span.next]
	notes := w.dialect.annotate(raw, w.content, w.inGroup)
	if w.span.text > w.span.start {
		notes |= NoteBOM
	}
	return Line{
		Number: w.number,
		Offset: w.span.start,
		Raw:    raw,
		Kind:   w.content.kind,
		Key:    w.content.key,
		Value:  w.content.value,
		Notes:  notes,
	}
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
