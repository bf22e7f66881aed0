package robotstxt

import (
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/corpus"
)

const agentsArchive = "logs-and-agents.tar.gz"

func TestR2ValidToken(t *testing.T) {
	for s, want := range map[string]bool{
		"ExampleBot": true, "a": true, "_-": true, "Example-Bot_x": true,
		"": false, "*": false, "MJ12bot": false, "Example Bot": false,
		"ExampleBot/1.0": false, "Exämple": false, "bot\n": false,
	} {
		if got := ValidToken(s); got != want {
			t.Errorf("ValidToken(%q) = %v", s, got)
		}
	}
}

func TestR2TokenPrefix(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "*": "", "360Spider": "", "ExampleBot/1.0": "ExampleBot",
		"MJ12bot": "MJ", "Example Bot": "Example", "a_b-c": "a_b-c", "Exämple": "Ex",
	} {
		if got := tokenPrefix(s); got != want {
			t.Errorf("tokenPrefix(%q) = %q, want %q", s, got, want)
		}
	}
}

// productTokens has headers and the tokens of the crawlers that send them; "" means
// that the header contains no crawler's token.
var productTokens = []struct{ header, want string }{
	// The name alone or at the start.
	{"ExampleBot", "ExampleBot"},
	{"ExampleBot/1.0", "ExampleBot"},
	{"ExampleBot/1.0 (+https://example.com/bot)", "ExampleBot"},
	{" \tExampleBot", "ExampleBot"},
	{"FigTree/0.1 Robot/1.0 libwww-perl/5.04", "FigTree"},
	{"curl/8.5.0", "curl"},
	{"python-requests/2.31.0", "python-requests"},
	{"Go-http-client/1.1", "Go-http-client"},
	{"Python/3.9 aiohttp/3.7.3", "aiohttp"},
	{"Linguee Bot (http://www.linguee.com/bot)", "Linguee"},
	{"User-Agent: ExampleBot/1.0", "ExampleBot"},

	// The name after "compatible".
	{"Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"},
	{"Mozilla/5.0 (compatible; example; +https://bot.example/)", "example"},
	{"Mozilla/5.0 (compatible ; example/1.0)", "example"},
	{"mozilla/5.0 (COMPATIBLE; example/1.0)", "example"},
	{"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ"},
	{"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp"},
	{"Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots)", "Mail"},
	{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)", "GPTBot"},
	{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
	{"DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)", "Googlebot-Mobile"},

	// The name elsewhere.
	{"Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36", "Storebot-Google"},
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/78.0 Safari/537.36 Example (https://example.com)", "Example"},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 8_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) ExampleBot", "ExampleBot"},

	{"Mozilla/5.0 (X11; Linux x86_64; ExampleCrawl/1.0) Example/2.0", "ExampleCrawl"},
	{"Mozilla/5.0 (X11; Linux x86_64; ExampleSlurp/1.0) Example/2.0", "ExampleSlurp"},
	{"Mozilla/5.0 (X11; Ubuntu) (Example/1.0)", "Example"},

	// A product ends with its version, and what is "like" another one with that.
	{"Mozilla/5.0 Example/1.0 NewsBot/2.0", "NewsBot"},
	{"Mozilla/5.0 Example NewsBot/2.0", "Example"},
	{"Mozilla/5.0 like Gecko/1.0 NewsBot/2.0", "NewsBot"},
	{"Mozilla/5.0 (X11 like Gecko/1.0 NewsBot/2.0)", ""},

	{"Mozilla/5.0 Example v1.0 NewsBot/2.0", "NewsBot"},

	// What a comment says of its names ends with it.
	{"Mozilla/5.0 (Linux; Android 6.0) NewsBot", "NewsBot"},
	{"Mozilla/5.0 (compatible; example/1.0) Other NewsBot", "Other"},

	// Unbalanced and nested comments.
	{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Multiviewbot", "Multiviewbot"},
	{"Mozilla/5.0 ))) (((compatible; ExampleBot/1.0", "ExampleBot"},
	{"example/1.0 (a (b) c; otherbot) more/2.0", "example"},

	// A name of two words is read up to the first space, unless the table knows the second word.
	{"Mozilla/5.0 (compatible; AllAfrica NewsBot; +https://allafrica.com/)", "AllAfrica"},
	{"Mozilla/5.0 (compatible; Dow Jones Searchbot)", "Dow"},
	{"Mozilla/5.0 (compatible; BlogTraffic/1.4 Feed-Fetcher; +http://www.blogtraffic.de/rss-bot.html)", "BlogTraffic"},
	{"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.0;.NET CLR 1.0.3705; ContextAd Bot 1.0)", "ContextAd"},

	// The table of crawlers: no hint is needed, but the crawler's own name comes before its engine's.
	{"Mozilla/5.0 (X11; Linux x86_64; HubSpot Single Page link check; web-crawlers+links@hubspot.com) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.2704.103 Safari/537.36", "HubSpot"},
	{"Mozilla/5.0 (X11; Datanyze; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/65.0.3325.181 Safari/537.36", "Datanyze"},
	{"DuckDuckBot-Https/1.1; (+https://duckduckgo.com/duckduckbot)", "DuckDuckBot"},
	{"Mozilla/5.0 (compatible; duckduckbot-https/1.1; https://duckduckgo.com/duckduckbot)", "duckduckbot"},
	{"http.rb/2.2.2 (Mastodon/1.5.1; +https://example-masto-instance.org/)", "Mastodon"},
	{"Mozilla/5.0 (compatible; example/1.0; heritrix/3.4.0)", "example"},
	{"example/1.0 (heritrix/3.4.0)", "example"},
	{"Mozilla/5.0 (X11; Linux x86_64) Safari/537.36 (like HubSpot)", ""},

	// A version behind "-".
	{"grub-client-0.3.0; http://grub.org", "grub-client"},
	{"nutch-1.4/Nutch-1.4", "nutch"},
	{"nutch-9.4", "nutch"},
	{"Mozilla/5.0 (compatible; nutch-1.4; +https://example.com/)", "nutch"},
	{"larbin_2.6.2 (larbin@correa.org)", "larbin"},
	{"-1.4", ""},
	{"HTTP Banner Detection (https://security.ipip.net)", "HTTP"},
	{"http.rb/2.2.2", "http"},

	// Browsers that programs drive.
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/74.0.3729.169 Safari/537.36", "HeadlessChrome"},
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/74.0 Safari/537.36 Example/1.0", "Example"},

	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/534.34 (KHTML, like Gecko) PhantomJS/1.9.8 Example/1.0", "Example"},
	{"Mozilla/5.0 (Linux) AppleWebKit/537.36 UCBrowser/12.13 Mobile Safari/537.36", ""},

	// Code names and devices.
	{"Mozilla/5.0 (X11; U; Linux i686; en-US; rv:1.9.2.24) Gecko/20111107 Ubuntu/10.04 (lucid) Firefox/3.6.24", ""},
	{"Mozilla/5.0 (X11; U; Linux i686; es-ES; rv:1.9.0.8) Gecko/2009033100 Ubuntu/9.04 (jaunty) Firefox/3.0.8", ""},
	{"Mozilla/5.0 (X11; U; Linux i686; en-US) Gecko/20100101 Ubuntu/9.04 (jaunty) Firefox/3.0.8 (Example/1.0)", "Example"},
	{"Safari/6533.18.5 CFNetwork/454.9.8 Darwin/10.4.0 (i386) (MacBookPro5%2C1)", ""},

	// Browsers.
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36", ""},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0", ""},
	{"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", ""},
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15", ""},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1", ""},
	{"Mozilla/5.0 (Linux; Android 8.0; CUBOT_X18_Plus Build/O00623) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0 Mobile Safari/537.36", ""},
	{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; SLCC2; .NET CLR 2.0.50727; InfoPath.3)", ""},
	{"Opera/9.80 (Windows NT 6.1; U; en) Presto/2.8.131 Version/11.11", ""},

	// The name of another product, or an address, is not the crawler's name.
	{"ExampleReader www.readerbot.example (compatible with Googlebot)", "ExampleReader"},
	{"Mozilla/5.0 (compatible; example; crawlbot@example.com)", "example"},
	{"Mozilla/5.0 (compatible; example; mailto:bot.example)", "example"},
	{"Mozilla/5.0 (Windows NT 5.1) Gecko/20070725 Firefox/2.0 - Example BOT", "Example"},
	{"Mozilla/5.0+(compatible;+ExampleBot;+http://example.com/bot/)", "ExampleBot"},

	// Names that no robots.txt line can contain, and headers without a name.
	{"360Spider", ""},
	{"360Spider/1.0 libwww-perl/6.03", ""},
	{"Mozilla/5.0 (compatible; 360Spider/1.0) example/1.0", ""},
	{"Mozilla/5.0 (compatible; 007ac9 Crawler; http://crawler.007ac9.net/) example/1.0", ""},
	{"*", ""},
	{"-", ""},
	{"", ""},
	{" ;()", ""},
	{"+https://example.com/bot", ""},
	{"(www.example.com/bot; bot@example.com)", ""},
}

func TestR2ProductToken(t *testing.T) {
	for _, c := range productTokens {
		got, ok := ProductToken(c.header)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("ProductToken(%q) = %q, %v; want %q", c.header, got, ok, c.want)
		}
	}
}

