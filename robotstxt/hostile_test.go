package robotstxt

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostileSize is what a hostile file may weigh; hostileURL what a URL may.
const (
	hostileSize = 500 << 10
	hostileURL  = 8 << 10
)

// A family is a kind of hostile file with URLs to match.
type family struct {
	name    string
	body    string
	targets []string
}

// fill repeats what line returns for 0, 1, 2, … behind a user-agent line, up
// to the size of a hostile file.
func fill(head string, line func(i int) string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; ; i++ {
		s := line(i)
		if b.Len()+len(s) > hostileSize {
			return b.String()
		}
		b.WriteString(s)
	}
}

// word returns the i-th word of n letters of an alphabet.
func word(alphabet string, n, i int) string {
	letters := make([]byte, n)
	for j := range letters {
		letters[j] = alphabet[i%len(alphabet)]
		i /= len(alphabet)
	}
	return string(letters)
}

func long(part string) string { return "/" + strings.Repeat(part, hostileURL/len(part)) }

const (
	everyone = "user-agent: *\n"
	digits36 = "0123456789abcdefghijklmnopqrstuvwxyz"
)

func hostileFamilies() []family {
	words := "/"
	for i := 0; len(words) < hostileURL; i += 7 {
		words += word(digits36, 3, i)
	}
	urls := []string{"/", long("a"), long("ab"), long("aab"), long("0z"), words, long("/a?b="), long("%2F?"), "/?%2F" + words, "/?%2F" + strings.Repeat("ab", hostileURL/2)}
	rule := func(format string, args func(i int) []any) string {
		return fill(everyone, func(i int) string { return fmt.Sprintf("disallow:"+format+"\n", args(i)...) })
	}
	one := func(alphabet string, n int) func(int) []any {
		return func(i int) []any { return []any{word(alphabet, n, i)} }
	}
	return []family{
		{"stars", rule("/"+strings.Repeat("*a", 1000)+"*%d", func(i int) []any { return []any{i} }), urls},
		{"stars anchored", rule("/"+strings.Repeat("*a", 1000)+"*%d$", func(i int) []any { return []any{i} }), urls},
		{"long stars", rule("/"+strings.Repeat("*a", 8000)+"b%d", func(i int) []any { return []any{i} }), urls},
		{"one line", everyone + "disallow: /" + strings.Repeat("*a", hostileSize/2-20) + "b", urls},
		{"one literal line", everyone + "disallow: /" + strings.Repeat("a", hostileSize-30), urls},
		{"short wildcards", rule("/*%s", one(digits36, 3)), urls},
		{"two segments", rule("/*a*%sz", one(digits36, 3)), urls},
		{"two letters", rule("/*%sb", one("ab", 14)), urls},
		{"two letters anchored", rule("/*%s$", one("ab", 14)), urls},
		{"two letters twice", rule("/*%[1]s*%[1]sb", one("ab", 12)), urls},
		{"few wildcards", rule("/*%sb", one("ab", 14))[:256*28], urls},
		{"heads", rule("/a*%s", one(digits36, 3)), urls},
		{"nested segments", rule("/*%s*b", func(i int) []any { return []any{strings.Repeat("a", i+1)} }), urls},
		{"nested heads", rule("/%s*b", func(i int) []any { return []any{strings.Repeat("a", i+1)} }), urls},
		{"nested literals", rule("/%s", func(i int) []any { return []any{strings.Repeat("a", i+1)} }), urls},
		{"overlaps", rule("/*%s*a*%d", func(i int) []any { return []any{strings.Repeat("a", 500), i} }), urls},
		{"literals", rule("/%s", one(digits36, 4)), urls},
		{"queries", rule("/*?*/%s", one(digits36, 3)), urls},
		{"queries twice", rule("/*?*/*%sz", one(digits36, 3)), urls},
		{"queries anchored", rule("/*?*/*%s/$", one(digits36, 3)), urls},
		{"empty stars", rule("/**%s**", one(digits36, 3)), urls},
		{"agents", fill("", func(i int) string { return "user-agent: " + word("abcdefgh", 6, i) + "\n" })[:hostileSize/2] +
			fill("\n"+everyone, func(i int) string { return "disallow: /" + word(digits36, 4, i) + "\n" })[:hostileSize/2], urls},
		{"groups", fill(everyone, func(i int) string {
			return "user-agent: " + word("abcdefgh", 5, i) + "\ndisallow: /*" + word(digits36, 3, i) + "\n"
		}), urls},
		{"merged groups", fill("", func(int) string { return "user-agent:*\ndisallow:/*x\n" }), urls},
		{"blank lines", everyone + strings.Repeat("\r", hostileSize-20), urls},
		{"colons", everyone + strings.Repeat(":", hostileSize-20), urls},
		{"NULs", everyone + strings.Repeat("\x00", hostileSize-20), urls},
		{"words", fill(everyone, func(int) string { return "disallow x\n" }), urls},
		{"percent", rule("/%%%%%s", one("0123456789abcdef", 2)), urls},
		{"octets", rule("/%s", func(i int) []any { return []any{"\xff\xfe" + word(digits36, 3, i)} }), urls},
	}
}

// No file of 500 KiB makes a file and a policy keep more than 8 MiB.
func TestHostileMemory(t *testing.T) {
	for _, f := range hostileFamilies() {
		for _, d := range []*Dialect{RFC9309, Google} {
			before := heapInUse()
			file := Parse([]byte(f.body), d)
			p := file.Agent("ExampleBot")
			for _, target := range f.targets {
				p.Check(target)
			}
			if kept := heapInUse() - before; kept > 8<<20 {
				t.Errorf("%s, %s: %.1f MiB", d, f.name, float64(kept)/(1<<20))
			}
			runtime.KeepAlive(p)
		}
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkHostile(b *testing.B) {
	for _, f := range hostileFamilies() {
		body := []byte(f.body)
		for _, d := range Dialects() {
			b.Run(d.String()+"/"+f.name+"/parse", func(b *testing.B) {
				for b.Loop() {
					Parse(body, d)
				}
			})
			file := Parse(body, d)
			b.Run(d.String()+"/"+f.name+"/agent", func(b *testing.B) {
				for b.Loop() {
					file.Agent("ExampleBot")
				}
			})
			p := file.Agent("ExampleBot")
			for i, target := range f.targets {
				b.Run(fmt.Sprintf("%s/%s/check%d", d, f.name, i), func(b *testing.B) {
					for b.Loop() {
						p.Check(target)
					}
				})
			}
		}
	}
}
