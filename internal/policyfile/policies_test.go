package policyfile_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/expected"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/robotstxt"
)

const folder = "../../conformance/policies"

// policies returns the policies of the suite, by name.
func policies(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.policy"))
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

func read(t testing.TB, name, text string) *policyfile.File {
	t.Helper()
	f, _, wrong := policyfile.Read(name, text, crawlers.Known())
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return f
}

func written(t testing.TB, name, text string) *policyfile.Written {
	t.Helper()
	w, err := read(t, name, text).Write(context.Background(), crawlers.Known(), expected.With(crawlers.Known()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Each policy of the suite gives the robots.txt beside it, which is proved, and its expectations hold.
func TestPolicies(t *testing.T) {
	for name, text := range policies(t) {
		t.Run(name, func(t *testing.T) {
			w := written(t, name, text)
			file := filepath.Join(folder, strings.TrimSuffix(name, ".policy")+".robots.txt")
			if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
				if err := os.WriteFile(file, []byte(w.Robots), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != w.Robots {
				t.Errorf("%v; got\n%s", err, w.Robots)
			}
			if w.Proof.Result != "equal" || !slices.Contains(w.Proof.Dialects, "rfc9309") || !slices.Contains(w.Proof.Dialects, "google") {
				t.Errorf("%+v", w.Proof)
			}
			for _, found := range lint.Check([]byte(w.Robots)) {
				if found.Code == "purpose-token-mixed" { // other findings are about what the policy wants
					t.Errorf("heed lint: line %d: %s: %s", found.Line, found.Code, found.Message)
				}
			}
			if strings.Contains(text, "expect:") == (w.Cases == 0) {
				t.Errorf("%d expectations", w.Cases)
			}
		})
	}
}

// A rule that changes no verdict is only for purpose tokens, although crawlers and purpose tokens have the same lines in the policy.
func TestIdleRulesOfTokens(t *testing.T) {
	robots := written(t, "p", "everyone:\n disallow /cart\nai-training:\n disallow\n allow /press/\n").Robots
	for agents, rules := range map[string]string{"User-agent: webzio-extended\n": "Allow: /press/\nDisallow: /\n", "User-agent: Google-Extended\n": "Disallow: /cart\nAllow: /press/\nDisallow: /\n"} {
		if !strings.Contains(robots, agents+rules) {
			t.Errorf("no %q in\n%s", agents+rules, robots)
		}
	}
}

// allowsAll decides about a path for all crawlers whose names are read like that of c: AI2Bot and Ai2Bot-Dolma are one name, and
// the strictest rules apply to both.
func allowsAll(o oracle, c crawlers.Crawler, path string) bool {
	for other := range crawlers.Known().All() {
		if strings.EqualFold(other.ReadAs(), c.ReadAs()) && !o.allows(levelsOf(o, other), path) {
			return false
		}
	}
	for name := range o {
		if as := readAs(name); name == as || as != readAs(c.Token) {
			continue
		}
		if _, isKnown := crawlers.Known().Lookup(name); !isKnown && !o.allows(levelsOf(o, crawlers.Crawler{Token: name}), path) {
			return false
		}
	}
	return o.allows(levelsOf(o, c), path)
}

func readAs(name string) string { return strings.ToLower(crawlers.Crawler{Token: name}.ReadAs()) }

// levelsOf returns who speaks of a crawler in a policy, the widest first. A line for "AI" is about all crawlers that read "AI".
func levelsOf(o oracle, c crawlers.Crawler) (levels [][]string) {
	var purposes []string
	for _, p := range c.Purposes {
		if o[string(p)] != nil {
			purposes = append(purposes, string(p))
		}
	}
	if len(purposes) > 0 {
		levels = append(levels, purposes)
	}
	if operator := "@" + strings.ToLower(c.Operator); o[operator] != nil {
		levels = append(levels, []string{operator})
	}
	chain := slices.Clone(c.Chain)
	if len(chain) == 0 {
		chain = []string{c.Token}
	}
	slices.Reverse(chain)
	for _, name := range chain {
		if name = strings.ToLower(name); o[name] == nil {
			name = readAs(name)
		}
		if o[name] != nil {
			levels = append(levels, []string{name})
		}
	}
	if o["everyone"] != nil && (c.ObeysWildcard != crawlers.No || len(levels) > 0) {
		levels = slices.Insert(levels, 0, []string{"everyone"})
	}
	return levels
}

// An oracle that reads the policy itself agrees about every crawler and 100,000 URLs.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 1))
	questions := 0
	all := slices.Collect(crawlers.Known().All())
	for _, name := range []string{"Indeed", "SomeHarvester", "NoSuchBot"} {
		all = append(all, crawlers.Crawler{Token: name})
	}
	for name, text := range policies(t) {
		o := newOracle(text)
		file := robotstxt.ParseString(written(t, name, text).Robots, robotstxt.RFC9309)
		for range 5000 {
			c := all[random.IntN(len(all))]
			if c.ReadAs() == "" {
				continue
			}
			path := pathNear(random, text)
			got := file.Agent(c.Agents()...).Check(path)
			if want := allowsAll(o, c, path); got.Allowed != want {
				t.Fatalf("%s: %s of %s is %v; the policy says %v", name, path, c.Token, got, want)
			}
			questions++
		}
	}
	if questions < 95_000 {
		t.Error(questions, "questions")
	}
}

// Random policies with names that crawlers read as the same name: no crawler may fetch what a line disallows for one of these
// names, and the proof leaves out exactly the crawlers that get other rules than the policy says.
func TestRandomNames(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 6))
	families := [][]string{ // each with crawlers and purposes of which one policy speaks
		{"everyone", "ai-training", "ai-user", "AI2Bot", "AI2Bot-DeepResearchEval", "Ai2Bot-Dolma", "AI2Bot-Foo", "AI2", `"AI"`},
		{"ai-training", "archive", "CCBot", "CCBot2"},
		{"everyone", "@Google", "Googlebot", "Googlebot2", "Googlebot-News", "Googlebot-News3", "AdsBot-Google", "AdsBot-Google3"},
		{"everyone", "foo", "foo1", "foo2", "GPTBot", "GPTBot4", "Panscient", "panscient.com", "panscient.net"},
	}
	said := []string{"disallow", "disallow /a", "disallow /a/b", "allow /a", "allow /a/b", "only", "inherit", "only disallow /b"}
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	policies, others := 0, 0
	for range 2000 {
		text, names := "", families[random.IntN(len(families))]
		for range 1 + random.IntN(4) {
			text += pick(names)
			for random.IntN(3) == 0 {
				text += ", " + pick(names)
			}
			text += ": " + pick(said) + "\n"
		}
		w := writtenIfCorrect(t, text)
		if w == nil {
			continue
		}
		policies++
		o := newOracle(strings.ReplaceAll(text, `"`, ""))
		_, leftOut, _ := strings.Cut(strings.ToLower(w.Proof.For)+" ", " except")
		file := robotstxt.ParseString(w.Robots, robotstxt.RFC9309)
		for _, name := range names {
			c, isKnown := crawlers.Known().Lookup(name)
			if name = strings.ToLower(name); !isKnown {
				c.Token = name
			}
			if !isKnown && (o[name] == nil || name == readAs(name) || strings.HasPrefix(name, "@")) {
				continue // nobody, or not one crawler
			}
			isSame := true
			for _, path := range []string{"/", "/a", "/a/b", "/b", "/c"} {
				got := file.Agent(c.Agents()...).Check(path).Allowed
				if want := allowsAll(o, c, path); got != want {
					t.Fatalf("%s%s of %s is %v; the policy says %v\n%s", text, path, name, got, want, w.Robots)
				}
				isSame = isSame && got == o.allows(levelsOf(o, c), path)
			}
			if !isSame {
				others++
			}
			if isLeftOut := strings.Contains(leftOut, " "+strings.ToLower(name)+" "); !isSame && !isLeftOut {
				t.Fatalf("%s%s gets other rules, but the proof is for %s", text, name, w.Proof.For)
			}
		}
	}
	if policies < 1000 || others < 100 {
		t.Errorf("%d policies, %d crawlers with other rules", policies, others)
	}
}

// writtenIfCorrect returns the robots.txt of a policy, or nil if the policy has an error.
func writtenIfCorrect(t *testing.T, policy string) *policyfile.Written {
	f, _, wrong := policyfile.Read("p", policy, crawlers.Known())
	if len(wrong) > 0 {
		return nil
	}
	w, err := f.Write(t.Context(), crawlers.Known(), nil)
	if err != nil {
		t.Fatalf("%s%v", policy, err)
	}
	return w
}

// Random policies with lines for two purposes of a crawler: it may fetch nothing more than both lines allow together. If it may
// fetch less, the proof leaves it out, and a note has an example.
func TestRandomPurposes(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 9))
	said := []string{"disallow", "disallow /*a", "disallow /a", "allow /*b", "allow /a*b", "allow /b", "allow /ab", "only", "disallow /*b$"}
	paths := []string{"/"}
	for i := 0; len(paths[i]) < 5; i++ {
		paths = append(paths, paths[i]+"a", paths[i]+"b", paths[i]+"x")
	}
	c, _ := crawlers.Known().Lookup("Bravebot")
	policies, less := 0, 0
	for range 1000 {
		text := ""
		for _, whom := range []string{"everyone", "search", "ai-search", "@Brave"}[random.IntN(2):] {
			text += whom + ":\n"
			for range 1 + random.IntN(3) {
				text += "    " + said[random.IntN(len(said))] + "\n"
			}
		}
		w := writtenIfCorrect(t, text)
		if w == nil {
			continue
		}
		policies++
		o := newOracle(text)
		agent, example := robotstxt.ParseString(w.Robots, robotstxt.RFC9309).Agent(c.Agents()...), ""
		if found := regexp.MustCompile(`nothing is proved for Bravebot.*for example, (\S+) is`).FindStringSubmatch(strings.Join(w.Notes, "\n")); found != nil {
			example = found[1]
			less++
		}
		if isLeftOut := strings.Contains(w.Proof.For, "Bravebot"); isLeftOut != (example != "") {
			t.Fatalf("%sproved for %s, with the example %q", text, w.Proof.For, example)
		}
		for _, path := range append(slices.Clone(paths), cmp.Or(example, "/")) {
			got, want := agent.Check(path).Allowed, o.allows(levelsOf(o, c), path)
			if got && !want || got != want && example == "" || got == want && path == example {
				t.Fatalf("%s%q is %v; the policy says %v, and the note has the example %q\n%s", text, path, got, want, example, w.Robots)
			}
		}
	}
	if policies < 200 || less < 20 {
		t.Errorf("%d policies, %d with less than the policy says", policies, less)
	}
}

