package robotstxt

// A lookup finds the pattern that decides, without trying all patterns.
//
// The best pattern is the one of the highest precedence. Patterns without wildcards and lax
// slashes are heads. A lookup finds the longest head with which the path begins. For each
// head it knows the best pattern among this head and the shorter heads with which it begins.
//
// The other patterns are tails. A tail is stored under a pair of neighbouring octets that it
// needs: the pair that the fewest tails need. It is only tried if the path has this pair:
//
//	/shop/          a head
//	/*/cart.html$   a tail under "/c": the next tail needs the pairs of ".html" too
//	/*/help.html    a tail under "/h"
//	/*?             a tail without a pair: always tried
//
// For "/shop/help.html" the best head is "/shop/". It decides unless a better tail matches.
// Of the pairs "/s", "sh", … of the path, only "/h" has a tail: "/*/help.html". This tail
// matches and is longer, so it decides.
type lookup struct {
	heads    prefixSet
	nodes    []headNode // for each head
	unpaired []int32    // tails that are always tried, by precedence
	pairs    pairTable
}

// headNode has the best patterns for a head, as numbers in ruleSet.patterns. A lower number
// is better.
type headNode struct {
	prefix int32 // the best that matches all paths which begin with the head
	exact  int32 // the best that matches only the path which is equal to the head
}

// newLookup returns a lookup of r. Up to fewTails tails are all in unpaired.
func newLookup(r *ruleSet, fewTails int) *lookup {
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
	l.addHeads(r, heads, plain)
	if len(tails) > fewTails {
		l.unpaired = l.pairs.fill(r, tails)
	} else {
		l.unpaired = tails
	}
	return l
}

func (l *lookup) addHeads(r *ruleSet, heads []string, plain []int32) {
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
		if up >= 0 { // up < i, so its node is complete
			l.nodes[i].prefix = min(l.nodes[i].prefix, l.nodes[up].prefix)
		}
	}
}

// find returns the pattern that decides about a path, or none.
func (l *lookup) find(r *ruleSet, s *subject) int32 {
	best := none
	if head := l.heads.longest(s.path, s.first); head >= 0 {
		best = l.nodes[head].prefix
		if len(l.heads.texts[head]) == len(s.path) {
			best = min(best, l.nodes[head].exact)
		}
	}
	best, swept := r.firstTail(l.unpaired, s, best)
	if swept || l.pairs.starts == nil {
		return best
	}
	return l.pairs.find(r, s, best)
}
