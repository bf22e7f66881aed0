package robotstxt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func linesOf(body string, d *Dialect) []Line {
	return slices.Collect(Parse([]byte(body), d).Lines())
}

// L-1, S94-2, S96-8, G-9: CR, LF and CRLF end a line, each once, and nothing
// else does.
func TestLineEnds(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string // Raw of every line, of a dialect without a final empty line
	}{
		{"a\nb\rc\r\nd", []string{"a\n", "b\r", "c\r\n", "d"}},
		{"a\n\rb", []string{"a\n", "\r", "b"}},
		{"a\r\r\nb\n", []string{"a\r", "\r\n", "b\n"}},
		{"a\vb\fc\u2028d\u0085e", []string{"a\vb\fc\u2028d\u0085e"}},
		{"a\r", []string{"a\r"}},
		{"\n", []string{"\n"}},
		{"", nil},
	} {
		var got []string
		for _, line := range linesOf(c.body, RFC9309) {
			got = append(got, line.Raw)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("lines of %q: %q, want %q", c.body, got, c.want)
		}
	}
}

// L-2: Google's parser reports the empty line behind the last line end.
func TestGoogleFinalLine(t *testing.T) {
	for body, want := range map[string]int{"": 1, "a: b": 1, "a: b\n": 2, "a: b\r\n\n": 3, "a\r": 2} {
		if got := len(linesOf(body, Google)); got != want {
			t.Errorf("%q: %d lines, want %d", body, got, want)
		}
	}
}

// L-3: Google's parser keeps 16,663 bytes of a line and uses what it keeps.
func TestGoogleLineLimit(t *testing.T) {
	const kept = 16663
	pattern := "/" + strings.Repeat("x", 2*kept)
	body := "user-agent: *\ndisallow: " + pattern + "\n"
	cut := pattern[:kept-len("disallow: ")]
	line := linesOf(body, Google)[1]
	if line.Value != cut || !line.Notes.Has(NoteCut) {
		t.Errorf("kept %d bytes of the value with notes %q, want %d", len(line.Value), line.Notes, len(cut))
	}
	if d := Parse([]byte(body), Google).Agent("a").Check(cut); d.Allowed {
		t.Error("the cut rule is not used by Google")
	}
	if d := Parse([]byte(body), RFC9309).Agent("a").Check(cut); !d.Allowed {
		t.Error("RFC 9309 cuts a line (R-17)")
	}
	blanks := "user-agent: *\n" + strings.Repeat(" ", 20000) + "disallow: /\n"
	if d := Parse([]byte(blanks), Google).Agent("a").Check("/"); !d.Allowed {
		t.Error("20,000 leading blanks do not hide the rule from Google")
	}
	exact := "\xef\xbb\xbfuser-agent: " + strings.Repeat("a", kept-len("user-agent: "))
	if notes := linesOf(exact, Google)[0].Notes; notes.Has(NoteCut) {
		t.Error("the bytes of a byte-order mark count")
	}
}

// L-4, G-9, R-17: at the start of the file, a byte-order mark is skipped, and so
// is the beginning of one.
func TestByteOrderMark(t *testing.T) {
	for _, d := range Dialects() {
		for bom, skipped := range map[string]bool{
			"\xef\xbb\xbf": true, "\xef\xbb": true, "\xef": true,
			"\xef\xbb\xbf\xef\xbb\xbf": false, "\xef\xbf": false, "\xff\xfe": false, "\xbb": false,
		} {
			line := linesOf(bom+"User-agent: a\n", d)[0]
			if got := line.Kind == KindUserAgent; got != skipped {
				t.Errorf("%s: %q is skipped: %v, want %v", d, bom, got, skipped)
			}
			if skipped && !line.Notes.Has(NoteBOM) {
				t.Errorf("%s: %q: no note", d, bom)
			}
		}
	}
}

