package robotstxt

import (
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A File is a parsed robots.txt. It is immutable and safe for concurrent use. The zero File is empty and means RFC9309:
// everything is allowed.
type File struct {
	dialect *Dialect
	body    string
	index   []byte    // the User-agent lines, rules and records of the body, see entries.go
	fixed   *Decision // for AllowAll and DisallowAll: the decision about every URL

	agentLines []agentLine

	choiceCount  atomic.Int32 // how often choose was called before orderedNames was made
	orderedNames atomic.Pointer[namesInOrder]

	mu       sync.Mutex
	keptSets []*ruleSet // rules for later calls of Agent, the latest last
}

// Parse parses a robots.txt in the dialect d; nil means RFC9309. It never fails: Lines also yields lines that are not
// understood. All dialects but Google read only the first 500 KiB; Dialect.WithLimit changes this. The body is
// copied.
func Parse(body []byte, d *Dialect) *File { return ParseString(string(body), d) }

// ParseString parses a string as Parse does, but makes no copy: the File keeps the string.
func ParseString(body string, d *Dialect) *File {
	d = d.orDefault()
	f := &File{dialect: d, body: body}
	x := indexWriters.Get().(*indexWriter)
	x.reset()
	newLineReader(f.body, d).index(x)
	x.copyTo(f)
	indexWriters.Put(x)
	return f
}

// In returns the file as another dialect reads it. A File of AllowAll or DisallowAll keeps its decision.
func (f *File) In(d *Dialect) *File {
	d = d.orDefault()
	switch {
	case d == f.Dialect():
		return f
	case f.fixed != nil:
		return &File{dialect: d, fixed: f.fixed}
	}
	return ParseString(f.body, d)
}

// AllowAll returns a File that allows everything for the given reason, such as Unavailable. A nil dialect means
// RFC9309.
func AllowAll(r Reason, d *Dialect) *File {
	return &File{dialect: d, fixed: &Decision{Allowed: true, Reason: r}}
}

// DisallowAll returns a File that disallows everything for the given reason, such as Unreachable. A nil dialect
// means RFC9309.
func DisallowAll(r Reason, d *Dialect) *File {
	return &File{dialect: d, fixed: &Decision{Reason: r}}
}

// Size returns about how many bytes of memory the file takes, for caches with a limit. This includes the rules that the
// file keeps for later calls, as if they were all compiled.
func (f *File) Size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	size := fileSize + len(f.body) + len(f.index) + agentLineSize*len(f.agentLines)
	if f.mayHaveNames() {
		size += nameSize * len(f.agentLines)
	}
	for _, r := range f.keptSets {
		size += r.size()
	}
	return size
}

// Sizes in memory, in bytes.
const (
	fileSize      = 136
	agentLineSize = 24
	nameSize      = 4
)

// Dialect returns the dialect in which the file was parsed.
func (f *File) Dialect() *Dialect { return f.dialect.orDefault() }

// Body returns the parsed body; "" for a File of AllowAll or DisallowAll.
func (f *File) Body() string { return f.body }

// Lines yields every line of the file. The Raw fields of all lines together are the parsed body.
func (f *File) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		w := newLineReader(f.body, f.Dialect())
		for w.next() {
			if !yield(w.currentLine()) {
				return
			}
		}
	}
}

// HasKey reports whether the file has a line of KindOther with one of the keys, in any letter case. It is faster than
// Lines. Lines past the limit are ignored.
func (f *File) HasKey(keys ...string) bool {
	for r := f.entries(); r.next(); {
		e := &r.entry
		if e.kind != recordEntry && e.kind != boundEntry {
			continue
		}
		for _, key := range keys {
			if !ascii.HasPrefixFold(f.body[e.start:e.end], key) {
				continue
			}
			var c content
			f.Dialect().read(f.body, e.start, e.end, &c)
			if c.kind == KindOther && c.keyEnd-c.keyStart == len(key) {
				return true
			}
		}
	}
	return false
}

// A Group is one or more User-agent lines, and the rules after them.
type Group struct {
	Agents []Agent
	Rules  []Rule // all Allow and Disallow lines of the group, even lines without a pattern
}

// An Agent is a User-agent line.
type Agent struct {
	Value    string // the value of the line, as written
	Name     string // the name in the value; "" if the value names no crawler
	Everyone bool   // the name is "*": the group is for every crawler without a group
	Line     int
}

// String returns the line with its number, such as "line 1: User-agent: ExampleBot", or "no line" for the zero Agent. The
// text is escaped as in Decision.String.
func (a Agent) String() string {
	if a == (Agent{}) {
		return "no line"
	}
	return numbered(a.Line, "User-agent", a.Value)
}

// String returns the agents of the group and the number of its rules, such as "User-agent: a, b (2 rules)". The text is
// escaped as in Decision.String.
func (g Group) String() string {
	names := make([]string, len(g.Agents))
	for i, a := range g.Agents {
		names[i] = a.Value
	}
	return numbered(0, "User-agent", strings.Join(names, ", ")) + " (" + printable.Counted(len(g.Rules), "rule") + ")"
}

// Groups yields the groups in file order.
func (f *File) Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		var g Group
		for r := f.entries(); r.next(); {
			if r.entry.kind == openingEntry {
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
	case agentEntry, openingEntry:
		g.Agents = append(g.Agents, f.Dialect().agentAt(f.body[e.start:e.end], e.line))
	case allowEntry, disallowEntry:
		g.Rules = append(g.Rules, Rule{Allow: e.kind == allowEntry, Pattern: f.body[e.start:e.end], Line: e.line})
	}
}

// Sitemaps yields all Sitemap lines of the file. Their Group does not matter, because a Sitemap line is about the whole
// file (R-11, G-15). The values are not checked; see record.Parse.
func (f *File) Sitemaps() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for line := range f.Lines() {
			if line.Kind == KindSitemap && !line.Notes.Has(NotePastLimit) && !yield(line) {
				return
			}
		}
	}
}

// SitemapURLs yields the URLs of the Sitemap lines. It skips a value that is not a URL.
func (f *File) SitemapURLs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range f.Sitemaps() {
			value, err := record.Parse("sitemap", line.Value)
			if sitemap, ok := value.(record.Sitemap); err == nil && ok && !yield(sitemap.URL) {
				return
			}
		}
	}
}

func (f *File) line(number int) Line {
	for line := range f.Lines() {
		if line.Number == number {
			return line
		}
	}
	return Line{}
}
