package watch_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A world is sites whose answers change as a script of chance says, on one server. It has a log of what each was asked, and
// what it answered.
type world struct {
	clock  clock
	server *httptest.Server
	sites  []*worldSite
	slow   bool // the store of a process lost a record, because it could not be written in time
	byHost map[string]*worldSite

	mu       sync.Mutex
	texts    map[string]spec // those that were served, by SHA-256
	asked    map[string]int  // the requests to a host that are not answered yet
	together []string        // what was asked while the host had not answered another request
	open     int             // connections
	requests int
	calm     bool // nothing changes any more
}

// A clock is faster than that of the machine, and the same in each process.
type clock struct {
	Start time.Time // of the machine
	Speed int
}

var worldBegins = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (c clock) now() time.Time {
	return worldBegins.Add(time.Since(c.Start.Round(0)) * time.Duration(c.Speed))
}

func (c clock) after(d time.Duration) <-chan time.Time {
	return time.After(d / time.Duration(c.Speed))
}

// siteNames returns the sites of a world. Some are on another port of the host of the site before.
func siteNames(n int) (names []string) {
	for i := range n {
		if i%20 == 7 {
			names = append(names, fmt.Sprintf("http://s%05d.example:8081", i-1))
			continue
		}
		names = append(names, fmt.Sprintf("http://s%05d.example", i))
	}
	return names
}

// hub is a host to which robots.txt files of many sites are redirected.
const hub = "hub.example"

type worldSite struct {
	name string
	mu   sync.Mutex
	rng  *rand.Rand

	often float64 // 1: it changes as often as change says; less: less often

	text    spec
	control int       // of controls: for the text without an episode
	quick   time.Time // until then, a changed text has another control
	etag    bool

	until   time.Time // of the episode
	episode episode

	visits []visit
}

// An episode is what a site answers instead of its text for some time.
type episode struct {
	kind    episodeKind
	status  int
	wait    string // Retry-After
	text    spec
	control int
}

type episodeKind int

const (
	none episodeKind = iota
	answersStatus
	resets      // closes the connection
	cutsOff     // closes it in the midst of the body
	otherText   // for a time
	otherPath   // redirects to a path of the host
	otherHost   // redirects to hub
	deadEnd     // redirects to a path with status 500
	missingThen // redirects to a path with status 404
)

// A visit is a retrieval, as the server saw it.
type visit struct {
	asked, done time.Time
	failed      bool
	status      int
	wait        time.Duration // Retry-After; less than 0: none
	sum         string        // of the text; "": there was none
	control     int
	redirected  bool
	url         string // of the last response
}

// controls are headers about freshness, and for how long the answer is fresh by them.
var controls = []struct {
	name, value string
	age         int
	fresh       time.Duration
}{
	{"", "", 0, 24 * time.Hour},
	{"Cache-Control", "max-age=300", 0, 300 * time.Second},
	{"Cache-Control", "public, max-age=900", 0, 900 * time.Second},
	{"Cache-Control", "max-age=1500", 0, 1500 * time.Second},
	{"Cache-Control", "max-age=2600", 0, 2600 * time.Second},
	{"Cache-Control", "max-age=7200, s-maxage=3000", 0, 3000 * time.Second},
	{"Cache-Control", "no-cache", 0, 5 * time.Minute},
	{"Cache-Control", "max-age=0", 0, 5 * time.Minute},
	{"Cache-Control", "max-age=9000", 1800, 7200 * time.Second},
	{"Cache-Control", "max-age=21600", 0, 6 * time.Hour},
	{"Cache-Control", "max-age=2592000", 0, 30 * 24 * time.Hour},
	{"Expires", "4h", 0, 4 * time.Hour},
	{"Expires", "0", 0, 5 * time.Minute},
}

// usual and quickly are controls of a site for most of the time, and for the time after a change.
var (
	usual   = []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 9, 9, 9, 10, 10, 11, 11}
	quickly = []int{1, 1, 2, 3, 4, 5, 6, 7, 12}
)

