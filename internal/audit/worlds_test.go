package audit_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A world has everything that happened, and the logs that tell it.
type world struct {
	rnd    *rand.Rand
	kind   kind
	start  time.Time
	end    time.Time
	hosts  []string
	robots map[string][]audit.Version // by the host; "" if all have one history
	events []*event                   // in the order of time
	files  [][]*event                 // in the order in which the lines were written
	forms  []string                   // of the files
	lists  []*addresses
	since  time.Time
	gaps   [][2]time.Time // that are long enough
}

// A kind is what is special in a world.
type kind struct {
	isOneSite, hasHosts, isSample, hasProxy, isLate, isBig, hasNoRobots, isSparse, hasOrigin bool
}

// An event is a line of a log.
type event struct {
	at      time.Time
	address string
	host    string
	method  string
	target  string
	status  int
	agent   string
	crawler string // that it names; "": none
	junk    string // what the line is, if it cannot be read

	written time.Time // when its line was written
	file    int
	line    int
	isLate  bool // its line is far behind later ones
}

// addresses are a list of a crawler, as its operator published it.
type addresses struct {
	crawler  string
	file     string
	dated    time.Time // zero: it has no date
	prefixes []netip.Prefix
}

// fact is what the model must know about a crawler. It is written by hand, and does not use the table of crawlers.
type fact struct {
	operator string
	agent    string
	groups   []string // the names whose groups it follows, the first that the file has
	noStar   bool     // it does not follow "*"
	notBound bool
	isFalse  bool
	hasLists bool   // its operator publishes lists
	shares   string // the crawler whose list it is in; "": its own
	net      string // the begin of its addresses
}

