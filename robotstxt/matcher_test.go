package robotstxt

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// The parts of random patterns and targets. There are few, so that many rules match the same
// path.
var (
	patternParts = []string{"/", "/", "a", "b", "ab", "*", "*", "**", "?", "%2F", "%2f", "%61", "$", ".", "\x00", "\u00fc", "/index.htm", "aaaaaaaa", "%2A", reservedPart}
	targetParts  = []string{"/", "/", "a", "b", "ab", "a", "b", "?", "%2F", "%2f", "%61", "*", "$", ".", "%00", "%C3%BC", "/index.html", "aaaaaaaa", "#a", "%2a", reservedPart}
)

// reservedPart stands for any reserved character, as it is or escaped.
const reservedPart = "reserved"

func randomText(r *rand.Rand, parts []string, limit int) string {
	var b strings.Builder
	for range r.IntN(limit + 1) {
		part := parts[r.IntN(len(parts))]
		if part == reservedPart {
			c := reserved[r.IntN(len(reserved))]
			part = []string{string(c), fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02x", c)}[r.IntN(3)]
		}
		b.WriteString(part)
	}
	return b.String()
}

// randomFile returns a file of up to so many rules, in a few groups and with some records.
func randomFile(r *rand.Rand, rules int) string {
	var b strings.Builder
	b.WriteString("user-agent: a\n")
	for range 1 + r.IntN(rules) {
		switch n := r.IntN(24); {
		case n == 0:
			b.WriteString("user-agent: " + []string{"a", "b", "*"}[r.IntN(3)] + "\n")
		case n == 1:
			b.WriteString(strings.Repeat("\n", r.IntN(40)))
		case n == 2:
			b.WriteString("crawl-delay: 1\n")
		case n < 10:
			b.WriteString("allow: /" + randomText(r, patternParts, 6) + "\n")
		default:
			b.WriteString("disallow: " + randomText(r, patternParts, 6) + "\n")
		}
	}
	return b.String()
}

// Random files with few rules and with many are decided as the oracle does, in every dialect
// and in all Ways.
func TestRandomFilesDecideAsTheOracle(t *testing.T) {
	t.Parallel()
	r := NewRandom(t)
	for round := range 1000 {
		rules := 6
		if round%10 == 0 {
			rules = 150
		}
		body := randomFile(r, rules)
		for _, d := range Dialects() {
			for range 4 {
				compareWithOracle(t, d, []byte(body), "a", "/"+randomText(r, targetParts, 8))
			}
		}
	}
}

// Policies that are used until they build a lookup decide as Explain, which tries all patterns.
func TestPoliciesWithALookupDecideAlike(t *testing.T) {
	r := NewRandom(t)
	for range 20 {
		body := randomFile(r, 300)
		p := Parse([]byte(body), nil).Agent("a")
		for range 400 {
			target := "/" + randomText(r, targetParts, 8)
			if got, want := p.Check(target), p.Explain(target); got.Reason == ByRule && got.Rule != want.Candidates[0].Rule {
				t.Fatalf("%q in %q: %v, tried in turn %v", target, body, got, want.Candidates[0].Rule)
			}
		}
		if p.rules.length > fewBytes && p.rules.lookup.Load() == nil {
			t.Errorf("rules of %d bytes have no lookup", p.rules.length)
		}
	}
}

// A path that has not all bytes of a pattern is not compared with it.
func TestPathsLackBytes(t *testing.T) {
	p := ParseString("user-agent: *\ndisallow: /shop/*.pdf", nil).Agent("a").rules.byPrecedence()[0]
	for path, lacks := range map[string]bool{"/shop/a.pdf": false, "/shop/f/p/d.": false, "/shop/a.pd": true /* no f */, "/\x00shop/.pdf": false} {
		if s := subjectOf(RFC9309, path); s.lacksBytes(p.bytes) != lacks {
			t.Errorf("%q lacks bytes: %v", path, !lacks)
		}
	}
}

// subjectOf returns a path in normal form.
func subjectOf(d *Dialect, path string) subject {
	bytes, _ := d.scan(path)
	s := d.subject(path, bytes)
	s.slashes = d.form == canonicalForm && strings.Contains(path, encodedSlash)
	return s
}

// A byte that has a special meaning in a pattern ends the part of the path that is compared as it is.
func TestPlainPartOfAPath(t *testing.T) {
	for _, c := range []struct {
		dialect *Dialect
		path    string
		want    int
	}{
		{RFC9309, "/a/b?c=d", 8}, {RFC9309, "/a%2Fb", 2}, {RFC9309, "/a%", 2}, {Google, "/a*b", 2}, {Google, "/a$", 2}, {Google, "/ab%", 3},
		{Google, "/\xe9", 1}, {Draft1996, "/a%25", 2}, {Standard1994, "/a%25", 5}, {Standard1994, "/a*", 2},
	} {
		if s := subjectOf(c.dialect, c.path); s.plain != c.want {
			t.Errorf("%s: %q: %d bytes, want %d", c.dialect, c.path, s.plain, c.want)
		}
	}
}

// Letters, digits and common marks of paths have a bit that no other byte has.
func TestByteBits(t *testing.T) {
	var bytes [64]string
	for c, bit := range byteBits {
		bytes[bit] += string([]byte{byte(c)})
	}
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789/.-_?=&%+~:" {
		if same := bytes[byteBits[c]]; same != string(c) {
			t.Errorf("%q have one bit", same)
		}
	}
	for bit, of := range bytes {
		if (of == "") != (bit >= classBits) || len(of) > 20 {
			t.Errorf("bit %d is that of %q", bit, of)
		}
	}
}

