package policyfile_test

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// An oracle reads a policy and decides by it, without groups and without a robots.txt. It shares nothing with the package but
// the table of crawlers, and it is slow.
type oracle map[string]*said // by whom: "everyone", a purpose, or the name of a crawler, in lower case

type said struct {
	only  bool
	rules map[string]bool // by path: is it allowed?
}

func newOracle(policy string) oracle {
	o, whom := oracle{}, ""
	for line := range strings.SplitSeq(regexp.MustCompile(`(?m)(^| )#.*|,\n`).ReplaceAllString(policy, ""), "\n") {
		if !strings.HasPrefix(line, " ") {
			whom, line, _ = strings.Cut(line, ":")
		}
		for name := range strings.SplitSeq(strings.ReplaceAll(whom+",", "ai,", "ai-training,ai-search,ai-user,"), ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			words := append(strings.Fields(line), "", "/")
			if o[name] == nil {
				o[name] = &said{rules: map[string]bool{}}
			}
			if words[0] == "only" {
				o[name].only, words = true, words[1:]
			}
			if words[0] != "allow" && words[0] != "disallow" {
				continue
			}
			for i, path := range words[1:] {
				if isPath := strings.HasPrefix(path, "/") || strings.HasPrefix(path, "*"); isPath && (i < len(words)-2 || i == 1) {
					o[name].rules[path] = words[0] == "allow"
				}
			}
		}
	}
	return o
}

// allows decides about a path, by the levels of who speaks of a crawler, the widest first. An Allow of one purpose counts only where
// no other purpose disallows the path.
func (o oracle) allows(levels [][]string, path string) bool {
	rules := map[string]bool{}
	for _, level := range levels {
		only, closed, own := true, false, map[string]bool{}
		for _, name := range level {
			allow, isForSite := o[name].rules["/"]
			closed, only = closed || isForSite && !allow, only && o[name].only
		}
		maps.DeleteFunc(rules, func(_ string, allow bool) bool { return only || allow && closed })
		mayAllow := len(level) == 1 || !slices.ContainsFunc(level, func(name string) bool { return !longestAllows(o[name].rules, path) })
		for _, name := range level {
			for pattern, allow := range o[name].rules {
				if former, again := own[pattern]; !allow || !again && mayAllow || former {
					own[pattern] = allow
				}
			}
		}
		maps.Copy(rules, own)
	}
	return longestAllows(rules, path)
}

func longestAllows(rules map[string]bool, path string) bool {
	allowed, length := true, 0
	for pattern, allow := range rules {
		if n := len(escaped(pattern)); matches(pattern, path) && (n > length || n == length && allow) {
			allowed, length = allow, n
		}
	}
	return allowed
}

func matches(pattern, path string) bool {
	pattern, ends := strings.CutSuffix(escaped(pattern), "$")
	expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	if ends {
		expression += "$"
	}
	return regexp.MustCompile(expression).MatchString(escaped(path))
}

// escaped returns a path as a URL has it.
func escaped(s string) string {
	var b strings.Builder
	if whole, err := url.PathUnescape(s); err == nil {
		s = whole
	}
	for i := range len(s) {
		if s[i] > ' ' && s[i] < 0x7f {
			b.WriteByte(s[i])
		} else {
			b.WriteString(url.PathEscape(s[i : i+1]))
		}
	}
	return b.String()
}
