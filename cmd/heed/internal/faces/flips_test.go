package faces

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A change is two robots.txt files, and a list of URLs whose verdicts are compared.
type change struct {
	*testing.T
	*world
	old, new string   // the files
	chosen   string   // of -a; "": nobody is chosen
	urls     []string // that are compared
	others   int      // texts in the list that are no URLs
	list     string   // the file with the list
}

// A flip is a line of "heed diff --urls --format jsonl".
type flip struct {
	URL      string         `json:"url"`
	URLB64   *[]byte        `json:"url_b64"`
	Agents   []report.Agent `json:"agents"`
	Old, New decision
}

func (f *flip) url() string {
	if f.URLB64 != nil {
		return string(*f.URLB64)
	}
	return f.URL
}

// flipped is the two answers about a URL and a crawler.
type flipped struct{ old, new answer }

func (f *flipped) flips() bool { return (f.old.verdict == allowed) != (f.new.verdict == allowed) }

// TestFlips asks "heed diff" which URLs of a list flip, and "heed check" about each of them by both files, for each crawler
// that may have another verdict: the one reports what the other one confirms, and nothing else.
func TestFlips(t *testing.T) {
	seed, each, most := number(t, "HEED_FACES_SEED", 33), 150, 7_500
	if portion.Whole() {
		each, most = 2_500, 1_000_000
	}
	urls, reported := 0, 0
	for ; urls < most && !t.Failed(); seed++ {
		c := newChange(t, uint64(seed), each)
		urls, reported = urls+len(c.urls), reported+c.confirm()
	}
	t.Logf("%d URLs, %d flips for a crawler", urls, reported)
	if reported < most/20 {
		t.Errorf("only %d flips in %d URLs", reported, urls)
	}
}

// newChange makes a change, with a list of about n URLs.
func newChange(t *testing.T, seed uint64, n int) *change {
	w := newWorld(seed, 0)
	if w.IntN(4) == 0 {
		w.dialect = robotstxt.Standard1994 // in which names are made up
	}
	c := &change{T: t, world: w}
	for range 1 + w.IntN(2*n) {
		q := &question{url: w.url()}
		if w.IntN(3) == 0 {
			q.url = "/" + strings.TrimLeft(pick(w, paths), "/") + pick(w, []string{"", "", "?x=1", "/a/b.php"})
		}
		if o, err := origin.Parse(q.url); err == nil {
			q.origin = o.String()
		}
		w.questions = append(w.questions, q)
	}
	r := &run{T: t, world: w, folder: t.TempDir()}
	old := pick(w, w.files).body
	c.old, c.new = writeFile(r, "old.txt", old), writeFile(r, "new.txt", w.changed(old))
	if w.IntN(3) == 0 {
		c.chosen = "*,Googlebot-Image:Googlebot,ExampleBot,ExampleBot-News:ExampleBot"
	}
	c.list = writeFile(r, "list", c.write())
	return c
}

// changed returns another robots.txt: one that is not akin, or one with some other lines.
func (w *world) changed(robots string) string {
	if w.IntN(3) == 0 {
		return pick(w, w.files).body
	}
	text := strings.SplitAfter(robots, "\n")
	for range 1 + w.IntN(3) {
		i := w.IntN(len(text))
		switch w.IntN(4) {
		case 0:
			text = slices.Delete(text, i, min(i+1, len(text)-1))
		case 1:
			text = slices.Insert(text, i, pick(w, []string{"Disallow: ", "Allow: "})+pick(w, patterns)+"\n")
		case 2:
			text = slices.Insert(text, i, "User-agent: "+pick(w, []string{"*", "ExampleBot", "Googlebot-Image", "Other", "News"})+"\n")
		case 3:
			text[i] = strings.Replace(text[i], "Disallow", "Allow", 1)
		}
	}
	return strings.Join(text, "")
}

// write returns the list in one of the formats, and keeps the URLs that are in it.
func (c *change) write() (text string) {
	var carries func(url string) bool
	var line func(q *question) string
	var wrong string // a line without a URL, or one that is too long
	switch c.IntN(4) {
	case 0:
		c.makeList()
		text, _ = c.listOf(c.questions)
		for _, l := range c.world.list {
			if l.about != nil {
				c.lists(l.about.url)
			}
		}
		return "# URLs\n" + text // the first line decides how the list is read: a URL with a tab would be a row of a table
	case 1:
		text, carries = "id,url\n", isLine
		line = func(q *question) string { return `7,"` + strings.ReplaceAll(q.url, `"`, `""`) + `"` }
	case 2:
		text, carries, wrong = "url\tnote\n", hasNoTab, "/"+strings.Repeat("a/", 1<<19)
		line = func(q *question) string { return q.url + "\t/note" }
	case 3:
		carries, wrong = isText, `{"id": 7}`
		line = func(q *question) string { return string(jsonOf(map[string]any{"id": 7, "url": q.url})) }
	}
	var all strings.Builder
	all.WriteString(text)
	for _, q := range c.questions {
		if carries(q.url) {
			c.lists(q.url)
			all.WriteString(line(q) + "\n")
		}
	}
	for range c.IntN(3) {
		if wrong != "" {
			c.others++
			all.WriteString(wrong + "\n")
		}
	}
	return all.String()
}