// A slash behind the "?" of a pattern equals "%2F", one before it does not.
func TestLaxSlashes(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"/a?b/c", "/a?b%2Fc", true},
		{"/a?b/c", "/a?b/cd", true},
		{"/a?b/c", "/a?b%2Fcd", true},
		{"/a?b/c", "/a?%2F/cb", false},
		{"/a?b/c", "/a%2F?b%2Fc", false},
		{"/a/?b/", "/a%2F?b%2F", false},
		{"/a?b/c$", "/a?b%2Fc", true},
		{"/a?b/c$", "/a?b%2Fcc", false},
		{"/a?*/c", "/a?%2F%2Fb%2Fc", true},
		{"/a?*/c", "/a?%2Fb", false},
		{"/a?*/c*/d", "/a?x%2Fcx/%2Fd", true},
		{"/a?*/c*/c", "/a?x%2Fcd", false},
		{"/a?*/c$", "/a?x%2Fd%2Fc", true},
		{"/a?*/c$", "/a?%2Fcd", false},
		{"/a?/*/c/$", "/a?%2Fc%2F", false},
		{"/a?*/", "/a?%2F", true},
		{"*a?/b", "/a?%2Fb", true},
		{"/a?*/c", "/a?%2Fcx", true},
		{"/a?*/c*d$", "/a?%2Fcxd", true},
		{"/a?*/b$", "/a?b%2F%2F", false},
		{"/a?*c/$", "/a?c%2F", true},
		{"/a?*d/$", "/a?c%2F", false},
		{"/*/?/", "/a%2F?%2F", false},
		{"/xc?*x/c", "/xc?x%2Fd", false},
	} {
		p := Parse([]byte("user-agent: *\ndisallow: "+c.pattern), nil).Agent("a")
		for name, way := range Ways(p) {
			if got := !way.Check(c.path).Allowed; got != c.want {
				t.Errorf("%s matches %s: %v, with %s", c.pattern, c.path, got, name)
			}
		}
	}
}

// A pattern without wildcards is only a tail if a slash behind its "?" equals "%2F": in the
// canonical form.
func TestOnlyCanonicalSlashesAreLax(t *testing.T) {
	for _, d := range Dialects() {
		p := Parse([]byte("user-agent: *\ndisallow: /a?b/c"), d).Agent("a")
		if got := p.rules.byPrecedence()[0].is(tail); got != (d.form == canonicalForm) {
			t.Errorf("%s: a tail: %v", d, got)
		}
		p = Parse([]byte("user-agent: *\ndisallow: /a/?b\ndisallow: /a/b"), d).Agent("a")
		if len(newLookup(p.rules).tails.patterns) > 0 {
			t.Errorf("%s: slashes before the query make a tail", d)
		}
	}
}

// Several wildcards in a row become one; but the length of the pattern as written decides.
func TestSimplifyRemovesWildcards(t *testing.T) {
	for written, want := range map[string]string{"/a**b": "/a*b", "/a*": "/a", "/a*$": "/a", "/a***$": "/a", "/a*/$": "/a*/", "**": "", "***a**b**": "*a*b"} {
		p := Parse([]byte("user-agent: *\ndisallow: "+written), nil).Agent("a")
		m := p.rules.byPrecedence()[0]
		if m.text != want || m.is(wild) != strings.Contains(want, "*") || m.is(anchored) != (want == "/a*/") {
			t.Errorf("%s: %q, wild %v, anchored %v", written, m.text, m.is(wild), m.is(anchored))
		}
	}
	p := Parse([]byte("user-agent: *\nallow: /aaa\ndisallow: /a****"), nil).Agent("a")
	if d := p.Check("/aaa"); d.Allowed {
		t.Error("the removed wildcards do not count in the length:", d)
	}
}

