package robotstxt

// A lookup finds the pattern that decides, without trying all. A tail is a pattern with a wildcard or a lax slash (a "/"
// that also matches "%2F"). All others are heads: the path begins with them.
//
//	/shop/          a head
//	/*/help.html    a tail
//
// A lookup finds the best head, and tries the tails with a higher rank. For "/shop/help.html" the tail decides, because it
// is longer.
type lookup struct {
	texts
	dialect     *Dialect
	oddPatterns []oddPattern
	heads       heads
	tails       tails
}

// texts has the texts of patterns. If the position of a text is below sideStart, the text is in body. Otherwise it is in
// side, which has the rewritten texts.
type texts struct{ body, side string }

const sideStart = maxLimit

// A storedPattern is a pattern in a lookup. It has no pointers, so the garbage collector need not read it.
type storedPattern struct {
	at, size uint32 // where the text of the pattern is in texts
	line     uint32 // the line of the rule; for an odd pattern (its text is not in the body), the index of the pattern in oddPatterns
	traits
	allow bool
	more  uint8 // how many bytes the pattern has in the file after this text, for example 1 for a "*"
}

// An oddPattern is the rule and the length of a pattern whose text is not a part of the body.
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

// store returns a pattern in the form in which a lookup keeps it. If the text of the pattern is not in the body (odd),
// store also adds an element to oddPatterns.
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

// length returns the length of the whole pattern: wildcards and a "$" at its end are counted too.
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

// find returns the rule that decides about a path; ok is false if no pattern matches.
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

// heads are the patterns without wildcards and lax slashes (a "/" that also matches "%2F"). A head matches every path that
// begins with it. An anchored head, which ended in "$", matches only the equal path.
type heads struct {
	prefixSet
	// best[i] is the head with the highest rank among head i and the heads that are prefixes of head i. If best is nil,
	// head i itself always has the highest rank.
	best []int32
}

// newHeads sorts patterns without wildcards by text. If several patterns have the same text, it keeps only the best pattern
// without "$" and the best pattern with "$".
func (l *lookup) newHeads(all []storedPattern) heads {
	number, sorted := sortTexts(l.textsOf(all))
	// best has two numbers for each text: one for the best head without "$", and one for the best head with "$". A number
	// is the index of the head in the parameter all, plus 1; 0 means that there is no such head.
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

// endsInStar reports whether one of the patterns ended in wildcards in the file. Such wildcards count for the length of the
// pattern, but are not in its text.
func (l *lookup) endsInStar(patterns []storedPattern) bool {
	for i := range patterns {
		if p := &patterns[i]; !p.is(anchored) && l.length(p) > p.size {
			return true
		}
	}
	return false
}

// find returns the head (a pattern without wildcards) that matches the path and has the highest rank. It returns nil if no
// head matches. firstEight must be firstBytes(path).
func (h *heads) find(l *lookup, path string, firstEight uint64) *storedPattern {
	at := h.longestMember(path, firstEight)
	var whole *storedPattern // the head that ended in "$" and equals the whole path
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
