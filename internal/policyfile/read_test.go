package policyfile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/policyfile"
)

// Each wrong line is an error with its number, and nothing is written.
func TestWrongPolicies(t *testing.T) {
	for policy, want := range map[string]string{
		"everyone\n":                 `robots.policy:1: "everyone": expected a line that begins with a name and a colon`,
		"  disallow /x\n":            "robots.policy:1: the line is indented",
		"ai-answers: allow\n":        `robots.policy:1: "ai-answers" is not a purpose; expected ai-training, ai-search, ai-user, or ai for all three.`,
		"\n\nai-trainig: disallow\n": `robots.policy:3: "ai-trainig" is not a purpose; did you mean ai-training?`,
		"evryone: disallow\n":        "did you mean everyone?",
		"seo: disallow\nexpect:\n  allow a,@Nobody /x\n":              `robots.policy:3: agent "@Nobody": no known crawler has this name; expected a crawler or an operator`,
		"@NoSuch: disallow\n":                                         `"@NoSuch": no known crawler has this name; expected a crawler or an operator that the command "heed crawlers" lists`,
		"@OpenAl: disallow\n":                                         `"@OpenAl": no known crawler has this name; did you mean @OpenAI?`,
		"@known: disallow\n":                                          `"@known": write "everyone" to name all crawlers`,
		"@Google: disallow /x\n@google: allow /x\n":                   "/x is both allowed and disallowed for @Google (see line 1): keep only one of the two lines",
		"everyone, : disallow\n":                                      "a name is missing",
		"360Spider: disallow\n":                                       `a robots.txt cannot name "360Spider"`,
		"My Bot: disallow\n":                                          `a robots.txt cannot name "My Bot"`,
		"everyone: dissallow /x\n":                                    `"dissallow" is unknown here; did you mean disallow?`,
		"everyone: disallow cart\n":                                   `"cart": a path begins with "/" or "*"; did you mean "/cart"?`,
		"everyone: disallow /a#b\n":                                   `"/a#b": the path has "#" or a control character, which a robots.txt cannot have in a path: percent-encode it, for example "#" as %23`,
		"everyone: usage train-ai=n /a#b\n":                           `"/a#b": the path has "#" or a control character`,
		"everyone: disallow /a\x00b\n":                                `"/a\x00b": the path has "#" or a control character`,
		"everyone: only crawl-delay 3\n":                              `after "only", expected "allow", "disallow" or nothing`,
		"everyone: block /x\n":                                        `"block" is unknown here; expected "allow", "disallow"`,
		"everyone: disallow https://a.example/cart\n":                 `did you mean "/cart"?`,
		"everyone: disallow except /blog/\n":                          `"except" is not a path: write "allow" and "disallow" on separate lines`,
		"everyone: disallow /cart allow /help\n":                      `"allow" is not a path`,
		"seo: only allow /blog/\n":                                    `disallows nothing, so all other paths are allowed too. To allow only these paths for seo, write "seo: disallow" and "seo: allow /blog/"`,
		"everyone: inherit\n":                                         `"everyone" cannot inherit`,
		"sitemap https://a.example/s.xml\n":                           `expected a colon after the name, as in "sitemap: …"`,
		"crawl-delay: 5\n":                                            `crawl-delay needs a name before it, such as "everyone: crawl-delay 5"`,
		"":                                                            "the policy says nothing",
		"# only a comment\n":                                          "the policy says nothing",
		"User-agent: *\nDisallow: /a\nDisallow: /b\n":                 "is a line of a robots.txt",
		"seo: inherit /x\n":                                           `expected nothing after "inherit"`,
		"everyone: crawl-delay\n":                                     "expected \"crawl-delay SECONDS\"",
		"everyone: crawl-delay soon\n":                                `crawl-delay "soon": expected a number of seconds, or "none"`,
		"everyone: usage\n":                                           "expected \"usage PREFERENCES\"",
		"everyone: usage train-ai=x\n":                                `"x" is not a preference`,
		"everyone: usage train-ai=unknown\n":                          "train-ai=unknown cannot be used in a policy; expected the value y or n",
		"everyone: usage ai-train=n\n":                                "did you mean train-ai?",
		"everyone: usage train-ai=n press\n":                          `"press": expected a path that begins with "/", without "*" and "$"`,
		"everyone: record Foo\n":                                      `"Foo": expected the word record, and after it a line of a robots.txt`,
		"everyone: record Disallow: /x\n":                             `"Disallow: /x": expected the word record, and after it a line of a robots.txt that has no comment`,
		"everyone: record useragent: a\n":                             `expected the word record, and after it a line of a robots.txt that has no comment`,
		"everyone: record Dissallow: /x\n":                            `expected the word record, and after it a line of a robots.txt that has no comment`,
		"everyone: record Foo: a\rUser-agent: b\n":                    `expected the word record, and after it a line of a robots.txt that has no comment`,
		"everyone: record Foo: a\x1b[m\n":                             `expected the word record, and after it a line of a robots.txt that has no comment`,
		"everyone: record Crawl-delay: 5\n":                           `expected the word record, and after it a line of a robots.txt that has no comment`,
		"record: useragent: a\n":                                      `expected the word record, and after it a line of a robots.txt that has no comment`,
		"sitemap: https://a.example/#b\n":                             `expected the URL of a sitemap`,
		"\"a\x1bb\": disallow\n":                                      `a robots.txt cannot name`,
		"\"ab: disallow\n":                                            `a robots.txt cannot name "\"ab"`,
		"\"a\u2028b\": disallow\n":                                    `a robots.txt cannot name`,
		"everyone: usage train-ai=n /a*\n":                            `"/a*": expected a path that begins with "/", without "*" and "$"`,
		"everyone: usage train-ai=n,train-ai=y\n":                     `train-ai has the value y and the value n: give it only one value`,
		"everyone:\n  usage train-ai=n /a\n  usage train-ai=y /%61\n": `train-ai has the value y and the value n for everyone and the path /a: give it only one value`,
		"everyone:\n  crawl-delay 5\n  crawl-delay none\n":            `two crawl delays for everyone, 5 and none: keep only one`,
		"everyone: record Host: a.example\n":                          "Host applies to the whole robots.txt",
		"sitemap: /sitemap.xml\n":                                     `"/sitemap.xml": expected the URL of a sitemap`,
		"carriers: smoke\n":                                           `carriers: "smoke" is no line of a robots.txt with preferences`,
		"usage: train-ai=n\n":                                         `usage needs a name before it, such as "everyone: usage train-ai=n"`,
		"Usage:\n":                                                    `usage needs a name before it`,
		"Disallow: /x\n":                                              "is a line of a robots.txt, but this is a policy",
		"User-agent: *\n":                                             "is a line of a robots.txt, but this is a policy",
		"everyone:\n  disallow /x\n  allow /x*\n":                     "robots.policy:3: /x* is both allowed and disallowed for everyone (see line 2): keep only one of the two lines",
		"seo: disallow\nseo: allow\n":                                 "robots.policy:2: / is both allowed and disallowed for seo (see line 1): keep only one of the two lines",
		strings.Repeat("#", policyfile.MaxBytes) + "#":                "the policy is too large; expected at most 1048576 bytes",
	} {
		_, _, wrong := policyfile.Read("robots.policy", policy, crawlers.Known())
		if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), want) {
			t.Errorf("%.40q: %v; want %q", policy, wrong, want)
		}
	}
}

