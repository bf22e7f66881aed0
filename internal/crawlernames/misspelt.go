package crawlernames

import (
	"strings"
	"sync"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
)

// Misspelt returns the known crawler whose name in a robots.txt is misspelt. It returns "" if there is none. Misspelt is
// stricter than Meant: in real files, NPBot is another crawler than wpbot.
func Misspelt(name string) string {
	if _, ok := crawlers.Known().Lookup(name); ok || len(name) < shortest {
		return ""
	}
	name = ascii.ToLower(name)
	letters := withoutHyphens(name)
	for _, known := range knownNames() {
		if letters == known.letters && len(letters) >= shortest || isSlip(name, known.name) {
			return known.token
		}
	}
	return ""
}

const (
	shortest = 5 // shorter names are too often alike
	long     = 9 // a name with so many characters is probably the same if one of them differs
)

type knownName struct{ token, name, letters string }

var knownNames = sync.OnceValue(func() (all []knownName) {
	for _, token := range TokensOf(crawlers.Known().All()) {
		name := ascii.ToLower(token)
		all = append(all, knownName{token, name, withoutHyphens(name)})
	}
	return all
})

// An Operator runs known crawlers, none of which has its name.
type Operator struct {
	Name   string
	Tokens []string
}

// OperatorNamed returns the operator that a name in a robots.txt means in place of its crawlers. No crawler follows such a name.
func OperatorNamed(name string) (o Operator, ok bool) {
	o, ok = operators()[ascii.ToLower(name)]
	return o, ok
}

var operators = sync.OnceValue(func() map[string]Operator {
	all := map[string]Operator{}
	for c := range crawlers.Known().All() {
		key := ascii.ToLower(c.Operator)
		all[key] = Operator{c.Operator, append(all[key].Tokens, c.Token)}
	}
	for _, noOperator := range []string{"unknown", "users"} {
		delete(all, noOperator)
	}
	for key := range all {
		if _, isCrawler := crawlers.Known().Named(key); isCrawler {
			delete(all, key)
		}
	}
	return all
})

// SameLetters reports whether two names differ only in hyphens, underscores and letter case.
func SameLetters(a, b string) bool {
	return withoutHyphens(ascii.ToLower(a)) == withoutHyphens(ascii.ToLower(b))
}

var hyphens = strings.NewReplacer("-", "", "_", "")

func withoutHyphens(name string) string { return hyphens.Replace(name) }

// isSlip reports whether a name differs from a known name by one typing mistake. Such a mistake swaps two neighbouring
// characters. In a long name, it may also add, leave out or replace one character. isSlip takes only linear time, because a
// robots.txt can have many names.
func isSlip(name, known string) bool {
	start := 0
	for start < min(len(name), len(known)) && name[start] == known[start] {
		start++
	}
	a, b := name[start:], known[start:]
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 2 && len(b) == 2 {
		return a[0] == b[1] && a[1] == b[0]
	}
	return len(a) <= 1 && len(b) <= 1 && max(len(name), len(known)) >= long && len(partAt(known, start)) > 3
}

// partAt returns the part between hyphens at a place of a name. SemrushBot-BA and SemrushBot-BM are two crawlers.
func partAt(name string, place int) string {
	from := strings.LastIndexAny(name[:place], "-_") + 1
	part := name[from:]
	if end := strings.IndexAny(name[place:], "-_"); end >= 0 {
		part = name[from : place+end]
	}
	return part
}
