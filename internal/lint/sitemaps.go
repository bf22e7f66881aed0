package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// CheckSitemaps returns findings about the sitemaps that a robots.txt lists, and the number of these sitemaps. The
// function urlsOf yields the URLs of a sitemap. It must leave out URLs of other origins.
func CheckSitemaps(body []byte, urlsOf func(sitemap string) iter.Seq2[string, error]) (findings []Finding, sitemaps int) {
	f := newFile(string(body))
	policies := f.searchPolicies()
	disallowed, unreadable := RuleOf("sitemap-disallowed").into(&findings), RuleOf("sitemap-unreadable").into(&findings)
	seen := map[string]bool{}
	for _, line := range f.records() {
		sitemap, ok := line.value.(record.Sitemap)
		if !ok || seen[sitemap.URL] {
			continue // not a sitemap, or the same sitemap again; the rule sitemap-invalid reports a value that is not a URL
		}
		seen[sitemap.URL] = true
		o := sitemapCheck{policies: slices.Clone(policies), rules: map[int]bool{}}
		for u, err := range urlsOf(sitemap.URL) {
			o.add(u, err)
		}
		if o.disallowedURLs > 0 {
			found := findingAt(line.Line, line.Value, o.disallowedMessage())
			found.Crawlers = o.crawlers()
			disallowed(found)
		}
		if o.errors > 0 {
			unreadable(findingAt(line.Line, line.Value, o.failedMessage()))
		}
	}
	return findings, len(seen)
}

type searchPolicy struct {
	*robotstxt.Policy
	tokens         []string
	disallowedURLs int // how many URLs of the sitemap the policy disallows
}

// A search engine that may fetch nothing is left out if another one may fetch something.
func (f *file) searchPolicies() []searchPolicy {
	byGroups := map[string]int{}
	var all []searchPolicy
	for _, c := range searchCrawlers() {
		policy := f.parsed.Agent(c.Agents()...)
		if ignoresEveryone(policy) {
			continue // no group applies to the crawler
		}
		key := fmt.Sprint(policy.GroupsThatApply())
		i, known := byGroups[key]
		if !known {
			i = len(all)
			byGroups[key] = i
			all = append(all, searchPolicy{Policy: policy})
		}
		all[i].tokens = append(all[i].tokens, c.Token)
	}
	open := slices.DeleteFunc(slices.Clone(all), func(p searchPolicy) bool { return f.blocksAll(p.Policy) })
	if len(open) == 0 {
		return all
	}
	return open
}

type sitemapCheck struct {
	policies []searchPolicy

	urls, disallowedURLs int
	examples             []string
	rules                map[int]bool // the line numbers of the rules that disallow the examples

	errors     int
	firstError string
}

// maxExamples is the maximum number of example URLs in a message. They are different URLs, each for a different rule.
const maxExamples = 3

func (o *sitemapCheck) add(u string, err error) {
	if err != nil {
		if o.errors++; o.errors == 1 {
			o.firstError = printable.Short(err.Error())
		}
		return
	}
	o.urls++
	disallowed := false
	for i := range o.policies {
		d := o.policies[i].Check(u)
		if d.Reason != robotstxt.ByRule || d.Allowed {
			continue
		}
		isFirst := !disallowed
		disallowed = true
		o.policies[i].disallowedURLs++
		if isFirst && len(o.examples) < maxExamples && !o.rules[d.Rule.Line] {
			o.rules[d.Rule.Line] = true
			o.examples = append(o.examples, fmt.Sprintf("%s by line %d", printable.Short(u), d.Rule.Line))
		}
	}
	if disallowed {
		o.disallowedURLs++
	}
}

func (o *sitemapCheck) disallowedMessage() string {
	which := fmt.Sprintf("%d of its %d URLs", o.disallowedURLs, o.urls)
	switch {
	case o.errors > 0:
		which = fmt.Sprintf("%d of the %s that heed could read", o.disallowedURLs, printable.Counted(o.urls, "URL"))
	case o.disallowedURLs == o.urls:
		which = countText(o.urls, "its only URL", "any of its %d URLs")
	}
	return fmt.Sprintf("%s may not fetch %s%s, such as %s", o.who(), which, o.forGoogle(), strings.Join(o.examples, ", "))
}

const maxNamed = 3

func (o *sitemapCheck) who() string {
	switch tokens := o.crawlers(); {
	case tokens == nil:
		return "search engines"
	case len(tokens) > maxNamed:
		return "some search engines"
	default:
		return strings.Join(tokens, ", ")
	}
}

// forGoogle says how many URLs Googlebot may not fetch, if the message is about Googlebot and has another number.
func (o *sitemapCheck) forGoogle() string {
	for _, p := range o.policies {
		if slices.Contains(p.tokens, "Googlebot") && p.disallowedURLs != o.disallowedURLs && (p.disallowedURLs > 0 || len(o.crawlers()) > maxNamed) {
			return fmt.Sprintf(" (Googlebot: %d)", p.disallowedURLs)
		}
	}
	return ""
}

func (o *sitemapCheck) failedMessage() string {
	if o.urls == 0 && o.errors == 1 {
		return "cannot be read: " + o.firstError
	}
	more := ""
	if o.errors > 1 {
		more = fmt.Sprintf(", and %s", printable.Counted(o.errors-1, "more error"))
	}
	return fmt.Sprintf("%s could be read: %s%s", countText(o.urls, "only 1 URL", "only %d URLs"), o.firstError, more)
}

func (o *sitemapCheck) crawlers() (tokens []string) {
	everyone := true
	for _, p := range o.policies {
		if p.disallowedURLs > 0 {
			tokens = append(tokens, p.tokens...)
		}
		everyone = everyone && p.disallowedURLs > 0
	}
	if everyone {
		return nil
	}
	return tokens
}