// Every wrong line is told, not only the first one.
func TestAllErrorsAreTold(t *testing.T) {
	_, _, wrong := policyfile.Read("p", "foo\neveryone: bar\neveryone: disallow x\n", crawlers.Known())
	if len(wrong) != 3 {
		t.Error(wrong)
	}
}

// A name that nobody knows may be that of a private crawler: it is only a note.
func TestUnknownNames(t *testing.T) {
	for name, want := range map[string]string{
		"Goglebot": "p:1: \"Goglebot\" is not a known crawler; did you mean Googlebot?",
		"Zzyzx":    "p:1: \"Zzyzx\" is not a known crawler",
		"apple":    "p:1: \"apple\" is not a known crawler; \"@Apple\" means all crawlers of this operator: Applebot, Applebot-Extended, iTMS",
	} {
		_, notes, wrong := policyfile.Read("p", name+": disallow\n", crawlers.Known())
		if len(wrong) > 0 || len(notes) != 1 || notes[0] != want {
			t.Errorf("%s: %q %v", name, notes, wrong)
		}
	}
	_, notes, wrong := policyfile.Read("p", "everyone: allow\nexpect: allow Googelbot,bingbot /\nexpect: allow Googelbot,Zzyzx,@search /x\n", crawlers.Known())
	if want := "p:2: \"Googelbot\" is not a known crawler; did you mean Googlebot?"; len(wrong) > 0 || len(notes) != 1 || notes[0] != want {
		t.Errorf("expect: %q %v", notes, wrong)
	}
	for _, name := range []string{"googlebot", "@Googlebot", "@ai-training", `"search"`, "*"} {
		if _, notes, wrong := policyfile.Read("p", name+": disallow\n", crawlers.Known()); len(notes)+len(wrong) > 0 {
			t.Errorf("%s: %q %v", name, notes, wrong)
		}
	}
}

