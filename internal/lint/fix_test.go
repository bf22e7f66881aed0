package lint

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

func TestApply(t *testing.T) {
	edits := func(e ...Edit) Fix { return Fix{Edits: e} }
	for _, c := range []struct {
		name    string
		fixes   []Fix
		want    string
		applied int
	}{
		{"none", nil, "abcdef", 0},
		{"in any order", []Fix{edits(Edit{4, 5, "E"}), edits(Edit{0, 0, "-"}, Edit{5, 6, ""}), edits(Edit{1, 2, "B"})}, "-aBcdE", 3},
		{"neighbours", []Fix{edits(Edit{1, 2, "B"}), edits(Edit{2, 3, "C"}), edits(Edit{0, 1, "A"})}, "ABCdef", 3},
		{"a part of an earlier one", []Fix{edits(Edit{1, 4, "X"}), edits(Edit{3, 5, "Y"}), edits(Edit{0, 2, "Z"}), edits(Edit{2, 3, "W"})}, "aXef", 1},
		{"the same twice", []Fix{edits(Edit{1, 1, "X"}), edits(Edit{1, 1, "X"}), edits(Edit{1, 1, "Y"})}, "aXbcdef", 1},
		{"at the start of an earlier one", []Fix{edits(Edit{1, 2, "B"}), edits(Edit{1, 1, "Y"})}, "aYBcdef", 2},
		{"at the end of an earlier one", []Fix{edits(Edit{1, 2, "B"}), edits(Edit{2, 2, "Y"})}, "aBYcdef", 2},
		{"one of its edits overlaps", []Fix{edits(Edit{1, 2, "B"}), edits(Edit{5, 6, "F"}, Edit{1, 2, "Z"})}, "aBcdef", 1},
		{"one edit of an earlier fix overlaps", []Fix{edits(Edit{1, 2, "B"}, Edit{5, 6, "F"}), edits(Edit{4, 6, "Z"})}, "aBcdeF", 1},
	} {
		if got, applied := Apply([]byte("abcdef"), c.fixes); string(got) != c.want || len(applied) != c.applied {
			t.Errorf("%s: %q, fixes %v applied; want %q, %d", c.name, got, applied, c.want, c.applied)
		}
	}
}