// always are controls that make much work: few sites have one for all of the time.
var always = []int{1, 2, 3, 3, 5, 6}

func newWorld(t *testing.T, n int, seed uint64, speed int, often float64) *world {
	w := &world{byHost: map[string]*worldSite{}, texts: map[string]spec{}, asked: map[string]int{}}
	for i, name := range siteNames(n) {
		s := &worldSite{name: name, often: often, rng: rand.New(rand.NewPCG(seed, uint64(i)))}
		s.text, s.etag = randomSpec(s.rng), s.rng.IntN(2) == 0
		s.control = usual[s.rng.IntN(len(usual))]
		if i%50 == 3 && i < 2000 {
			s.control = always[i/50%len(always)]
		}
		w.sites = append(w.sites, s)
		w.byHost[strings.TrimPrefix(name, "http://")] = s
	}
	w.server = httptest.NewUnstartedServer(w)
	w.server.Config.ErrorLog = nil
	w.server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch s {
		case http.StateNew:
			w.open++
		case http.StateClosed, http.StateHijacked:
			w.open--
		}
	}
	w.server.Start()
	t.Cleanup(w.server.Close)
	w.clock = clock{time.Now().Round(0), speed}
	return w
}

// settle waits until each request is answered: a process that has ended may have left some. The server accepts connections
// in their order, so it has accepted all of that process when it answers a newer one.
func (w *world) settle(t *testing.T) {
	t.Helper()
	c, err := net.Dial("tcp", w.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "no request\r\n\r\n")
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Fatal(err)
	}
	for isSettled := false; !isSettled; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		isSettled = w.open == 0 && len(w.asked) == 0
		w.mu.Unlock()
	}
}

// siteOf returns the site that a request is about, and whether it begins a visit.
func (w *world) siteOf(r *http.Request) (s *worldSite, begins bool) {
	if r.Host == hub {
		host, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		return w.byHost[host], false
	}
	return w.byHost[r.Host], r.URL.Path == "/robots.txt"
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	w.mu.Lock()
	w.requests++
	w.asked[host]++
	if w.asked[host] > 1 {
		w.together = append(w.together, r.Host+r.URL.Path+" at "+w.clock.now().String())
	}
	calm := w.calm
	w.mu.Unlock()
	s, begins := w.siteOf(r)
	if s == nil {
		panic("no such site: " + r.Host + r.URL.Path)
	}
	// A request ends, for the log, before the last byte of its response is written: the next one may come at once.
	ended := sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.asked[host]--; w.asked[host] == 0 {
			delete(w.asked, host)
		}
	})
	defer ended()
	s.serve(w, rw, r, begins, calm, ended)
}