// groupsOf returns the rules of some crawlers in what a policy writes, without the proof's header.
func groupOf(t *testing.T, policy, name string) string {
	t.Helper()
	for group := range strings.SplitSeq(written(t, "p", policy).Robots, "\n\n") {
		lines := strings.Split(strings.TrimSpace(group), "\n")
		for i, line := range lines {
			if line == "User-agent: "+name {
				for strings.HasPrefix(lines[i], "User-agent: ") || strings.HasPrefix(lines[i], "# ") {
					i++
				}
				return strings.Join(lines[i:], "; ")
			}
		}
	}
	return "none"
}

// What holds for a crawler: rules are inherited, narrower ones replace wider ones, and "only" and "disallow" take back.
func TestMeaning(t *testing.T) {
	const shop = "everyone:\n  disallow /cart /search\n  allow /search/help\n  crawl-delay 5\n"
	for _, c := range []struct{ about, policy, crawler, want string }{
		{"nothing is said", "everyone: allow", "*", "Disallow:"},
		{"an exception is before what it excepts from", shop, "*", "Disallow: /cart; Allow: /search/help; Disallow: /search; Crawl-delay: 5"},
		{"the same as everyone", shop + "Yandex: inherit\n", "Yandex", "none"},
		{"rules are inherited", shop + "Yandex: disallow /ru\n", "Yandex", "Disallow: /cart; Allow: /search/help; Disallow: /search; Disallow: /ru; Crawl-delay: 5"},
		{"the same path is replaced", shop + "Yandex: allow /cart\n", "Yandex", "Allow: /search/help; Disallow: /search; Crawl-delay: 5"},
		{"the same path with a wildcard at its end", shop + "Yandex: allow /cart*\n", "Yandex", "Allow: /search/help; Disallow: /search; Crawl-delay: 5"},
		{"only", shop + "Yandex: only disallow /ru\n", "Yandex", "Disallow: /ru"},
		{"only counts for the whole block", shop + "Yandex:\n  disallow /a\n  only disallow /ru\n", "Yandex", "Disallow: /a; Disallow: /ru"},
		{"nothing at all", shop + "Yandex: disallow\n", "Yandex", "Disallow: /"},
		{"wider exceptions are taken back", shop + "Yandex: disallow\nYandex: allow /ru\n", "Yandex", "Allow: /ru; Disallow: /; Crawl-delay: 5"},
		{"wider disallow stays in what is allowed again", shop + "Yandex: disallow\nYandex: allow /c\n", "Yandex", "Disallow: /cart; Allow: /c; Disallow: /; Crawl-delay: 5"},
		{"allow for a closed site", "everyone: disallow\nsearch: allow\n", "Googlebot", "Disallow:"},
		{"allow does not take back paths", shop + "search: allow\n", "Googlebot", "none"},
		{"another delay", shop + "Yandex: crawl-delay 20\n", "Yandex", "Disallow: /cart; Allow: /search/help; Disallow: /search; Crawl-delay: 20"},
		{"no delay", shop + "Yandex: crawl-delay none\n", "Yandex", "Disallow: /cart; Allow: /search/help; Disallow: /search"},
		{"the longer delay of two purposes", "archive: crawl-delay 3\nai-training: crawl-delay 20\n", "CCBot", "Disallow:; Crawl-delay: 20"},
		{"a purpose that is disallowed", "archive: allow /x\nai-training: disallow\n", "CCBot", "Disallow: /"},
		{"the other one", "archive: disallow\nai-training:\n  disallow\n  allow /x\n", "CCBot", "Disallow: /"},
		{"two purposes, the same path", "archive: allow /x\nai-training: disallow /x\n", "CCBot", "Disallow: /x"},
		{"two purposes, in the other order", "archive: disallow /x\nai-training: allow /x\n", "CCBot", "Disallow: /x"},
		{"only of one purpose of two", "everyone: disallow /x\narchive: only disallow /a\nai-training: disallow /b\n", "CCBot", "Disallow: /x; Disallow: /a; Disallow: /b"},
		{"only of both", "everyone: disallow /x\narchive: only disallow /a\nai-training: only disallow /b\n", "CCBot", "Disallow: /a; Disallow: /b"},
		{"a name over a purpose", "ai-training: disallow\nGPTBot: allow\n", "GPTBot", "none"},
		{"a name over a purpose, on a closed site", "everyone: disallow\nGPTBot: allow\n", "GPTBot", "Disallow:"},
		{"an operator", "everyone: disallow /x\n@openai: disallow /a\n", "ChatGPT-User", "Disallow: /x; Disallow: /a"},
		{"an operator with a name of two words", "@Coc Coc: disallow /a\n", "coccocbot-web", "Disallow: /a"},
		{"one that has the name of a crawler", "OpenAI: disallow /a\n@OpenAI: disallow /b\n", "OpenAI", "Disallow: /b; Disallow: /a"},
		{"the name of this crawler alone", "OpenAI: disallow /a\n", "GPTBot", "none"},
		{"the purpose token of an operator", "@Google: disallow\n", "Google-Extended", "Disallow: /"},
		{"an operator whose crawler does not follow *", "everyone: disallow /x\n@Google: disallow /a\n", "AdsBot-Google", "Disallow: /x; Disallow: /a"},
		{"an operator over a purpose", "@OpenAI: only disallow /a\nai-training: disallow\n", "GPTBot", "Disallow: /a"},
		{"a name over an operator", "GPTBot: allow /x\n@OpenAI: disallow\n", "GPTBot", "Allow: /x; Disallow: /"},
		{"a crawler with @", "GPTBot: disallow /a\n@GPTBot: disallow /b\n", "GPTBot", "Disallow: /a; Disallow: /b"},
		{"its other name", "@Sogou web spider: disallow /a\n", "Sogou", "Disallow: /a"},
		{"a crawler that follows the groups of another one", "Googlebot: disallow /a\nGooglebot-News: disallow /b\n", "Googlebot-News", "Disallow: /a; Disallow: /b"},
		{"and one that is not named", "Googlebot: disallow /a\n", "Googlebot-News", "none"},
		{"one that does not follow *", "everyone: disallow /x\n", "AdsBot-Google", "none"},
		{"unless a line speaks of it", "everyone: disallow /x\nads: inherit\n", "AdsBot-Google", "Disallow: /x"},
		{"the same path with and without a wildcard", "everyone:\n  disallow /a /a***\n  allow /ab\n", "*", "Disallow: /a***; Allow: /ab; Disallow: /a"},
		{"in the other order", "everyone:\n  disallow /a*** /a\n  allow /ab\n", "*", "Disallow: /a***; Allow: /ab; Disallow: /a"},
		{"superfluous rules", "everyone: disallow /a /a/b /a/b/c /b\neveryone: allow /a/x /c\n", "*", "Allow: /a/x; Disallow: /a; Disallow: /b"},
		{"a wildcard that may stand between", "everyone: disallow /a /a/bc\neveryone: allow /a*c\n", "*", "Disallow: /a/bc; Allow: /a*c; Disallow: /a"},
		{"one that may not", "everyone: disallow /a /a/bc\neveryone: allow /x*c\n", "*", "Disallow: /a"},
		{"a wildcard that changes nothing", "everyone:\n  allow /*.html$\n  disallow /*.pdf$\n", "*", "Disallow: /*.pdf$"},
		{"two wildcards, one within the other", "everyone: disallow /*?sort= /*?sort=a*b\n", "*", "Disallow: /*?sort="},
		{"several wildcards", "everyone: disallow /*? /*?a /*?ab\neveryone: allow /*?abc /*?abcd\n", "*", "Allow: /*?abc; Disallow: /*?"},
		{"two wildcards, which old crawlers read as texts", "everyone: disallow /a*b /a*cb\n", "*", "Disallow: /a*b; Disallow: /a*cb"},
		{"a longer wildcard, which decides anyway", "everyone: disallow /cart /*?sort=\neveryone: allow /lamps/\n", "*", "Disallow: /cart; Disallow: /*?sort="},
		{"a shorter one", "everyone: disallow /cart /*?s=\neveryone: allow /lamps/\n", "*", "Disallow: /cart; Allow: /lamps/; Disallow: /*?s="},
		{"one with the same length: allow decides", "everyone: disallow /*?s=\neveryone: allow /lamp\n", "*", "Disallow: /*?s=; Allow: /lamp"},
		{"a longer one with stars that not all dialects count", "everyone: disallow /*?s***\neveryone: allow /lamps/\n", "*", "Disallow: /*?s***; Allow: /lamps/"},
		{"and the reverse", "everyone: disallow /a /abcd\neveryone: allow /*b=\n", "*", "Disallow: /abcd; Allow: /*b=; Disallow: /a"},
		{"a pattern with an escape", "everyone: disallow /a%2Fb /a\n", "*", "Disallow: /a"},
		{"bytes that URLs have only as escapes", "everyone:\n  disallow /k\u00f6ln*\n  allow /k%c3%b6ln/dom\n", "*", "Allow: /k%c3%b6ln/dom; Disallow: /k%C3%B6ln*"},
		{"a record", "Yandex: record Request-rate: 1/5\n", "Yandex", "Disallow:; Request-rate: 1/5"},
		{"a record of everyone", "everyone: record Request-rate: 1/5\nYandex: disallow /a\n", "Yandex", "Disallow: /a; Request-rate: 1/5"},
		{"another one", "everyone: record Request-rate: 1/5\nYandex: record Request-rate: 1/7\n", "Yandex", "Disallow:; Request-rate: 1/7"},
		{"words as in a robots.txt", "everyone:\n  Disallow: /a\n  ALLOW /a/b\n", "*", "Allow: /a/b; Disallow: /a"},
		{"a list of names over two lines", "GPTBot,\n  Yandex: disallow /a\n", "Yandex", "Disallow: /a"},
		{"a set of purposes", "ai: disallow /a\n", "Claude-SearchBot", "Disallow: /a"},
		{"a set for input", "ai-input: disallow /a\n", "GPTBot", "none"},
		{"a name in quotes", `"search": disallow /a`, "search", "Disallow: /a"},
	} {
		if got := groupOf(t, c.policy, c.crawler); got != c.want {
			t.Errorf("%s: %s; want %s", c.about, got, c.want)
		}
	}
}

