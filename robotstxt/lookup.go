package robotstxt

// A lookup finds the pattern that decides. It need not try all patterns. There are two kinds of patterns:
//
//	/shop/          a head: a matching path begins with it
//	/*/help.html    a tail: it has a wildcard, or a "/" that also matches "%2F"
//
// A lookup finds the best head, and then tries only the tails with a higher rank.
type lookup struct {
	texts
	dialect     *Dialect
	oddPatterns []oddPattern
	heads       heads
	tails       tails
}

// texts has the texts of patterns: the field side has those that normalization changed, and the field body the others. A
// position from sideStart on is a position in the field side.
type texts struct{ body, side string }

const sideStart = maxLimit

// A storedPattern is a pattern in a lookup. It has no pointers, so the garbage collector need not read it.
type storedPattern struct {
	at, size uint32
	line     uint32 // the line of the rule; for an oddPattern, its index in oddPatterns
	traits
	allow bool
	more  uint8 // how many bytes the pattern has in the file after this text, for example 1 for a "*"
}

// An oddPattern is the rule and the length of a pattern whose text is not in the body.
type oddPattern struct {
	match
	length uint32
}

func (t *texts) textOf(p *storedPattern) string {
	if p.at < sideStart {
		return t.body[p.at:][:p.size]
	}
	return t.side[p.at-sideStart:][:p.size]
}

func (t *texts) textsOf(patterns []storedPattern) []string {
	all := make([]string, len(patterns))
	for i := range patterns {
		all[i] = t.textOf(&patterns[i])
	}
	return all
}

func newLookup(r *ruleSet) *lookup {
	b := compilations.Get().(*buffers)
	defer b.release()
	b.patterns, b.side = r.patterns(b.patterns[:0], b.side[:0])
	l := &lookup{texts: texts{r.file.body, string(b.side)}, dialect: r.dialect}
	tails := 0
	for i := range b.patterns {
		tails += boolOrder(b.patterns[i].is(tail))
	}
	heads := make([]storedPattern, 0, len(b.patterns)-tails)
	for i := range b.patterns {
		if p := &b.patterns[i]; !p.is(tail) {
			heads = append(heads, l.store(p))
		}
	}
	l.heads = l.newHeads(heads)
	if tails > 0 {
		l.addTails(b.patterns, tails)
	}
	l.tails.sweepAt = r.sweepAt
	return l
}

func (l *lookup) store(p *pattern) storedPattern {
	s := storedPattern{at: p.at, size: uint32(len(p.text)), line: p.line, traits: p.traits, allow: p.allow}
	if s.is(odd) {
		s.line = uint32(len(l.oddPatterns))
		l.oddPatterns = append(l.oddPatterns, oddPattern{p.match, p.length})
	} else {
		s.more = uint8(p.match.size - s.size) // the removed bytes at the end: "*", "$" or both
	}
	return s
}

func (l *lookup) matchOf(p *storedPattern) match {
	if p.is(odd) {
		return l.oddPatterns[p.line].match
	}
	return match{p.at, p.size + uint32(p.more), p.line, p.allow}
}

// length also counts the removed "*" and "$" at the end of the pattern.
func (l *lookup) length(p *storedPattern) uint32 {
	if p.is(odd) {
		return l.oddPatterns[p.line].length
	}
	return p.size + uint32(p.more)
}

func (l *lookup) rank(p *storedPattern) uint64 {
	m := l.matchOf(p)
	return l.dialect.rank(&m, l.length(p))
}

func (l *lookup) find(s *subject) (m match, ok bool) {
	first := firstBytes(s.path)
	head := l.heads.find(l, s.path, first)
	better := int32(len(l.tails.patterns)) // how many tails have a higher rank than the head
	if head != nil && better > 0 {
		better = l.betterTails(l.rank(head))
	}
	if t := l.tails.firstMatch(l, s, first, better); t < better {
		return l.matchOf(&l.tails.patterns[t]), true
	}
	if head != nil {
		return l.matchOf(head), true
	}
	return match{}, false
}

// heads are patterns without wildcards: a head matches every path that begins with it. An anchored head, which ended in "$",
// matches only the equal path.
type heads struct {
	prefixSet
	// best[i] is the index of the head with the highest rank: head i itself, or a head with which head i begins. If this
	// is always head i itself, best is nil.
	best []int32
}

// newHeads sorts patterns by text. Of patterns with the same text, only the best without "$" and the best with "$" can decide.
func (l *lookup) newHeads(all []storedPattern) heads {
	number, sorted := sortTexts(l.textsOf(all))
	// For each text: the best head without "$", and the best head with "$". A head is stored as its index in the slice
	// named all, plus 1; 0 means none.
	best := make([][2]int32, len(sorted))
	for i := range all {
		at := &best[number[i]][boolOrder(all[i].is(anchored))]
		if *at == 0 || l.rank(&all[i]) > l.rank(&all[*at-1]) {
			*at = int32(i + 1)
		}
	}
	members := make([]storedPattern, 0, len(all))
	for _, both := range best {
		for _, i := range both {
			if i > 0 {
				members = append(members, all[i-1])
			}
		}
	}
	h := heads{prefixSet: l.prefixSet(members)}
	if !l.dialect.longest || l.endsInStar(members) {
		h.best = make([]int32, len(members))
		for i, up := range h.parent {
			h.best[i] = int32(i)
			if up >= 0 && l.rank(&members[h.best[up]]) > l.rank(&members[i]) {
				h.best[i] = h.best[up]
			}
		}
	}
	return h
}

// A "*" at the end of a pattern counts for its length, but is not in its text.
func (l *lookup) endsInStar(patterns []storedPattern) bool {
	for i := range patterns {
		if p := &patterns[i]; !p.is(anchored) && l.length(p) > p.size {
			return true
		}
	}
	return false
}

func (h *heads) find(l *lookup, path string, firstEight uint64) *storedPattern {
	at := h.longestMember(path, firstEight)
	var whole *storedPattern // ended in "$" and equals the path
	if at >= 0 && h.members[at].is(anchored) {
		if int(h.members[at].size) == len(path) {
			whole = &h.members[at]
		}
		at = h.parent[at]
	}
	if at < 0 {
		return whole
	}
	if h.best != nil {
		at = h.best[at]
	}
	if best := &h.members[at]; whole == nil || l.rank(best) > l.rank(whole) {
		return best
	}
	return whole
}