// Matching counts as work how many bytes it has searched.
func TestWorkIsCounted(t *testing.T) {
	work := func(path, segment string) int {
		s := subjectOf(RFC9309, path)
		s.findSegment(path, segment)
		return s.work
	}
	b := strings.Repeat("b", 1600)
	for _, c := range []struct {
		path, segment string
		want          int
	}{
		{"ab", "a", segmentWork},
		{b, "aa", segmentWork + 1600},
		{b, "a", segmentWork + 100},
		{b + "aab", "aa", segmentWork + 1600},
		{b + "aab", "a", segmentWork + 100},
	} {
		if got := work(c.path, c.segment); got != c.want {
			t.Errorf("%.5s… of %d in %d bytes: %d", c.segment, len(c.segment), len(c.path), got)
		}
	}
}

// With lax slashes, the work is at least one for each place where a segment is compared. A
// lookup counts the tails that it tries.
func TestWorkOfTails(t *testing.T) {
	const path = "/a?%2Fxxxc"
	s := subjectOf(RFC9309, path)
	if p := patternsOf(1, "/a?*/c").byPrecedence()[0]; s.matches(p.text, p.traits) || s.work < len("%2Fxxxc") {
		t.Errorf("lax slashes: %d", s.work)
	}
	r := patternsOf(100, "/*abz")
	s = subjectOf(RFC9309, "/ab")
	if placed(r, 0).find(&s); s.work != 100 {
		t.Errorf("a hundred tails: %d", s.work)
	}
}

// Tails are stored under the rarest of their pairs, in a table with enough buckets.
func TestPairTable(t *testing.T) {
	var body strings.Builder
	body.WriteString("user-agent: *\n")
	for i := range 100 {
		fmt.Fprintf(&body, "disallow: /*.html%c%c\n", 'a'+i%10, 'a'+i/10)
	}
	body.WriteString("disallow: /*x\n")
	r := Parse([]byte(body.String()), nil).Agent("a").rules
	l := placed(r, 0)
	if always := l.tails.places.Load().alwaysTried; len(always) != 1 || l.textOf(&l.tails.patterns[always[0]]) != "/*x" {
		t.Errorf("always tried: %v", always)
	}
	pairs := &l.tails.places.Load().pairs
	if len(pairs.tails) != 100 || int(pairs.starts[len(pairs.starts)-1]) != 100 {
		t.Errorf("%d tails", len(pairs.tails))
	}
	for i := range len(pairs.starts) - 1 {
		if n := pairs.starts[i+1] - pairs.starts[i]; n > 8 {
			t.Errorf("%d tails are in one bucket", n)
		}
	}
	used := map[uint32]bool{}
	for a := range byte(10) {
		for b := range byte(10) {
			used[pairs.bucket('a'+a, 'a'+b)] = true
		}
	}
	highest := slices.Max(slices.Collect(maps.Keys(used)))
	if buckets := len(pairs.starts) - 1; len(used) < 60 || int(highest) < buckets*3/4 || int(highest) >= buckets {
		t.Errorf("a hundred pairs have %d of %d buckets, up to number %d", len(used), buckets, highest)
	}
	for tails, want := range map[int]int{33: 256, 64: 256, 65: 512, 1024: 4096, 1025: 4096, 100_000: 4096} {
		if got := bucketsFor(tails); got != want {
			t.Errorf("%d tails: %d buckets", tails, got)
		}
	}
}

// A tail is found in whichever bucket it is.
func TestEveryBucketHasItsTails(t *testing.T) {
	buckets := map[uint32]bool{}
	for a := 'a'; a <= 'z'; a++ {
		body := "user-agent: *\n"
		for b := 'a'; b <= 'z'; b++ {
			body += fmt.Sprintf("disallow: /*%c%c\n", a, b)
		}
		r := ParseString(body, nil).Agent().rules
		l := placed(r, 0)
		pairs := &l.tails.places.Load().pairs
		for i := range l.tails.patterns {
			p := &l.tails.patterns[i]
			path := "/-" + l.textOf(p)[len("/*"):]
			s := subjectOf(RFC9309, path)
			if got, _ := l.find(&s); got.line != p.line {
				t.Errorf("%s: line %d, want %d", path, got.line, p.line)
			}
			buckets[pairs.bucket(path[2], path[3])] = true
		}
	}
	if !buckets[0] {
		t.Error("the first bucket has no tail")
	}
}

