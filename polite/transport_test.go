package polite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// local returns a Transport that may make requests to this machine.
func local() *Transport {
	return &Transport{UserAgent: userAgent, Cache: &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}}}
}

// A site is a server that records the requests for pages.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	robots   atomic.Int32 // the number of requests for robots.txt
}

// serve starts a site. If h is nil, each page is the text "page".
func serve(t *testing.T, robots string, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			s.robots.Add(1)
			io.WriteString(w, robots)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if h != nil {
			h(w, r)
			return
		}
		io.WriteString(w, "page")
	}))
	t.Cleanup(s.Close)
	return s
}

// saw returns the requests for pages.
func (s *site) saw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.requests, ", ")
}

// get sends a GET through an http.Client, and reads the body.
func get(rt http.RoundTripper, url string) error {
	response, err := (&http.Client{Transport: rt}).Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func TestAllowedAndDisallowed(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /x\x1b\ndisallow: /private # \x1b\n", nil)
	rt := local()
	if err := get(rt, s.URL+"/public?q=1"); err != nil {
		t.Error(err)
	}
	err := get(rt, s.URL+"/private/1")
	var disallowed *DisallowedError
	if !errors.As(err, &disallowed) {
		t.Fatalf("got %v", err)
	}
	if disallowed.URL != s.URL+"/private/1" || disallowed.Answer.Rule.Line != 3 {
		t.Errorf("got %+v", disallowed)
	}
	if want := "polite: disallowed by line 3: Disallow: /private"; disallowed.Error() != want {
		t.Errorf("got %s, want %s", disallowed, want)
	}
	if got := s.saw(); got != "GET /public" {
		t.Errorf("the site saw %s", got)
	}
	if n := s.robots.Load(); n != 1 {
		t.Errorf("robots.txt was requested %d times", n)
	}
}

// the answer is about what is sent: Go escapes a backslash.
func TestBackslash(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /private/\ndisallow: /a%5Cb\n", nil)
	for path, allowed := range map[string]bool{"/private\\x": true, "/a\\b": false, "/?\\private/": true} {
		err := get(local(), s.URL+path)
		if (err == nil) != allowed {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// the protocol always allows /robots.txt. The Transport makes no exception of its own.
func TestRobotsTxtItself(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /\n", nil)
	if err := get(local(), s.URL+"/robots.txt"); err != nil {
		t.Error(err)
	}
}

// An error contains no control characters and no password, and it is short.
func TestErrorsAreSafe(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /\x1b[2J*\u202e"+strings.Repeat("*x", 1000)+"\ndisallow: /*y\n", nil)
	rt := local()
	err := get(rt, strings.Replace(s.URL, "//", "//me:secret@", 1)+"/%1b[2J%e2%80%ae"+strings.Repeat("x", 1000))
	var disallowed *DisallowedError
	if !errors.As(err, &disallowed) {
		t.Fatalf("got %v", err)
	}
	for _, bad := range []string{"\x1b", "\u202e", "secret"} {
		if strings.Contains(err.Error(), bad) {
			t.Errorf("%q is in %q", bad, err)
		}
	}
	if text := disallowed.Error(); len(text) > 1000 || !strings.Contains(text, `by line 2: Disallow: /\x1b[2J*\u{202e}*x*x`) {
		t.Errorf("got %s", text)
	}
}

// The same for a site whose robots.txt is unreachable, whatever its server sends.
func TestUnreachableErrorIsSafe(t *testing.T) {
	for what, robots := range map[string]http.HandlerFunc{
		"status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "gopher://\u202e"+strings.Repeat("x", 1000))
			w.WriteHeader(302)
		},
		"encoding": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "\u202e"+strings.Repeat("x", 1000))
			io.WriteString(w, "\x0b")
		},
	} {
		s := httptest.NewServer(robots)
		defer s.Close()
		err := get(local(), strings.Replace(s.URL, "//", "//me:secret@", 1)+"/%1b[2J%e2%80%ae"+strings.Repeat("x", 1000))
		var unreachable *UnreachableError
		if !errors.As(err, &unreachable) {
			t.Fatalf("%s: got %v", what, err)
		}
		for _, bad := range []string{"\x1b", "\u202e", "secret"} {
			if strings.Contains(err.Error(), bad) {
				t.Errorf("%s: %q is in %q", what, bad, err)
			}
		}
		if text := unreachable.Error(); len(text) > 1000 {
			t.Errorf("%s: got %s", what, text)
		}
	}
}

// S96-1: in the draft of 1996, a restricted robots.txt disallows everything.
func TestRestricted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }))
	defer server.Close()
	rt := local()
	rt.Cache.Dialect = robotstxt.Draft1996
	var disallowed *DisallowedError
	if err := get(rt, server.URL+"/a"); !errors.As(err, &disallowed) || !strings.HasSuffix(err.Error(), "/a\": polite: disallowed: robots.txt is restricted") {
		t.Errorf("got %v", err)
	}
}

// an unreachable robots.txt disallows for now.
func TestUnreachable(t *testing.T) {
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer failing.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for url, why := range map[string]string{failing.URL: "status 503", closed.URL: "connection refused"} {
		err := get(local(), url+"/a")
		var unreachable *UnreachableError
		if !errors.As(err, &unreachable) {
			t.Errorf("%s: got %v", why, err)
			continue
		}
		text := unreachable.Error()
		if !strings.HasPrefix(text, "polite: robots.txt is unreachable (") || !strings.Contains(text, why+"), try again at 20") {
			t.Errorf("%s: got %s", why, text)
		}
		if unreachable.Answer.Err != nil && !errors.Is(err, unreachable.Answer.Err) {
			t.Errorf("%s: %v does not unwrap to %v", why, err, unreachable.Answer.Err)
		}
	}
}

// The Transport's own cache has the UserAgent of the Transport, and only requests public
// addresses.
func TestOwnCache(t *testing.T) {
	s := serve(t, "", nil)
	rt := &Transport{UserAgent: userAgent}
	err := get(rt, s.URL+"/")
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || !errors.Is(err, fetch.AddressRefused) || !strings.Contains(err.Error(), "AllowPrivate") {
		t.Errorf("got %v", err)
	}
	if got := rt.own.Fetcher.(*fetch.Fetcher).UserAgent; got != userAgent {
		t.Errorf("robots.txt is fetched as %q", got)
	}
}

// The target of a redirect is checked.
func TestRedirect(t *testing.T) {
	other := serve(t, "user-agent: examplebot\ndisallow: /private\n", nil)
	s := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	})
	rt := local()
	if err := get(rt, s.URL+"/public"); err != nil {
		t.Error(err)
	}
	err := get(rt, s.URL+"/private")
	var disallowed *DisallowedError
	if !errors.As(err, &disallowed) || disallowed.URL != other.URL+"/private" {
		t.Errorf("got %v", err)
	}
	if got := other.saw(); got != "GET /public" {
		t.Errorf("the other site saw %s", got)
	}
}

// S96-6: the rules hold for every method.
func TestMethods(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /x\n", nil)
	client := &http.Client{Transport: local()}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	for _, method := range methods {
		for path, want := range map[string]bool{"/a": true, "/x": false} {
			request, err := http.NewRequest(method, s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			var disallowed *DisallowedError
			if got := !errors.As(err, &disallowed); got != want {
				t.Errorf("%s %s: %v", method, path, err)
			}
			if err == nil {
				response.Body.Close()
			}
		}
	}
	if want := strings.Join(methods, " /a, ") + " /a"; s.saw() != want {
		t.Errorf("the site saw %s, want %s", s.saw(), want)
	}
}

// A body is closed when its request is refused, for whatever reason.
func TestBodyIsClosed(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /x\ncrawl-delay: 600\n", nil)
	closed := httptest.NewServer(nil)
	closed.Close()
	rt := local()
	if err := get(rt, s.URL+"/"); err != nil { // the next must wait for 600 s
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for name, c := range map[string]struct{ url, agent string }{
		"disallowed":        {s.URL + "/x", userAgent},
		"unreachable":       {closed.URL, userAgent},
		"no product token":  {s.URL, "Mozilla/5.0 (X11; Linux x86_64)"},
		"wrong scheme":      {"gopher://example.com/", userAgent},
		"deadline too soon": {s.URL, userAgent},
	} {
		body := &closeCounter{Reader: strings.NewReader("body")}
		request, err := http.NewRequestWithContext(ctx, "POST", c.url, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", c.agent)
		if response, err := rt.RoundTrip(request); err == nil {
			response.Body.Close()
			t.Errorf("%s: no error", name)
		}
		if body.closed != 1 {
			t.Errorf("%s: closed %d times", name, body.closed)
		}
	}
	if got := s.saw(); got != "GET /" {
		t.Errorf("the site saw %s", got)
	}
}

type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error {
	c.closed++
	return nil
}

// A RoundTripper must not change a request, but what is sent has a User-Agent header.
func TestUserAgent(t *testing.T) {
	var got string
	s := serve(t, "", func(_ http.ResponseWriter, r *http.Request) { got = r.UserAgent() })
	for _, own := range []string{"", "ExampleBot/2.0"} {
		request, err := http.NewRequest("GET", s.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := userAgent
		if own != "" {
			request.Header.Set("User-Agent", own)
			want = own
		}
		before := fmt.Sprint(request.Header)
		response, err := local().RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got != want || fmt.Sprint(request.Header) != before {
			t.Errorf("sent %q, want %q; header %v, was %s", got, want, request.Header, before)
		}
	}
}

// The product tokens of a request come from Agents, or else from its header.
func TestAgents(t *testing.T) {
	s := serve(t, "user-agent: googlebot-news\ndisallow: /news\n\nuser-agent: googlebot\ndisallow: /web\n\nuser-agent: *\ndisallow: /\n", nil)
	for name, c := range map[string]struct {
		rt    *Transport
		agent string // the request's header
		want  string
	}{
		"the most specific":     {&Transport{Agents: []string{"googlebot-news", "googlebot"}}, "Googlebot/2.1", "/web"},
		"the next":              {&Transport{Agents: []string{"googlebot-image", "googlebot"}}, "Googlebot/2.1", "/news"},
		"none in the file":      {&Transport{Agents: []string{"other"}}, "Googlebot/2.1", ""},
		"the UserAgent":         {&Transport{UserAgent: "Googlebot/2.1"}, "", "/news"},
		"the header":            {&Transport{}, "Googlebot-News/2.1", "/web"},
		"header, not UserAgent": {&Transport{UserAgent: "Other/1.0"}, "Googlebot/2.1", "/news"},
		"a name in brackets":    {&Transport{}, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "/news"},
	} {
		c.rt.Cache = &cache.Cache{Fetcher: localFetcher{}}
		var allowed []string
		for _, path := range []string{"/news", "/web"} {
			request, err := http.NewRequest("GET", s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("User-Agent", c.agent)
			if response, err := c.rt.RoundTrip(request); err == nil {
				response.Body.Close()
				allowed = append(allowed, path)
			}
		}
		if got := strings.Join(allowed, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// localFetcher is a Fetcher whose name a Transport does not know.
type localFetcher struct{}

func (localFetcher) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	return (&fetch.Fetcher{AllowPrivate: true}).Fetch(ctx, o, v)
}

// robots.txt is never fetched under another name than pages: a Transport without a name,
// or with two names, sends nothing.
func TestTwoNames(t *testing.T) {
	names := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { names <- r.URL.Path + " " + r.UserAgent() }))
	defer s.Close()
	as := func(userAgent string) *cache.Cache {
		return &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}}
	}
	for name, c := range map[string]struct {
		rt   *Transport
		want string // in the error; "": there is none
	}{
		"no name at all":        {&Transport{}, "Transport.UserAgent is empty"},
		"a Cache without one":   {&Transport{UserAgent: userAgent, Cache: as("")}, "with the User-Agent of Heed: set the UserAgent of the Cache's fetch.Fetcher"},
		"the zero Cache":        {&Transport{UserAgent: userAgent, Cache: &cache.Cache{}}, "the User-Agent of Heed"},
		"a typed nil Fetcher":   {&Transport{UserAgent: userAgent, Cache: &cache.Cache{Fetcher: (*fetch.Fetcher)(nil)}}, "the User-Agent of Heed"},
		"without any UserAgent": {&Transport{Cache: as("")}, "the User-Agent of Heed"},
		"another name":          {&Transport{UserAgent: userAgent, Cache: as("OtherBot/1.0")}, `the User-Agent "OtherBot/1.0", but requests are sent as "ExampleBot/1.0`},
		"none of Agents":        {&Transport{Agents: []string{"ExampleBot-News"}, Cache: as("OtherBot/1.0")}, `are sent as "ExampleBot-News"`},
		"the same name":         {&Transport{UserAgent: userAgent, Cache: as("examplebot/2.0")}, ""},
		"one of Agents":         {&Transport{Agents: []string{"ExampleBot-News", "examplebot"}, Cache: as(userAgent)}, ""},
		"only in requests":      {&Transport{Cache: as(userAgent)}, ""},
		"UserAgent, not Agents": {&Transport{UserAgent: userAgent, Agents: []string{"Example-Extended"}, Cache: as(userAgent)}, ""},
	} {
		request, err := http.NewRequest("GET", s.URL+"/page", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", userAgent)
		agents := fmt.Sprint(c.rt.Agents)
		response, err := c.rt.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(names); got > 0 && c.want != "" {
			t.Errorf("%s: the site saw %d requests, first %s", name, got, <-names)
		}
		for len(names) > 0 {
			if seen := <-names; !strings.Contains(strings.ToLower(seen), "examplebot") {
				t.Errorf("%s: the site saw %s", name, seen)
			}
		}
		if fmt.Sprint(c.rt.Agents) != agents {
			t.Errorf("%s: Agents are %v now", name, c.rt.Agents)
		}
	}
}

// Close closes the Transport's own cache, but not that of the caller.
func TestClose(t *testing.T) {
	own := &Transport{UserAgent: userAgent}
	if err := own.Close(); err != nil {
		t.Error(err)
	}
	if err := get(own, "http://127.0.0.1:1/"); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	s := serve(t, "", nil)
	given := local()
	if err := given.Close(); err != nil {
		t.Error(err)
	}
	if err := get(given, s.URL+"/"); err != nil {
		t.Errorf("the caller's Cache was closed: %v", err)
	}
}

func TestRequestWithoutName(t *testing.T) {
	s := serve(t, "", nil)
	for agent, want := range map[string]string{
		"":                                "polite: the request has no User-Agent header: set Transport.UserAgent, such as",
		"Mozilla/5.0 (X11; Linux x86_64)": `polite: the User-Agent header "Mozilla/5.0 (X11; Linux x86_64)" contains no product token`,
	} {
		rt := local()
		rt.UserAgent = agent
		err := get(rt, s.URL+"/")
		var within *url.Error
		if !errors.As(err, &within) || !strings.HasPrefix(within.Err.Error(), want) {
			t.Errorf("%q: got %v", agent, err)
		}
	}
	if got := s.saw(); got != "" {
		t.Errorf("the site saw %s", got)
	}
}

func TestSchemeWithoutRobotsTxt(t *testing.T) {
	files := &http.Transport{}
	files.RegisterProtocol("file", http.NewFileTransport(http.Dir(t.TempDir())))
	rt := local()
	rt.Base = files
	if err := get(rt, "file:///etc"); err == nil || !strings.Contains(err.Error(), "expected a URL with the scheme http, https or ftp") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := serve(t, "user-agent: *\ndisallow: /x\ncrawl-delay: 0.001\n", nil)
	rt := local()
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			path, want := "/a", false
			if i%2 == 1 {
				path, want = "/x", true
			}
			var disallowed *DisallowedError
			if err := get(rt, s.URL+path); errors.As(err, &disallowed) != want || !want && err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	group.Wait()
	if got := s.saw(); got != strings.Repeat("GET /a, ", 24)+"GET /a" {
		t.Errorf("the site saw %s", got)
	}
	if n := s.robots.Load(); n != 1 {
		t.Errorf("robots.txt was requested %d times", n)
	}
}

type idleCloser struct {
	http.RoundTripper
	closed bool
}

func (c *idleCloser) CloseIdleConnections() { c.closed = true }

func TestCloseIdleConnections(t *testing.T) {
	base := &idleCloser{}
	client := &http.Client{Transport: &Transport{Base: base}}
	client.CloseIdleConnections()
	if !base.closed {
		t.Error("the connections of Base are not closed")
	}
	(&Transport{Base: http.NewFileTransport(http.Dir("."))}).CloseIdleConnections() // this Base has no such method
}

// A request that was not made by http.NewRequest is an error, as for an http.Transport.
func TestRequestWithoutParts(t *testing.T) {
	at, _ := url.Parse("http://example.com/")
	for _, r := range []*http.Request{{}, {URL: at}, {Header: http.Header{}}} {
		if _, err := local().RoundTrip(r); err == nil || !strings.Contains(err.Error(), "http.NewRequest") {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

// A request with no User-Agent header, or with two, is refused, even if Agents are set:
// net/http would send it under its own name, under none, or under two.
func TestRequestMustHaveOneName(t *testing.T) {
	var names []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			names = append(names, strings.Join(r.Header.Values("User-Agent"), "+"))
		}
	}))
	defer s.Close()
	agents := &Transport{Agents: []string{"ExampleBot"}, Cache: local().Cache}
	for name, c := range map[string]struct {
		rt     *Transport
		header http.Header
	}{
		"no header":        {agents, http.Header{}},
		"an empty header":  {agents, http.Header{"User-Agent": {""}}},
		"no values":        {agents, http.Header{"User-Agent": nil}},
		"another spelling": {local(), http.Header{"user-agent": {"OtherBot/1.0"}}},
		"both spellings":   {agents, http.Header{"user-agent": {"OtherBot/1.0"}, "User-Agent": {userAgent}}},
	} {
		request, err := http.NewRequest("GET", s.URL+"/page", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = c.header
		response, err := c.rt.RoundTrip(request)
		if err == nil {
			response.Body.Close()
			t.Errorf("%s: sent as %q", name, names)
		}
	}
}

// A request fails if it has another crawler's name than the retrievals of robots.txt, as far
// as that is known. It may have each name of UserAgent and of Agents.
func TestNameOfRequest(t *testing.T) {
	s := serve(t, "", nil)
	news := local()
	news.Agents = []string{"ExampleBot-News", "ExampleBot"}
	for agent, c := range map[string]struct {
		rt   *Transport
		sent bool
	}{
		"OtherBot/1.0":        {local(), false},
		"OtherBot/1.1":        {&Transport{Cache: local().Cache}, false},
		"OtherBot/1.2":        {news, false},
		"examplebot/3.0":      {local(), true},
		"ExampleBot-News/1.0": {news, true},
	} {
		request, err := http.NewRequest("GET", s.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", agent)
		response, err := c.rt.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != c.sent || err != nil && !strings.Contains(err.Error(), `fetched with the product token "ExampleBot"`) {
			t.Errorf("%s: %v", agent, err)
		}
	}
}
