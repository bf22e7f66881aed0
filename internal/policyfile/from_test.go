package policyfile_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

func drawn(t testing.TB, robots string) *policyfile.Drawn {
	t.Helper()
	d, err := policyfile.From(context.Background(), "robots.txt", robotstxt.ParseString(robots, robotstxt.RFC9309), crawlers.Known())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const forEveryone = "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\nAllow: /c/d\n"

// A policy says what a group has beyond the rules for everyone, once for all crawlers that have the same.
func TestFrom(t *testing.T) {
	const everyone = "everyone:\n    disallow /a\n    disallow /b\n    disallow /c\n    allow /c/d\n"
	for _, c := range []struct{ about, robots, want string }{
		{"nothing", "", "everyone: allow\n"},
		{"everything is allowed", "User-agent: *\nDisallow:\n", "everyone: allow\n"},
		{"nothing is allowed", "User-agent: *\nDisallow: /\n", "everyone: disallow\n"},
		{"everyone", forEveryone, everyone},
		{"two groups for everyone", "User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: *\nDisallow: /c\n", "everyone:\n    disallow /a\n    disallow /c\n\nb: disallow\n"},
		{"a group that repeats all", forEveryone + strings.Replace(forEveryone, "*", "bingbot", 1), everyone},
		{"and has more", forEveryone + strings.Replace(forEveryone, "*", "bingbot", 1) + "Disallow: /x\n", everyone + "\nbingbot: disallow /x\n"},
		{"one that allows what others may not", forEveryone + strings.Replace(strings.Replace(forEveryone, "*", "bingbot", 1), "Disallow: /a", "Allow: /a", 1), everyone + "\nbingbot: allow /a\n"},
		{"one that lacks a rule", forEveryone + "User-agent: bingbot\nDisallow: /a\nDisallow: /b\n", everyone + "\nbingbot:\n    only\n    disallow /a\n    disallow /b\n"},
		{"one that lacks a superfluous rule", "User-agent: *\nDisallow: /a\nDisallow: /a/b\nUser-agent: bingbot\nDisallow: /a\nDisallow: /c\n", "everyone:\n    disallow /a\n    disallow /a/b\n\nbingbot: disallow /c\n"},
		{"those that may nothing", forEveryone + "User-agent: bingbot\nUser-agent: GPTBot\nDisallow: /\nUser-agent: CCBot\nDisallow: /\nDisallow: /q\n", everyone + "\nbingbot, GPTBot, CCBot: disallow\n"},
		{"one that may everything", forEveryone + "User-agent: bingbot\nDisallow:\n", everyone + "\nbingbot: only\n"},
		{"one that says so", forEveryone + "User-agent: bingbot\nAllow: /\n", everyone + "\nbingbot: only\n"},
		{"one that does not follow *", forEveryone + strings.Replace(forEveryone, "*", "AdsBot-Google", 1), everyone + "\nAdsBot-Google: inherit\n"},
		{"with preferences alone", "User-agent: YandexMobileBot\nUser-agent: *\nDisallow:\nContent-Usage: search=n, train-ai=n\n",
			"everyone: usage train-ai=n,search=n\nYandexMobileBot: inherit\n\ncarriers: content-usage\n"},
		{"one that follows the group of another one", "User-agent: Googlebot\nDisallow: /a\nUser-agent: Googlebot-News\nDisallow: /a\nDisallow: /b\n", "Googlebot: disallow /a\nGooglebot-News: disallow /b\n"},
		{"a name that is a purpose", "User-agent: search\nUser-agent: ai\nDisallow: /\n", "\"search\", \"ai\": disallow\n"},
		{"names as they are written", "User-agent: MJ12bot\nUser-agent: Foo/1.0\nDisallow: /\n", "MJ12bot, Foo: disallow\n"},
		{"a name that crawlers read as those of several", forEveryone + "User-agent: AI2Bot-Foo\nDisallow:\n", everyone + "\nAI2Bot, AI2Bot-DeepResearchEval, Ai2Bot-Dolma: only\n"},
		{"a name that crawlers read as another one", forEveryone + "User-agent: GPTBot4\nDisallow:\n", everyone + "\nGPTBot: only\n"},
		{"patterns that differ in what $ means", "User-agent: b\nDisallow: /$*\nDisallow: /$\nAllow: /%24a\nAllow: /$a\n", "b:\n    disallow /$*\n    disallow /$\n    allow /%24a\n    allow /$a\n"},
		{"a crawl delay", "User-agent: *\nCrawl-delay: 5\nDisallow: /a\nUser-agent: b\nDisallow: /a\nUser-agent: c\nDisallow: /a\nCrawl-delay: 10\n",
			"everyone:\n    disallow /a\n    crawl-delay 5\n\nb: crawl-delay none\nc: crawl-delay 10\n"},
		{"records", "Host: a.example\nUser-agent: b\nDisallow: /a\nRequest-rate: 1/5\nContent-Signal: use=full\n",
			"b:\n    disallow /a\n    record Request-rate: 1/5\n    record Content-Signal: use=full\n\nrecord: Host: a.example\n"},
		{"a record that one lacks", "User-agent: *\nDisallow: /a\nRequest-rate: 1/5\nUser-agent: b\nDisallow: /a\nDisallow: /b\n",
			"everyone:\n    disallow /a\n    record Request-rate: 1/5\n\nb:\n    only\n    disallow /a\n    disallow /b\n"},
		{"preferences", "User-agent: *\nDisallow: /a\nContent-Signal: search=yes, ai-train=no\nUser-agent: b\nDisallow: /a\nDisallow: /b\nUser-agent: c\nContent-Signal: ai-train=yes, search=yes\nDisallow: /a\n",
			"everyone:\n    disallow /a\n    usage train-ai=n,search=y\n\nb:\n    only\n    disallow /a\n    disallow /b\n\nc: usage train-ai=y,search=y\n\ncarriers: content-signal\n"},
		{"with paths", "User-agent: *\nAllow: /\nContent-Usage: search=y, train-ai=n\nContent-Usage: /press/ train-ai=y, search=y\n",
			"everyone:\n    allow\n    usage train-ai=n,search=y\n    usage train-ai=y,search=y /press/\n\ncarriers: content-usage\n"},
		{"by both carriers", "User-agent: *\nDisallow:\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no\n", "everyone: usage train-ai=n\n"},
		{"which a policy cannot say", "User-agent: *\nDisallow:\nContent-Usage: train-ai=n\nContent-Signal: ai-train=yes\nUser-agent: b\nContent-Signal: search=yes\n",
			"everyone:\n    record Content-Usage: train-ai=n\n    record Content-Signal: ai-train=yes\n\nb:\n    only\n    record Content-Signal: search=yes\n"},
		{"paths that inherit nothing (AI-5)", "User-agent: *\nDisallow:\nContent-Usage: train-ai=n\nContent-Usage: /a search=y\n",
			"everyone:\n    record Content-Usage: train-ai=n\n    record Content-Usage: /a search=y\n"},
		{"sitemaps", "Sitemap: https://a.example/s.xml\nSitemap: foo\nUser-agent: *\nDisallow: /a\n", "everyone: disallow /a\n\nsitemap: https://a.example/s.xml\n"},
		{"bytes that no word has", "User-agent: *\nDisallow: /a b\xff\n", "everyone: disallow /a%20b%FF\n"},
		{"rules that match nothing", "User-agent: *\nDisallow: cart\nDisallow: /a\n", "everyone: disallow /a\n"},
		{"of two rules about the same, the longer one decides", "User-agent: *\nAllow: /a*\nDisallow: /a\nDisallow: /\n", "everyone:\n    allow /a*\n    disallow\n"},
	} {
		d := drawn(t, c.robots)
		_, got, _ := strings.Cut(d.Policy, "\n")
		if got = strings.TrimPrefix(got, "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.about, got, c.want)
		}
		if d.Proof.Result != "equal" {
			t.Errorf("%s: %+v", c.about, d.Proof)
		}
	}
}

// What is odd in a robots.txt is told.
func TestFindings(t *testing.T) {
	for _, c := range []struct{ about, robots, want string }{
		{"nothing is odd", forEveryone, ""},
		{"comments", "# a\n# b\nUser-agent: *\n", "comments are not carried over: 2 lines"},
		{"lines that nobody reads", "User-agent: *\nDisallow: /a\nFoo: bar\nbaz\nCrawl-delay: soon\n", "left out, because no crawler reads them: lines 3, 4, 5"},
		{"a page", "<!doctype html>\n", "left out, because no crawler reads them: lines 1; the file is an HTML page, and no robots.txt: check what the site sends"},
		{"sitemaps that are no URLs", "Sitemap: foo\n", "line 1: left out, because it is no URL that a policy can have: foo"},
		{"a group that repeats all", forEveryone + strings.Replace(forEveryone, "*", "bingbot", 1), "their rules would apply to them anyway, so the policy does not name them: bingbot"},
		{"one that has drifted", forEveryone + "User-agent: bingbot\nDisallow: /a\nDisallow: /b\nAllow: /c/d\n", "line 6: bingbot repeats 3 of the 4 rules for everyone, and lacks Disallow: /c"},
		{"one that repeats few", forEveryone + "User-agent: bingbot\nDisallow: /a\n", ""},
		{"two that have drifted", forEveryone + "User-agent: bingbot\nUser-agent: Yandex\nDisallow: /a\nDisallow: /b\n", "line 6: bingbot, Yandex repeat 2 of the 4 rules for everyone, and lack Disallow: /c, Allow: /c/d"},
		{"one that lost all", forEveryone + "User-agent: bingbot\nDisallow: /x\n", `none of the rules for everyone applies to these, because they have a group of their own: bingbot. If that is not intended, remove "only"`},
		{"one that says what it wants", forEveryone + "User-agent: bingbot\nDisallow: /x\nAllow: /\n", ""},
		{"one that is disallowed", forEveryone + "User-agent: bingbot\nDisallow: /\n", ""},
		{"a crawler that ended", "User-agent: Neevabot\nUser-agent: msnbot\nDisallow: /a\n", "these crawlers make no requests any more: Neevabot"},
		{"a purpose by name", "User-agent: UptimeRobot\nUser-agent: BetterUptimeBot\nDisallow: /\n", `heed knows 7 product tokens for monitor, and 2 of these are disallowed by name: "monitor: disallow" would disallow all, and also those that later versions of heed know`},
		{"one with purpose tokens", "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n", `heed knows 32 product tokens for ai-training, and 2 of these are disallowed by name: "ai-training: disallow" would disallow all, and also those that later versions of heed know`},
		{"one of it is not", "User-agent: UptimeRobot\nUser-agent: BetterUptimeBot\nDisallow: /\nUser-agent: Site\nDisallow:\n", ""},
	} {
		got := strings.Join(drawn(t, c.robots).Findings, "; ")
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.about, got, c.want)
		}
	}
}