// A pair is two neighbouring bytes of a pattern, without a wildcard and not behind the "?" of
// a pattern with lax slashes.
func TestPairsOfAPattern(t *testing.T) {
	for text, want := range map[string]string{"/ab*c*de": "/a ab de", "*/ab": "/a ab", "/a?b/": "/a a?", "?a/": "", "*": "", "/ab?*/": "/a ab b?"} {
		p := pattern{text: text}
		p.normalize(RFC9309, nil)
		p.compile(RFC9309, nil)
		l := &lookup{texts: texts{body: text}, dialect: RFC9309}
		l.tails.patterns = []storedPattern{l.store(&p)}
		var table pairTable
		var expected []uint32
		for pair := range strings.FieldsSeq(want) {
			expected = append(expected, table.bucket(pair[0], pair[1]))
		}
		var got []uint32
		table.eachPair(l, 0, func(bucket uint32) { got = append(got, bucket) })
		if !slices.Equal(got, expected) {
			t.Errorf("%s: %x, want %x", text, got, expected)
		}
	}
}

// In a long chain of prefixes, few steps lead to any ancestor.
func TestJumpsNeedFewSteps(t *testing.T) {
	const count = 4000
	var texts []string
	for i := range count {
		texts = append(texts, strings.Repeat("a", i+1))
	}
	set, _ := setOf(texts)
	for _, common := range []int{0, 1, 2, 3, 100, 1000, 2047, 2048, 3998, 3999, 4000} {
		steps := 0
		for at := int32(count - 1); at >= 0 && len(set.text(at)) > common; steps++ {
			at = set.climb(at, common)
		}
		if limit := 3 * bits.Len(count); steps > limit {
			t.Errorf("to %d bytes: %d steps, want at most %d", common, steps, limit)
		}
	}
	if few, _ := setOf(texts[:fewTexts]); few.jump != nil {
		t.Error("few texts have jumps")
	}
}

// sortTexts sorts few texts and many, also texts that end, or have a NUL, within the bytes
// that are compared.
func TestSortTexts(t *testing.T) {
	r := NewRandom(t)
	for _, count := range []int{0, 1, 2, fewItems - 1, fewItems, manyItems - 1, manyItems, 3 * manyItems} {
		for _, parts := range [][]string{{"a", "b"}, {"\x00"}, {"\x00", "\xff"}, {"aaaaaaaa"}, {"bbbbbbbb", "bbbbbbbc"}, {"aaaaaaaa", "b", "\x00"}, {"a", "\x00\x00\x00\x00\x00\x00\x00"}, {"same"}} {
			var texts []string
			for range count {
				texts = append(texts, randomText(r, parts, 12))
			}
			want := slices.Clone(texts)
			slices.Sort(want)
			want = slices.Compact(want)
			place, sorted := sortTexts(texts)
			var got []string
			for _, i := range sorted {
				got = append(got, texts[i])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d of %q: sorted as %.300q", count, parts, got)
			}
			for i, at := range place {
				if got[at] != texts[i] {
					t.Fatalf("%d of %q: %q has the place of %q", count, parts, texts[i], got[at])
				}
			}
		}
	}
}

// A repeated text is kept once.
func TestDistinctTexts(t *testing.T) {
	d := newDistinctTexts(12)
	for range 3 {
		for i, text := range []string{"", "a", "ab", "aaaaaaaab"} {
			if at := d.add(text, 0); int(at) != i {
				t.Errorf("%q is at %d", text, at)
			}
		}
	}
	if len(d.texts) != 4 {
		t.Errorf("%q", d.texts)
	}
}

// Patterns are sorted by precedence, also those that are too long for the counting sort.
func TestOrderOfPatterns(t *testing.T) {
	r := NewRandom(t)
	var body strings.Builder
	body.WriteString("user-agent: *\n")
	for range 400 {
		fmt.Fprintf(&body, "%s: /%s\n", []string{"allow", "disallow"}[r.IntN(2)], strings.Repeat("a", r.IntN(4)+[]int{0, 124, 130, 300}[r.IntN(4)]))
	}
	patterns := Parse([]byte(body.String()), nil).Agent("a").rules.byPrecedence()
	for i := 1; i < len(patterns); i++ {
		a, b := &patterns[i-1], &patterns[i]
		if a.size < b.size || a.size == b.size && (!a.allow && b.allow || a.allow == b.allow && a.line > b.line) {
			t.Errorf("line %d of %d bytes is before line %d of %d", a.line, a.size, b.line, b.size)
		}
	}
}