// serve answers a request.
func (s *worldSite) serve(w *world, rw http.ResponseWriter, r *http.Request, begins, calm bool, ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := w.clock.now()
	if begins {
		if !calm {
			s.change(now)
		}
		s.visits = append(s.visits, visit{asked: now, wait: -1})
	}
	if s.rng.IntN(8) == 0 {
		time.Sleep(time.Millisecond)
	}
	v := &s.visits[len(s.visits)-1]
	v.done, v.status, v.failed, v.sum, v.url = now, 0, true, "", "http://"+r.Host+r.URL.Path
	e := s.episode
	text, control := s.text, s.control
	if now.Before(s.quick) {
		control = quickly[int(s.text.comment)%len(quickly)]
	}
	if e.kind != none {
		control = e.control
	}
	if e.kind >= otherText {
		text = e.text
	}
	h := rw.Header()
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	c := controls[control]
	v.control = control
	switch {
	case c.name == "Expires" && c.value != "0":
		d, _ := time.ParseDuration(c.value)
		h.Set("Expires", now.UTC().Truncate(time.Second).Add(d).Format(http.TimeFormat))
	case c.name != "":
		h.Set(c.name, c.value)
	}
	if c.age > 0 {
		h.Set("Age", strconv.Itoa(c.age))
	}
	if begins && e.kind >= otherPath {
		v.redirected = true
		to := "/moved/robots.txt"
		if e.kind == otherHost {
			to = "http://" + hub + "/" + strings.TrimPrefix(s.name, "http://") + "/robots.txt"
		}
		h.Set("Location", to)
		ended()
		rw.WriteHeader(http.StatusFound)
		v.done = w.clock.now()
		return
	}
	status := http.StatusOK
	switch e.kind {
	case answersStatus:
		status = e.status
	case resets, cutsOff:
		connection, out, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		ended()
		if e.kind == cutsOff {
			out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\nUser-agent: *\nDisallow: /cut\n")
			out.Flush()
			v.status = http.StatusOK
		}
		connection.Close()
		v.done = w.clock.now()
		return
	case deadEnd:
		status = http.StatusInternalServerError
	case missingThen:
		status = http.StatusNotFound
	}
	v.status = status
	if status >= 400 {
		v.failed = status >= 500 || status == http.StatusTooManyRequests
		if e.wait != "" {
			h.Set("Retry-After", e.wait)
			n, _ := strconv.Atoi(e.wait)
			v.wait = time.Duration(n) * time.Second
		}
		ended()
		rw.WriteHeader(status)
		v.done = w.clock.now()
		return
	}
	body := text.String()
	v.failed, v.sum = false, w.remember(text, body)
	if s.etag {
		// A response without headers about freshness leaves those of the one before: so the tag contains them.
		h.Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%.20s-%d", v.sum, control)))
		if r.Header.Get("If-None-Match") == h.Get("ETag") {
			ended()
			rw.WriteHeader(http.StatusNotModified)
			v.done = w.clock.now()
			return
		}
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	ended()
	rw.Write([]byte(body))
	v.done = w.clock.now()
}

// remember keeps a text that is served, and returns the sum of what is read of it.
func (w *world) remember(s spec, body string) string {
	sum := sha256.Sum256(within(body))
	key := hex.EncodeToString(sum[:])
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts[key] = s
	return key
}

const readBytes = 500 << 10

// within returns what is read of a robots.txt: no more than 500 KiB, in whole lines.
func within(body string) []byte {
	if len(body) <= readBytes {
		return []byte(body)
	}
	return []byte(body[:strings.LastIndexByte(body[:readBytes], '\n')+1])
}

// change decides what a site answers now: by chance, it changes its text, or an episode begins.
func (s *worldSite) change(now time.Time) {
	if s.episode.kind != none {
		if now.Before(s.until) {
			return
		}
		s.episode = episode{}
		if s.rng.IntN(4) > 0 { // one quick answer after it, more often than not
			return
		}
	}
	often := 0.25
	if fresh := controls[s.control].fresh; fresh < 6*time.Hour {
		often = 0.02 + 0.25*float64(fresh)/float64(6*time.Hour)
	}
	if now.Before(s.quick) {
		often = 0.15
	}
	if s.rng.Float64() > often*s.often && len(s.visits) > 0 {
		return
	}
	if len(s.visits) == 0 && s.rng.IntN(12) > 0 {
		return // most sites begin with a file
	}
	if s.rng.IntN(5) < 3 {
		s.text = s.text.edited(s.rng)
		s.quick = time.Time{}
		if s.rng.IntN(2) == 0 {
			s.quick = now.Add(time.Duration(s.rng.IntN(180)) * time.Minute)
		}
		return
	}
	e := episode{control: quickly[s.rng.IntN(len(quickly))], text: s.text}
	if s.rng.IntN(4) == 0 {
		e.control = usual[s.rng.IntN(len(usual))]
	}
	switch s.rng.IntN(10) {
	case 0, 1, 2:
		e.kind, e.status = answersStatus, []int{404, 404, 404, 410, 403, 401, 429}[s.rng.IntN(7)]
	case 3, 4:
		e.kind, e.status = answersStatus, []int{500, 502, 503, 504}[s.rng.IntN(4)]
		if s.rng.IntN(3) == 0 {
			e.wait = []string{"10", "600", "7200", "100000"}[s.rng.IntN(4)]
		}
	case 5:
		e.kind = []episodeKind{resets, cutsOff}[s.rng.IntN(2)]
	case 6, 7:
		e.kind, e.text = otherText, s.text.edited(s.rng)
	default:
		e.kind = []episodeKind{otherPath, otherHost, deadEnd, missingThen}[s.rng.IntN(4)]
		if s.rng.IntN(2) == 0 {
			e.text = s.text.edited(s.rng)
		}
	}
	lengths := []time.Duration{4 * time.Minute, 20 * time.Minute, 50 * time.Minute, 80 * time.Minute, 5 * time.Hour, 27 * time.Hour, 40 * time.Hour}
	length := lengths[s.rng.IntN(len(lengths))]
	s.episode, s.until = e, now.Add(length/2+time.Duration(s.rng.Int64N(int64(length))))
}

// A spec is a robots.txt. Rules are bits: see ruleLines. Less than 0: there is no group.
type spec struct {
	everyone, gpt, google, example int
	comment, order                 int
	preference                     int // of preferenceLines
	managed                        int // of managedBlocks
	long                           int // of padding: none, at the end, before the last group
}

var ruleLines = []string{"Disallow: /", "Disallow: /a/", "Disallow: /b", "Disallow: /c/*.pdf$", "Allow: /a/ok", "Allow: /", "Disallow: /a/x"}

// preferenceLines have no paths: package compare cannot always prove that a preference about pages that nobody may fetch
// changes nothing.
var preferenceLines = []string{"", "", "Content-Usage: train-ai=n\n", "Content-Usage: train-ai=y\n", "Content-Signal: ai-train=no, search=yes\n", "Content-Usage: train-ai=n, search=y\n"}

var managedBlocks = []string{"", "",
	"User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
	"# We ask all crawlers to obey.\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n\nUser-agent: GPTBot\n# no training\nDisallow: /\n",
	"User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /\n",
	"User-agent: *\nContent-Signal: search=yes,ai-train=yes\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
}

func randomRules(r *rand.Rand) int {
	switch r.IntN(6) {
	case 0:
		return 0
	case 1:
		return 1
	}
	return r.IntN(1 << len(ruleLines) / 2 * 2) // without Disallow: /
}

func randomSpec(r *rand.Rand) spec {
	s := spec{everyone: randomRules(r), gpt: -1, google: -1, example: -1, preference: r.IntN(len(preferenceLines)) * r.IntN(2), managed: r.IntN(len(managedBlocks)) * r.IntN(2)}
	for _, group := range []*int{&s.gpt, &s.google, &s.example} {
		if r.IntN(3) == 0 {
			*group = randomRules(r)
		}
	}
	return s
}

// edited returns the spec with an edit.
func (s spec) edited(r *rand.Rand) spec {
	s.comment++
	switch r.IntN(12) {
	case 0, 1: // another comment only
	case 2:
		s.order++
	case 3, 4:
		s.everyone = randomRules(r)
	case 5, 6, 7:
		group := []*int{&s.gpt, &s.google, &s.example}[r.IntN(3)]
		if *group >= 0 && r.IntN(2) == 0 {
			*group = -1
		} else {
			*group = randomRules(r)
		}
	case 8, 9:
		s.preference = r.IntN(len(preferenceLines))
	case 10:
		s.managed = r.IntN(len(managedBlocks))
	case 11:
		if s.long > 0 {
			s.long = 0
		} else if r.IntN(3) == 0 {
			s.long = 1 + r.IntN(2)
		}
	}
	return s
}

func (s spec) String() string {
	var b strings.Builder
	if block := managedBlocks[s.managed]; block != "" {
		b.WriteString("# BEGIN Cloudflare Managed content\n" + block + "# END Cloudflare Managed Content\n\n")
	}
	fmt.Fprintf(&b, "# edit %d\n", s.comment)
	var groups []string
	for _, g := range []struct {
		name  string
		rules int
	}{{"*", s.everyone}, {"GPTBot", s.gpt}, {"Googlebot", s.google}, {"ExampleBot", s.example}} {
		if g.rules < 0 {
			continue
		}
		text := "User-agent: " + g.name + "\n"
		if g.name == "*" {
			text += preferenceLines[s.preference]
		}
		for i := range ruleLines {
			i = (i + s.order) % len(ruleLines)
			if g.rules&(1<<i) != 0 {
				text += ruleLines[i] + "\n"
			}
		}
		groups = append(groups, text)
	}
	for i := range groups {
		if i == len(groups)-1 && s.long == 2 {
			b.WriteString(padding)
		}
		b.WriteString(groups[(i+s.order)%len(groups)] + "\n")
	}
	if s.long == 1 {
		b.WriteString(padding)
	}
	return b.String()
}

var padding = strings.Repeat("# "+strings.Repeat("nothing ", 100)+"\n", 520<<10/803)

// What a text means, found out with neither package compare nor package watch.
type meaning struct {
	means       string
	noRules     bool
	verdicts    string // a letter for each crawler and path of the grid
	preferences []string
	managed     string
	long        bool
	sum         string
}

var (
	gridAgents = []string{"*", "GPTBot", "Googlebot", "ExampleBot", "CCBot"}
	gridPaths  = []string{
		"/", "/z", "/a", "/a/", "/a/x", "/a/xy", "/a/ok", "/a/okay", "/b", "/bc", "/b/d", "/c/", "/c/x.pdf", "/c/x.pdfx", "/c/x", "/c/d/y.pdf",
	}
)

func meaningOfText(body string, sum string) *meaning {
	read := within(body)
	m := meaningOfFile(robotstxt.Parse(read, robotstxt.RFC9309))
	m.means, m.sum, m.long = "rules", sum, len(body) > readBytes
	m.noRules = !strings.Contains(string(read), "llow:")
	inside := false
	for line := range strings.Lines(string(read)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "# BEGIN"):
			inside = true
		case strings.HasPrefix(line, "# END"):
			inside = false
		case inside && line != "" && line[0] != '#':
			m.managed += line + "\n"
		}
	}
	return m
}