// A robots.txt that could not be read says nothing, and is no policy.
func TestFromNothing(t *testing.T) {
	for _, file := range []*robotstxt.File{robotstxt.DisallowAll(robotstxt.Unreachable, nil), robotstxt.DisallowAll(robotstxt.Restricted, nil), robotstxt.AllowAll(robotstxt.Unavailable, nil)} {
		if d, err := policyfile.From(context.Background(), "x", file, crawlers.Known()); err == nil || !strings.Contains(err.Error(), "the robots.txt is missing, or cannot be fetched") {
			t.Error(d, err)
		}
	}
}

// Real files give policies that mean the same, and what is written from these means the same as the files. Without
// HEED_WHOLE, one file in 48 is read.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	files, failed, rules, lines := 0, 0, 0, 0
	var took []time.Duration
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !strings.HasSuffix(name, ".txt") || !portion.Of(48) {
			continue
		}
		files++
		file := robotstxt.Parse(body, robotstxt.RFC9309)
		start := time.Now()
		d, err := policyfile.From(context.Background(), name, file, crawlers.Known())
		took = append(took, time.Since(start))
		if err != nil {
			failed++
			t.Log(name, err)
			continue
		}
		rules, lines = rules+d.Rules, lines+d.Lines
		again := robotstxt.ParseString(written(t, name, d.Policy).Robots, robotstxt.RFC9309)
		if result := compare.Files(context.Background(), file, again); result.Outcome != compare.Equal {
			t.Errorf("%s: %+v", name, result.Outcome)
		}
	}
	slices.Sort(took)
	t.Logf("%d files, %d without a policy; %d rules for %d lines: %.3f; median %v, longest %v", files, failed, rules, lines, float64(rules)/float64(lines), took[len(took)/2], took[len(took)-1])
	most := 10 // rules for ten lines: a few files of a portion may have few lines and many rules
	if portion.Whole() {
		most = 9
	}
	if failed*100 > files || rules*10 > lines*most {
		t.Error("too many")
	}
}
