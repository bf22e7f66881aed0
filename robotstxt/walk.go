package robotstxt

import (
	"math/bits"
	"strings"
)

// A walk decides about one path without compiling the rules. It compares each pattern with the path, up to the first byte
// that differs:
//
//	the path                /images/logo.png
//	Disallow: /img/         differs at "g": it does not match
//	Disallow: /images/      does not differ: it matches
//	Disallow: /images/*.gif differs at "*", which has a special meaning: see compareSpecial

type bestRule struct {
	match
	rank uint64 // see Dialect.rank; 0 if no rule was found
}

func (f *bestRule) keepBetter(d *Dialect, e *entry, patternLength int) {
	m := match{uint32(e.start), uint32(e.end - e.start), uint32(e.line), e.kind == allowEntry}
	if rank := d.rank(&m, uint32(patternLength)); rank > f.rank {
		*f = bestRule{m, rank}
	}
}

// If walk takes too much work, ok is false, and the caller must compile the rules.
func (r *ruleSet) walk(s *subject) (best bestRule, ok bool) {
	for _, g := range r.groups {
		if done, ok := r.walkGroup(g, s, &best); done || !ok {
			return best, ok
		}
	}
	return best, true
}

func (r *ruleSet) walkGroup(g groupPart, s *subject, best *bestRule) (isFinal, ok bool) {
	first, plain := bits.ReverseBytes64(firstBytes(s.path)), min(s.plain, 8)
	body, special := r.file.body, specialBytes[r.dialect.form]
	index, line, end := r.file.index[g.start:g.stop], int(g.line), int(g.end)
	countSteps(len(index))
	for len(index) > 0 {
		kind, start := entryKind(index[0]&7), 0
		if len(index) >= 3 && index[0] < shortStep<<3 && index[1]|index[2] < 0x80 { // as entryReader.next, but in half the time
			line += int(index[0] >> 3)
			start = end + int(index[1])
			end = start + int(index[2])
			index = index[3:]
		} else {
			long := entryReader{rest: index, entry: entry{line: line, end: end}}
			long.nextLong()
			index, line, start, end = long.rest, long.entry.line, long.entry.start, long.entry.end
		}
		if !kind.isRule() {
			continue
		}
		if start+8 <= len(body) {
			// Nearly all patterns differ from the path in one of the first eight bytes.
			same := firstMark(eightAt(body, start) ^ first)
			if same < plain && start+same < end && special[body[start+same]] == 0 {
				continue
			}
		}
		if r.compareEntry(&entry{kind, line, start, end}, s, best) && !r.dialect.longest {
			return true, true
		}
		if s.work > r.sweepAt {
			return false, false
		}
	}
	return false, true
}

func (r *ruleSet) compareEntry(e *entry, s *subject, best *bestRule) bool {
	text := r.file.body[e.start:e.end]
	if text == "" && !r.dialect.emptyDecides { // not a rule (R-10, S94-9)
		return false
	}
	same := commonBytes(text, s.path[:s.plain])
	countSteps(same)
	s.work += compareWork + same/8
	switch {
	case same == len(text):
		best.keepBetter(r.dialect, e, same)
		return true
	case specialBytes[r.dialect.form][text[same]] != 0 || same == s.plain && same < len(s.path):
		return r.compareSpecial(e, same, s, best)
	case same == len(s.path) && r.dialect.indexPages && e.kind == allowEntry: // the path may be the directory of an index page
		return r.compareSpecial(e, same, s, best)
	}
	return false
}

// compareSpecial compares the rest of pattern and path, beginning at a byte with a special meaning. Their first equalBytes
// bytes are equal.
func (r *ruleSet) compareSpecial(e *entry, equalBytes int, s *subject, best *bestRule) (matches bool) {
	d, text, t := r.dialect, r.file.body[e.start:e.end], traits(0)
	if d.wildcards && text[len(text)-1] == '$' {
		text, t = text[:len(text)-1], anchored
	}
	if d.indexPages && e.kind == allowEntry && strings.Contains(text, indexName) {
		return r.compileFor(e, s, best)
	}
	table := patternBytes[d.form]
	for i := equalBytes; i < len(text); i++ {
		s.work++
		countSteps(1)
		b := table[text[i]]
		switch {
		case b&changes != 0:
			return r.compileFor(e, s, best)
		case s.lacksBytes(b & classes):
			return false
		case b == star && d.wildcards:
			t |= wild
		}
	}
	countSteps(1)
	if s.slashes && strings.IndexByte(text, '?') >= 0 {
		t |= lax
	}
	if !s.matches(text, t) {
		return false
	}
	best.keepBetter(r.dialect, e, len(text)+boolOrder(t.is(anchored)))
	return true
}

// These constants are times in nanoseconds. compareWork is the time for comparing a pattern with a similar path.
// compileWork is the time for compiling a pattern. For each byte of the pattern, some more time is added.
const (
	compareWork = 8
	compileWork = 80
)

func (r *ruleSet) compileFor(e *entry, s *subject, best *bestRule) (matches bool) {
	b := compilations.Get().(*buffers)
	defer b.release()
	s.work += compileWork + e.end - e.start
	b.patterns, b.side = r.dialect.appendPattern(b.patterns[:0], b.side[:0], r.file.body, *e)
	for i := range b.patterns {
		p := &b.patterns[i]
		countSteps(1)
		if !s.lacksBytes(p.bytes) && s.matches(p.text, p.traits) {
			best.keepBetter(r.dialect, e, int(p.length))
			matches = true
		}
	}
	return matches
}

func commonBytes(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if differs := eightAt(a, i) ^ eightAt(b, i); differs != 0 {
			return i + firstMark(differs)
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