// Preferences of use are written in each group, since groups inherit nothing (AI-4), by the chosen carriers.
func TestPreferences(t *testing.T) {
	for _, c := range []struct{ about, policy, crawler, want string }{
		{"both usual carriers", "everyone: usage train-ai=n,search=y\n", "*", "Disallow:; Content-Usage: train-ai=n, search=y; Content-Signal: ai-train=no, search=yes"},
		{"one carrier", "carriers: content-signal\neveryone: usage ai-use=n\n", "*", "Disallow:; Content-Signal: ai-input=no"},
		{"in each group", "everyone: usage train-ai=n\nYandex: disallow /a\n", "Yandex", "Disallow: /a; Content-Usage: train-ai=n; Content-Signal: ai-train=no"},
		{"not where nothing is allowed", "everyone: usage train-ai=n\nYandex: disallow\n", "Yandex", "Disallow: /"},
		{"a narrower purpose", "everyone: usage train-ai=n,search=y\nYandex: usage train-ai=y\n", "Yandex", "Disallow:; Content-Usage: train-ai=y, search=y; Content-Signal: ai-train=yes, search=yes"},
		{"/ is the whole site", "carriers: content-usage\neveryone: usage ai-use=n /\nseo: usage ai-use=y\n", "botify", "Disallow:; Content-Usage: ai-use=y"},
		{"paths in normal form", "carriers: content-usage\neveryone:\n  usage search=n\n  usage search=y /a\nseo: usage ai-use=n /%61\n", "botify",
			"Disallow:; Content-Usage: search=n; Content-Usage: /a search=y, ai-use=n"},
		{"a longer path says all (AI-5)", "carriers: content-usage\neveryone:\n  usage search=y,train-ai=n\n  usage train-ai=y /press/\n", "*",
			"Disallow:; Content-Usage: train-ai=n, search=y; Content-Usage: /press/ train-ai=y, search=y"},
		{"a path beside another one", "carriers: content-usage\neveryone:\n  usage search=y /a\n  usage train-ai=n /b\n", "*", "Disallow:; Content-Usage: /a search=y; Content-Usage: /b train-ai=n"},
		{"a purpose token", "carriers: purpose-token\neveryone:\n  usage train-ai=n\n  usage train-ai=y /press/\n", "__usage_ai-training", "Allow: /press/; Disallow: /"},
		{"a token holds for all", "carriers: purpose-token\neveryone: usage train-ai=n\nYandex: disallow /a\n", "Yandex", "Disallow: /a"},
		{"no token without a word about training", "carriers: purpose-token content-usage\neveryone: usage search=n\n", "__usage_ai-training", "none"},
	} {
		if got := groupOf(t, c.policy, c.crawler); got != c.want {
			t.Errorf("%s: %s; want %s", c.about, got, c.want)
		}
	}
}