// Every group that names an agent applies, and only once if it names the agent twice.
func TestEachGroupAppliesOnce(t *testing.T) {
	for body, want := range map[string][]int32{
		"user-agent: a\nuser-agent: a\ndisallow: /\n":                                                    {0},
		"user-agent: a\nuser-agent: b\nuser-agent: a\ndisallow: /\nuser-agent: a\nuser-agent: a\nallow:": {0, 3},
		"user-agent: *\nuser-agent: a\nuser-agent: *\ndisallow: /\nuser-agent: a\nallow: /":              {1, 3},
		"user-agent: b\nuser-agent: c\ndisallow: /":                                                      nil,
		"user-agent: *\ndisallow: /\nuser-agent: *\nuser-agent: *\nallow: /":                             {0, 1},
	} {
		if got := Parse([]byte(body), nil).Agent("a").rules.named(); !slices.Equal(got, want) {
			t.Errorf("%q: lines %v, want %v", body, got, want)
		}
	}
	p := Parse([]byte("user-agent: *\ndisallow: /\nuser-agent: *\nallow: /a"), Draft2019).Agent("a")
	if len(p.rules.groups) != 1 {
		t.Errorf("draft2019: groups %v", p.rules.groups)
	}
}

// Records between the User-agent lines of a group belong to the group, for each of its agents
// (G-10).
func TestRecordsBetweenAgentLines(t *testing.T) {
	const group = "user-agent: a\ncrawl-delay: 3\nuser-agent: b\nuser-agent: c\ncrawl-delay: 2\nfoo: x\ndisallow: crawl-delay: 9\ncrawl-delay: 1\nvisit-time: 0100-0200\n" +
		"sitemap: https://example.com/\ncrawl-delay: x\nuser-agent: d\ncrawl-delay: 8\n"
	for _, before := range []string{"", "user-agent: x\ncrawl-delay: 9\ndisallow: /\n"} {
		for _, agent := range []string{"a", "b", "c"} {
			p := Parse([]byte(before+group), nil).Agent(agent) // parsed again, because the three agents share their rules
			if delay, _ := p.CrawlDelay(); delay != 3*time.Second || len(p.Records()) != 4 {
				t.Errorf("%s: %v, %v", agent, delay, p.Records())
			}
		}
	}
	if got := Parse([]byte(group), nil).Agent("nobody").Records(); got != nil {
		t.Errorf("an agent without a group: %v", got)
	}
}

// Only an Allow of an index page has a second pattern, for the directory (M-6).
func TestIndexPagesArePatterns(t *testing.T) {
	for line, want := range map[string]int{"allow: /a/index.html": 2, "allow: /a/index.htmx": 2, "allow: /a": 1, "allow: /index/a": 1, "disallow: /a/index.html": 1} {
		p := Parse([]byte("user-agent: *\n"+line), Google).Agent("a")
		if got := len(p.rules.byPrecedence()); got != want {
			t.Errorf("%s: %d patterns, want %d", line, got, want)
		}
	}
}

// The part of the index behind an agent line has the rules of its group, and no others.
func TestPartOfAGroup(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("disallow: /a\n", n) }
	f := Parse([]byte("user-agent: a\nuser-agent: b\n"+lines(3)+"user-agent: c\n"+lines(100)+"user-agent: *\n"+lines(50)), nil)
	for agent, want := range map[string]int{"a": 3, "b": 3, "c": 100, "d": 50} {
		rules, first := 0, 0
		f.Agent(agent).rules.eachRule(func(e entry) {
			if rules++; rules == 1 {
				first = e.line
			}
		})
		if group := map[string]int{"a": 3, "b": 3, "c": 7, "d": 108}; rules != want || first != group[agent] {
			t.Errorf("%s: %d rules from line %d", agent, rules, first)
		}
	}
}

