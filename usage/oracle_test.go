package usage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// The oracle decides by regular expressions and in the simplest way, with nothing of package usage or robotstxt.

const (
	sfValue  = `(?:[a-zA-Z*][a-zA-Z0-9!#$%&'*+.^_|~:/-]*|-?[0-9]{1,15}|"(?:[ !#-\[\]-~]|\\["\\])*"|\?[01])`
	sfParams = `(?:; *[a-z*][a-z0-9_.*-]*(?:=` + sfValue + `)?)*`
	sfList   = `\( *(?:` + sfValue + sfParams + `(?: +` + sfValue + sfParams + `)*)? *\)`
	sfMember = `([a-z*][a-z0-9_.*-]*)(?:=(` + sfValue + `|` + sfList + `))?` + sfParams
)

var (
	oneMember  = regexp.MustCompile(`^` + sfMember)
	dictionary = regexp.MustCompile(`^ *(?:` + sfMember + `(?:[ \t]*,[ \t]*` + sfMember + `)*)?[ \t]*$`)
	percent    = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	pathThen   = regexp.MustCompile(`^(/[^ \t]*)(?:[ \t]+(.*))?$`)
)

type oracle [3]string // train-ai, search, ai-use: "", "y" or "n"

func (o *oracle) add(i int, value string) {
	if value == "n" || value == "y" && o[i] == "" {
		o[i] = value
	}
}

var usageWords = map[string]int{"train-ai": 0, "search": 1, "ai-use": 2}
var signalWords = map[string]int{"ai-train": 0, "search": 1, "ai-input": 2}

func readDictionary(text string) (o oracle) {
	if !dictionary.MatchString(text) {
		return o
	}
	last := map[string]string{}
	for rest := strings.TrimLeft(text, " "); rest != ""; rest = strings.TrimLeft(rest, " \t,") {
		m := oneMember.FindStringSubmatch(rest)
		last[m[1]] = m[2]
		rest = rest[len(m[0]):]
	}
	for word, value := range last {
		if i, ok := usageWords[word]; ok {
			o.add(i, value)
		}
	}
	return o
}

func readSignals(text string) (o oracle) {
	for _, member := range strings.Split(text, ",") {
		word, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		if i, ok := signalWords[strings.ToLower(word)]; ok && (value == "yes" || value == "no") {
			o.add(i, value[:1])
		}
	}
	return o
}

// normal decodes what stands for itself.
func normal(path string) string {
	return percent.ReplaceAllStringFunc(path, func(s string) string {
		var c byte
		fmt.Sscanf(s, "%%%02x", &c)
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '~' {
			return string(c)
		}
		return strings.ToUpper(s)
	})
}

// matches returns the length of a pattern that matches, -1 for one that does not.
func matches(pattern, path string) int {
	pattern = normal(pattern)
	expression := regexp.QuoteMeta(strings.TrimSuffix(pattern, "$"))
	expression = "^" + strings.ReplaceAll(expression, `\*`, ".*")
	if strings.HasSuffix(pattern, "$") {
		expression += "$"
	}
	if !regexp.MustCompile(expression).MatchString(normal(path)) {
		return -1
	}
	return len(pattern)
}

type group struct {
	agents []string
	lines  [][2]string
}

func groupsOf(robots string) (groups []*group) {
	open := false // the last line was a User-agent, so another one joins
	for _, line := range strings.Split(robots, "\n") {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case key == "user-agent" && open:
			last := groups[len(groups)-1]
			last.agents = append(last.agents, strings.ToLower(value))
		case key == "user-agent":
			groups, open = append(groups, &group{agents: []string{strings.ToLower(value)}}), true
		case len(groups) > 0:
			if key == "allow" || key == "disallow" {
				open = false
			}
			last := groups[len(groups)-1]
			last.lines = append(last.lines, [2]string{key, value})
		}
	}
	return groups
}

// linesFor returns the lines of the groups that name an agent.
func linesFor(groups []*group, agent string) (lines [][2]string, named bool) {
	for _, g := range groups {
		for _, name := range g.agents {
			if name == agent {
				lines, named = append(lines, g.lines...), true
				break
			}
		}
	}
	return lines, named
}

// crawl returns the longest rule that matches; "" for none.
func crawl(lines [][2]string, path string) (verdict string) {
	best := -1
	for _, line := range lines {
		if line[1] == "" || line[0] != "allow" && line[0] != "disallow" {
			continue
		}
		if n := matches(line[1], path); n > best || n == best && n >= 0 && line[0] == "allow" {
			best, verdict = n, line[0]
		}
	}
	return verdict
}