// L-5: Google's parser ignores the rest of a line behind a NUL. R-17: in other
// dialects a NUL is a control byte like others.
func TestNUL(t *testing.T) {
	body := "user-agent: *\ndisallow: /x\x00y\n\x00disallow: /z\ndisallow:\x00/x\n"
	google, rfc := linesOf(body, Google), linesOf(body, RFC9309)
	if google[1].Value != "/x" || google[2].Kind != KindBlank || google[3].Value != "" {
		t.Errorf("Google: %q, %s, %q", google[1].Value, google[2].Kind, google[3].Value)
	}
	if rfc[1].Value != "/x\x00y" || rfc[2].Kind != KindDisallow {
		t.Errorf("RFC 9309: %q, %s", rfc[1].Value, rfc[2].Kind)
	}
	if !rfc[1].Notes.Has(NoteControl) {
		t.Error("no note of the control byte")
	}
}

// K-1 to K-6, S94-3, S94-4, R-17: keys, values and comments in each dialect.
func TestKeyAndValue(t *testing.T) {
	type kinds map[*Dialect]Kind
	same := func(k Kind) kinds {
		return kinds{Standard1994: k, Draft1996: k, Draft2019: k, RFC9309: k, Google: k}
	}
	for _, c := range []struct {
		line, key, value string
		want             kinds
		notes            Notes // in the dialects that read it as a record of the protocol
	}{
		{"Disallow: /x", "Disallow", "/x", same(KindDisallow), 0},
		{"dISALLOW\t: /x#y", "dISALLOW", "/x", same(KindDisallow), 0},
		{" \v\fDisallow:\t/x \f", "Disallow", "/x", same(KindDisallow), NoteControl},
		{"Disallow:/x # c: d", "Disallow", "/x", same(KindDisallow), 0},
		{"Disallow::/x", "Disallow", ":/x", same(KindDisallow), NoteNoSlash},
		{"Disallow:", "Disallow", "", same(KindDisallow), NoteEmptyValue},
		{"Disallow:#x", "Disallow", "", same(KindDisallow), NoteEmptyValue},
		{"User-Agent: a", "User-Agent", "a", same(KindUserAgent), 0},
		{"sitemap: x", "sitemap", "x", same(KindSitemap), 0},
		{"SITEMAP: x", "SITEMAP", "x", same(KindSitemap), 0},
		{"Allow: /x", "Allow", "/x", kinds{Standard1994: KindOther, Draft1996: KindAllow, Draft2019: KindAllow, RFC9309: KindAllow, Google: KindAllow}, 0},
		{"# Disallow: /x", "", "", same(KindComment), 0},
		{" \t# x", "", "", same(KindComment), 0},
		{" \t", "", "", same(KindBlank), 0},
		{": /x", "", "", same(KindInvalid), 0},
		{"hello", "", "", same(KindInvalid), 0},
		{"three words here", "", "", same(KindInvalid), 0},
		{"Disallow /a:b", "Disallow /a", "b", kinds{Standard1994: KindOther, Draft1996: KindOther, Draft2019: KindOther, RFC9309: KindOther, Google: KindDisallow}, NoteKeyPrefix | NoteNoSlash},
		{"Disallow = /x", "", "", same(KindInvalid), 0},
		{"Disallow:\u00a0/x", "Disallow", "\u00a0/x", same(KindDisallow), NoteNoSlash},
		{"dis-allow: /x", "dis-allow", "/x", same(KindOther), 0},
		{"\u017fitemap: /x", "\u017fitemap", "/x", same(KindOther), 0},
		{"DisallowAITraining: /", "DisallowAITraining", "/", kinds{Standard1994: KindOther, Draft1996: KindOther, Draft2019: KindOther, RFC9309: KindOther, Google: KindDisallow}, NoteKeyPrefix},
	} {
		for d, want := range c.want {
			got := linesOf("user-agent: *\n"+c.line, d)[1]
			if got.Kind != want || got.Key != c.key || got.Value != c.value {
				t.Errorf("%s: %q is a %s, %q: %q; want a %s, %q: %q", d, c.line, got.Kind, got.Key, got.Value, want, c.key, c.value)
			}
			if got.Kind != KindOther && got.Notes != c.notes {
				t.Errorf("%s: %q has the notes %q, want %q", d, c.line, got.Notes, c.notes)
			}
		}
	}
}

