package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reservedPairs says for a reserved character which ways to write it in a path a pattern
// matches: raw ("r"), with capital digits ("U") and with small digits ("l"). The patterns are
// these three, in this order. "" matches none.
type reservedPairs [3]string

var (
	allEqual  = reservedPairs{"rUl", "rUl", "rUl"}
	notEqual  = reservedPairs{"r", "Ul", "Ul"}   // to the escape
	rawTwice  = reservedPairs{"r", "U", "l"}     // nothing is changed
	upperPath = reservedPairs{"r", "U", "U"}     // only the pattern is changed
	wildcard  = reservedPairs{"rUl", "U", "U"}   // matches all as it stands; only the pattern is changed
	comment   = reservedPairs{"rUl", "Ul", "Ul"} // "#" ends the pattern, and the path
	noQuery   = reservedPairs{"", "", ""}        // a path ends before "?"
	onlyAsEsc = reservedPairs{"Ul", "Ul", "Ul"}  // a "?" in a path ends it
	comment94 = reservedPairs{"rUl", "U", "l"}   // the same as comment, nothing is changed
)

const reserved = ":/?#[]@!$&'()*+,;="

// reservedIn says what is equal before and behind "?". A character that is not named has the
// value of 0.
var reservedIn = map[*Dialect]struct{ before, behind map[byte]reservedPairs }{
	Standard1994: { // S94-8
		before: map[byte]reservedPairs{0: rawTwice, '#': comment94},
		behind: map[byte]reservedPairs{0: rawTwice, '#': comment94},
	},
	Draft1996: { // S96-4
		before: map[byte]reservedPairs{0: allEqual, '/': notEqual, '?': onlyAsEsc, '#': comment},
		behind: map[byte]reservedPairs{0: noQuery},
	},
	Draft2019: reservedByRFC9309,
	RFC9309:   reservedByRFC9309,
	Google: { // K-8, U-5
		before: map[byte]reservedPairs{0: upperPath, '*': wildcard, '#': wildcard},
		behind: map[byte]reservedPairs{0: upperPath, '*': wildcard, '#': wildcard},
	},
}

//
var reservedByRFC9309 = struct{ before, behind map[byte]reservedPairs }{
	before: map[byte]reservedPairs{0: allEqual, '/': notEqual, '?': notEqual, '#': comment, '&': notEqual, '=': notEqual},
	behind: map[byte]reservedPairs{0: allEqual, '?': notEqual, '#': comment, '&': notEqual, '=': notEqual},
}

// whether a reserved character equals its escape, in each dialect.
func TestReservedCharacters(t *testing.T) {
	for _, d := range Dialects() {
		for _, part := range []struct {
			prefix string
			pairs  map[byte]reservedPairs
		}{{"/a", reservedIn[d].before}, {"/a?q", reservedIn[d].behind}} {
			for i := range len(reserved) {
				c := reserved[i]
				pairs, named := part.pairs[c]
				if !named {
					pairs = part.pairs[0]
				}
				ways := slices.Compact([]string{string(c), fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02x", c)}) // "%21" has no letters
				for p, way := range ways {
					pattern := part.prefix + way + "b"
					for u, way := range ways {
						path := part.prefix + way + "b"
						want := strings.IndexByte(pairs[p], "rUl"[u]) >= 0
						if got := check("user-agent: *\ndisallow: "+pattern+"\n", d, "a", path); got.Allowed == want {
							t.Errorf("%s: %s matches %s: %v, want %v", d, pattern, path, !got.Allowed, want)
						}
					}
				}
			}
		}
	}
}

// a reserved character is one byte of a pattern's length, also where it is escaped;
// the escapes that are not equal to it, and "*" and "$", are three.
func TestLengthOfReservedCharacters(t *testing.T) {
	for _, d := range []*Dialect{Draft2019, RFC9309} {
		for i := range len(reserved) {
			c := reserved[i]
			escape := fmt.Sprintf("%%%02x", c)
			three := strings.IndexByte("/?#&=*$", c) >= 0
			got := check("user-agent: *\ndisallow: /a"+escape+"\nallow: /a*x\n", d, "a", "/a"+escape+"x")
			if got.Allowed == three {
				t.Errorf("%s: %q: got %v, want 3 bytes: %v", d, escape, got.Rule, three)
			}
		}
	}
}
