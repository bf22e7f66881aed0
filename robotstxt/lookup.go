package robotstxt

// A lookup finds the pattern that decides without trying all.
//
// Patterns that match only what begins with their text are heads. A path finds the longest
// head that it begins with; what decides among that one and all shorter ones is known
// before. The others, the tails, are filed each under two neighbouring octets that the
// fewest others have, and are tried where a path has those:
//
//	/shop/          a head
//	/*/cart.html$   a tail under "/c", for the next one has all of ".html" too
//	/*/help.html    a tail under "/h"
//	/*?             a tail without two neighbours that a path must hold: always tried
//
// For "/shop/help.html" the head says that "/shop/" decides unless a tail that comes
// before it matches. Of its pairs "/s", "sh" … only "/h" has a tail, "/*/help.html", which
// matches and is longer: it decides.
type lookup struct {
	heads prefixSet
	nodes []headNode // for each head
	loose []int32    // tails that are always tried, in order of precedence
	pairs pairTable
}

// headNode is what is filed under a head. Patterns go by their number in the
// rules, which is their precedence: the lower wins.
type headNode struct {
	prefix int32 // the best that is this head or a shorter one
	exact  int32 // the best that is this head and the end of the path
}

// newLookup returns the lookup of rules. Up to fewTails are tried one by one.
func newLookup(r *rules, fewTails int) *lookup {
	l := &lookup{}
	var heads []string
	var plain, tails []int32
	for i := range r.patterns {
		if p := &r.patterns[i]; p.is(tail) {
			tails = append(tails, int32(i))
		} else {
			heads = append(heads, p.text)
			plain = append(plain, int32(i))
		}
	}
	l.fileHeads(r, heads, plain)
	if len(tails) > fewTails {
		l.loose = l.pairs.file(r, tails)
	} else {
		l.loose = tails
	}
	return l
}

func (l *lookup) fileHeads(r *rules, heads []string, plain []int32) {
	var node []int32 // of each pattern
	l.heads, node = newPrefixSet(heads)
	l.nodes = make([]headNode, len(l.heads.texts))
	for i := range l.nodes {
		l.nodes[i] = headNode{none, none}
	}
	for i, pattern := range plain {
		n := &l.nodes[node[i]]
		if r.patterns[pattern].is(anchored) {
			n.exact = min(n.exact, pattern)
		} else {
			n.prefix = min(n.prefix, pattern)
		}
	}
	for i, up := range l.heads.parent {
		if up >= 0 { // sorted before i: done already
			l.nodes[i].prefix = min(l.nodes[i].prefix, l.nodes[up].prefix)
		}
	}
}

// find returns the pattern that decides about a path, or none.
func (l *lookup) find(r *rules, s *subject) int32 {
	best := none
	if deepest := l.heads.deepest(s.path, s.first); deepest >= 0 {
		best = l.nodes[deepest].prefix
		if len(l.heads.texts[deepest]) == len(s.path) {
			best = min(best, l.nodes[deepest].exact)
		}
	}
	best, swept := r.firstTail(l.loose, s, best)
	if swept || l.pairs.starts == nil {
		return best
	}
	return l.pairs.find(r, s, best)
}