// lists keeps a URL of the list. To Google's parser a text that is no URL has a path too; diff tells of it instead.
func (c *change) lists(url string) {
	if robotstxt.ParseString("", nil).Agent().Check(url).Reason == robotstxt.InvalidTarget {
		c.others++
	} else {
		c.urls = append(c.urls, url)
	}
}

func (c *change) diff(more ...string) result {
	args := append([]string{"diff", "--dialect", c.dialect.String()}, more...)
	if c.chosen != "" {
		args = append(args, "-a", c.chosen)
	}
	return heed("", append(args, c.old, c.new)...)
}

// confirm compares what both commands say, and returns how many flips there are.
func (c *change) confirm() (flips int) {
	c.counted()
	reported := c.reported()
	crawlers, others := c.crawlers()
	unheard := map[string]bool{} // URLs of which no flip is reported
	for _, url := range c.urls {
		unheard[url] = true
	}
	for _, agent := range crawlers {
		name, met := agentKey(agent), map[string]bool{}
		for i, is := range c.checked(agent, c.urls) {
			url := c.urls[i]
			told, ok := reported[name+" "+url]
			if met[url] = true; ok {
				delete(unheard, url)
			}
			if ok != is.flips() || ok && told != is {
				c.Errorf("HEED_FACES_SEED=%d: %q for %s in %s: diff says %v (%v), check says %v", c.seed, url, name, c.dialect, ok, told, is)
				return flips
			}
			if ok {
				flips++
			}
		}
		for key := range reported {
			if url, ok := strings.CutPrefix(key, name+" "); ok && !met[url] {
				c.Errorf("HEED_FACES_SEED=%d: diff tells of %q, which nobody asked about", c.seed, url)
			}
		}
	}
	quiet := slices.Sorted(maps.Keys(unheard))
	for _, agent := range others {
		for i, is := range c.checked(agent, quiet) {
			if is.flips() {
				c.Errorf("HEED_FACES_SEED=%d: %q flips for %s in %s, and diff does not tell it", c.seed, quiet[i], agent, c.dialect)
				return flips
			}
		}
	}
	return flips
}

// counted tests that each URL of the list was compared once, or is told.
func (c *change) counted() {
	var all struct{ URLs, Rejected int }
	r := c.diff("--urls", c.list, "--format", "json")
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		c.Fatalf("HEED_FACES_SEED=%d: %v: %s", c.seed, err, r.stderr)
	}
	different := slices.Compact(slices.Sorted(slices.Values(c.urls)))
	if all.URLs != len(different) || all.Rejected != c.others {
		c.Errorf("HEED_FACES_SEED=%d: %d URLs and %d others, want %d and %d: %s", c.seed, all.URLs, all.Rejected, len(different), c.others, r.stderr)
	}
}

func agentKey(a report.Agent) string { return strings.Join(a, ":") }

// reported returns the flips that diff reports, by crawler and URL.
func (c *change) reported() map[string]flipped {
	r := c.diff("--urls", c.list, "--format", "jsonl")
	all := map[string]flipped{}
	for line := range strings.Lines(r.stdout) {
		var f flip
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			c.Fatalf("HEED_FACES_SEED=%d: %v: %q", c.seed, err, line)
		}
		for _, a := range f.Agents {
			all[agentKey(a)+" "+f.url()] = flipped{f.Old.answer(), f.New.answer()}
		}
	}
	if want := min(len(all), 1); r.status != want {
		c.Fatalf("HEED_FACES_SEED=%d: status %d, want %d: %s", c.seed, r.status, want, r.stderr)
	}
	return all
}

// crawlers returns those that diff compares, and others to which the same must happen as to one of them.
func (c *change) crawlers() (compared, others []report.Agent) {
	var all struct {
		Crawlers []struct{ Agent report.Agent }
	}
	r := c.diff("--format", "json")
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		c.Fatalf("HEED_FACES_SEED=%d: %v: %s", c.seed, err, r.stderr)
	}
	for _, each := range all.Crawlers {
		compared = append(compared, each.Agent)
	}
	for _, a := range []report.Agent{{"Nobody"}, {"ExampleBot"}, {"Googlebot"}, {"Googlebot-Image", "Googlebot"}, {"Other"}, {"News"}, {"GPTBot"}} {
		if c.chosen == "" && !slices.ContainsFunc(compared, func(b report.Agent) bool { return slices.Equal(a, b) }) {
			others = append(others, a)
		}
	}
	return compared, others
}

// checked returns what check says of URLs by both files.
func (c *change) checked(agent report.Agent, urls []string) []flipped {
	var in strings.Builder
	for _, url := range urls {
		member := map[string]any{"agent": agent}
		if isText(url) {
			member["url"] = url
		} else {
			member["url_b64"] = base64Of(url)
		}
		in.Write(append(jsonOf(member), '\n'))
	}
	ask := func(file string) []answer {
		return rowsOf(heed(in.String(), "check", "--input", "jsonl", "--dialect", c.dialect.String(), "--robots", file), len(urls))
	}
	all := make([]flipped, len(urls))
	old, new := ask(c.old), ask(c.new)
	for i := range all {
		all[i] = flipped{old[i], new[i]}
	}
	return all
}