// R-17, K-4, K-6: the newer dialects read misspelt keys and missing colons as meant;
// the two oldest do not.
func TestMisspeltKeysAndMissingColons(t *testing.T) {
	spellings := map[Kind][]string{
		KindUserAgent: {"useragent", "User Agent"},
		KindDisallow:  {"dissallow", "DISSALOW", "disalow", "diasllow", "disallaw"},
		KindSitemap:   {"site-map"},
	}
	for kind, keys := range spellings {
		for _, key := range keys {
			for _, d := range Dialects() {
				want, notes := kind, NoteTypo
				if d == Standard1994 || d == Draft1996 {
					want, notes = KindOther, 0
				}
				if got := linesOf(key+": /x", d)[0]; got.Kind != want || got.Notes&NoteTypo != notes {
					t.Errorf("%s: %q is a %s with notes %q, want a %s", d, key, got.Kind, got.Notes, want)
				}
			}
		}
	}
	for _, d := range Dialects() {
		want := KindDisallow
		if d == Standard1994 || d == Draft1996 {
			want = KindInvalid
		}
		for _, text := range []string{"disallow /x", "disallow \t /x # c"} {
			if got := linesOf(text, d)[0]; got.Kind != want || got.Notes.Has(NoteMissingColon) != (want == KindDisallow) {
				t.Errorf("%s: %q is a %s with notes %q, want a %s", d, text, got.Kind, got.Notes, want)
			}
		}
	}
	if got := linesOf("a b", nil)[0]; got.Kind != KindOther || got.Key != "a" || got.Value != "b" {
		t.Errorf("two words are a %s, %q: %q", got.Kind, got.Key, got.Value)
	}
	if got := linesOf("disallowed: /x", Google)[0]; got.Kind != KindDisallow || !got.Notes.Has(NoteKeyPrefix) {
		t.Errorf("Google: disallowed is a %s with notes %q (K-6)", got.Kind, got.Notes)
	}
	for _, key := range []string{"user_agent", "usr-agent", "user  agent", "disalllow", "alow", "site map"} {
		if got := linesOf(key+": /x", Google)[0].Kind; got != KindOther {
			t.Errorf("Google: %q is a %s (K-6)", key, got)
		}
	}
}

// Lines yields every line, with its number and its offset. The lines, joined, are
// the body.
func TestLossless(t *testing.T) {
	for _, body := range []string{
		"", "\n", "\r\n\r", "a", "\xef\xbb\xbfa\n\xff\x00\x1b[31m\r\nUser-agent: *\n\n",
		"user-agent: *\ndisallow: /x" + strings.Repeat("y", minLimit) + "\nallow: /\n",
	} {
		for _, d := range Dialects() {
			checkLossless(t, []byte(body), d)
		}
	}
}

func checkLossless(t *testing.T, body []byte, d *Dialect) {
	t.Helper()
	var joined []byte
	number := 0
	for line := range Parse(body, d).Lines() {
		number++
		if line.Number != number || line.Offset != len(joined) {
			t.Fatalf("%s: line %d at %d is numbered %d and at %d", d, number, len(joined), line.Number, line.Offset)
		}
		joined = append(joined, line.Raw...)
	}
	if !bytes.Equal(joined, body) {
		t.Fatalf("%s: %d bytes of lines from a body of %d bytes", d, len(joined), len(body))
	}
}

