package audit

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Version is the robots.txt that a site served from the time Since until the time of the next Version.
type Version struct {
	Since   time.Time // zero means from the start of the log
	Text    string    // as UTF-8
	Missing bool      // there was no robots.txt, so everything is allowed
	Source  string    // for example a commit; may be ""
}

type version struct {
	Version
	sha256 string // "" if the site had no robots.txt
	rfc    *robotstxt.File
	google *robotstxt.File

	sitemaps func() map[string]bool // the keys are paths with queries, such as "/map.xml?page=1"
	agents   func() map[string]bool // the names in User-agent lines, in lower case

	policies sync.Map // a *policies for each *crawler that was needed
}

type policies struct {
	rfc, google *robotstxt.Policy
	own         *robotstxt.Policy // the policy without the groups for "*", if the crawler does not follow those groups (AU-6); else nil
	delay       time.Duration     // 0 if there is none
}

func newVersion(v Version) *version {
	n := &version{Version: v}
	if v.Missing {
		n.rfc, n.google = robotstxt.AllowAll(robotstxt.Unavailable, robotstxt.RFC9309), robotstxt.AllowAll(robotstxt.Unavailable, robotstxt.Google)
	} else {
		n.sha256 = fmt.Sprintf("%x", sha256.Sum256([]byte(v.Text)))
		n.rfc, n.google = robotstxt.ParseString(v.Text, robotstxt.RFC9309), robotstxt.ParseString(v.Text, robotstxt.Google)
	}
	n.sitemaps, n.agents = sync.OnceValue(n.findSitemaps), sync.OnceValue(n.findAgents)
	return n
}

func (v *version) shown() VersionID {
	out := VersionID{SHA256: v.sha256, Source: v.Source}
	if !v.Since.IsZero() {
		out.Since = new(v.Since.UTC())
	}
	return out
}

func (v *version) policiesFor(w *crawler) *policies {
	if p, known := v.policies.Load(w); known {
		return p.(*policies)
	}
	p := &policies{rfc: v.rfc.Agent(w.tokens...), google: v.google.Agent(w.tokens...)}
	if w.onlyOwn {
		p.own = v.rfc.Agent(append(slices.Clone(w.tokens), robotstxt.NotEveryone)...)
	}
	p.delay, _ = p.rfc.CrawlDelay()
	v.policies.Store(w, p)
	return p
}

type site struct {
	versions []*version
}

const none = -1

func (s *site) versionAt(t int64) int {
	when := time.Unix(0, t)
	return sort.Search(len(s.versions), func(i int) bool { return s.versions[i].Since.After(when) }) - 1
}

func newSite(all []Version) *site {
	s := &site{}
	for _, v := range all {
		if n := len(s.versions); n > 0 && s.versions[n-1].Text == v.Text && s.versions[n-1].Missing == v.Missing {
			continue
		}
		s.versions = append(s.versions, newVersion(v))
	}
	return s
}

type sites struct {
	find      func(origin.Origin) ([]Version, error)
	single    *site         // the site of all requests; nil if each origin has a site of its own
	byDefault origin.Origin // the origin for requests whose line has no host

	mu    sync.RWMutex
	known map[origin.Origin]*site // the value is nil if nothing is known about the origin
}

// A client can send any host name, so the number of origins in memory is limited.
const maxSites = 100_000

func (s *sites) get(o origin.Origin) (*site, error) {
	s.mu.RLock()
	found, ok := s.known[o]
	s.mu.RUnlock()
	if ok {
		return found, nil
	}
	all, err := s.find(o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok = s.known[o]; ok { // another worker was faster
		return found, nil
	}
	if len(all) > 0 {
		if found = s.twin(o, all); found == nil {
			found = newSite(all)
		}
	} else if len(s.known) >= maxSites {
		return nil, nil // too many origins: the next request looks up this origin again
	}
	s.known[o.Clone()] = found
	return found, nil
}

// http and https of one host usually have the same robots.txt. Then both origins share one site.
func (s *sites) twin(o origin.Origin, all []Version) *site {
	other := map[string]string{"http": "https", "https": "http"}[o.Scheme()]
	twin, err := origin.Parse(other + strings.TrimPrefix(o.String(), o.Scheme()))
	if err != nil || s.known[twin] == nil {
		return nil
	}
	served, err := s.find(twin)
	if err != nil || !slices.Equal(served, all) {
		return nil
	}
	return s.known[twin]
}

func (v *version) findSitemaps() map[string]bool {
	all := map[string]bool{}
	for url := range v.rfc.SitemapURLs() {
		if _, _, rest, ok := splitURL(url); ok {
			all[rest] = true
		}
	}
	return all
}

func (v *version) findAgents() map[string]bool {
	all := map[string]bool{}
	for g := range v.rfc.Groups() {
		for _, a := range g.Agents {
			all[ascii.ToLower(a.Name)] = !a.Everyone && a.Name != ""
		}
	}
	return all
}

// Crawlers may fetch a sitemap that the robots.txt names, even if a rule disallows it.
func (v *version) hasSitemap(target string) bool {
	if _, _, rest, ok := splitURL(target); ok {
		target = rest
	}
	return v.sitemaps()[target]
}

func (v *version) namesCrawler(w *crawler) bool {
	return len(w.tokens) > 0 && v.agents()[ascii.ToLower(w.tokens[0])]
}