func meaningOfFile(f *robotstxt.File) *meaning {
	m := &meaning{}
	for _, agent := range gridAgents {
		policy := f.Agent(agent)
		use := usage.New(f, usage.Options{}, agent)
		for _, path := range gridPaths {
			allowed := policy.Check(path).Allowed
			m.verdicts += map[bool]string{true: "a", false: "d"}[allowed]
			m.preferences = append(m.preferences, use.Check(path, allowed, nil).String())
		}
	}
	return m
}

// gone is what it means that there is no robots.txt.
var gone = func() *meaning {
	m := meaningOfFile(robotstxt.Parse(nil, robotstxt.RFC9309))
	m.means = "allows-everything"
	return m
}()

// differences returns what is told of a change, and how severe it is.
func differences(old, now *meaning) (what []string, severity string) {
	severity = "low"
	if old.verdicts != now.verdicts {
		what = append(what, "verdicts")
		severity = "medium"
		for i := range gridAgents {
			before, after := old.verdicts[i*len(gridPaths):][:len(gridPaths)], now.verdicts[i*len(gridPaths):][:len(gridPaths)]
			if strings.Contains(before, "a") && !strings.Contains(after, "a") {
				severity = "high"
			}
		}
		if old.means == "rules" && (now.means != "rules" || now.noRules) {
			severity = "high"
		}
	}
	for i := range old.preferences {
		if old.verdicts[i] == 'a' && now.verdicts[i] == 'a' && old.preferences[i] != now.preferences[i] {
			what = append(what, "preferences")
			severity = cmp.Or(map[string]string{"low": "medium"}[severity], severity)
			break
		}
	}
	if old.managed != now.managed {
		what = append(what, "managed")
	}
	switch {
	case now.long && !old.long:
		what = append(what, "too-long")
		severity = cmp.Or(map[string]string{"low": "medium"}[severity], severity)
	case old.long && !now.long:
		what = append(what, "not-too-long")
	}
	return what, severity
}
