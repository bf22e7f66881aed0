// Package hostile makes robots.txt files that are slow to parse or to match, and URLs that are slow to check with
// them.
package hostile

import (
	"fmt"
	"slices"
	"strings"
)

// Both are in bytes. The length of a URL is only about URLSize.
const (
	Size    = 500 << 10
	URLSize = 8 << 10
)

// A Family is one kind of hostile file, with URLs to check.
type Family struct {
	Name    string
	Body    string
	Targets []string
}

const (
	everyone = "user-agent: *\n"
	digits36 = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// The Targets of a family are its own URLs, and then some URLs that all families have.
func Families() []Family {
	words := "/"
	for i := 0; len(words) < URLSize; i += 7 {
		words += word(digits36, 3, i)
	}
	urls := []string{"/", long("a"), long("ab"), long("aab"), long("0z"), words, long("/a?b="), long("%2F?"), "/?%2F" + words, "/?%2F" + strings.Repeat("ab", URLSize/2)}
	families := slices.Concat(starFamilies(), tailFamilies(), headFamilies(), lineFamilies(), laterFamilies())
	for i := range families {
		f := &families[i]
		f.Targets = append(f.Targets, urls...)
	}
	return families
}

func starFamilies() []Family {
	return []Family{
		{Name: "stars", Body: rulesFile("/"+strings.Repeat("*a", 1000)+"*%d", number)},
		{Name: "stars anchored", Body: rulesFile("/"+strings.Repeat("*a", 1000)+"*%d$", number)},
		{Name: "long stars", Body: rulesFile("/"+strings.Repeat("*a", 8000)+"b%d", number)},
		{Name: "one line", Body: everyone + "disallow: /" + strings.Repeat("*a", Size/2-20) + "b"},
		{Name: "one literal line", Body: everyone + "disallow: /" + strings.Repeat("a", Size-30)},
		{Name: "empty stars", Body: rulesFile("/**%s**", one(digits36, 3))},
		{Name: "overlaps", Body: rulesFile("/*%s*a*%d", func(i int) []any { return []any{strings.Repeat("a", 500), i} })},
	}
}

// Very many patterns differ only after a wildcard.
func tailFamilies() []Family {
	const few = 256 // from about so many patterns on, a lookup saves more time than it costs
	return []Family{
		{Name: "short wildcards", Body: rulesFile("/*%s", one(digits36, 3))},
		{Name: "two segments", Body: rulesFile("/*a*%sz", one(digits36, 3))},
		{Name: "two letters", Body: rulesFile("/*%sb", one("ab", 14))},
		{Name: "two letters anchored", Body: rulesFile("/*%s$", one("ab", 14))},
		{Name: "two letters twice", Body: rulesFile("/*%[1]s*%[1]sb", one("ab", 12))},
		{Name: "few wildcards", Body: rulesFile("/*%sb", one("ab", 14))[:few*28]},
		{Name: "nested segments", Body: rulesFile("/*%s*b", nested)},
		{Name: "queries", Body: rulesFile("/*?*/%s", one(digits36, 3))},
		{Name: "queries twice", Body: rulesFile("/*?*/*%sz", one(digits36, 3))},
		{Name: "queries anchored", Body: rulesFile("/*?*/*%s/$", one(digits36, 3))},
	}
}

// Very many patterns differ before their first wildcards.
func headFamilies() []Family {
	return []Family{
		{Name: "heads", Body: rulesFile("/a*%s", one(digits36, 3))},
		{Name: "nested heads", Body: rulesFile("/%s*b", nested)},
		{Name: "nested literals", Body: rulesFile("/%s", nested)},
		{Name: "literals", Body: rulesFile("/%s", one(digits36, 4))},
		{Name: "percent", Body: rulesFile("/%%%%%s", one("0123456789abcdef", 2))},
		{Name: "bytes", Body: rulesFile("/%s", func(i int) []any { return []any{"\xff\xfe" + word(digits36, 3, i)} })},
	}
}

func lineFamilies() []Family {
	return []Family{
		{Name: "agents", Body: fill("", func(i int) string { return "user-agent: " + word("abcdefgh", 6, i) + "\n" })[:Size/2] +
			fill("\n"+everyone, func(i int) string { return "disallow: /" + word(digits36, 4, i) + "\n" })[:Size/2]},
		{Name: "groups", Body: fill(everyone, func(i int) string {
			return "user-agent: " + word("abcdefgh", 5, i) + "\ndisallow: /*" + word(digits36, 3, i) + "\n"
		})},
		{Name: "merged groups", Body: fill("", func(int) string { return "user-agent:*\ndisallow:/*x\n" })},
		{Name: "blank lines", Body: everyone + strings.Repeat("\r", Size-20)},
		{Name: "colons", Body: everyone + strings.Repeat(":", Size-20)},
		{Name: "NULs", Body: everyone + strings.Repeat("\x00", Size-20)},
		{Name: "words", Body: fill(everyone, func(int) string { return "disallow x\n" })},
	}
}

// These files were still slow after the parser had become fast for the other families.
func laterFamilies() []Family {
	return []Family{
		{Name: "88 stars", Body: rulesFile(strings.Repeat("*", 88)+"/alerts/%d$", number), Targets: []string{long("/alerts/")}},
		{Name: "one line of stars", Body: everyone + "disallow: /" + strings.Repeat("*", Size-40) + "b"},
		{Name: "10,000 rules of stars", Body: rulesFile("/%s", func(i int) []any { return []any{letterSegments(20, i)} })},
		{Name: "one-letter segments", Body: rulesFile("/%s", func(i int) []any { return []any{letterSegments(800, i)} })},
		{Name: "46,000 wildcards", Body: fill(everyone, func(i int) string { return "allow:*" + word(digits36, 3, i) + "\n" })},
		{Name: "231 wildcards of 3,129", Body: someWild(3129, 231)},
		{Name: "286 wildcards of 3,129", Body: someWild(3129, 286)},
		{Name: "file endings", Body: firstRules(1000, "/*.%s.html", one("abcdefghij", 4)), Targets: []string{long(".aaab.htm"), long("/a.html/b")}},
		{Name: "segments of two letters", Body: rulesFile("/%s", func(i int) []any { return []any{pairSegments(500, i)} })},
		longSegments(),
		allPairs(),
		pairsInTheWrongOrder(),
	}
}

// A segment is one letter, as in "*c*x*7". The order of the letters looks random, and depends on i.
func letterSegments(count, i int) string {
	var b strings.Builder
	state := uint32(i)*2654435761 + 1
	for range count {
		state = state*1664525 + 1013904223
		b.WriteByte('*')
		b.WriteByte(digits36[(state>>16)%36])
	}
	return b.String()
}

func pairSegments(count, i int) string {
	var b strings.Builder
	for j := range count {
		b.WriteString("*" + word(digits36, 2, (i+j*(2*i+7))%(36*36)))
	}
	return b.String()
}

// The two long segments of a pattern nearly match at every position of the path.
func longSegments() Family {
	long := strings.Repeat("a", 998)
	return Family{
		Name:    "long segments",
		Body:    firstRules(36, "/*%[1]s*%[1]sb%[2]c", func(i int) []any { return []any{long, digits36[i]} }),
		Targets: []string{"/" + strings.Repeat("a", URLSize-40) + "b" + digits36},
	}
}

func someWild(count, wild int) string {
	return firstRules(count, "/%s", func(i int) []any {
		if i%(count/wild) == 0 && i/(count/wild) < wild {
			return []any{"*/" + word(digits36, 3, i) + "/print"}
		}
		return []any{"section-" + word("abcdefgh", 2, i) + "/page-" + word(digits36, 3, i) + "/"}
	})
}

// Patterns end in three letters, and the path has every pair of letters. So a parser cannot exclude a pattern by a
// pair of its letters.
func allPairs() Family {
	const letters = "abcdefghijklmnopqrst"
	var path strings.Builder
	path.WriteByte('/')
	for i := range letters { // "aabacad…at", then "bbcbd…bt", and so on
		path.WriteByte(letters[i])
		for j := i + 1; j < len(letters); j++ {
			path.WriteByte(letters[i])
			path.WriteByte(letters[j])
		}
	}
	path.WriteByte(letters[0])
	p := path.String()
	var tails []string
	for i := range len(letters) * len(letters) * len(letters) {
		if tail := word(letters, 3, i); !strings.Contains(p, tail) {
			tails = append(tails, tail)
		}
	}
	return Family{
		Name:    "all pairs",
		Body:    firstRules(len(tails), "/*%s", func(i int) []any { return []any{tails[i]} }),
		Targets: []string{p, "/" + strings.Repeat(p[1:], URLSize/len(p))},
	}
}

// The patterns are A*B, and in the path, every B comes before every A.
func pairsInTheWrongOrder() Family {
	const as, bs = "abcdefghijklmnop", "0123456789qrstuv"
	const count = 256
	path := "/"
	for i := range count {
		path += word(bs, 2, i) + "."
	}
	for i := range count {
		path += word(as, 2, i) + "-"
	}
	return Family{
		Name:    "pairs in the wrong order",
		Body:    rulesFile("/*%s-*%s.", func(i int) []any { return []any{word(as, 2, i%count), word(bs, 2, i/count%count)} }),
		Targets: []string{path, "/" + strings.Repeat(path[1:], URLSize/len(path))},
	}
}

// The file has about Size bytes. The pattern of rule number i is fmt.Sprintf(format, args(i)...).
func rulesFile(format string, args func(i int) []any) string {
	return fill(everyone, func(i int) string { return fmt.Sprintf("disallow:"+format+"\n", args(i)...) })
}

// The pattern of rule number i is fmt.Sprintf(format, args(i)...).
func firstRules(count int, format string, args func(i int) []any) string {
	var b strings.Builder
	b.WriteString(everyone)
	for i := range count {
		fmt.Fprintf(&b, "disallow:"+format+"\n", args(i)...)
	}
	return b.String()
}

func fill(head string, line func(i int) string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; ; i++ {
		s := line(i)
		if b.Len()+len(s) > Size {
			return b.String()
		}
		b.WriteString(s)
	}
}

func number(i int) []any { return []any{i} }

func nested(i int) []any { return []any{strings.Repeat("a", i+1)} }

func one(alphabet string, n int) func(int) []any {
	return func(i int) []any { return []any{word(alphabet, n, i)} }
}

func word(alphabet string, n, i int) string {
	letters := make([]byte, n)
	for j := range letters {
		letters[j] = alphabet[i%len(alphabet)]
		i /= len(alphabet)
	}
	return string(letters)
}

func long(part string) string { return "/" + strings.Repeat(part, URLSize/len(part)) }
