package compare_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// preferencesOf returns what Preferences finds for all crawlers of two files, without what is equal.
func preferencesOf(t *testing.T, old, new string) (found []string) {
	t.Helper()
	a, b := robotstxt.ParseString(old, nil), robotstxt.ParseString(new, nil)
	for _, c := range compare.Preferences(t.Context(), a, b, compare.Files(t.Context(), a, b, []string{"Googlebot"}).Crawlers) {
		for _, p := range c.Purposes {
			if p.Outcome != compare.Equal {
				found = append(found, fmt.Sprintf("%v %v %v %q %v %v", c, p.Purpose, p.Outcome, p.Witness, p.Old, p.New))
			}
		}
	}
	return found
}

func TestPreferences(t *testing.T) {
	const all = "User-agent: *\n"
	for _, c := range []struct {
		name, old, new string
		want           string
	}{
		{"nothing is said", all + "Disallow: /a\n", all + "Disallow: /b\n", ""},
		{"AI-4: a line is added", all, all + "Content-Signal: ai-train=no, search=yes\n",
			`* train-ai differs "/" unknown disallowed; * search differs "/" unknown allowed; Googlebot train-ai differs "/" unknown disallowed; Googlebot search differs "/" unknown allowed`},
		{"AI-15: the same in another carrier", all + "Content-Usage: train-ai=n, search=y\n", all + "Content-Signal: ai-train=no, search=yes\n", ""},
		{"AI-5: the same with paths in another carrier", all + "Content-Usage: /a train-ai=n\nContent-Usage: /b train-ai=n\n", all + "Content-Signal: /b ai-train=no\nContent-Signal: /a ai-train=no\n", ""},
		{"AI-5: the longest path", all + "Content-Usage: train-ai=n\nContent-Usage: /a train-ai=y\n", all + "Content-Usage: train-ai=n\nContent-Usage: /a/b train-ai=y\n",
			`* train-ai differs "/a" allowed disallowed; Googlebot train-ai differs "/a" allowed disallowed`},
		{"AI-5: order means nothing", all + "Content-Usage: /a train-ai=n\nContent-Usage: /*a train-ai=y\n", all + "Content-Usage: /*a train-ai=y\nContent-Usage: /a train-ai=n\n", ""},
		{"AI-7: a line that says nothing", all + "Content-Usage: train-ai=n\n", all + "Content-Usage: train-ai=n\nContent-Usage: /a train-ai=\n",
			`* train-ai differs "/a" disallowed unknown; Googlebot train-ai differs "/a" disallowed unknown`},
		{"AI-3: no page may be crawled", all + "Disallow: /\n", all + "Content-Usage: train-ai=n\nDisallow: /\n", ""},
		{"AI-3: what may be crawled", all + "Disallow: /\nAllow: /x\n", all + "Content-Usage: train-ai=n\nDisallow: /\nAllow: /x\n",
			`* train-ai differs "/x" unknown disallowed; Googlebot train-ai differs "/x" unknown disallowed`},
		{"AI-3: what is said may not be crawled", all + "Disallow: /x\n", all + "Content-Usage: /x/y train-ai=n\nDisallow: /x\n",
			`* train-ai undecided "" unknown unknown; Googlebot train-ai undecided "" unknown unknown`},
		{"AI-6: for one crawler", all + "Content-Usage: train-ai=n\nDisallow:\n\nUser-agent: a\nDisallow:\n", all + "Content-Usage: train-ai=n\nDisallow:\n\nUser-agent: a\nContent-Usage: train-ai=n\nDisallow:\n",
			`a train-ai differs "/" unknown disallowed`},
		{"AI-10: a token, which does not follow *", all + "Disallow: /a\n", all + "Disallow: /a\n\nUser-agent: __usage_ai-training\nDisallow: /a\nAllow: /b\n",
			`* train-ai differs "/b" unknown allowed; __usage_ai-training train-ai differs "/a" unknown disallowed; Googlebot train-ai differs "/b" unknown allowed`},
		{"AI-10: a token for one operator", "User-agent: Google-Extended\nAllow: /a\n", "User-agent: Google-Extended\nDisallow: /a\n",
			`Google-Extended train-ai differs "/a" allowed disallowed; Googlebot train-ai differs "/a" allowed disallowed`},
		{"AI-10: a tie", "User-agent: Google-Extended\nDisallow: /a*\nAllow: /*a\n", "User-agent: Google-Extended\nAllow: /*a\n",
			""},
		{"AI-10: /robots.txt itself", "User-agent: __usage_ai-training\nDisallow: /a\n", "User-agent: __usage_ai-training\nDisallow: /a\nAllow: /robots.txt$\n", ""},
		{"AI-11: a path takes nothing away", all + "Content-Signal: ai-train=no\nContent-Signal: /a ai-train=yes\n", all + "Content-Signal: ai-train=no\n", ""},
		{"AI-12: a licence", all + "License: https://a.example/\n", all, ""},
	} {
		if got := strings.Join(preferencesOf(t, c.old, c.new), "; "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What is proved to be equal is equal for all short paths, and a witness is one.
func TestPreferencesByBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	one := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	path := func() string {
		return "/" + one("", "a", "b", "*a", "a*b", "a/", "/", "a$", "*b$") + one("", "", "a", "*", "$")
	}
	file := func() string {
		text := "User-agent: *\n"
		for range random.IntN(4) {
			switch random.IntN(4) {
			case 0:
				text += "Content-Usage: " + one("", path()+" ") + one("train-ai=y", "train-ai=n", "train-ai=?") + "\n"
			case 1:
				text += "Content-Signal: " + one("", path()+" ") + one("ai-train=yes", "ai-train=no") + "\n"
			default:
				text += one("Allow: ", "Disallow: ") + path() + "\n"
			}
		}
		text += "Disallow:\n"
		for range random.IntN(2) {
			text += "User-agent: __usage_ai-training\n" + one("Allow: ", "Disallow: ") + path() + "\n" + one("Allow: ", "Disallow: ") + path() + "\n"
		}
		return text
	}
	var paths []string
	for next := []string{"/"}; len(next[0]) < 6; {
		paths = append(paths, next...)
		var longer []string
		for _, p := range next {
			for _, c := range []string{"a", "b", "/", "x"} {
				longer = append(longer, p+c)
			}
		}
		next = longer
	}
	outcomes := map[compare.Outcome]int{}
	for range 3000 {
		old := file()
		new := file()
		if random.IntN(2) == 0 {
			lines := strings.SplitAfter(old, "\n") // without one of them
			at := 1 + random.IntN(len(lines)-1)
			new = strings.Join(slices.Delete(lines, at, at+1), "")
		}
		a, b := robotstxt.ParseString(old, nil), robotstxt.ParseString(new, nil)
		crawlers := compare.FilesFor(t.Context(), a, b, []string{"*"}).Crawlers
		all := compare.Preferences(t.Context(), a, b, crawlers)
		if all == nil {
			continue
		}
		found := all[0].Purposes[usage.TrainAI]
		outcomes[found.Outcome]++
		differs := func(path string) bool {
			url := "http://www.example.com" + path
			return crawlers[0].Old.Check(url).Allowed && crawlers[0].New.Check(url).Allowed &&
				usage.New(a, usage.Options{}).Check(url, true, nil)[usage.TrainAI] != usage.New(b, usage.Options{}).Check(url, true, nil)[usage.TrainAI]
		}
		switch found.Outcome {
		case compare.Differs:
			if !differs(found.Witness) {
				t.Errorf("%q is no witness:\n%s\n%s", found.Witness, old, new)
			}
		case compare.Equal:
			oldUse, newUse := usage.New(a, usage.Options{}), usage.New(b, usage.Options{})
			for _, path := range paths {
				if oldUse.Check(path, true, nil)[usage.TrainAI] != newUse.Check(path, true, nil)[usage.TrainAI] && differs(path) {
					t.Errorf("not equal about %s:\n%s\n%s", path, old, new)
					break
				}
			}
		}
	}
	if outcomes[compare.Equal] < 300 || outcomes[compare.Differs] < 300 || outcomes[compare.Undecided] > 500 {
		t.Errorf("%v", outcomes)
	}
	t.Log(outcomes)
}

// Hostile files take no more than a limit: behind it, nothing is proved, and nothing is said.
func TestPreferencesOfHostileFiles(t *testing.T) {
	names := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "User-agent: x%s\n"+format, word(i), i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ old, new string }{
		"a group for each crawler": {"", names(9_000, "Content-Usage: /%d train-ai=n\nDisallow: /a\n")},
		"many paths":               {"", "User-agent: *\n" + strings.Repeat("Content-Usage: /*a*b train-ai=n\nContent-Usage: /*b*a train-ai=y\n", 3_000)},
		"both":                     {names(300, "Disallow: /%d\n"), names(300, "Content-Signal: /*%d*a ai-train=no\nContent-Usage: /*a*b train-ai=n\nContent-Signal: /*a*b*c ai-train=yes\nContent-Usage: /*b*a train-ai=y\nDisallow: /*a*b\n")},
	} {
		a, b := robotstxt.ParseString(c.old, nil), robotstxt.ParseString(c.new, nil)
		crawlers := compare.Files(t.Context(), a, b).Crawlers
		start := time.Now()
		found := compare.Preferences(t.Context(), a, b, crawlers)
		took := time.Since(start)
		outcomes := map[compare.Outcome]int{}
		for _, p := range found {
			outcomes[p.Purposes[usage.TrainAI].Outcome]++
		}
		if took > time.Minute || len(found) != len(crawlers) {
			t.Errorf("%s: %v for %d of %d crawlers", name, took, len(found), len(crawlers))
		}
		t.Log(name, took, outcomes)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	a, b := robotstxt.ParseString("", nil), robotstxt.ParseString("User-agent: *\nContent-Usage: train-ai=n\n", nil)
	for _, p := range compare.Preferences(ended, a, b, compare.Files(t.Context(), a, b).Crawlers)[0].Purposes {
		if p.Outcome != compare.Undecided {
			t.Errorf("behind the end of the context: %+v", p)
		}
	}
}
