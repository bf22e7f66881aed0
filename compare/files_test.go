package compare_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// group returns a group that disallows a path.
func group(name, path string) string {
	return fmt.Sprintf("User-agent: %s\nDisallow: %s\n\n", name, path)
}

// differing returns the crawlers for which files differ.
func differing(r compare.FilesResult) (names []string) {
	for _, c := range r.Crawlers {
		if c.Result.Outcome == compare.Differs {
			names = append(names, c.String())
		}
	}
	return names
}

// In the standard of 1994, a crawler "a_b" is named by "a" and by "b". The first group that names
// it applies, so the files may differ for it alone.
func TestCrossingNames(t *testing.T) {
	tests := []struct {
		name       string
		old, new   string
		dialects   [2]*robotstxt.Dialect
		differsFor []string
	}{
		{name: "two names", old: group("a", "/x") + group("b", "/y"), new: group("b", "/y") + group("a", "/x"),
			differsFor: []string{"a_b"}},
		{name: "a name with the joint in it", old: group("a_b", "/z") + group("b_a", "/z") + group("a", "/x") + group("b", "/y"),
			new: group("a_b", "/z") + group("b_a", "/z") + group("b", "/y") + group("a", "/x"), differsFor: []string{"a-b"}},
		{name: "parts in one file only", old: group("a", "/x"), new: group("a", "/x") + group("*", "/y"),
			dialects:   [2]*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Standard1994},
			differsFor: []string{"*"}},
		{name: "parts in the old file", old: group("a", "/"), new: group("a", "/"),
			dialects: [2]*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Draft1996}, differsFor: []string{"a_"}},
		{name: "parts in the new file", old: group("a", "/"), new: group("a", "/"),
			dialects: [2]*robotstxt.Dialect{robotstxt.Draft1996, robotstxt.Standard1994}, differsFor: []string{"_a"}},
		{name: "names that are no UTF-8", old: group("\xfe", "/x") + group("\xff", "/y"), new: group("\xfe", "/x") + group("\xff", "/z"),
			differsFor: []string{"\xff"}},
		{name: "other letters", old: group("k", "/x") + group("\u212a", "/y"), new: group("k", "/x") + group("\u212a", "/z"),
			differsFor: []string{"\u212a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, d := range test.dialects {
				if d == nil {
					test.dialects[i] = robotstxt.Standard1994
				}
			}
			r := compare.Files(context.Background(), robotstxt.ParseString(test.old, test.dialects[0]), robotstxt.ParseString(test.new, test.dialects[1]))
			names := differing(r)
			if r.Outcome != compare.Differs || r.Incomplete || !slices.Equal(names, test.differsFor) {
				t.Errorf("%s, incomplete %v, for %q", r.Outcome, r.Incomplete, names)
			}
			for _, c := range r.Crawlers {
				if named := len(c.Tokens) == 0 || strings.Contains(test.old+test.new, "User-agent: "+c.Tokens[0]+"\n"); c.MadeUp == named {
					t.Errorf("%s is made up: %v", c, c.MadeUp)
				}
			}
		})
	}
}

// A name can be made up only with a character that no name has. Files with the same names in the
// same order need none.
func TestNoJointLeft(t *testing.T) {
	portion.Skip(t, 4)
	files := func(characters string) (old, new *robotstxt.File) {
		names, other := "", group("\u00e9", "/x")
		for _, c := range characters {
			names += group(string(c), "/")
		}
		return robotstxt.ParseString(names+other, robotstxt.Standard1994), robotstxt.ParseString(other+names, robotstxt.Standard1994)
	}
	const all = "abcdefghijklmnopqrstuvwxyz_-~+=!:.0123456789"
	old, new := files(all)
	if r := compare.Files(context.Background(), old, new); r.Outcome != compare.Undecided || !r.Incomplete {
		t.Errorf("another order: %s, incomplete %v", r.Outcome, r.Incomplete)
	}
	if r := compare.Files(context.Background(), old, old); r.Outcome != compare.Equal || r.Incomplete {
		t.Errorf("the same order: %s, incomplete %v", r.Outcome, r.Incomplete)
	}
	for _, left := range all {
		old, new := files(strings.ReplaceAll(all, string(left), ""))
		if r := compare.Files(context.Background(), old, new); r.Outcome != compare.Differs || r.Incomplete {
			t.Errorf("%c is left: %s, incomplete %v", left, r.Outcome, r.Incomplete)
		}
	}
}

