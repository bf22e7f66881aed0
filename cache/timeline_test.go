package cache_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A timeline is a table of what happens to one site and what a Cache answers
// about it. It runs for each of its dialects, each time with a new server, Cache
// and clock. The first row names the columns. A column may be missing, and a cell
// may be empty; then nothing is checked:
//
//	at         the time since the start; "": as in the row above; "30d every 7d":
//	           the same call is made every seven days from the row above until then
//	server     what the server does from now on, see (*site).do; "": as before
//	call       a path, for a call of Check; "peek /path", "refresh" or "forget"
//	answer     allowed or denied, and the name of the reason
//	retrieval  what the answer comes from: the outcome, the status, "error", "stale",
//	           and for how long the site has failed
//	age        of that retrieval; "-": there is none
//	next       the time until the next retrieval is due; "~1h": three quarters of
//	           an hour to one hour after the last request
//	requests   the number of requests for robots.txt until now, also those in the
//	           background; "conditional" if the last one was
//
// A cell may have other values for some dialects: "24h [draft1996 7d]". "//" begins a
// comment.
type timeline struct {
	name     string               // with the requirements that it tests
	dialects []*robotstxt.Dialect // nil: all
	newSites bool                 // each row has a new site
	settings func(*cache.Cache)   // sets fields of the Cache
	table    string
}

var (
	older = []*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Draft1996}
	newer = []*robotstxt.Dialect{robotstxt.Draft2019, robotstxt.RFC9309, robotstxt.Google}

	conditional = []*robotstxt.Dialect{ // those that make conditional requests
		robotstxt.Standard1994, robotstxt.Draft1996, robotstxt.Draft2019, robotstxt.RFC9309,
	}
)

func (l *timeline) run(t *testing.T) {
	dialects := l.dialects
	if dialects == nil {
		dialects = robotstxt.Dialects()
	}
	rows := readTable(t, l.table)
	for _, d := range dialects {
		t.Run(d.String(), func(t *testing.T) {
			w := newWorld(t, d, l.settings)
			for _, r := range rows {
				if l.newSites {
					w.cache.Close()
					w = newWorld(t, d, l.settings)
				}
				w.step(t, r.rowOf(d))
			}
			w.cache.Close()
		})
	}
}

func runTimelines(t *testing.T, timelines []timeline) {
	for _, l := range timelines {
		t.Run(l.name, l.run)
	}
}

// A row is a line of a table, with its cells by the names of the columns.
type row struct {
	line  string
	cells map[string]string
}

var columns = []string{"at", "server", "call", "answer", "retrieval", "age", "next", "requests"}

