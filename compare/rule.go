package compare

import (
	"math/bits"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

type rule struct {
	robotstxt.Pattern
	marked       []string // the segments, in which laxMark stands for a "/" that also matches "%2F"
	key          key
	bytes        byteSet
	shortestPath string // no path that the rule matches is shorter

	machine automaton
}

func newRule(dialect string, p robotstxt.Pattern) *rule {
	r := &rule{Pattern: p, marked: markLax(&p), key: key{dialect, strings.Join(p.Segments, "*"), p.Allowed, p.Anchored, p.Length}}
	r.shortestPath = strings.Join(p.Segments, "")
	if !strings.HasPrefix(r.shortestPath, "/") {
		r.shortestPath = "/" + r.shortestPath
	}
	for _, s := range p.Segments {
		for i := range len(s) {
			r.bytes.add(s[i])
		}
	}
	if p.Lax {
		r.bytes.addAll(encodedSlash)
	}
	return r
}

func (r *rule) minLength() int { return len(r.shortestPath) }

// Rules are equal if their keys are equal.
type key struct {
	dialect, text     string
	allowed, anchored bool
	length            int
}

func (r *rule) automaton(b *budget) automaton {
	if r.machine == nil {
		r.machine = newAutomaton(r, b)
	}
	return r.machine
}

func (r *rule) head() string {
	head, _, _ := strings.Cut(r.marked[0], laxMark)
	return head
}

// laxMark stands for a "/" that also matches "%2F".
const laxMark = "\x00"

// markLax replaces each "/" after the first "?" of a lax pattern by laxMark.
func markLax(p *robotstxt.Pattern) []string {
	if !p.Lax {
		return p.Segments
	}
	text := strings.Join(p.Segments, "*")
	query := strings.IndexByte(text, '?')
	return strings.Split(text[:query]+strings.ReplaceAll(text[query:], "/", laxMark), "*")
}

func (r *rule) matches(path string, b *budget) bool {
	if r.Lax {
		if !strings.HasPrefix(path, r.head()) || !strings.Contains(path, "?") { // a pattern with lax slashes contains a "?"
			b.spend(1 + len(path)/comparedAtOnce)
			return false
		}
		b.spend(laxWork * len(path))
		return r.automaton(b).(*laxAutomaton).matchesPath(path)
	}
	rest, ok := strings.CutPrefix(path, r.Segments[0])
	if !ok {
		return false
	}
	b.spend(r.matchWork(path))
	last := len(r.Segments) - 1
	for i, s := range r.Segments[1:] {
		if i+1 == last && r.Anchored {
			return strings.HasSuffix(rest, s)
		}
		at := strings.Index(rest, s)
		if at < 0 {
			return false
		}
		rest = rest[at+len(s):]
	}
	return !r.Anchored || rest == ""
}

func (r *rule) matchWork(path string) int { return len(r.Segments) + len(path)/comparedAtOnce }

func (r *rule) coversAny(others []*rule, b *budget) bool {
	for _, other := range others {
		b.spend(len(r.Segments) + len(other.Segments) + len(other.key.text)/comparedAtOnce)
		if r.coversRule(other) {
			return true
		}
	}
	return false
}

// coversRule returns true only if the rule certainly matches all paths that the other rule matches. It recognizes only simple
// cases.
func (r *rule) coversRule(other *rule) bool {
	if r.Anchored && !other.Anchored {
		return false
	}
	rest, ok := strings.CutPrefix(other.marked[0], r.marked[0])
	if !ok {
		return false
	}
	segments, last := other.marked[1:], len(r.marked)-1
	for i, s := range r.marked[1:] {
		if i+1 == last && r.Anchored {
			return len(segments) > 0 && strings.HasSuffix(segments[len(segments)-1], s) ||
				len(segments) == 0 && strings.HasSuffix(rest, s)
		}
		at := strings.Index(rest, s)
		for ; at < 0 && len(segments) > 0; at = strings.Index(rest, s) {
			rest, segments = segments[0], segments[1:]
		}
		if at < 0 {
			return false
		}
		rest = rest[at+len(s):]
	}
	return !r.Anchored || len(segments) == 0 && rest == ""
}

type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) remove(c byte)   { s[c>>6] &^= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) addAll(bytes string) {
	for i := range len(bytes) {
		s.add(bytes[i])
	}
}

func (s *byteSet) isIn(t *byteSet) bool {
	return s[0]&^t[0]|s[1]&^t[1]|s[2]&^t[2]|s[3]&^t[3] == 0
}

func (s *byteSet) without(t *byteSet) byteSet {
	return byteSet{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3]}
}

func (s *byteSet) union(t *byteSet) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s *byteSet) count() int { return s.rank(0xff) + int(s[3]>>63) }

// rank returns how many bytes of the set are less than c.
func (s *byteSet) rank(c byte) (n int) {
	for _, word := range s[:c>>6] {
		n += bits.OnesCount64(word)
	}
	return n + bits.OnesCount64(s[c>>6]&(1<<(c&63)-1))
}

func (s *byteSet) all(yield func(byte) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(byte(i<<6 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

func (s *byteSet) addFirst(t byteSet) {
	for c := range t.all {
		s.add(c)
		return
	}
}
