package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/conformance"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/pages"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/sitemap"
)

// sources is what the cases of a run name: files, sites, sitemaps, crawlers.
type sources struct {
	*test
	dialect *robotstxt.Dialect // that decides; nil: that of each case

	stdin     func() ([]byte, error)
	opening   sync.Mutex // several cases are decided at the same time
	closeLive func()     // nil: no live site was asked
	told      sync.Map   // sites of which something was said
	client    *http.Client
}

func (s *sources) close() {
	if s.closeLive != nil {
		s.closeLive()
	}
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
}

// options are those for the cases of a file.
func (s *sources) options(caseFile string) conformance.Options {
	if s.stdin == nil {
		s.stdin = sync.OnceValues(func() ([]byte, error) { return s.readRobots("-") })
	}
	return conformance.Options{
		ReadFile:    func(name string) ([]byte, error) { return s.readFile(caseFile, name) },
		Decode:      decodeCase,
		Site:        s.site,
		ReadSitemap: func(name string) iter.Seq2[conformance.URL, error] { return s.readSitemap(caseFile, name) },
		Crawlers:    s.crawlersBehind,
		Origin:      originOf,
		Robots:      s.robots,
		Dialect:     s.dialect,
	}
}

// decodeCase translates a file that cases name to UTF-8. What is no text is an error:
// it would permit everything.
func decodeCase(body []byte) ([]byte, error) {
	text, _ := fetch.ToUTF8(body, "")
	return text, fetch.CheckText(body, text)
}

func originOf(url string) (string, error) {
	o, err := origin.Parse(url)
	if err != nil {
		return "", fmt.Errorf("URL %q: %w", url, bare(err))
	}
	return o.String(), nil
}

// path returns where a file lies that a case names.
func (s *sources) path(caseFile, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cmp.Or(s.root, filepath.Dir(caseFile)), name)
}

func (s *sources) readFile(caseFile, name string) ([]byte, error) {
	switch {
	case name == "-" && caseFile == "-":
		return nil, errors.New("standard input cannot be both the robots.txt and the cases")
	case name == "-":
		return s.stdin()
	case name == s.robots:
		return readBounded(name)
	}
	return readBounded(s.path(caseFile, name))
}

// readBounded reads a file that may be without an end, such as a device.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxRobots+1))
	if err == nil && len(body) > maxRobots {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxRobots>>20)
	}
	return body, err
}

// robotsName returns how the robots.txt of a case is called: its path, its URL, or the
// case file; "" where it is a part of a case.
func (s *sources) robotsName(c *conformance.Case) string {
	name := c.RobotsFile
	switch {
	case isURL(name):
		if o, err := origin.Parse(name); err == nil {
			return o.RobotsURL()
		}
		return name
	case name == "-":
		return standardInput
	case name == "" && c.RobotsLine > 0:
		return fmt.Sprintf("%s:%d", c.File, c.RobotsLine)
	case name == "" || name == s.robots:
		return name
	}
	return s.path(c.File, name)
}

// robotsLine returns where a line of the robots.txt of a case stands.
func (s *sources) robotsLine(c *conformance.Case, line int) (file string, number int) {
	if c.RobotsLine > 0 {
		return c.File, c.RobotsLine + line - 1
	}
	return s.robotsName(c), line
}

// crawlersBehind returns the product tokens of the crawlers that "@NAME" stands for.
// Those that no line can name are left out.
func (s *sources) crawlersBehind(name string) ([][]string, error) {
	table, err := s.live.knownTable()
	if err != nil {
		return nil, err
	}
	some, err := crawlersBehind(table, name)
	if err != nil {
		return nil, err
	}
	var tokens [][]string
	for _, c := range some {
		if agents := c.Agents(); len(agents) > 0 {
			tokens = append(tokens, agents)
		}
	}
	if len(tokens) == 0 {
		return nil, errors.New("no known crawler for it has a name that robots.txt can hold")
	}
	return tokens, nil
}

// site returns the live site that a case names.
func (s *sources) site(url string, d *robotstxt.Dialect) (conformance.Site, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.closeLive == nil {
		closeLive, err := s.live.open(s.dialect)
		if err != nil {
			return nil, err
		}
		s.closeLive = closeLive
	}
	site, err := s.live.site(context.Background(), url)
	if err != nil {
		return nil, fmt.Errorf("robots: %s: %w", url, err)
	}
	t := &testedSite{site: site, dialect: d, statuses: s.live.pages.statuses(d), own: d.String() == s.dialect.String(), forAll: s.robots != ""}
	s.tell(t)
	return t, nil
}

