package audit

import (
	"net/netip"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/accesslog"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type kind uint8

const (
	pageRequest   kind = iota
	robotsRequest      // a request for /robots.txt, which is never forbidden (AU-5)
	noCopyRequest      // with a query, or a method other than GET, so the crawler gets no copy of robots.txt
	// These requests do not count as crawling: /favicon.ico, /.well-known/ (AU-5), and sitemaps that the robots.txt
	// names.
	exemptRequest
	uncheckedRequest // no robots.txt is known for this time, or the request has no path
	lineCount        // not a request: the number of lines in one minute
)

// An event is a request of a crawler, or the number of lines in one minute.
type event struct {
	time     int64
	crawler  *crawler
	site     *site
	found    *foundRequest // nil if the request is not forbidden
	delay    time.Duration
	count    int32 // the lines, if the kind is lineCount; else the index of the version in site.versions, or none
	status   int16
	identity Identity
	kind     kind
	host     string // "" unless one robots.txt is used for all hosts
	isRobots bool   // with the kind lineCount: a line is a request for /robots.txt
	input    int32
}

type foundRequest struct {
	method, target, agent, address string
	host                           string // "" if the log has no hosts
	line                           int
	rule                           robotstxt.Rule
	because                        string // the reason, in words
	googleAllows, notBound         bool
	isPost                         bool
	proof                          proof
}

type proof struct {
	list    *ranges.List
	isLater bool // the list is later than the request
	match   ranges.Match
	name    string // the host name of the address; "" if it was not looked up
	// A masked address such as 192.0.2.0 stands for many addresses. isPartly means that the crawler's list of addresses
	// has only some of them.
	isPartly bool
}

// A batch is what a block of a log says.
type batch struct {
	Coverage     // only what can be found out from one block
	input        int
	isCompressed bool // an unreadable line has the first bytes of a gzip file
	events       []event
	first, end   int64 // the earliest and the latest time of a line
	last         int64 // about the time of the last line; see steadyTime
	others       map[string]int64
	hosts        nameSet
	addresses    nameSet
}

type nameSet map[string]bool

func (s *nameSet) add(name string, limit int) {
	if len(*s) >= limit || (*s)[name] {
		return
	}
	if *s == nil {
		*s = nameSet{}
	}
	(*s)[strings.Clone(name)] = true // a copy, because the memory of the line is used again
}

const (
	maxSamples   = 3    // unreadable lines in the report
	maxOthers    = 1000 // crawlers in batch.others
	maxHosts     = 16   // hosts in the report
	maxAddresses = 64   // addresses that are collected to see if there are only few
)

type block struct {
	lines.Block
	format   *accesslog.Format
	input    int
	name     string
	isMasked bool
}

// Each worker has its own scanner.
type scanner struct {
	*run
	agents map[string]*crawler // by the value of the User-Agent header
	hosts  map[string]string   // copies of host names, by name: a part of a line would keep its whole block in memory

	lastURL    string
	lastSite   *site
	lastIsHere bool
	minute     int64
	minuteAt   int // in batch.events, the index of the event for the minute
	waiting    []unresolvedEvent
	isMasked   bool
	three      [3]int64 // the times of the last three lines
}

const maxAgents = 1 << 15

func (s *scanner) scan(b block) *batch {
	out := &batch{input: b.input, first: maxTime, end: minTime, last: minTime}
	format := b.format
	s.minute, s.isMasked = minTime, b.isMasked
	for l := range b.All() {
		if strings.HasPrefix(l.Text, "#") {
			format = format.After(l.Text)
		}
		if l.IsBlank() {
			continue
		}
		var e accesslog.Entry
		err := l.Wrong
		if err == nil {
			err = format.Read(l.Text, &e)
		}
		switch {
		case err == accesslog.ErrComment:
		case err != nil:
			out.isCompressed = out.isCompressed || strings.Contains(l.Text, "\x1f\x8b\x08")
			if out.Unreadable++; len(out.Samples) < maxSamples {
				out.Samples = append(out.Samples, Unreadable{Log: b.name, Line: l.Number, Text: strings.Clone(l.Text[:min(len(l.Text), 200)]), Error: err.Error()})
			}
		default:
			s.entry(out, &e, l.Number)
		}
	}
	s.resolve(out)
	b.Recycle()
	return out
}

func (s *scanner) entry(out *batch, e *accesslog.Entry, line int) {
	out.Lines++
	out.first, out.end = min(out.first, e.Time), max(out.end, e.Time)
	out.last = s.steadyTime(out, e.Time)
	const minute = int64(time.Minute)
	if m := e.Time / minute; m == s.minute {
		out.events[s.minuteAt].count++
	} else {
		s.minute = m
		out.events = append(out.events, event{time: e.Time, kind: lineCount, count: 1, input: int32(out.input)})
		s.minuteAt = len(out.events) - 1
	}
	out.hasAgents = out.hasAgents || e.Agent != ""
	if e.Forwarded != "" {
		out.Forwarded++
	}
	out.addresses.add(e.Address, maxAddresses)
	if e.Target == "" {
		out.NotHTTP++
	}
	path := pathOf(e.Target)
	isRobots := path == "/robots.txt"
	if isRobots {
		out.Retrievals++
		out.events = append(out.events, event{time: e.Time, kind: lineCount, isRobots: true, input: int32(out.input)})
	}
	w := s.whoSends(e.Agent)
	if w == nil && s.Origin.IsZero() {
		return
	}
	switch found, isHere := s.siteOf(out, e); {
	case !isHere && e.Target != "":
		out.OtherHosts++
	case !isHere:
	case w != nil:
		s.request(out, e, w, found, line, path)
	}
}

// One line may have a wrong time, so steadyTime returns the middle one of the last three times.
func (s *scanner) steadyTime(out *batch, at int64) int64 {
	s.three[out.Lines%3] = at
	if out.Lines < 3 {
		return min(at, out.first)
	}
	a, b, c := s.three[0], s.three[1], s.three[2]
	return max(min(a, b), min(max(a, b), c))
}

func (s *scanner) whoSends(agent string) *crawler {
	w, ok := s.agents[agent]
	if !ok {
		w = s.crowd.find(agent)
		if len(s.agents) >= maxAgents {
			clear(s.agents)
		}
		s.agents[strings.Clone(agent)] = w
	}
	return w
}

func (s *scanner) request(out *batch, e *accesslog.Entry, w *crawler, found *site, line int, path string) {
	ev := event{time: e.Time, crawler: w, site: found, status: int16(e.Status), count: none, kind: uncheckedRequest, input: int32(out.input)}
	version := none
	if ev.site != nil {
		version = ev.site.versionAt(e.Time)
	}
	if !w.isKnown && (version == none || !ev.site.versions[version].namesCrawler(w)) {
		if out.others == nil {
			out.others = map[string]int64{}
		}
		if _, ok := out.others[w.name]; ok || len(out.others) < maxOthers {
			out.others[w.name]++
		}
		return
	}
	isPath := strings.HasPrefix(e.Target, "/") || strings.Contains(e.Target, "://")
	switch {
	case path == "/robots.txt":
		ev.kind = robotsRequest
		if e.Method != "GET" || strings.Contains(e.Target, "?") {
			ev.kind = noCopyRequest
		}
	case path == "/favicon.ico" || strings.HasPrefix(path, "/.well-known/"), version != none && ev.site.versions[version].hasSitemap(e.Target):
		ev.kind = exemptRequest
	case version != none && isPath:
		ev.kind = pageRequest
	}
	ev.count = int32(version)
	if s.sites.single != nil && s.Origin.IsZero() {
		ev.host = s.hostOf(e)
	}
	var how proof
	address := s.addressOf(e)
	if ev.identity, how = s.identify(w, address, s.isMasked, e.Time); how.isPartly {
		out.masked++
	}
	if ev.kind == pageRequest {
		s.decide(&ev, e, w, how, line)
	} else if ev.kind == uncheckedRequest && version == none {
		out.NoRobots++
	}
	out.events = append(out.events, ev)
	if ev.identity == unresolved {
		s.waiting = append(s.waiting, unresolvedEvent{len(out.events) - 1, address})
	}
}

func (s *scanner) decide(ev *event, e *accesslog.Entry, w *crawler, how proof, line int) {
	p := ev.site.versions[ev.count].policiesFor(w)
	ev.delay = p.delay
	d := p.rfc.Check(e.Target)
	if d.Allowed {
		return
	}
	ev.found = &foundRequest{
		method: strings.Clone(e.Method), target: strings.Clone(e.Target), agent: strings.Clone(e.Agent), address: strings.Clone(s.shownAddress(e)),
		host: strings.Clone(e.Host), line: line, rule: d.Rule, because: d.Because(),
		googleAllows: p.google.Check(e.Target).Allowed,
		notBound:     w.notBound || p.own != nil && p.own.Check(e.Target).Allowed,
		isPost:       e.Method != "GET" && e.Method != "HEAD",
		proof:        how,
	}
}

// hostOf copies the host, because the memory of the line is used again.
func (s *scanner) hostOf(e *accesslog.Entry) string {
	host := e.Host
	if _, authority, _, ok := splitURL(e.Target); ok {
		host = authority
	}
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
	known, ok := s.hosts[host]
	if !ok {
		if len(s.hosts) >= maxSites {
			return ""
		}
		known = strings.Clone(ascii.ToLower(host))
		s.hosts[known] = known
	}
	return known
}

// A target can be a whole URL (AU-9). For a path, ok is false.
func splitURL(target string) (scheme, authority, rest string, ok bool) {
	if strings.HasPrefix(target, "/") { // the usual case
		return "", "", "", false
	}
	scheme, rest, ok = strings.Cut(target, "://")
	if !ok || strings.ContainsAny(scheme, "/?") {
		return "", "", "", false
	}
	authority = origin.Authority(rest)
	return scheme, authority, rest[len(authority):], true
}

func pathOf(target string) string {
	if _, _, rest, ok := splitURL(target); ok {
		target = rest
	} else if !strings.HasPrefix(target, "/") {
		return target
	}
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		return target[:i]
	}
	return target
}