// An entryReader returns the entries that were added, for small and large steps between them.
func TestIndexKeepsEntries(t *testing.T) {
	r := NewRandom(t)
	for range 200 {
		var x indexWriter
		var want []entry
		line, end := 0, 0
		for range 1 + r.IntN(6) {
			steps := []int{0, 1, 2, 30, 31, 32, 127, 128, 300, 100_000}
			step := func() int { return steps[r.IntN(len(steps))] }
			e := entry{kind: entryKind(r.IntN(6)), line: line + step(), start: end + step()}
			e.end = e.start + step()
			x.add(e.kind, e.line, e.start, e.end)
			line, end = e.line, e.end
			want = append(want, e)
		}
		groups := -1
		entries := (&File{index: x.index}).entries()
		for i, e := range want {
			if e.kind == openingEntry {
				groups++
			}
			if !entries.next() || entries.entry != e || entries.group != groups {
				t.Fatalf("entry %d: %+v of group %d, want %+v of %d", i, entries.entry, entries.group, e, groups)
			}
		}
		if entries.next() {
			t.Fatalf("an entry behind the last: %+v", entries.entry)
		}
	}
}

// A file keeps the latest rule sets: at most maxKept, with at most three times the bytes of its
// index; but always the latest one.
func TestFileKeepsTheLatestRules(t *testing.T) {
	f := &File{index: make([]byte, 100)}
	rulesOf := func(length int) *ruleSet { return &ruleSet{length: length} }
	keep := func(want int, r *ruleSet) {
		t.Helper()
		f.keep(r)
		if len(f.keptSets) != want || f.keptSets[len(f.keptSets)-1] != r || !f.keeps(r) {
			t.Errorf("%d rules are kept, want %d", len(f.keptSets), want)
		}
	}
	keep(1, rulesOf(140))
	keep(2, rulesOf(160))
	oldest := f.keptSets[0]
	keep(2, rulesOf(1))
	if f.keeps(oldest) {
		t.Error("the oldest is kept")
	}
	keep(1, rulesOf(1000))
	for i := range 2 * maxKept {
		keep(min(i+1, maxKept), rulesOf(0))
	}
}

// The size of a policy includes its names; that of a rule set includes a lookup and a sweep.
func TestSizeOfRules(t *testing.T) {
	f := Parse([]byte("user-agent: a\ndisallow: /"), nil)
	if a, b := f.Agent("a"), f.Agent("a", "bcdefgh"); a.Size() != policySize+1 || b.Size() != a.Size()+stringSize+7 {
		t.Errorf("%d and %d bytes", a.Size(), b.Size())
	}
	own := *f.Agent("a")
	own.rules = f.newRules(own.rules.named())
	if got, want := own.Size(), f.Agent("a").Size()+rulesSize+groupSize; got != want {
		t.Errorf("with its own rules: %d bytes, want %d", got, want)
	}
	if got := AllowAll(Unavailable, nil).Agent("a").Size(); got != policySize {
		t.Errorf("without rules: %d bytes", got)
	}
	size := func(d *Dialect, patterns ...string) int {
		body := "user-agent: *\ndisallow: " + strings.Join(patterns, "\ndisallow: ")
		return Parse([]byte(body), d).Agent("a").rules.size() - rulesSize - groupSize
	}
	repeat := func(pattern string, n int) []string { return slices.Repeat([]string{pattern}, n) }
	const few, many = fewBytes / 3, 100
	for i, c := range []struct{ got, want int }{
		{size(nil, "/a"), 0},
		{size(nil, repeat("/a", few)...), 0},
		{size(nil, repeat("/a", many)...), lookupBytes + headSize*many},
		{size(nil, repeat("/%61b", many)...), lookupBytes + (headSize+oddSize+len("/ab"))*many}, // as "/ab", which is not in the file
		{size(nil, repeat("/*a", fewTails)...), lookupBytes + headSize*fewTails},
		{size(nil, repeat("/*a", many)...), lookupBytes + (headSize+tailSize)*many},
		{size(Standard1994, repeat("/*a", many)...), lookupBytes + headSize*many}, // "*" is an ordinary byte
		{size(nil, "/"+strings.Repeat("*a", manySegments)), lookupBytes + headSize},
		{size(nil, "/"+strings.Repeat("*a", manySegments+1)), lookupBytes + headSize + sweptSize + partSize*(manySegments+1) + segmentSize*256},
		{size(nil, "/"+strings.Repeat("*ab", manySegments+1)), lookupBytes + headSize + sweptSize + (partSize+segmentSize)*(manySegments+1)},
		{size(nil, "/"+strings.Repeat("*a", manySegments)+strings.Repeat("*ab", 10)), lookupBytes + headSize + sweptSize + partSize*(manySegments+10) + segmentSize*(256+10)},
	} {
		if c.got != c.want {
			t.Errorf("%d: %d bytes, want %d", i, c.got, c.want)
		}
	}
}