func decide(robots, agent, path string, header []string) (o oracle, crawlable bool) {
	groups := groupsOf(robots)
	lines, named := linesFor(groups, agent)
	if !named {
		lines, _ = linesFor(groups, "*")
	}
	if crawl(lines, path) == "disallow" {
		return o, false
	}
	best := -1
	var longest oracle
	for _, line := range lines {
		pattern, text, length := "", line[1], 0
		if m := pathThen.FindStringSubmatch(line[1]); m != nil {
			pattern, text = m[1], m[2]
			length = matches(pattern, path)
		}
		switch {
		case length < 0:
		case line[0] == "content-signal":
			for i, value := range readSignals(text) {
				o.add(i, value)
			}
		case line[0] == "content-usage" && length >= best:
			if length > best {
				best, longest = length, oracle{}
			}
			for i, value := range readDictionary(text) {
				longest.add(i, value)
			}
		}
	}
	for i, value := range longest {
		o.add(i, value)
	}
	if lines, named := linesFor(groups, "__usage_ai-training"); named {
		o.add(0, map[string]string{"allow": "y", "disallow": "n"}[crawl(lines, path)])
	}
	for i, value := range readDictionary(strings.Join(header, ", ")) {
		o.add(i, value)
	}
	return o, true
}

// AI-3 to AI-11: random files, headers and URLs, decided by the oracle.
func TestOracle(t *testing.T) {
	questions := 10_000
	if os.Getenv("HEED_WHOLE") != "" {
		questions = 100_000
	}
	random := rand.New(rand.NewPCG(3, 8))
	pick := func(choices string) string {
		all := strings.Split(choices, "|")
		return all[random.IntN(len(all))]
	}
	path := func() string {
		text := "/"
		for range random.IntN(4) {
			text += pick("a|b|/|*|%61|~|%7e|a/|.pdf|?|$")
		}
		return text
	}
	members := func() string {
		var all []string
		for range 1 + random.IntN(3) {
			all = append(all, pick("train-ai|search|ai-use|train-ai|bots|Search|a b")+pick("=y|=n|=y|=n||=\"n\"|=(y n)|=y;p=1|;p=n|=N|= y|=?1|=1"))
		}
		return strings.Join(all, pick(",|, | ,\t|,| "))
	}
	signals := func() string {
		var all []string
		for range 1 + random.IntN(3) {
			all = append(all, pick("ai-train|search|ai-input|AI-Train|use|x")+pick("=yes|=no|=yes|=no||=full|=y"))
		}
		return strings.Join(all, pick(",|, | , "))
	}
	line := func() string {
		switch random.IntN(8) {
		case 0:
			return "User-agent: " + pick("*|a|b|__usage_ai-training|*")
		case 1:
			return pick("Allow: |Disallow: |Allow: ") + path()
		case 2, 3:
			return "Content-Usage: " + path() + pick(" |\t|  ") + members()
		case 4:
			return "content-usage:" + members() + pick("|,| # x")
		case 5:
			return "Content-Signal: " + path() + " " + signals()
		case 6:
			return "Content-Signal: " + signals()
		}
		return pick("|Sitemap: https://a.example/s.xml|Crawl-delay: 1|Content-Usage: /a|Content-Usage: * train-ai=n")
	}
	names := map[string]usage.Preference{"": usage.Unknown, "y": usage.Allowed, "n": usage.Disallowed}
	for i := range questions {
		robots := pick("User-agent: *\n|User-agent: a\n|")
		for range random.IntN(12) {
			robots += line() + "\n"
		}
		var header []string
		for range random.IntN(3) * random.IntN(2) {
			header = append(header, members())
		}
		agent := pick("a|b|c")
		file := robotstxt.ParseString(robots, nil)
		policy := usage.New(file, usage.Options{}, agent)
		response := usage.ReadResponse(map[string][]string{"Content-Usage": header}, nil)
		for range 3 {
			target := strings.NewReplacer("*", "x", "$", "").Replace(path())
			crawlable := file.Agent(agent).Check(target).Allowed
			got := policy.Check(target, crawlable, response)
			o, may := decide(robots, agent, target, header)
			want := usage.NoAnswer
			if may {
				want = usage.Answer{names[o[0]], names[o[1]], names[o[2]]}
			}
			if got != want {
				t.Fatalf("%d: %s for %s, header %q: %v, the oracle says %v, in\n%s", i, target, agent, header, got, want, robots)
			}
			checkEvidence(t, policy, got, target, crawlable, response)
		}
	}
}

// checkEvidence: the evidence of an answer is complete (AI-16).
func checkEvidence(t *testing.T, policy *usage.Policy, answer usage.Answer, target string, crawlable bool, response *usage.Response) {
	for _, v := range policy.Explain(target, crawlable, response, usage.Purposes()...) {
		decided := v.Preference == usage.Allowed || v.Preference == usage.Disallowed
		if v.Preference != answer[v.Purpose] || decided != (len(v.By) > 0) {
			t.Fatalf("%s: %v is %v by %v, and Check says %v", target, v.Purpose, v.Preference, v.By, answer)
		}
		for _, ignored := range v.Ignored {
			if ignored.Why == "" {
				t.Fatalf("%s: %+v is ignored without a reason", target, ignored)
			}
		}
	}
}