// siteOf returns nil if nothing is known about the site. isHere is false if --origin names another host.
func (s *scanner) siteOf(out *batch, e *accesslog.Entry) (found *site, isHere bool) {
	host, scheme := e.Host, e.Scheme
	if of, authority, _, ok := splitURL(e.Target); ok {
		host, scheme = authority, strings.ToLower(of)
	}
	if host == "" {
		out.noHost = true
		if s.sites.single != nil {
			return s.sites.single, true
		}
		return s.findSite("", s.sites.byDefault), true
	}
	if scheme == "" {
		out.noScheme = true
	}
	out.hosts.add(host, maxHosts)
	if s.sites.single != nil && s.Origin.IsZero() {
		return s.sites.single, true
	}
	if !s.Origin.IsZero() && scheme == "" {
		scheme = s.Origin.Scheme()
	}
	if scheme == "" {
		scheme = "https" // if the log has no schemes (AU-9)
	}
	url := scheme + "://" + host
	if url == s.lastURL {
		return s.lastSite, s.lastIsHere
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, s.Origin.IsZero()
	}
	if !s.Origin.IsZero() && o.Host() != s.Origin.Host() {
		return s.remember(url, nil, false)
	}
	if s.sites.single != nil {
		return s.remember(url, s.sites.single, true)
	}
	return s.findSite(url, o), true
}