// tell says once of a site that it has no robots.txt that is like others.
func (s *sources) tell(t *testedSite) {
	a, err := t.site.Check([]string{"*"}, "/")
	if _, told := s.told.LoadOrStore(t.site.Origin(), true); told || err != nil {
		return
	}
	if a.HTML || a.Outcome == fetch.Unavailable || a.Outcome == fetch.Restricted {
		s.notice(fmt.Sprintf("note: %s: %s (%s)", t.site.Origin().RobotsURL(), a.Outcome, retrievalText(&a)))
	}
}

// testedSite is a live site in a dialect.
type testedSite struct {
	site     *cache.Site
	dialect  *robotstxt.Dialect
	statuses fetch.Statuses
	own      bool // the dialect is the one in which the site was read
	forAll   bool // --robots names it: it answers about the URLs of all origins that the cases allow
}

// Check decides as heed check does.
func (t *testedSite) Check(agents []string, target string) (robotstxt.Decision, error) {
	if t.forAll {
		target = moved(target, t.site.Origin())
	}
	a, err := t.site.Check(agents, target)
	if err == nil && !t.own {
		trace, err := t.site.ExplainIn(t.dialect, &t.statuses, agents, target) // which takes longer
		if err != nil {
			return trace.Decision, err
		}
		a.Decision = trace.Decision
	}
	if err == nil && a.Reason == robotstxt.Unreachable {
		err = fmt.Errorf("%w: %s is unreachable (%s)", conformance.ErrUndetermined, t.site.Origin().RobotsURL(), retrievalText(&a))
	}
	return a.Decision, err
}

// File returns the robots.txt that holds, in the dialect.
func (t *testedSite) File() *robotstxt.File {
	if t.own {
		return t.site.File()
	}
	var body strings.Builder
	for line := range t.site.File().Lines() {
		body.WriteString(line.Raw)
	}
	return robotstxt.ParseString(body.String(), t.dialect)
}

// readSitemap yields the URLs of a sitemap that a case names.
func (s *sources) readSitemap(caseFile, name string) iter.Seq2[conformance.URL, error] {
	open := s.openURL
	if !isURL(name) {
		open = openIndex(name, s.path(caseFile, name))
	}
	return func(yield func(conformance.URL, error) bool) {
		for e, err := range sitemap.All(open, name, sitemap.Limits{}) {
			if !yield(conformance.URL{Text: e.URL, From: fmt.Sprintf("%s:%d", e.File, e.Line)}, err) {
				return
			}
		}
	}
}

// openIndex returns what opens a sitemap that is a file and, where that is an index, the
// sitemaps that it names: files of its folder. They are not retrieved: a site that is
// being built is not the one that is live.
func openIndex(index, file string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		if name == index {
			return os.Open(file)
		}
		u, err := url.Parse(name)
		if err != nil {
			return nil, err
		}
		folder, below := filepath.Dir(file), strings.TrimPrefix(path.Clean("/"+u.Path), "/")
		for _, file := range []string{below, path.Base(below)} {
			in, err := os.OpenInRoot(folder, file)
			if !errors.Is(err, fs.ErrNotExist) {
				return in, err
			}
		}
		return nil, fmt.Errorf("%s is not there; to retrieve it, name the index by its URL", filepath.Join(folder, below))
	}
}

// openURL retrieves a sitemap.
func (s *sources) openURL(address string) (io.ReadCloser, error) {
	if s.live.offline {
		return nil, errors.New("--offline is set, and sitemaps are not kept")
	}
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, errors.New("expected a URL of http or https")
	}
	request.Header.Set("User-Agent", cmp.Or(s.live.fetcher.UserAgent, build.UserAgent()))
	if s.client == nil {
		s.client = &http.Client{
			Transport: pages.New(http.ProxyFromEnvironment, s.live.fetcher.AllowPrivate),
			Timeout:   s.live.fetcher.Timeout,
		}
	}
	response, err := s.client.Do(request)
	var failed *url.Error
	var private *guard.PrivateError
	switch {
	case errors.As(err, &private):
		return nil, fmt.Errorf("%w, see --allow-private", private)
	case errors.As(err, &failed):
		return nil, failed.Err
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		response.Body.Close()
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return response.Body, nil
}