func TestR2WordListsSorted(t *testing.T) {
	for _, list := range [][]string{plainWords, platformWords, weakWords, systemWords, knownCrawlers()} {
		if !slices.IsSorted(list) {
			t.Errorf("not sorted: %q", list)
		}
	}
}

func TestR2ProductTokenAllocatesNothing(t *testing.T) {
	const header = "Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)"
	if n := testing.AllocsPerRun(100, func() { ProductToken(header) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzProductToken(f *testing.F) {
	for _, c := range productTokens {
		f.Add(c.header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, ok := ProductToken(header)
		if !ok && token != "" {
			t.Errorf("ProductToken(%q) = %q, not ok", header, token)
		}
		if ok && (!ValidToken(token) || !strings.Contains(header, token)) {
			t.Errorf("ProductToken(%q) = %q", header, token)
		}
	})
}

// corpusEntry is one crawler of the corpus.
type corpusEntry struct {
	Pattern   string
	Instances []string
}

// TestR2CorpusOfCrawlers measures ProductToken on the headers of known crawlers: the token
// must be at the start of the name by which the crawler is known.
func TestR2CorpusOfCrawlers(t *testing.T) {
	var entries []corpusEntry
	if err := json.Unmarshal(corpus.File(t, agentsArchive, "ref/crawler-user-agents.json"), &entries); err != nil {
		t.Fatal(err)
	}
	var total, found, decidable, same int
	for _, e := range entries {
		pattern := regexp.MustCompile("(?i)" + e.Pattern)
		for _, header := range e.Instances {
			token, ok := ProductToken(header)
			names := knownNames(pattern, header)
			total++
			if ok {
				found++
			}
			if len(names) > 0 {
				decidable++
			}
			switch {
			case slices.Contains(names, token):
				same++
			case len(names) > 0 || !ok:
				t.Logf("%-28q %-20q %s", e.Pattern, token, header)
			}
		}
	}
	t.Logf("%d headers, token found in %d (%.2f %%)", total, found, percent(found, total))
	t.Logf("%d headers of a known name, token the name's in %d (%.2f %%; %.2f %% of all)",
		decidable, same, percent(same, decidable), percent(same, total))
	const foundFloor, sameFloor = 97.9, 96.8
	if percent(found, total) < foundFloor || percent(same, decidable) < sameFloor {
		t.Errorf("below the floors of %v %% and %v %%", foundFloor, sameFloor)
	}
}

func percent(n, total int) float64 { return 100 * float64(n) / float64(max(1, total)) }

// knownNames returns the token of each word of the header in which a match of the pattern
// starts. It returns none if the crawler is only known by an address ("yandex\.com\/bots"),
// or by a name that does not begin with a token.
func knownNames(pattern *regexp.Regexp, header string) (names []string) {
	for _, match := range pattern.FindAllStringIndex(header, -1) {
		start := match[0]
		for start < match[1] && separators[header[start]] {
			start++
		}
		for from, to := range words(header) {
			if from > start || start >= to || isAddress(header[from:to]) {
				continue
			}
			// "Ask Jeeves/Teoma" is known as Teoma, the second part of a word.
			part := from + strings.LastIndexByte(header[from:start], '/') + 1
			part += len(header[part:to]) - len(strings.TrimLeft(header[part:to], "+"))
			if token := withoutDashedVersion(header[part:to]); token != "" {
				names = append(names, token)
			}
		}
	}
	return names
}

// words yields the bounds of a header's words.
func words(header string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; from < len(header); from++ {
			to := from
			for to < len(header) && !separators[header[to]] {
				to++
			}
			if to > from && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// TestR2CorpusOfBrowsers measures how often ProductToken finds a token in the header of a
// browser. It uses headers of access logs without any hint of a crawler.
func TestR2CorpusOfBrowsers(t *testing.T) {
	log := corpus.File(t, agentsArchive, "logs/elastic-apache_logs.semicomplete.com.2015-05.anon.log")
	log = append(log, corpus.File(t, agentsArchive, "logs/ucsd-imc25-websitec.2024-10_2025-05.anon.log")...)
	crawler := regexp.MustCompile(`(?i)bot|crawl|spider|slurp|http:|https:|www\.|@|feed|preview|archive|reader`)
	seen := map[string]bool{}
	named := 0
	for line := range strings.Lines(string(log)) {
		fields := strings.Split(strings.TrimSpace(line), `"`)
		header := fields[max(0, len(fields)-2)]
		if seen[header] || !strings.HasPrefix(header, "Mozilla/") || crawler.MatchString(header) {
			continue
		}
		seen[header] = true
		if token, ok := ProductToken(header); ok {
			named++
			t.Logf("%-20s %s", token, header)
		}
	}
	t.Logf("%d headers, token found in %d (%.2f %%)", len(seen), named, percent(named, len(seen)))
	const ceiling = 4
	if percent(named, len(seen)) > ceiling {
		t.Errorf("above the ceiling of %v %%", ceiling)
	}
}