func (s *scanner) remember(url string, found *site, isHere bool) (*site, bool) {
	s.lastURL, s.lastSite, s.lastIsHere = strings.Clone(url), found, isHere
	return found, isHere
}

func (s *scanner) findSite(url string, o origin.Origin) *site {
	if o.IsZero() {
		return nil
	}
	found, err := s.sites.get(o)
	if err != nil {
		s.fail(err)
		return nil
	}
	if url != "" {
		s.remember(url, found, true)
	}
	return found
}

// A trusted proxy writes the client's address into X-Forwarded-For (AU-12).
func (r *run) shownAddress(e *accesslog.Entry) string {
	if a, _ := ranges.ReadAddress(e.Address); e.Forwarded == "" || !r.Proxies.Has(a) {
		return e.Address
	}
	// The address of the client is the last address that is not of a proxy. The client can send any
	// text before this address.
	rest := e.Forwarded
	for {
		i := strings.LastIndexByte(rest, ',')
		last := strings.TrimSpace(rest[i+1:])
		switch a, ok := ranges.ReadAddress(last); {
		case !ok:
			return last
		case i < 0 || !r.Proxies.Has(a):
			return a.String()
		}
		rest = rest[:i]
	}
}

func (r *run) addressOf(e *accesslog.Entry) netip.Addr {
	a, _ := ranges.ReadAddress(r.shownAddress(e))
	return a
}