// 500 KiB are parsed, or more with WithLimit. Lines behind the limit are
// ignored, and so is a line that the limit cuts. L-6: Google's parser has no limit.
func TestLimit(t *testing.T) {
	const head, tail = "user-agent: *\ndisallow: /first\n", "disallow: /last"
	filler := func(n int) string { return strings.Repeat("#", n-1) + "\n" }
	// Both rules, with the end of the last one at the given offset.
	body := func(end int) string { return head + filler(end-len(head)-len(tail)) + tail }
	for _, c := range []struct {
		dialect *Dialect
		end     int
		used    bool
	}{
		{RFC9309, 500 << 10, true},
		{RFC9309, 500<<10 + 1, false},
		{RFC9309, 600 << 10, false},
		{Standard1994, 500<<10 + 1, false},
		{Draft1996, 500<<10 + 1, false},
		{Draft2019, 500<<10 + 1, false},
		{Google, 4 << 20, true},
		{RFC9309.WithLimit(600 << 10), 600 << 10, true},
		{RFC9309.WithLimit(600 << 10), 600<<10 + 1, false},
		{RFC9309.WithLimit(1), 500 << 10, true}, // never less than the protocol requires
		{Google.WithLimit(600 << 10), 600<<10 + 1, false},
	} {
		f := Parse([]byte(body(c.end)), c.dialect)
		p := f.Agent("a")
		if p.Check("/first").Allowed {
			t.Errorf("%s, %d bytes: the first rule is not used", c.dialect, c.end)
		}
		if got := !p.Check("/last").Allowed; got != c.used {
			t.Errorf("%s, %d bytes: the last rule is used: %v, want %v", c.dialect, c.end, got, c.used)
		}
		checkLossless(t, []byte(body(c.end)), c.dialect)
		for line := range f.Lines() {
			if line.Number == 4 && line.Notes.Has(NotePastLimit) == c.used {
				t.Errorf("%s, %d bytes: notes %q", c.dialect, c.end, line.Notes)
			}
		}
	}
	behind := head + filler(500<<10-len(head)) + "disallow: /last\n"
	if !Parse([]byte(behind), RFC9309).Agent("a").Check("/last").Allowed {
		t.Error("a line that begins at the limit is used")
	}
}

// S94-2, S94-5: what opens a group, and what does not end one.
func TestGroups(t *testing.T) {
	const body = "disallow: /ignored\nuser-agent: a\n\n# c\nsitemap: x\nUser-agent: b/1.0\nhello world\n" +
		"disallow: /x\n\nallow: /y\nuser-agent: *\nuser-agent: 5\n"
	describe := func(d *Dialect) (s string) {
		for g := range Parse([]byte(body), d).Groups() {
			for _, a := range g.Agents {
				s += fmt.Sprintf("%s@%d ", a.Name, a.Line)
			}
			for _, r := range g.Rules {
				s += fmt.Sprintf("%v%s@%d ", r.Allow, r.Pattern, r.Line)
			}
			s += "| "
		}
		return s
	}
	for d, want := range map[*Dialect]string{
		RFC9309:      "a@2 b@6 false/x@8 true/y@10 | *@11 @12 | ",
		Draft2019:    "a@2 b@6 false/x@8 true/y@10 | *@11 @12 | ",
		Google:       "a@2 b@6 false/x@8 true/y@10 | *@11 @12 | ",
		Draft1996:    "a@2 | b@6 false/x@8 | *@11 5@12 | ",
		Standard1994: "a@2 | b@6 false/x@8 | *@11 5@12 | ",
	} {
		if got := describe(d); got != want {
			t.Errorf("%s:\n got %s\nwant %s", d, got, want)
		}
	}
}

