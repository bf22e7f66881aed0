package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// numbered returns lines that each have a number in them.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// letters writes a number in letters, because a product token has no digits.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// named returns lines that each have another name in them.
func named(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", letters(i))
	}
	return b.String()
}

// ofManyLengths returns lines that each have a longer text in them.
func ofManyLengths(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, strings.Repeat("*a", i/2))
	}
	return b.String()
}

// hostileFiles are files that are made to cost much time.
var hostileFiles = map[string]string{
	"agents with a delay each":      named("User-agent: x%s\nCrawl-delay: 1", 10_000),
	"agents, then delays":           named("User-agent: x%s", 10_000) + strings.Repeat("Crawl-delay: x\n", 10_000),
	"agents with a rule each":       named("User-agent: x%s\nDisallow: /a", 10_000),
	"agents of one name":            "User-agent: *\nDisallow: /b\n" + numbered("User-agent: x\nDisallow: /%d", 10_000),
	"names near known ones":         named("User-agent: Googlebot-Im%s\nDisallow:", 10_000) + strings.Repeat("User-agent: Googlebot-Imag\n", 5_000),
	"agents above many rules":       named("User-agent: x%s", 5_000) + numbered("Disallow: /%d", 5_000),
	"path starts":                   "User-agent: *\n" + numbered("Disallow: a%d", 20_000),
	"missing colons":                "User-agent: *\n" + numbered("Disallow /%d", 10_000),
	"ties":                          "User-agent: *\n" + numbered("Disallow: /%05d\nAllow: /%05[1]d", 5_000),
	"no ties of many lengths":       "User-agent: *\n" + ofManyLengths("Allow: /x%s\nDisallow: /y%[1]s\n", 700),
	"wildcards":                     "User-agent: *\n" + numbered("Disallow: /*a*b*%d\nAllow: /*b*a*%[1]d", 2_000),
	"rules of a closed site":        "User-agent: *\nDisallow: /\n" + numbered("Disallow: /a%d", 30_000),
	"rules that never decide":       "User-agent: *\n" + strings.Repeat("Disallow: /a\nAllow: /a\n", 10_000),
	"queries for everyone":          named("User-agent: x%s\nDisallow: /*?", 10_000),
	"noindex":                       named("User-agent: x%s\nDisallow: /a\nNoindex: /a", 5_000),
	"lax slashes":                   "User-agent: *\n" + numbered("Disallow: /*?*/*/a%d", 3_000),
	"bytes that are not UTF-8":      "User-agent: *\n" + numbered("Disallow: /\xe9%d", 20_000),
	"long patterns with wildcards":  "User-agent: *\nDisallow: /*" + strings.Repeat("a*", 5_000) + "b\nAllow: /*" + strings.Repeat("b*", 5_000) + "a\n",
	"preferences for many crawlers": named("User-agent: x%s\nContent-Usage: train-ai=n\nContent-Signal: ai-train=yes\nDisallow: /", 5_000) + "User-agent: Google-Extended\nAllow: /\n",
	"preferences about many paths":  "User-agent: *\n" + numbered("Content-Usage: /*a*b*%d train-ai=n\nDisallow: /*b*a*%[1]d", 3_000) + "Content-Signal: ai-train=yes\n",
	"rules of a purpose token":      "User-agent: *\n" + numbered("Disallow: /*b*a*%d", 2_000) + "User-agent: __usage_ai-training\n" + numbered("Disallow: /*a*b*%d", 2_000),
	"words of another record":       "User-agent: *\n" + strings.Repeat("Content-Usage: "+strings.Repeat("ai-train=no,", 100)+"\n", 400),
	"groups that drop rules":        "User-agent: *\n" + numbered("Disallow: /%04d\nAllow: /%04[1]d/*a", 500) + named("User-agent: x%s\nAllow: /*z", 1_000),
	"groups with the same name":     strings.Repeat("User-agent: bingbot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /b\n\n", 5_000),
	"agents without a name":         strings.Repeat("User-agent:\n", 2_000),
	"comments that turn rules off":  "User-agent: *\n" + strings.Repeat("Disallow: a # heed-lint: ignore path-start\n", 10_000),
}

// TestHostile is about files that took minutes before there were limits, or would without them.
// Each takes about a second; the limit here is for slow machines. Without HEED_WHOLE, it tries
// three of them.
func TestHostile(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	tried := 0
	for name, body := range hostileFiles { // in random order
		if tried++; tried > 3 && !portion.Whole() {
			break
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			findings := Check([]byte(body))
			if took := time.Since(start); took > limit {
				t.Errorf("%d findings in %v for %d bytes", len(findings), took, len(body))
			}
		})
	}
}