func TestChains(t *testing.T) {
	old := robotstxt.ParseString(group("news", "/x")+group("bot", "/y"), nil)
	new := robotstxt.ParseString(group("bot", "/y"), nil)
	r := compare.Files(context.Background(), old, new, []string{"news", "bot"}, []string{"other", "bot"})
	var got []string
	for _, c := range r.Crawlers {
		got = append(got, c.String()+" "+c.Result.Outcome.String())
	}
	want := "* equal, news:bot differs, bot equal, news:bot differs, other:bot equal" // no crawler is known that is called only "news"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	chosen := compare.FilesFor(context.Background(), old, new, []string{"*"}, []string{"bot"})
	if chosen.Outcome != compare.Equal || len(chosen.Crawlers) != 2 || len(chosen.Crawlers[0].Tokens) != 0 {
		t.Errorf("%s, %v", chosen.Outcome, chosen.Crawlers)
	}
}

// Crawlers to which other groups apply are compared on their own, however the groups of the two
// files are numbered, and if only one file reads their names.
func TestGroupsOfCrawlers(t *testing.T) {
	old := robotstxt.ParseString(group("z", "/")+"User-agent: a\nUser-agent: b\nDisallow:\n\n"+group("b", "/b"), nil)
	new := robotstxt.ParseString(group("z", "/")+group("y", "/")+group("a", "/x")+"User-agent: a\nUser-agent: b\nDisallow: /b\n", nil)
	older := robotstxt.ParseString("", robotstxt.Standard1994)
	for _, test := range []struct {
		old, new *robotstxt.File
		names    []string
		want     string
	}{
		{old, new, []string{"a", "b"}, "[a]"},
		{old, new, []string{"b", "a"}, "[a]"},
		{robotstxt.ParseString("", nil), older, []string{"a", "+"}, "[+]"}, // RFC 9309 has no such name
	} {
		r := compare.FilesFor(context.Background(), test.old, test.new, test.names[:1], test.names[1:])
		if got := fmt.Sprint(differing(r)); got != test.want {
			t.Errorf("%s: they differ for %s, not %s", test.names, got, test.want)
		}
	}
}