func readTable(t *testing.T, table string) []row {
	t.Helper()
	var names []string
	var rows []row
	for line := range strings.SplitSeq(table, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		if line == "" {
			continue
		}
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if names == nil {
			names = cells
			for _, name := range names {
				if !slices.Contains(columns, name) {
					t.Fatalf("no column is called %q", name)
				}
			}
			continue
		}
		if len(cells) != len(names) {
			t.Fatalf("%d cells, want %d: %s", len(cells), len(names), line)
		}
		r := row{line, map[string]string{}}
		for i, name := range names {
			r.cells[name] = cells[i]
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatal("a timeline without rows")
	}
	return rows
}

var exception = regexp.MustCompile(`\s*\[([\w,]+) ([^\]]+)\]`)

// rowOf returns the row with the values for a dialect.
func (r row) rowOf(d *robotstxt.Dialect) row {
	cells := map[string]string{}
	for name, cell := range r.cells {
		cells[name] = exception.ReplaceAllString(cell, "")
		for _, found := range exception.FindAllStringSubmatch(cell, -1) {
			if slices.Contains(strings.Split(found[1], ","), d.String()) {
				cells[name] = found[2]
			}
		}
	}
	return row{r.line, cells}
}

// A world is a Cache, a site and a clock.
type world struct {
	cache *cache.Cache
	site  *site
	clock *clock
}

func newWorld(t *testing.T, d *robotstxt.Dialect, settings func(*cache.Cache)) *world {
	t.Helper()
	w := &world{clock: &clock{now: start}}
	w.site = newSite(t, w.clock)
	w.cache = &cache.Cache{Dialect: d, Now: w.clock.Now, Fetcher: anyone}
	if d == robotstxt.Draft1996 { // as in the other dialects, so that one table holds for all
		w.cache.RelaxAfter = 30 * day
	}
	if settings != nil {
		settings(w.cache)
	}
	return w
}

var (
	start  = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	anyone = &fetch.Fetcher{AllowPrivate: true, Timeout: 10 * time.Second, MaxPerHost: 100}
)

// A clock is a clock that the test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

var agents = []string{"ExampleBot"}

// peek answers about a URL from what is cached.
func peek(ctx context.Context, c *cache.Cache, url string) (cache.Answer, error) {
	s, err := c.PeekSite(ctx, originOf(url))
	if err != nil {
		return cache.Answer{}, err
	}
	return s.Check(agents, url)
}

func (w *world) step(t *testing.T, r row) {
	t.Helper()
	ctx, before := context.Background(), w.site.requests()
	w.site.do(t, r.cells["server"])
	w.wait(t, r)
	how, path, named := strings.Cut(r.cells["call"], " ")
	if !named {
		how, path = "", how
	}
	var a cache.Answer
	var err error
	switch {
	case path == "refresh":
		err = w.cache.Refresh(ctx, w.site.origin)
	case path == "forget":
		err = w.cache.Forget(ctx, w.site.origin)
	case how == "peek":
		a, err = peek(ctx, w.cache, w.site.origin.String()+path)
	case how == "" && strings.HasPrefix(path, "/"):
		a, err = w.cache.Check(ctx, agents, w.site.origin.String()+path)
	default:
		t.Fatalf("unknown call %q", r.cells["call"])
	}
	if err != nil {
		t.Fatalf("%s\n\terror: %v", r.line, err)
	}
	w.cache.Settle()
	if strings.HasPrefix(path, "/") {
		w.checkAnswer(t, r, a)
	}
	w.checkRequests(t, r, before)
}

// wait moves the clock to the time of a row.
func (w *world) wait(t *testing.T, r row) {
	t.Helper()
	if r.cells["at"] == "" {
		return
	}
	at, every, repeats := strings.Cut(r.cells["at"], " every ")
	end := start.Add(parseDuration(t, at))
	for repeats && w.clock.Now().Add(parseDuration(t, every)).Before(end) {
		w.clock.set(w.clock.Now().Add(parseDuration(t, every)))
		if _, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+r.cells["call"]); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.set(end)
}

func (w *world) checkAnswer(t *testing.T, r row, a cache.Answer) {
	t.Helper()
	now := w.clock.Now()
	got := map[string]string{"answer": decision(a.Decision), "retrieval": retrievalText(a, now), "age": "-"}
	if !a.Fetched.IsZero() {
		got["age"] = short(a.Age)
		if a.Age != now.Sub(a.Fetched) {
			t.Errorf("%s\n\tAge %s, Fetched %s ago", r.line, a.Age, now.Sub(a.Fetched))
		}
	}
	for _, name := range []string{"answer", "retrieval", "age"} {
		want := r.cells[name]
		checked := want != ""
		if name == "age" && want != "-" && checked {
			want = short(parseDuration(t, want))
		}
		if checked && got[name] != want {
			t.Errorf("%s\n\t%s: %s, want %s", r.line, name, got[name], want)
		}
	}
	if want := r.cells["next"]; want != "" {
		if ok, next := w.isNext(t, want, a); !ok {
			t.Errorf("%s\n\tnext: %s, want %s", r.line, next, want)
		}
	}
	if a.Origin != w.site.origin {
		t.Errorf("%s\n\torigin: %s, want %s", r.line, a.Origin, w.site.origin)
	}
}

// slack is the limit of the time that a real retrieval takes; that time counts as age.
const slack = 5 * time.Second

func (w *world) isNext(t *testing.T, want string, a cache.Answer) (ok bool, got string) {
	t.Helper()
	since, shortest := w.clock.Now(), time.Duration(0)
	nominal, about := strings.CutPrefix(want, "~")
	d := parseDuration(t, nominal)
	if shortest = d - slack; about {
		since, shortest = w.site.lastRequest(), d*3/4
	}
	after := a.NextRetrieval.Sub(since)
	return shortest <= after && after <= d, short(after)
}

func (w *world) checkRequests(t *testing.T, r row, before int) {
	t.Helper()
	want := r.cells["requests"]
	if want == "" {
		return
	}
	words := strings.Fields(want)
	n, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatalf("%q is no number of requests", want)
	}
	got, isConditional := w.site.requests(), w.site.lastConditional()
	if got != n {
		t.Errorf("%s\n\t%d requests, want %d", r.line, got, n)
	} else if got > before && isConditional != slices.Contains(words, "conditional") {
		t.Errorf("%s\n\tconditional: %t", r.line, isConditional)
	}
}

func decision(d robotstxt.Decision) string {
	reason, _ := d.Reason.MarshalText()
	if d.Allowed {
		return "allowed " + string(reason)
	}
	return "denied " + string(reason)
}

func retrievalText(a cache.Answer, now time.Time) string {
	s := a.Outcome.String()
	if a.Status != 0 {
		s += " " + strconv.Itoa(a.Status)
	}
	if a.Err != nil {
		s += " error"
	}
	if a.Stale {
		s += " stale"
	}
	if !a.FailingSince.IsZero() {
		s += ", failing " + short(now.Sub(a.FailingSince))
	}
	return s
}