func TestChangesNothing(t *testing.T) {
	const rules = "User-agent: a\nDisallow: /a\nAllow: /b\nDisallow: /c\n"
	for _, c := range []struct {
		name, old, new string
		want           bool
	}{
		{"the same", rules, rules, true},
		{"another order of rules", rules, "User-agent: a\nDisallow: /c\nDisallow: /a\nAllow: /b\n", true},
		{"two groups for one name", rules, "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /c\nUser-agent: A\nDisallow: /c\nUser-agent: a\nAllow: /b\n", false},
		{"three groups for one name", rules, "User-agent: a\nDisallow: /a\nUser-agent: A\nDisallow: /c\nUser-agent: a\nAllow: /b\n", true},
		{"the opposite", rules, "User-agent: a\nDisallow: /a\nDisallow: /b\nDisallow: /c\n", false},
		{"a name less", "User-agent: a\nUser-agent: b\nDisallow: /a\n", "User-agent: a\nDisallow: /a\n", false},
		{"only for Google's parser", "User-agent: *\nDisallow: /a b\n", "User-agent: *\nDisallow: /a%20b\n", false},
		{"only in RFC 9309", "User-agent: *\nDisallow: /%7Ea\n", "User-agent: *\nDisallow: /~a\n", false},
		{"a crawler with two names", "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nUser-agent: Googlebot-Image\nDisallow: /b\n", false},
		{"a crawler that does not follow *", "User-agent: *\nDisallow: /b\n", "User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /b\n", false},
		{"a rule that never decides", "User-agent: *\nDisallow: /a\nDisallow: /ab\n", "User-agent: *\nDisallow: /a\n", true},
	} {
		if got := ChangesNothing([]byte(c.old), []byte(c.new)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What compare cannot decide is not the same. The changed rule matches its letters in one order, and
// each of the other rules, which are better, forbids two of them to be neighbours.
func TestUndecidedIsNotProved(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 5)
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	body := "User-agent: *\n"
	for i := range len(letters) - 1 {
		body += "Allow: /*" + letters[i:i+2] + strings.Repeat("*", 2*len(letters)) + "\n"
	}
	changed := body + "Disallow: /*" + strings.Join(strings.Split(letters, ""), "*") + "\n"
	old, new := robotstxt.ParseString(body, nil), robotstxt.ParseString(changed, nil)
	if got := compare.Files(context.Background(), old, new).Outcome; got != compare.Undecided {
		t.Fatalf("this pair is %s: it shows nothing", got)
	}
	if ChangesNothing([]byte(body), []byte(changed)) {
		t.Error("undecided, but proved")
	}
}

// Most fixes are proved without a search: the rules for each crawler are the same.
func TestRulesByName(t *testing.T) {
	of := func(body string) map[string][]robotstxt.Rule {
		return rulesByName(newReading(robotstxt.ParseString(body, robotstxt.RFC9309)).groups)
	}
	const a = "User-agent: a\nUser-agent: b\nDisallow: /2\nAllow: /1\nDisallow: /1\n"
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{a, a, true},
		{a, "# b\nUser-agent: B\nAllow: /1\nDisallow: /1\n\nDisallow: /2\nUser-agent: A\nDisallow: /2\nUser-agent: a\nAllow: /1\nUser-agent: a\nDisallow: /1\n", true},
		{a + "User-agent: c\nAllow: /\nUser-agent: a\nAllow: /3\nUser-agent: b\nAllow: /4\n",
			"User-agent: a\nAllow: /3\nDisallow: /2\nAllow: /1\nDisallow: /1\nUser-agent: b\nAllow: /4\nDisallow: /2\nAllow: /1\nDisallow: /1\nUser-agent: c\nAllow: /\n", true},
		{a, "User-agent: a\nDisallow: /2\nAllow: /1\nDisallow: /1\n", false},
		{a, a + "Allow: /3\n", false},
		{a, "User-agent: a\nUser-agent: b\nDisallow: /2\nAllow: /1\nAllow: /1\n", false},
		{a, a + "User-agent: b\nAllow: /4\n", false},
		{a + "User-agent: a\nAllow: /3\n", a + "User-agent: b\nAllow: /3\n", false},
	} {
		if got := maps.EqualFunc(of(c.old), of(c.new), slices.Equal); got != c.same {
			t.Errorf("%q\n%q\nthe same: %v", c.old, c.new, got)
		}
	}
}

// After many proofs for one file, fixes are not proved any more, and are offered as unsafe.
func TestProofsEnd(t *testing.T) {
	f := newFile("User-agent: *\nDisallow: /a\n")
	fix := func() bool { return f.newFix("", Edit{len(f.body), len(f.body), "# b\n"}).Safe }
	f.proofWork = maxProofWork - 2*f.workOfProof()
	if first, second, third := fix(), fix(), fix(); !first || !second || third {
		t.Errorf("the proofs took %d work, of at most %d", f.proofWork, maxProofWork)
	}
	f.proofWork = maxProofWork - f.workOfProof() + 1
	if fix() {
		t.Errorf("the proofs took %d work, of at most %d", f.proofWork, maxProofWork)
	}
}

func TestIndexIn(t *testing.T) {
	for _, c := range []struct {
		line, part string
		want       int
	}{
		{"Disallow: Disallow", "Disallow", 0}, // the key
		{"Allow: low", "low", 7},
		{"Allow: /a", "Al", 0}, // a part of the key
		{" Allow: /a", "/a", 8},
		{" Allow: /a", "/b", -1},
		{"/a", "/a", 0},
		{"aa", "a", 0},      // no key
		{"Allow::", ":", 6}, // not the colon after the key
		{"Allow:", "", 6},
	} {
		for line := range robotstxt.ParseString("User-agent: *\n"+c.line, nil).Lines() {
			if got := indexIn(line, c.part); line.Number == 2 && got != c.want {
				t.Errorf("%q in %q: %d, want %d", c.part, c.line, got, c.want)
			}
		}
	}
}

// TestTitles has what people read when they are asked for a fix.
func TestTitles(t *testing.T) {
	for _, c := range []struct{ code, body, want string }{
		{"missing-colon", "User-agent: *\nDisallow /a\n", "write the colon"},
		{"rule-before-agent", "Disallow: /a\n", `write "User-agent: *" above it`},
		{"stray-text", "hello\nUser-agent: *\n", "make it a comment"},
		{"line-too-long", "# " + strings.Repeat("x", googleLineLimit), "write the comment on lines of its own"},
		{"key-misspelt", "User-agent: *\nDISALOW: /a\n", `write "DISALLOW"`},
		{"encoding", strings.Repeat("a\x00", 8), "translate the file to UTF-8"},
		{"encoding", "# \xe9\nUser-agent: *\n", "translate the line to UTF-8"},
		{"encoding", "User-agent: *\nDisallow: /\xe9\n", "write percent encoding, as crawlers read it"},
		{"encoding", "# \x01\nUser-agent: *\n", "remove the control bytes"},
		{"encoding", "User-agent: *\nDisallow: /a\u2060\n", "remove the invisible character"},
		{"byte-order-mark", "\ufeffUser-agent: *\n", "remove the byte-order mark"},
		{"empty-agent", "User-agent:\n", `write "User-agent: *"`},
		{"agent-list", "User-agent: a, b\n", "write a line for each crawler"},
		{"groups-merged", "User-agent: a\n\nUser-agent: b\nDisallow: /\n", `end the group above with an empty "Disallow:"`},
		{"agent-not-token", "User-agent: GPTBot/1.0\n", `write "GPTBot"`},
		{"duplicate-group", "User-agent: a\nDisallow: /a\nUser-agent: a\nDisallow: /b\n", "join the two groups"},
		{"duplicate-group", "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: a\nDisallow: /b\n", "join the two groups"},
	} {
		findings := findingsOf(c.body, c.code)
		if len(findings) == 0 || findings[0].Fix == nil || findings[0].Fix.Title != c.want {
			t.Errorf("%s in %.60q: %+v, want the fix %q", c.code, c.body, findings, c.want)
		}
	}
}

// A line is inserted after a byte-order mark, which crawlers only skip at the start of the file.
func TestInsertedAfterMark(t *testing.T) {
	const body = "\ufeffDisallow: /tmp/\n\nUser-agent: *\nDisallow: /x/\n"
	findings := findingsOf(body, "rule-before-agent")
	fixed, _ := Apply([]byte(body), []Fix{*findings[0].Fix})
	if want := "\ufeffUser-agent: *\n" + strings.TrimPrefix(body, "\ufeff"); string(fixed) != want || findings[0].Fix.Safe {
		t.Errorf("%q, safe %v; want %q", fixed, findings[0].Fix.Safe, want)
	}
}

// A fix is safe only if it is proved in RFC 9309 and in Google's parser.
func TestFixIsSafeInBothDialects(t *testing.T) {
	long := "Disallow: /" + strings.Repeat("x", 20_000)
	for _, c := range []struct {
		old, new string
		safe     bool
	}{
		{"Disallow: /a", "Disallow: /a", true},
		{"Disallow: /\u00e9", "Disallow: /%C3%A9", true},
		{"Disallow: /a b", "Disallow: /a%20b", false}, // changes Google's parser only
		{"Disallow: /%7Ea", "Disallow: /~a", false},   // the same
		{long + "a", long + "b", false},               // changes RFC 9309 only: Google's parser cuts the line
	} {
		const before = "User-agent: *\n"
		body := before + c.old + "\n"
		f := &file{body: body, parsed: robotstxt.ParseString(body, robotstxt.RFC9309), google: robotstxt.ParseString(body, robotstxt.Google)}
		if fix := f.newFix("", Edit{len(before), len(before) + len(c.old), c.new}); fix.Safe != c.safe {
			t.Errorf("%.40s to %.40s: safe is %v", c.old, c.new, fix.Safe)
		}
		if got := ChangesNothing([]byte(body), []byte(before+c.new+"\n")); got != c.safe {
			t.Errorf("%.40s to %.40s: ChangesNothing is %v", c.old, c.new, got)
		}
	}
}

// What is refuted quickly is also refuted by a comparison of the files.
func TestRefuted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	bodyOf := func() string {
		body := ""
		for _, name := range []string{"*", "a"} {
			body += "User-agent: " + name + "\n"
			for range r.IntN(4) {
				body += []string{"Allow: ", "Disallow: "}[r.IntN(2)] + []string{"/", "/a", "a", "/*a$", "/*", "/a*b", "", "/?/a", "/?%2F"}[r.IntN(9)] + "\n"
			}
		}
		return body
	}
	refuted := 0
	for range 500 {
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			old, new := newReading(robotstxt.ParseString(bodyOf(), d)), newReading(robotstxt.ParseString(bodyOf(), d))
			a, b := withoutCommon(old.groups, new.groups)
			if len(a) == 0 || len(b) == 0 || !isRefuted(old.file, new.file, a[0], b[0]) {
				continue
			}
			refuted++
			if o := compare.Files(t.Context(), old.file, new.file).Outcome; o != compare.Differs {
				t.Fatalf("%s: %v and %v", o, old.groups, new.groups)
			}
		}
	}
	if refuted < 100 {
		t.Errorf("only %d are refuted", refuted)
	}
}