// Where files name too many crawlers, the given chains are still compared, and are in the result.
func TestChainsOfManyNames(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	var names strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&names, "User-agent: a%s\n", strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e",
			"5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprint(i)))
	}
	old := robotstxt.ParseString(names.String()+"Disallow: /x\n", nil)
	new := robotstxt.ParseString(names.String()+"Disallow: /x\n\n"+group("bot", "/y"), nil)
	r := compare.Files(context.Background(), old, new, []string{"news", "bot"}, []string{"other"})
	if r.Outcome != compare.Differs || !r.Incomplete {
		t.Errorf("%s, incomplete %v", r.Outcome, r.Incomplete)
	}
	for i, want := range []string{"news:bot differs", "other equal"} {
		c := r.Crawlers[len(r.Crawlers)-2+i]
		if got := c.String() + " " + c.Result.Outcome.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A crawler that follows another name if a file does not name it may differ, though the files are
// equal for every name.
func TestOtherChains(t *testing.T) {
	base := group("base", "/")
	tests := []struct {
		name, old, new string
		want           bool
	}{
		{"the same names", "User-agent: shopbot\nDisallow:\n\n" + base, base + "User-agent: SHOPBOT\nDisallow:\n", false},
		{"a name that is gone", "User-agent: shopbot\nDisallow:\n\n" + base, base, true},
		{"a new name", base, "User-agent: shopbot\nDisallow:\n\n" + base, true},
		{"no other name to follow", "User-agent: shopbot\nDisallow:\n", "", false},
		{"no other name, and a group for all", "User-agent: shopbot\n" + group("*", "/"), group("*", "/"), true},
		{"no other name, and a group for all that allows everything", "User-agent: shopbot\n" + group("*", ""), group("*", ""), false},
	}
	for _, test := range tests {
		old, new := robotstxt.ParseString(test.old, nil), robotstxt.ParseString(test.new, nil)
		r := compare.Files(context.Background(), old, new)
		if r.Outcome != compare.Equal || r.OtherChains != test.want {
			t.Errorf("%s: %v, other chains %v", test.name, r.Outcome, r.OtherChains)
		}
		if differs := compare.FilesFor(context.Background(), old, new, []string{"shopbot", "base"}, []string{"shopbot", robotstxt.NotEveryone}).Outcome == compare.Differs; differs != test.want {
			t.Errorf("%s: the chain differs: %v", test.name, differs)
		}
	}
}

// A file that names a crawler is compared with all tokens that the caller knows of it, if they make a difference. Then a
// crawler with only this name may differ.
func TestNamesOfChains(t *testing.T) {
	chain := []string{"ads", robotstxt.NotEveryone}
	everyone := robotstxt.ParseString(group("*", "/"), nil)
	for old, want := range map[string]string{
		group("ADS", "") + group("*", "/"):      "* ads:!* ads:!*, equal, other chains true",
		group("ADS", "/cart") + group("*", "/"): "* ads:!* ads:!*, differs, other chains true",
		group("*", "/"):                         "* ads:!*, equal, other chains false",
	} {
		r := compare.Files(context.Background(), robotstxt.ParseString(old, nil), everyone, chain)
		var names []string
		for _, c := range r.Crawlers {
			names = append(names, c.String())
		}
		if got := fmt.Sprintf("%s, %s, other chains %v", strings.Join(names, " "), r.Outcome, r.OtherChains); got != want {
			t.Errorf("%q: got %s, want %s", old, got, want)
		}
	}
	file := robotstxt.ParseString(group("Ads", "/x"), nil)
	if r := compare.Files(context.Background(), file, file, chain); r.Crawlers[1].String() != "Ads" {
		t.Errorf("both files name it, and it is compared as %s", r.Crawlers[1])
	}
}

// Each name is one crawler, in any letters; the empty name is none.
func TestNames(t *testing.T) {
	file := robotstxt.ParseString("User-agent: AmZ\nUser-agent: aMz\nUser-agent:\nDisallow: /\n\nUser-agent: b\nDisallow: /\n", robotstxt.Google)
	r := compare.Files(context.Background(), file, robotstxt.ParseString("User-agent: amz\nUser-agent: c\nDisallow:\n\n"+group("base", "/"), robotstxt.Google))
	var names []string
	for _, c := range r.Crawlers {
		names = append(names, c.String())
	}
	if got := strings.Join(names, " "); got != "* AmZ b c base" || !r.OtherChains {
		t.Errorf("%s, other chains %v", got, r.OtherChains)
	}
}

// Purpose tokens are no crawlers: without them, files may be equal.
func TestWithoutTokens(t *testing.T) {
	file := func(text string) *robotstxt.File {
		return robotstxt.ParseString("User-agent: *\nDisallow: /a\n\nUser-agent: a\nDisallow:\n\n"+text, nil)
	}
	const token = "User-agent: Google-Extended\nDisallow: /\n"
	for _, c := range []struct {
		old, new    string
		outcome     compare.Outcome
		otherChains bool
		tokens      string
	}{
		{"", token, compare.Equal, false, "[Google-Extended]"},
		{"", "", compare.Equal, false, "[]"},
		{token, "User-agent: b\nDisallow: /a\n", compare.Equal, true, "[Google-Extended]"},
		{token, "User-agent: b\nDisallow: /c\n", compare.Differs, true, "[Google-Extended]"},
	} {
		r := compare.Files(t.Context(), file(c.old), file(c.new))
		rest, tokens := r.WithoutTokens()
		if rest.Outcome != c.outcome || rest.OtherChains != c.otherChains || fmt.Sprint(tokensOf(tokens)) != c.tokens || len(rest.Crawlers)+len(tokens) != len(r.Crawlers) {
			t.Errorf("%q %q: %v %v %v", c.old, c.new, rest.Outcome, rest.OtherChains, tokensOf(tokens))
		}
	}
}

func tokensOf(crawlers []compare.Crawler) (names []string) {
	for _, c := range crawlers {
		names = append(names, c.String())
	}
	return names
}