// Each fact about a line has its note.
func TestNotes(t *testing.T) {
	for text, want := range map[string]Notes{
		"disallow: /x":       NoteOutsideGroup,
		"crawl-delay: 1":     NoteOutsideGroup,
		"sitemap: https://x": 0, // binds to no group
		"foo: bar":           0,
		"user-agent: 5":      NoteNamesNoCrawler,
		"user-agent: a/1":    NoteNameCut,
		"user-agent: * x":    0,
		"user-agent:":        NoteEmptyValue,
		"# \xff":             NoteNotUTF8,
		"# \x1b[0m":          NoteControl,
		"#\ta":               0,
	} {
		if got := linesOf(text+"\r\n", nil)[0].Notes; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := linesOf("user-agent: a\ndisallow: x", nil)[1].Notes; got != NoteNoSlash {
		t.Errorf("a pattern without a slash: %q (R-10)", got)
	}
	if got := linesOf("user-agent: a\ndisallow: *x", nil)[1].Notes; got != 0 {
		t.Errorf("a pattern that begins with a wildcard: %q", got)
	}
	for i, text := range noteTexts {
		n := Notes(1) << i
		if got := n.Names(); len(got) != 1 || got[0] != text.name || n.String() != text.text {
			t.Errorf("note %d is %q", i, got)
		}
	}
}

// K-9, R-11, G-15: sitemaps are found anywhere, in any group or none.
func TestSitemaps(t *testing.T) {
	var got []string
	for line := range Parse([]byte("sitemap: /rel\nuser-agent: a\nSite-map: https://x/ a\ndisallow:\nsitemap:\n"), nil).Sitemaps() {
		got = append(got, line.Value)
	}
	if want := []string{"/rel", "https://x/ a", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// S94-11, S96-9: 500 KiB of a file are read, without a line that this limit cuts.
func TestOlderDialectsRead500KiB(t *testing.T) {
	const rule = "disallow: /x\n"
	for _, d := range []*Dialect{Standard1994, Draft1996} {
		for past, want := range map[int]bool{0: false, len("\n"): false, 2: true, len(rule): true} {
			head := "user-agent: *\n#"
			pad := strings.Repeat("-", minLimit+past-len(head)-len("\n")-len(rule))
			body := head + pad + "\n" + rule
			if got := Parse([]byte(body), d).Agent("a").Check("/x"); got.Allowed != want {
				t.Errorf("%s, %d bytes: allowed %v, want %v", d, len(body), got.Allowed, want)
			}
		}
	}
}

// ParseString keeps the string, and Parse copies the bytes.
func TestParseStringDoesNotCopy(t *testing.T) {
	body := []byte("\ufeffUser-agent: *\nDisallow: /a\n")
	text := string(body)
	ofString, ofBytes := ParseString(text, Google), Parse(body, Google)
	clear(body)
	for name, f := range map[string]*File{"ParseString": ofString, "Parse": ofBytes} {
		if f.body != text || f.Agent("x").Check("/a").Allowed || f.Dialect() != Google {
			t.Errorf("%s: %q", name, f.body)
		}
	}
	if unsafe.StringData(ofString.body) != unsafe.StringData(text) {
		t.Error("ParseString copies")
	}
	if f := ParseString(text, nil); f.Dialect() != RFC9309 {
		t.Error(f.Dialect())
	}
}

// The size of a file is that of its body and of a small index.
func TestSizeOfFile(t *testing.T) {
	for _, lines := range []int{0, 1, 1000} {
		body := strings.Repeat("Disallow: /folder\n", lines)
		if more := ParseString("User-agent: *\n"+body, nil).Size() - len(body); more < 64 || more > 200+4*lines {
			t.Errorf("%d lines take %d bytes besides the body", lines, more)
		}
	}
	agents := strings.Repeat("User-agent: a\n", 1000)
	if more := ParseString(agents, nil).Size() - len(agents); more < 1000*agentLineSize {
		t.Errorf("1000 User-agent lines take %d bytes besides the body", more)
	}
}

// HasKey finds the lines that Lines yields, in each dialect.
func TestHasKey(t *testing.T) {
	pieces := []string{"content-usage", "Content-Signal", "LICENSE", "license-x", ":", " ", "\t", "\x00", "\n", "\r", "#", "User-agent: a\n", "Disallow: /\n", "\ufeff", "x", "sitemap: y\n", "  "}
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	found := 0
	for range 20_000 {
		text := ""
		for range random.IntN(12) {
			text += pieces[random.IntN(len(pieces))]
		}
		for _, d := range Dialects() {
			f := ParseString(text, d.WithLimit(30))
			keys := []string{"Content-Usage", "license"}
			want := false
			for line := range f.Lines() {
				isOther := line.Kind == KindOther && !line.Notes.Has(NotePastLimit)
				want = want || isOther && (strings.EqualFold(line.Key, keys[0]) || strings.EqualFold(line.Key, keys[1]))
			}
			if got := f.HasKey(keys...); got != want {
				t.Fatalf("%v, %q: %v, want %v", d, text, got, want)
			}
			if want {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d files have one of the keys", found)
	}
	if AllowAll(Unavailable, nil).HasKey("license") {
		t.Error("no file has a key")
	}
}