// parseDuration parses a duration that may begin with days: "30d1h".
func parseDuration(t *testing.T, s string) time.Duration {
	t.Helper()
	days, rest, found := strings.Cut(s, "d")
	if !found {
		days, rest = "0", s
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		t.Fatalf("%q is no duration", s)
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" || rest == "0" {
		return d
	}
	more, err := time.ParseDuration(rest)
	if err != nil {
		t.Fatal(err)
	}
	if n < 0 {
		return d - more
	}
	return d + more
}

func short(d time.Duration) string {
	if days := d / (24 * time.Hour); days != 0 {
		return fmt.Sprintf("%dd%s", days, d%(24*time.Hour))
	}
	return d.String()
}

// A site is a server whose behaviour the test sets.
type site struct {
	origin origin.Origin
	clock  *clock
	server *httptest.Server

	count     atomic.Int64 // requests for robots.txt
	mu        sync.Mutex
	behaviour behaviour
	last      http.Header // of the last request
	lastAt    time.Time
}

// A behaviour is what a site does, see (*site).do.
type behaviour struct {
	status    int    // 0: no response with a status, but a failure
	what      string // the name of a body or, without a status, of a failure
	redirects int
	header    [][2]string
}

func newSite(t *testing.T, c *clock) *site {
	t.Helper()
	s := &site{clock: c}
	s.server = httptest.NewUnstartedServer(s)
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.Start()
	t.Cleanup(s.server.Close)
	o, err := origin.Parse(s.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.origin = o
	return s
}

// bodies are what a site sends, by name.
var bodies = map[string]string{
	"":          "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n",
	"other":     "User-agent: *\nDisallow: /other\n",
	"empty":     "",
	"not found": "<h1>Page not found</h1>",
}

// do sets what the site does. Examples:
//
//	200                          sends the file bodies[""]
//	200 other; Etag: "1"         sends bodies["other"] and a header
//	200 after 6 redirects        sends bodies[""] after redirects
//	200; Expires: +1h            a header with the time of the request and one hour
//	down, reset, half, garbage, silent
//
// A request with the Etag or the Last-Modified that the site sends is answered with 304.
// "down" closes the connection, "reset" resets it, "half" ends it within the body, "garbage"
// sends no HTTP, and "silent" sends nothing.
func (s *site) do(t *testing.T, what string) {
	t.Helper()
	if what == "" {
		return
	}
	parts := strings.Split(what, ";")
	first, rest, _ := strings.Cut(parts[0], " ")
	b := behaviour{what: first}
	if n, err := strconv.Atoi(first); err == nil {
		b.status, b.what = n, rest
		if after, ok := strings.CutPrefix(rest, "after "); ok {
			b.what = ""
			fmt.Sscanf(after, "%d redirects", &b.redirects)
		}
	}
	for _, header := range parts[1:] {
		name, value, _ := strings.Cut(header, ":")
		b.header = append(b.header, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
}

func (s *site) requests() int { return int(s.count.Load()) }

func (s *site) lastRequest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastAt
}

func (s *site) lastConditional() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isConditional(s.last)
}

func isConditional(h http.Header) bool {
	return h.Get("If-None-Match") != "" || h.Get("If-Modified-Since") != ""
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.clock.Now()
	s.mu.Lock()
	b := s.behaviour
	s.last, s.lastAt = r.Header, now
	s.mu.Unlock()
	hop := 0
	if r.URL.Path == "/robots.txt" {
		s.count.Add(1)
	} else {
		fmt.Sscanf(r.URL.Path, "/hop/%d", &hop)
	}
	if hop < b.redirects {
		http.Redirect(w, r, fmt.Sprintf("/hop/%d", hop+1), http.StatusFound)
		return
	}
	b.answer(w, r, now)
}

func (b *behaviour) answer(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	same := false
	for _, header := range b.header {
		name, value := header[0], header[1]
		if d, err := time.ParseDuration(value); err == nil && strings.ContainsAny(value[:1], "+-") {
			value = now.Add(d).UTC().Format(http.TimeFormat)
		}
		h.Add(name, value)
		same = same || name == "Etag" && r.Header.Get("If-None-Match") == value
		same = same || name == "Last-Modified" && r.Header.Get("If-Modified-Since") == value
	}
	switch {
	case b.status != 0 && same:
		w.WriteHeader(http.StatusNotModified)
	case b.status != 0:
		w.WriteHeader(b.status)
		if b.status != http.StatusNotModified && b.status != http.StatusNoContent {
			io.WriteString(w, bodies[b.what])
		}
	case b.what == "half":
		h.Set("Content-Length", "1000")
		io.WriteString(w, bodies[""])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case b.what == "silent":
		<-r.Context().Done()
	default:
		b.breakOff(w)
	}
}

func (b *behaviour) breakOff(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	switch b.what {
	case "reset":
		conn.(*net.TCPConn).SetLinger(0)
	case "garbage":
		io.WriteString(conn, "not HTTP\r\n\r\n")
	case "down":
	default:
		panic("unknown behaviour " + b.what)
	}
}