var facts = map[string]fact{
	"GPTBot":          {operator: "OpenAI", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)", hasLists: true, net: "20.1"},
	"OAI-SearchBot":   {operator: "OpenAI", agent: "Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)", hasLists: true, net: "20.2"},
	"ChatGPT-User":    {operator: "OpenAI", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)", notBound: true, hasLists: true, net: "20.3"},
	"AdsBot-Google":   {operator: "Google", agent: "AdsBot-Google (+http://www.google.com/adsbot.html)", noStar: true, hasLists: true, net: "66.1"},
	"Googlebot":       {operator: "Google", agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", hasLists: true, net: "66.2"},
	"Googlebot-Image": {operator: "Google", agent: "Googlebot-Image/1.0", groups: []string{"Googlebot-Image", "Googlebot"}, hasLists: true, shares: "Googlebot", net: "66.2"},
	"Google-Extended": {operator: "Google", agent: "Google-Extended/1.0", isFalse: true, net: "66.4"},
	"ClaudeBot":       {operator: "Anthropic", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", hasLists: true, net: "160.79"},
	"CCBot":           {operator: "Common Crawl", agent: "CCBot/2.0 (https://commoncrawl.org/faq/)", hasLists: true, net: "18.97"},
	"Bytespider":      {operator: "ByteDance", agent: "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)", net: "110.1"},
	"HomeMadeBot":     {agent: "HomeMadeBot/0.1 (+https://home.example/bot)", net: "77.1"},
}

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"

var pages = []string{"/", "/a", "/a/b", "/cart", "/private/", "/private/x?y=1", "/dir/", "/dir/index.html", "/img/x.png", "/search?q=1", "/%63art", "//cart", "/news"}

// newWorld makes a world from a number.
func newWorld(seed uint64) *world {
	w := &world{rnd: rand.New(rand.NewPCG(seed, 17)), robots: map[string][]audit.Version{}}
	w.kind = kind{isOneSite: w.one(2), hasHosts: w.one(2), isSample: w.one(12), hasProxy: w.one(6), isLate: w.one(3), hasNoRobots: w.one(15), isSparse: w.one(8), hasOrigin: w.one(6)}
	w.kind.isBig = w.kind.isLate && w.one(8)
	if !w.kind.isOneSite {
		w.kind.hasHosts = true
	}
	w.start = time.Date(2026, 5, 1, w.rnd.IntN(24), w.rnd.IntN(60), w.rnd.IntN(60), 0, time.UTC)
	w.hosts = []string{"www.a.example"}
	if w.kind.hasHosts {
		w.hosts = []string{"www.a.example", "b.example", "shop.a.example"}[:1+w.rnd.IntN(3)]
	}
	days := 2 + w.rnd.IntN(3)
	if w.kind.isSparse && w.one(3) {
		days = 40
	}
	if w.kind.isBig {
		days = 8
	}
	w.end = w.start.Add(time.Duration(days) * 24 * time.Hour)
	if w.kind.isOneSite {
		w.robots[""] = w.history()
	} else {
		for _, h := range w.hosts {
			w.robots[h] = w.history()
		}
	}
	w.makeLists()
	w.live()
	w.write()
	if w.one(4) {
		w.since = w.start.Add(time.Duration(w.rnd.Int64N(int64(w.end.Sub(w.start))))).Truncate(time.Second).Add(time.Second / 2)
	}
	return w
}

func (w *world) one(in int) bool { return w.rnd.IntN(in) == 0 }

// halfSecond returns a time between two seconds, so that no request is at the same time.
func (w *world) halfSecond() time.Time {
	span := w.end.Sub(w.start) / time.Second
	return w.start.Add(time.Duration(w.rnd.Int64N(int64(span)))*time.Second + time.Second/2)
}

// history returns versions of a robots.txt.
func (w *world) history() []audit.Version {
	n := 1 + w.rnd.IntN(4)
	times := []time.Time{w.start.Add(-48*time.Hour + time.Second/2)}
	if w.one(4) {
		times[0] = w.start.Add(time.Duration(w.rnd.IntN(30))*time.Hour + time.Second/2)
	} else if w.one(4) {
		times[0] = time.Time{}
	}
	for len(times) < n {
		if t := w.halfSecond(); t.After(times[0]) {
			times = append(times, t)
		}
		if len(times) == 1 && times[0].After(w.end) {
			break
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	var all []audit.Version
	for i, t := range times {
		v := audit.Version{Since: t, Text: w.robotsText(), Source: fmt.Sprint("version ", i)}
		if w.one(10) {
			v.Text, v.Missing = "", true
		} else if i > 0 && w.one(8) {
			v = all[w.rnd.IntN(i)]
			v.Since = t
		}
		all = append(all, v)
	}
	return all
}

var names = slices.Sorted(maps.Keys(facts))

func (w *world) robotsText() string {
	var b strings.Builder
	if w.one(3) {
		b.WriteString("# a comment\n\n")
	}
	groups := 1 + w.rnd.IntN(4)
	for range groups {
		for range 1 + w.rnd.IntN(2) {
			name := "*"
			if !w.one(2) {
				name = names[w.rnd.IntN(len(names))]
			}
			fmt.Fprintf(&b, "User-agent: %s\n", name)
		}
		if w.one(4) {
			fmt.Fprintf(&b, "Crawl-delay: %d\n", []int{1, 10, 600, 3600}[w.rnd.IntN(4)])
		}
		for range w.rnd.IntN(6) {
			key := "Disallow"
			if w.one(4) {
				key = "Allow"
			}
			fmt.Fprintf(&b, "%s: %s\n", key, []string{"/", "/a", "/a", "/a/b", "/cart", "/cart", "/private/", "/private/", "/dir/", "/dir/index.html", "*.png$", "/search", "", "/%63art", "/*?"}[w.rnd.IntN(15)])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// makeLists makes lists of addresses: the crawler's own are NET.0.0/17, and some lists lack a part.
func (w *world) makeLists() {
	if w.one(12) {
		return
	}
	for _, name := range names {
		f := facts[name]
		if !f.hasLists || f.shares != "" || w.one(5) {
			continue
		}
		for range 1 + w.rnd.IntN(3) {
			l := &addresses{crawler: name}
			switch w.rnd.IntN(5) {
			case 0: // no date
			case 1, 2:
				l.dated = w.start.Add(-time.Duration(1+w.rnd.IntN(300))*24*time.Hour + time.Second/2)
			default:
				l.dated = w.halfSecond()
			}
			if slices.ContainsFunc(w.lists, func(o *addresses) bool { return o.crawler == name && o.dated.Equal(l.dated) }) {
				continue
			}
			for i := range 4 {
				if !w.one(5) {
					l.prefixes = append(l.prefixes, netip.MustParsePrefix(fmt.Sprintf("%s.%d.0/24", f.net, i)))
				}
			}
			if w.one(3) {
				l.prefixes = append(l.prefixes, netip.MustParsePrefix(f.net+".0.0/20"))
			}
			if len(l.prefixes) == 0 {
				continue
			}
			w.lists = append(w.lists, l)
		}
	}
}

// writeLists writes the lists into a folder.
func (w *world) writeLists(t *testing.T, folder string) {
	for i, l := range w.lists {
		l.file = l.crawler
		if l.crawler == "Googlebot" && w.one(2) { // the name that its operator gives it; all lists of a crawler have one kind of name
			l.file = "Googlebot"
		}
		var text strings.Builder
		switch form := i % 3; {
		case form == 0 && l.dated.IsZero() || form == 1 && !l.dated.IsZero():
			type object map[string]string
			var all []object
			for _, p := range l.prefixes {
				all = append(all, object{"ipv4Prefix": p.String(), "service": "crawl"})
			}
			all = append(all, object{"ipv6Prefix": "2001:db8::/32"}, object{"ipv4Prefix": "0.0.0.0/0", "ipv6Prefix": "::/0"}, object{"note": "nothing"})
			file := map[string]any{"prefixes": all}
			if !l.dated.IsZero() {
				file["creationTime"] = l.dated.Format("2006-01-02T15:04:05.000000")
				l.file += "@" + l.dated.Format(time.RFC3339Nano)
			}
			encoded, err := json.Marshal(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(encoded)
			l.file += ".json"
		default:
			text.WriteString("prefix\n")
			for _, p := range l.prefixes {
				fmt.Fprintln(&text, p)
			}
			if !l.dated.IsZero() {
				l.file += "@" + l.dated.Format(time.RFC3339Nano)
			}
			l.file += []string{".txt", ".csv"}[i%2]
		}
		if err := os.WriteFile(filepath.Join(folder, l.file), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// live makes the events.
func (w *world) live() {
	step := 4 * time.Minute
	if w.kind.isSparse {
		step = 30 * time.Minute
	}
	if w.kind.isBig {
		step = 40 * time.Second
	}
	for at := w.start; at.Before(w.end); at = at.Add(step - time.Duration(w.rnd.Int64N(int64(step/3)))) {
		w.add(&event{at: at, address: "80.0.0." + fmt.Sprint(w.rnd.IntN(200)), host: w.host(), method: "GET", target: pages[w.rnd.IntN(len(pages))], status: 200, agent: browser})
	}
	for range 3 + w.rnd.IntN(5) {
		w.actor()
	}
	if w.kind.hasNoRobots {
		w.events = slices.DeleteFunc(w.events, func(e *event) bool { return e.target == "/robots.txt" })
	}
	slices.SortStableFunc(w.events, func(a, b *event) int { return a.at.Compare(b.at) })
	w.events = slices.CompactFunc(w.events, func(a, b *event) bool { return a.at.Equal(b.at) })
	if !w.kind.isSparse && w.one(2) { // a time without lines
		for range 1 + w.rnd.IntN(2) {
			from := w.start.Add(12*time.Hour + time.Duration(w.rnd.Int64N(int64(w.end.Sub(w.start)-12*time.Hour))))
			to := from.Add(time.Duration(7+w.rnd.IntN(10)) * time.Hour)
			if w.one(3) {
				to = from.Add(5 * time.Hour) // too short
			}
			w.events = slices.DeleteFunc(w.events, func(e *event) bool { return e.at.After(from) && e.at.Before(to) })
		}
	}
	w.end = w.events[len(w.events)-1].at
}

func (w *world) host() string { return w.hosts[w.rnd.IntN(len(w.hosts))] }

func (w *world) add(e *event) {
	e.at = e.at.Truncate(time.Second)
	w.events = append(w.events, e)
}

// actor makes the requests of one program.
func (w *world) actor() {
	name := names[w.rnd.IntN(len(names))]
	f := facts[name]
	address := func() string { return fmt.Sprintf("%s.%d.%d", f.net, w.rnd.IntN(5), w.rnd.IntN(255)) }
	if w.one(4) { // somebody else
		address = func() string { return fmt.Sprint("45.9.0.", w.rnd.IntN(20)) }
	}
	behaviour := []string{"obeys", "stale", "ignores", "ignores after", "never fetches"}[w.rnd.IntN(5)]
	change := w.halfSecond()
	last := map[string]*audit.Version{} // what it fetched
	fetched := map[string]time.Time{}
	step := time.Duration(20+w.rnd.IntN(100)) * time.Minute
	if w.one(4) {
		step /= 20
	}
	at := w.start.Add(time.Duration(w.rnd.Int64N(int64(w.end.Sub(w.start)))) - 24*time.Hour)
	for n := 0; n < 150 && at.Before(w.end); n++ {
		at = at.Add(time.Duration(1 + w.rnd.Int64N(int64(2*step))))
		if at.Before(w.start) {
			continue
		}
		host := w.host()
		e := &event{at: at, address: address(), host: host, method: "GET", status: 200, agent: f.agent, crawler: name}
		version := w.inForce(host, at)
		pause := 20 * time.Hour
		if behaviour == "stale" {
			pause = 40 * time.Hour
		}
		if behaviour != "never fetches" && (at.Sub(fetched[host]) > pause || w.one(15)) {
			e.target = "/robots.txt"
			if w.one(2) {
				e.status = []int{200, 304, 304, 301, 302, 404, 410, 403, 429, 500, 503, 499, 206}[w.rnd.IntN(13)]
			}
			switch w.rnd.IntN(25) {
			case 0:
				e.method = "HEAD"
			}
			if e.status == 200 {
				last[host] = version
			}
			fetched[host] = at
			w.add(e)
			continue
		}
		e.target = pages[w.rnd.IntN(len(pages))]
		switch w.rnd.IntN(30) {
		case 0:
			e.method = "POST"
		case 1:
			e.method = "HEAD"
		case 2:
			e.target = "/favicon.ico"
		case 3:
			e.target = "/.well-known/security.txt"
		case 4:
			e.status = 301
		}
		obeys := behaviour == "obeys" || behaviour == "stale" || behaviour == "ignores after" && at.Before(change)
		if obeys && w.rnd.IntN(20) > 0 && last[host] != nil && !allows(last[host], f, name, e.target, robotstxt.RFC9309) {
			continue
		}
		w.add(e)
	}
}

// write puts the events into logs.
func (w *world) write() {
	n := 1
	if w.one(2) {
		n = 2 + w.rnd.IntN(2)
	}
	w.files = make([][]*event, n)
	for range n {
		form := "combined"
		if w.one(3) {
			form = []string{"json", "extended", "balancer"}[w.rnd.IntN(3)]
		}
		if !w.kind.hasHosts && form == "balancer" || w.kind.hasProxy && form == "balancer" {
			form = "json"
		}
		w.forms = append(w.forms, form)
	}
	cut := w.one(2) // each file has a part of the time; else all have the whole
	for i, e := range w.events {
		e.written = e.at
		if w.one(4) {
			e.written = e.at.Add(time.Duration(w.rnd.IntN(14*60)) * time.Second)
		}
		if w.kind.isLate && (w.one(40) || w.kind.isBig && e.crawler != "" && w.one(3)) && i > 50 && e.target != "/robots.txt" {
			e.written = e.at.Add(time.Duration(1+w.rnd.IntN(6)) * time.Hour)
		}
		e.file = w.rnd.IntN(n)
		if cut {
			e.file = i * n / len(w.events)
			if n > 1 && w.one(10) {
				e.file = max(0, e.file-1)
			}
		}
		w.files[e.file] = append(w.files[e.file], e)
	}
	for f, events := range w.files {
		slices.SortStableFunc(events, func(a, b *event) int { return a.written.Compare(b.written) })
		var all []*event
		for _, e := range events {
			if w.one(300) {
				all = append(all, &event{junk: []string{"this is no line", "", "\x16\x03\x01", `{"a":`}[w.rnd.IntN(4)]})
			}
			all = append(all, e)
		}
		w.files[f] = all
		var latest time.Time
		for i, e := range all {
			e.line = i + 1
			if w.forms[f] == "extended" {
				e.line += 2
			}
			if e.at.After(latest) {
				latest = e.at
			}
			e.isLate = latest.Sub(e.at) > 15*time.Minute
		}
	}
}

// text returns a log.
func (w *world) text(file int) string {
	var b strings.Builder
	form := w.forms[file]
	zones := []*time.Location{time.UTC, time.FixedZone("", 2*3600), time.FixedZone("", -7*3600-1800)}
	if form == "extended" {
		b.WriteString("#Version: 1.0\n#Fields: date time c-ip cs-method")
		if w.kind.hasHosts {
			b.WriteString(" cs-host")
		}
		b.WriteString(" cs-uri-stem cs-uri-query sc-status cs(User-Agent) x-forwarded-for\n")
	}
	for i, e := range w.files[file] {
		if e.at.IsZero() {
			b.WriteString(e.junk + "\n")
			continue
		}
		at := e.at.In(zones[(file+i/40)%len(zones)])
		address, forwarded := e.address, ""
		if w.kind.hasProxy {
			address, forwarded = "10.0.0.7", e.address
			switch i % 3 {
			case 0:
				forwarded += ", 10.0.0.9"
			case 1:
				forwarded = "20.1.0.1, " + forwarded
			}
		} else if i%7 == 0 {
			forwarded = "20.1.0.1" // not believed
		}
		switch form {
		case "combined":
			if w.kind.hasHosts {
				b.WriteString(e.host)
				if i%5 == 0 {
					b.WriteString(":443")
				}
				b.WriteByte(' ')
			}
			target := e.target
			if w.kind.hasHosts && i%11 == 0 && !strings.HasPrefix(target, "//") {
				target = "https://" + e.host + target
			}
			fmt.Fprintf(&b, `%s - - [%s] "%s %s HTTP/1.1" %d 512 "-" "%s"`, address, at.Format("02/Jan/2006:15:04:05 -0700"), e.method, target, e.status, e.agent)
			if forwarded != "" {
				fmt.Fprintf(&b, ` "%s"`, forwarded)
			}
		case "json":
			line := map[string]any{"time": at.Format(time.RFC3339), "remote_addr": address, "method": e.method, "target": e.target, "status": e.status, "agent": e.agent}
			if w.kind.hasHosts {
				line["host"] = e.host
			}
			if forwarded != "" {
				line["forwarded"] = forwarded
			}
			encoded, _ := json.Marshal(line)
			b.Write(encoded)
		case "extended":
			stem, query, _ := strings.Cut(e.target, "?")
			if query == "" {
				query = "-"
			}
			fmt.Fprintf(&b, "%s %s %s ", e.at.UTC().Format("2006-01-02 15:04:05"), address, e.method)
			if w.kind.hasHosts {
				b.WriteString(e.host + " ")
			}
			if forwarded == "" {
				forwarded = "-"
			}
			fmt.Fprintf(&b, "%s %s %d %s %s", stem, query, e.status, strings.ReplaceAll(e.agent, " ", "+"), strings.ReplaceAll(forwarded, ", ", ","))
		case "balancer":
			fmt.Fprintf(&b, `https %s app/lb/1 %s:4711 10.0.0.1:80 0.0 0.1 0.0 %d %d 10 20 "%s https://%s:443%s HTTP/1.1" "%s" - - -`,
				at.UTC().Format("2006-01-02T15:04:05.000000Z"), address, e.status, e.status, e.method, e.host, e.target, e.agent)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// inForce returns the version that a host served at a time; nil: it is not known.
func (w *world) inForce(host string, at time.Time) (found *audit.Version) {
	all := w.robots[host]
	if w.kind.isOneSite {
		all = w.robots[""]
	}
	for i := range all {
		if all[i].Since.Before(at) {
			found = &all[i]
		}
	}
	return found
}

// decide asks the library about one request.
func decide(v *audit.Version, f fact, name, target string, d *robotstxt.Dialect) (robotstxt.Decision, *robotstxt.Policy) {
	groups := f.groups
	if groups == nil {
		groups = []string{name}
	}
	if v.Missing {
		p := robotstxt.AllowAll(robotstxt.Unavailable, d).Agent(groups...)
		return p.Check(target), p
	}
	p := robotstxt.ParseString(v.Text, d).Agent(groups...)
	return p.Check(target), p
}

func allows(v *audit.Version, f fact, name, target string, d *robotstxt.Dialect) bool {
	decision, _ := decide(v, f, name, target, d)
	return decision.Allowed
}

// A truth is what the report must say.
type truth struct {
	rows  map[string]*audit.Row
	pages map[*audit.Row]int64 // requests that are checked
	known map[*audit.Row]bool  // the robots.txt is known at the time of a request
	found map[string]string    // by the log and the line
}

// identity tells by the lists who an address is.
func (w *world) identity(name, address string, at time.Time) audit.Identity {
	f := facts[name]
	if f.isFalse {
		return audit.Impostor
	}
	if f.shares != "" {
		name = f.shares
	}
	var best *addresses
	has := false
	for _, l := range w.lists {
		if l.crawler != name {
			continue
		}
		has = true
		if l.dated.Before(at) && (best == nil || best.dated.Before(l.dated)) {
			best = l
		}
	}
	isIn := func(l *addresses) bool {
		return slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return p.Contains(netip.MustParseAddr(address)) })
	}
	switch {
	case !has:
		return audit.NotCheckable
	case best != nil && isIn(best):
		return audit.Verified
	case best != nil:
		return audit.Impostor
	}
	for _, l := range w.lists { // all are later: the first of them
		if l.crawler == name && (best == nil || l.dated.Before(best.dated)) {
			best = l
		}
	}
	if isIn(best) && best.dated.Sub(at) <= 30*24*time.Hour {
		return audit.Verified
	}
	return audit.NotCheckable
}

func (w *world) hasList(name string) bool {
	return slices.ContainsFunc(w.lists, func(l *addresses) bool { return l.crawler == name })
}

// A held copy is what a crawler has after a retrieval.
type held struct {
	at        time.Time
	isUnknown bool
	allowsAll bool
	version   *audit.Version
	isFailing bool      // the last retrieval failed, so that an older copy may be used
	goodAt    time.Time // when that is from
}

// copyAfter returns what a crawler has after the last of its retrievals from a host, the earliest of which the log shows first.
func (w *world) copyAfter(all []*event) held {
	e := all[len(all)-1]
	before := all[:len(all)-1]
	force := w.inForce(e.host, e.at)
	ofVersion := func(v *audit.Version) held { return held{at: e.at, version: v, isUnknown: v == nil} }
	begin := w.events[0].at
	switch s := e.status; {
	case s == 200:
		return ofVersion(force)
	case s == 304:
		if good, at := w.lastGood(before, e); good != nil {
			if w.isShown(at, e) {
				return held{at: e.at, allowsAll: good.allowsAll, version: good.version}
			}
		} else if w.sameBetween(e.host, begin, e.at) {
			return ofVersion(force)
		}
		return held{at: e.at, isUnknown: true}
	case s >= 400 && s <= 498:
		return held{at: e.at, allowsAll: true}
	case s >= 500 && s <= 599:
		good, at := w.lastGood(before, e)
		for _, b := range before {
			if b.status >= 500 && b.status <= 599 && b.at.After(at) && e.at.Sub(b.at) > month {
				return held{at: e.at, allowsAll: true, isFailing: true}
			}
		}
		switch {
		case good != nil && w.isShown(at, e):
			return held{at: e.at, allowsAll: good.allowsAll, version: good.version, isFailing: true, goodAt: at}
		case good == nil && w.isShown(begin, e) && w.sameBetween(e.host, begin.Add(-month), begin):
			c := ofVersion(w.inForce(e.host, begin))
			c.isFailing, c.goodAt = true, begin
			return c
		}
		return held{at: e.at, isUnknown: true, isFailing: true}
	}
	return held{at: e.at, isUnknown: true}
}

const month = 30 * 24 * time.Hour

// lastGood returns what the last of some retrievals brought that brought rules, or none, and when; nil: none did, in 30 days.
func (w *world) lastGood(before []*event, e *event) (*held, time.Time) {
	for i, b := range slices.Backward(before) {
		if s := b.status; s == 200 || s == 304 || s >= 400 && s <= 498 {
			if c := w.copyAfter(before[:i+1]); !c.isUnknown && e.at.Sub(b.at) <= month {
				return &c, b.at
			}
		}
	}
	return nil, time.Time{}
}

// isShown reports whether the log shows which versions somebody fetched between a time and an event.
func (w *world) isShown(since time.Time, e *event) bool {
	hasGap := slices.ContainsFunc(w.gaps, func(g [2]time.Time) bool { return g[1].After(since) && g[0].Before(e.at) })
	return !w.kind.isSample && !hasGap || w.sameBetween(e.host, since, e.at)
}

// sameBetween reports whether nothing but the same text was in force between two times.
func (w *world) sameBetween(host string, from, to time.Time) bool {
	all := w.robots[host]
	if w.kind.isOneSite {
		all = w.robots[""]
	}
	first := w.inForce(host, from)
	for _, v := range all {
		if v.Since.After(from) && v.Since.Before(to) && (first == nil || v.Text != first.Text || v.Missing != first.Missing) {
			return false
		}
	}
	return true
}

// findGaps finds the times without a line.
func (w *world) findGaps() {
	first, last := w.events[0].at, w.events[len(w.events)-1].at
	mean := last.Sub(first) / time.Duration(len(w.events)-1)
	for i, e := range w.events[1:] {
		if between := e.at.Sub(w.events[i].at); between > 6*time.Hour && between > 50*mean {
			w.gaps = append(w.gaps, [2]time.Time{w.events[i].at, e.at})
		}
	}
}

// isComplete reports whether the log shows all of the 24 hours before a time.
func (w *world) isComplete(at time.Time, operator string) bool {
	if w.kind.isSample || at.Add(-24*time.Hour).Before(w.events[0].at) {
		return false
	}
	for _, g := range w.gaps {
		if g[1].After(at.Add(-24*time.Hour)) && !g[0].After(at) {
			return false
		}
	}
	operators := map[string]bool{operator: true}
	for _, e := range w.events {
		switch {
		case !e.at.Before(at):
		case e.target == "/robots.txt":
			return true
		case w.counts(e):
			operators[operatorOf(e.crawler)] = true
		}
	}
	return len(operators) < 3
}

func operatorOf(name string) string {
	if o := facts[name].operator; o != "" {
		return o
	}
	return name
}

// retrievals returns those from a site before a time, of a crawler or of all crawlers of an operator, from any address of the
// same identity.
func (w *world) retrievals(isOf func(name string) bool, i audit.Identity, host string, before time.Time) (all []*event) {
	for _, e := range w.events {
		if e.at.Before(before) && e.target == "/robots.txt" && e.method == "GET" && w.counts(e) && isOf(e.crawler) &&
			w.site(e.host) == w.site(host) && w.identity(e.crawler, e.address, e.at) == i {
			all = append(all, e)
		}
	}
	return all
}

func isCrawler(name string) func(string) bool {
	return func(other string) bool { return other == name }
}

func isOfOperatorOf(name string) func(string) bool {
	return func(other string) bool { return operatorOf(other) == operatorOf(name) }
}

// site returns the name of what has a robots.txt: a host, or all.
func (w *world) site(host string) string {
	if w.kind.isOneSite {
		return ""
	}
	return host
}

// isNamed reports whether a robots.txt names a crawler that is not in the table, when it is requested.
func (w *world) counts(e *event) bool {
	if w.kind.hasOrigin && w.kind.hasHosts && e.host != w.hosts[0] {
		return false
	}
	if e.crawler != "HomeMadeBot" {
		return e.crawler != ""
	}
	v := w.inForce(e.host, e.at)
	return v != nil && strings.Contains(v.Text, "User-agent: HomeMadeBot\n")
}

// expect returns what the report must say.
// Of a line that is far behind others it depends on the memory whether it is put into its place.
func (w *world) expect(found map[string]string) *truth {
	w.findGaps()
	t := &truth{map[string]*audit.Row{}, map[*audit.Row]int64{}, map[*audit.Row]bool{}, map[string]string{}}
	lastPage := map[string]*event{}
	for _, e := range w.events {
		if !w.counts(e) {
			continue
		}
		f := facts[e.crawler]
		identity := w.identity(e.crawler, e.address, e.at)
		key := e.crawler + " " + identity.String()
		version := w.inForce(e.host, e.at)
		isRobots, isApart := e.target == "/robots.txt", e.target == "/favicon.ico" || strings.HasPrefix(e.target, "/.well-known/")
		var gap time.Duration
		if !isRobots && !isApart && version != nil {
			place := key + " " + w.site(e.host)
			if last := lastPage[place]; last != nil {
				gap = e.at.Sub(last.at)
			}
			lastPage[place] = e
		}
		if e.at.Before(w.since) {
			continue
		}
		row := t.rows[key]
		if row == nil {
			row = &audit.Row{Crawler: e.crawler, Operator: f.operator, Identity: identity, Reasons: map[string]int64{}, First: e.at}
			t.rows[key] = row
		}
		row.Requests++
		row.Last = e.at
		t.known[row] = t.known[row] || version != nil
		if isRobots && e.method == "GET" {
			row.Robots++
			continue
		}
		if all := w.retrievals(isOfOperatorOf(e.crawler), identity, e.host, e.at); len(all) > 0 {
			age := int64(e.at.Sub(all[len(all)-1].at) / time.Second)
			if row.Age == nil || *row.Age < age {
				row.Age = &age
			}
		}
		if isApart {
			row.Apart++
		}
		if isApart || isRobots {
			continue
		}
		if version == nil {
			row.Unchecked++
			continue
		}
		t.pages[row]++
		decision, policy := decide(version, f, e.crawler, e.target, robotstxt.RFC9309)
		if delay, ok := policy.CrawlDelay(); ok && gap > 0 {
			if row.Delay == nil {
				row.Delay = &audit.Delay{}
			}
			row.Delay.Gaps++
			if gap < delay {
				row.Delay.Short++
			}
		}
		if decision.Allowed {
			continue
		}
		row.Forbidden++
		tell := func(r audit.Reason) string {
			return fmt.Sprint(e.crawler, " ", identity, " line ", decision.Rule.Line, " ", r)
		}
		reason := w.excuse(e, f, identity, version, policy, false)
		if e.isLate {
			if late := w.excuse(e, f, identity, version, policy, true); tell(late) == found[w.place(e)] {
				reason = late
			}
		}
		if reason == audit.Proved {
			row.Proved++
		} else {
			row.Reasons[reason.String()]++
		}
		t.found[w.place(e)] = tell(reason)
	}
	for _, row := range t.rows {
		excused := row.Reasons["copy-allows"] + row.Reasons["dialects-differ"] + row.Reasons["method"]
		switch {
		case row.Identity == audit.Impostor:
			row.Verdict = audit.IsImpostor
		case row.Proved > 0:
			row.Verdict = audit.Disobeys
		case !t.known[row], row.Unchecked > 0 && t.pages[row] == 0:
			row.Verdict = audit.UnknownIfAny
		case row.Forbidden == excused:
			row.Verdict = audit.Obeys
		case row.Forbidden == excused+row.Reasons["not-bound"]:
			row.Verdict = audit.IsNotBound
		default:
			row.Verdict = audit.UnknownIfAny
		}
	}
	return t
}

// excuse returns why a forbidden request is not proved.
func (w *world) excuse(e *event, f fact, identity audit.Identity, version *audit.Version, policy *robotstxt.Policy, isLate bool) audit.Reason {
	isUnknown, hasCopy, isShown := false, false, true
	if !isLate {
		type visit struct {
			isOf     func(string) bool
			identity audit.Identity
			isHere   bool // only at this host
		}
		visits := []visit{{isCrawler(e.crawler), identity, false}, {isOfOperatorOf(e.crawler), identity, false}, {isCrawler(e.crawler), identity, true},
			{isOfOperatorOf(e.crawler), identity, true}}
		if identity == audit.Verified {
			visits = append(visits, visit{isCrawler(e.crawler), audit.NotCheckable, false})
		}
		for _, v := range visits {
			all := w.retrievals(v.isOf, v.identity, e.host, e.at)
			if v.isHere && !w.kind.hasOrigin {
				all = slices.DeleteFunc(all, func(r *event) bool { return r.host != e.host })
			}
			if len(all) == 0 {
				continue
			}
			c := w.copyAfter(all)
			if age := e.at.Sub(c.at); age > 24*time.Hour && !c.isFailing || age > month {
				continue
			}
			since := c.at
			if !c.goodAt.IsZero() {
				since = c.goodAt
			}
			isShown = isShown && w.isShown(since, e)
			hasCopy = true
			switch {
			case c.isUnknown:
				isUnknown = true
			case c.allowsAll || allows(c.version, f, e.crawler, e.target, robotstxt.RFC9309) || allows(c.version, f, e.crawler, e.target, robotstxt.Google):
				return audit.CopyAllows
			case f.noStar && policy.IsNamed():
				if _, p := decide(c.version, f, e.crawler, e.target, robotstxt.RFC9309); !p.IsNamed() { // it does not bind the crawler
					return audit.CopyAllows
				}
			}
		}
	}
	switch {
	case allows(version, f, e.crawler, e.target, robotstxt.Google):
		return audit.DialectsDiffer
	case e.method != "GET" && e.method != "HEAD":
		return audit.OtherMethod
	case f.notBound, f.noStar && !policy.IsNamed():
		return audit.NotBound
	case identity == audit.NotCheckable && w.hasList(cmp.Or(f.shares, e.crawler)): // then every list is later
		return audit.LaterList
	case identity != audit.Verified:
		return audit.NotVerified
	case isLate:
		return audit.OutOfOrder
	case isUnknown:
		return audit.CopyUnknown
	case !isShown || !hasCopy && !w.isComplete(e.at, operatorOf(e.crawler)):
		return audit.LogIncomplete
	}
	return audit.Proved
}

// place returns where the line of an event is.
func (w *world) place(e *event) string { return fmt.Sprint(w.name(e.file), ":", e.line) }

func (w *world) name(file int) string {
	if file%2 == 1 {
		return fmt.Sprintf("access.log.%d.gz", file)
	}
	return fmt.Sprintf("access.log.%d", file)
}

// run writes the world into a folder and audits it.
func (w *world) run(t *testing.T, folder string) (*audit.Report, map[string]string) {
	o := &audit.Options{Table: crawlers.Known(), IsSample: w.kind.isSample, Since: w.since, Workers: 1 + w.rnd.IntN(3)}
	for i := range w.files {
		text := []byte(w.text(i))
		if strings.HasSuffix(w.name(i), ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			if _, err := z.Write(text); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			text = b.Bytes()
		}
		name := filepath.Join(folder, w.name(i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		o.Logs = append(o.Logs, name)
	}
	w.rnd.Shuffle(len(o.Logs), func(i, j int) { o.Logs[i], o.Logs[j] = o.Logs[j], o.Logs[i] })
	if len(w.lists) > 0 {
		lists := filepath.Join(folder, "ranges")
		if err := os.Mkdir(lists, 0o700); err != nil {
			t.Fatal(err)
		}
		w.writeLists(t, lists)
		var err error
		if o.Ranges, err = ranges.Read(lists, o.Table); err != nil {
			t.Fatal(err)
		}
	}
	if w.kind.hasProxy {
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	}
	if w.kind.hasOrigin {
		var err error
		if o.Origin, err = origin.Parse("https://" + w.hosts[0]); err != nil {
			t.Fatal(err)
		}
	}
	if w.kind.isOneSite {
		o.IsOneSite = true
		o.Versions = func(origin.Origin) ([]audit.Version, error) { return w.robots[""], nil }
	} else {
		o.Versions = func(from origin.Origin) ([]audit.Version, error) { return w.robots[from.Host()], nil }
	}
	found := map[string]string{}
	o.Wants = func(string) bool { return true }
	o.Evidence = func(f *audit.Finding) error {
		reason := f.Reason
		if f.Proved {
			reason += audit.Proved.String()
		}
		found[fmt.Sprint(filepath.Base(f.Log), ":", f.Line)] = fmt.Sprint(f.Crawler, " ", f.Identity, " line ", f.Rule.Line, " ", reason)
		return nil
	}
	report, err := audit.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report, found
}

// rowText returns what is compared of a row. What depends on the place of lines that are far behind others may be left out.
func rowText(r *audit.Row, isShort bool) string {
	age, delay := "none", "none"
	if isShort {
		r = &audit.Row{Requests: r.Requests, Forbidden: r.Forbidden, Proved: r.Proved, Reasons: r.Reasons, Robots: r.Robots, Apart: r.Apart, Unchecked: r.Unchecked, Verdict: r.Verdict}
	}
	if r.Age != nil {
		age = fmt.Sprint(*r.Age)
	}
	if r.Delay != nil {
		delay = fmt.Sprint(r.Delay.Short, " of ", r.Delay.Gaps)
	}
	return fmt.Sprintf("requests %d forbidden %d proved %d because %v robots %d age %s apart %d unchecked %d delay %s %s from %s to %s", r.Requests, r.Forbidden, r.Proved, r.Reasons,
		r.Robots, age, r.Apart, r.Unchecked, delay, r.Verdict, r.First.UTC().Format(time.DateTime), r.Last.UTC().Format(time.DateTime))
}

// differences returns in what a report differs from the truth.
func (w *world) differences(report *audit.Report, found map[string]string) (all []string) {
	want := w.expect(found)
	got := map[string]*audit.Row{}
	for _, r := range report.Crawlers {
		got[r.Crawler+" "+r.Identity.String()] = r
	}
	keys := maps.Clone(want.rows)
	maps.Copy(keys, got)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		switch a, b := got[key], want.rows[key]; {
		case a == nil:
			all = append(all, key+": missing, want "+rowText(b, false))
		case b == nil:
			all = append(all, key+": unexpected "+rowText(a, false))
		case rowText(a, w.kind.isBig) != rowText(b, w.kind.isBig):
			all = append(all, key+":\n     "+rowText(a, false)+"\nwant "+rowText(b, false))
		}
	}
	places := maps.Clone(want.found)
	maps.Copy(places, found)
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if found[place] != want.found[place] {
			all = append(all, fmt.Sprintf("%s: %q, want %q", place, found[place], want.found[place]))
		}
	}
	return all
}

const worlds = 1000

// TestWorlds compares the reports about worlds with what really happened in them, as a model sees it that has all requests in memory.
func TestWorlds(t *testing.T) {
	wrong := 0
	seen := map[string]int{}
	for seed := range uint64(worlds) {
		if !portion.Of(20) {
			continue
		}
		w := newWorld(seed)
		report, found := w.run(t, t.TempDir())
		for _, r := range report.Crawlers {
			seen[string(r.Verdict)]++
			for reason := range r.Reasons {
				seen[reason]++
			}
		}
		if all := w.differences(report, found); len(all) > 0 {
			if wrong++; wrong <= 3 {
				t.Errorf("world %d: %+v, %d files, since %v:\n%s", seed, w.kind, len(w.files), w.since, strings.Join(all[:min(len(all), 12)], "\n"))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d worlds differ", wrong)
	}
	for _, what := range []string{"obeys", "disobeys", "impostor", "not-bound", "unknown", "copy-allows", "dialects-differ", "method", "not-verified", "later-list", "out-of-order",
		"copy-unknown", "log-incomplete"} {
		if seen[what] == 0 && portion.Whole() {
			t.Errorf("%s: in no world", what)
		}
	}
}
