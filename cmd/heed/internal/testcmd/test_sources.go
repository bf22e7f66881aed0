package testcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type sources struct {
	*test
	dialect *robotstxt.Dialect // nil: each case has its own dialect

	stdin          func() ([]byte, error)
	noticedOrigins sync.Map
	notedFiles     map[string]bool    // by the name of the robots.txt
	checkedChains  map[[2]string]bool // by the name of the robots.txt, and the crawler
}

func (s *sources) options(caseFile string) conformance.Options {
	if s.stdin == nil {
		s.stdin = sync.OnceValues(func() ([]byte, error) { return sites.ReadRobots(s.Term, "-", nil) })
	}
	return conformance.Options{
		ReadFile: func(name string) ([]byte, error) { return s.readFile(caseFile, name) },
		Decode: func(body []byte) ([]byte, error) {
			text, _, err := fetch.Text(body) // bytes that are not text are an error, not a file without rules
			return text, err
		},
		Site:        s.site,
		ReadSitemap: func(name string) iter.Seq2[conformance.URL, error] { return s.readSitemap(caseFile, name) },
		Table:       s.known.Table,
		Obeys:       func(tokens []string) bool { return s.known.FactsOf(tokens).Obeys == nil },
		Origin:      originOf,
		Robots:      s.robots,
		Dialect:     s.dialect,
	}
}

func originOf(url string) (string, error) {
	o, err := origin.Parse(url)
	if err != nil {
		return "", fmt.Errorf("URL %q: %w", url, sites.WithoutURL(err))
	}
	return o.String(), nil
}

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
		return nil, errors.New("standard input cannot be both the robots.txt and the cases; give one of them as a file")
	case name == "-":
		return s.stdin()
	case name == s.robots:
		return sites.ReadRaw(s.Term, name)
	}
	return saved.ReadOpened(s.path(caseFile, name))
}

// robotsName returns a path, a URL or a place in a case file. For a robots.txt in a JSON case, it returns "".
func (s *sources) robotsName(c *conformance.Case) string {
	name := c.RobotsFile
	switch {
	case flags.IsURL(name):
		if o, err := origin.Parse(name); err == nil {
			return o.RobotsURL()
		}
		return name
	case name == "-":
		return input.StandardInput
	case name == "" && c.RobotsLine > 0:
		return fmt.Sprintf("%s:%d", c.File, c.RobotsLine)
	case name == "" || name == s.robots:
		return name
	}
	return s.path(c.File, name)
}

// A robots.txt can stand in the case file. Then robotsLine returns the name of the case file and the line there.
func (s *sources) robotsLine(c *conformance.Case, line int) (file string, number int) {
	if c.RobotsLine > 0 {
		return c.File, c.RobotsLine + line - 1
	}
	return s.robotsName(c), line
}

func (s *sources) site(url string, d *robotstxt.Dialect) (conformance.Site, error) {
	in, err := s.Live.CacheOf(s.dialect)
	if err != nil {
		return nil, err
	}
	var site *cache.Site
	o, err := origin.Parse(url)
	if err == nil {
		site, err = s.Live.SiteIn(context.Background(), in, o)
	}
	if err != nil {
		return nil, fmt.Errorf("robots: %s: %w", url, err)
	}
	t := &testedSite{site: site, dialect: d, statuses: s.Live.Statuses(d), own: d.String() == s.dialect.String(), forAll: s.robots != ""}
	s.noticeOutcome(t)
	return t, nil
}

// A robots.txt may be missing, or be a page, or heed could not fetch it again. In these cases, noticeOutcome prints a
// notice, once for each site.
func (s *sources) noticeOutcome(t *testedSite) {
	a, err := t.site.Check([]string{"*"}, "/")
	if _, done := s.noticedOrigins.LoadOrStore(t.site.Origin(), true); done || err != nil {
		return
	}
	failed := a.LastFailure != nil && a.Outcome != fetch.Unreachable // an unreachable site is an error of each case
	if failed && s.Live.Refresh {
		s.Term.Raise(exit.Undetermined)
	}
	if failed || a.Page != fetch.NoPage || a.Outcome == fetch.Unavailable || a.Outcome == fetch.Restricted {
		s.Term.Notice(fmt.Sprintf("note: %s: %s (%s)", t.site.Origin().RobotsURL(), a.Outcome, sites.RetrievalText(&a)))
	}
}

type testedSite struct {
	site     *cache.Site
	dialect  *robotstxt.Dialect
	statuses fetch.Statuses
	own      bool // dialect is that of the cache, so decisions are faster
	forAll   bool // --robots names the site, so its robots.txt is also for URLs of other origins
}

// Check returns the same decision as "heed check".
func (t *testedSite) Check(agents []string, target string) (robotstxt.Decision, error) {
	if t.forAll {
		target = sites.WithOrigin(target, t.site.Origin())
	}
	a, err := t.site.Check(agents, target)
	if err == nil && !t.own {
		trace, err := t.site.ExplainIn(t.dialect, &t.statuses, agents, target)
		if err != nil {
			return trace.Decision, err
		}
		a.Decision = trace.Decision
	}
	if err == nil && a.Reason == robotstxt.Unreachable {
		err = fmt.Errorf("%w: %s is unreachable (%s)", conformance.ErrUndetermined, t.site.Origin().RobotsURL(), sites.RetrievalText(&a))
	}
	return a.Decision, err
}

func (t *testedSite) File() *robotstxt.File {
	return t.site.File().In(t.dialect)
}

// If a file is a page or empty, noteContent prints a notice, once for each file. There is no notice for a JSON case,
// because JSON cases test a parser with such files.
func (s *sources) noteContent(r *conformance.Result) {
	c := &r.Case
	if r.File == nil || c.Crawler == "" || c.RobotsFile == "" || flags.IsURL(c.RobotsFile) {
		return
	}
	if name := s.robotsName(c); !s.notedFiles[name] {
		s.notedFiles[name] = true
		sites.NoteContent(s.Term, name, []byte(r.File.Body()))
	}
}

// noteChain leaves out JSON cases, because they test a parser.
func (s *sources) noteChain(r *conformance.Result) {
	c := &r.Case
	if r.File == nil || c.Crawler == "" {
		return
	}
	if key := [2]string{s.robotsName(c), strings.Join(c.Agents, ":")}; !s.checkedChains[key] {
		s.checkedChains[key] = true
		s.known.SuggestInCase(c.Agents, r.File)
	}
}

func (s *sources) readSitemap(caseFile, name string) iter.Seq2[conformance.URL, error] {
	open := s.Live.SitemapOpener(context.Background(), name, s.path(caseFile, name))
	return func(yield func(conformance.URL, error) bool) {
		for e, err := range sitemap.All(open, name) {
			if !yield(conformance.URL{Text: e.URL, From: fmt.Sprintf("%s:%d", e.File, e.Line)}, err) {
				return
			}
		}
	}
}