// A preference that no carrier can say is an error, and so is one that a record of the policy contradicts.
func TestPreferencesThatCannotBeSaid(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{"carriers: content-signal\neveryone:\n  usage search=y\n  usage train-ai=y /press/\n", "cannot say train-ai=y for the path /press/: add content-usage"},
		{"carriers: content-signal\neveryone:\n  usage train-ai=n\n  usage train-ai=y /press/\n", "cannot say train-ai=n for the path /:"},
		{"carriers: purpose-token\neveryone: usage search=n\n", "(purpose-token) cannot say search=n for the path /:"},
		{"carriers: purpose-token\nYandex: usage train-ai=n\n", "cannot say train-ai=n"},
		{"carriers: purpose-token\neveryone: usage train-ai=n\nYandex: usage train-ai=y\n", "cannot say train-ai=y"},
		{"carriers: purpose-token content-usage\neveryone: usage train-ai=n\nYandex: usage train-ai=y\n", "remove purpose-token"},
		{"everyone:\n  record Content-Signal: search=yes, ai-train=no\n  usage train-ai=y\n", `"record Content-Signal: search=yes, ai-train=no" contradicts "usage train-ai=y": keep only one of them`},
		{"everyone: record Content-Usage: /x search=y\nYandex: usage search=n,train-ai=n /x\n", `"record Content-Usage: /x search=y" contradicts "usage search=n /x"`},
	} {
		if w, err := read(t, "p", c.policy).Write(context.Background(), crawlers.Known(), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q: %v", c.policy, err, c.want, w)
		}
	}
}