// pathNear returns a path that is similar to one of a text.
func pathNear(random *rand.Rand, text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && ascii.IsSpace(byte(r)) })
	words = slices.DeleteFunc(words, func(word string) bool { return word[0] != '/' && word[0] != '*' })
	path := "/"
	if len(words) > 0 {
		path = words[random.IntN(len(words))]
	}
	for strings.Contains(path, "*") {
		path = strings.Replace(path, "*", []string{"", "a", "/b/", "x.html?"}[random.IntN(4)], 1)
	}
	path = strings.TrimSuffix(path, "$")
	switch random.IntN(4) {
	case 0:
		path += []string{"a", "/", "?sort=1", ".xls", "/private/data/x"}[random.IntN(5)]
	case 1:
		path = path[:random.IntN(len(path)+1)]
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.HasPrefix(path, "//") {
		path = "/x" + path[1:]
	}
	return path
}

// A change of what is said of one purpose changes the lines of this purpose only.
func TestSmallChanges(t *testing.T) {
	changes := 0
	for name, text := range policies(t) {
		before := written(t, name, withoutExpectations(text)).Robots
		for _, purpose := range crawlers.Purposes() {
			for _, said := range []string{": disallow\n", ": disallow /some/path/\n", ": only allow\n"} {
				f, _, wrong := policyfile.Read(name, withoutExpectations(text)+string(purpose)+said, crawlers.Known())
				if len(wrong) > 0 {
					continue // the policy says the opposite
				}
				after, err := f.Write(context.Background(), crawlers.Known(), nil)
				if err != nil {
					t.Errorf("%s%s: %v", purpose, said, err)
					continue
				}
				changes++
				if a, b := others(before, purpose), others(after.Robots, purpose); a != b {
					t.Fatalf("%s and %s%s changes other lines:\n%s\n\nis now\n%s", name, purpose, said, a, b)
				}
			}
		}
	}
	if changes < 700 {
		t.Error(changes, "changes")
	}
}

func withoutExpectations(policy string) string {
	var b strings.Builder
	for line := range strings.Lines(policy) {
		if !strings.HasPrefix(line, "expect:") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// others returns a robots.txt without the lines that are about a purpose: names of its crawlers, of those that would follow
// them, and of those whose lines are read as the same names, and groups that have only these.
func others(robots string, purpose crawlers.Purpose) string {
	names := map[string]bool{} // what the lines of crawlers for the purpose are read as
	for c := range crawlers.Known().For(purpose) {
		names[strings.ToLower(c.ReadAs())] = true
	}
	var kept []string
	for group := range strings.SplitSeq(robots, "\n\n") {
		var lines []string
		left := 0
		for line := range strings.Lines(group + "\n") {
			name, isName := strings.CutPrefix(strings.TrimSpace(line), "User-agent: ")
			c, _ := crawlers.Known().Lookup(name)
			about := slices.ContainsFunc(c.Agents(), func(agent string) bool { return names[strings.ToLower(agent)] })
			switch {
			case strings.HasPrefix(line, "# "), isName && about:
				continue
			case isName:
				left++
			}
			lines = append(lines, line)
		}
		if left > 0 {
			kept = append(kept, strings.Join(lines, ""))
		}
	}
	return strings.Join(kept, "\n")
}

// Rules that are left out never change a verdict: what is written of random rules is always proved.
func TestRandomRules(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 2))
	parts := []string{"a", "b", "/", "*", "**", "?", "%61", "é", "a/b", "$"}
	for range 1000 {
		var policy strings.Builder
		policy.WriteString("everyone: allow\n")
		for range 2 + random.IntN(5) {
			path := "/"
			for range random.IntN(5) {
				path += parts[random.IntN(len(parts))]
			}
			policy.WriteString("  " + []string{"allow ", "disallow "}[random.IntN(2)] + path + "\n")
		}
		f, _, wrong := policyfile.Read("p", policy.String(), crawlers.Known())
		if len(wrong) > 0 {
			continue // a path is both allowed and disallowed
		}
		if _, err := f.Write(context.Background(), crawlers.Known(), nil); err != nil {
			t.Fatalf("%s%v", &policy, err)
		}
	}
}
