package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

type Report struct {
	Coverage Coverage `json:"coverage"`
	Crawlers []*Row   `json:"crawlers"` // sorted by proved requests, then by forbidden requests; the most come first
}

// Coverage says what the logs and the versions of robots.txt contain, and what they cannot show (AU-10).
type Coverage struct {
	Logs       []string     `json:"logs"`
	Formats    []string     `json:"formats"`
	From       *time.Time   `json:"from,omitempty"` // the time of the first line; nil if there is no line
	To         *time.Time   `json:"to,omitempty"`
	Since      *time.Time   `json:"since,omitempty"` // requests before this time are not counted
	Until      *time.Time   `json:"until,omitempty"` // requests from this time on are not counted
	Lines      int64        `json:"lines"`           // all lines that were read
	Unreadable int64        `json:"unreadable"`
	Samples    []Unreadable `json:"unreadable_samples,omitempty"`
	Broken     []string     `json:"broken,omitempty"` // the errors of logs that were not read to their ends
	NotHTTP    int64        `json:"not_http"`         // lines whose request is not an HTTP request
	OtherHosts int64        `json:"other_hosts"`      // requests to hosts other than that of --origin; they are not checked
	NoRobots   int64        `json:"no_robots"`        // requests of crawlers at times for which no robots.txt is known
	OutOfOrder int64        `json:"out_of_order"`     // requests of crawlers whose line comes too long after later requests
	Gaps       []Gap        `json:"gaps,omitempty"`   // the first gaps, as examples
	GapCount   int          `json:"gap_count"`
	IsSample   bool         `json:"is_sample"`                // the user says that lines are missing in the log
	Hosts      []string     `json:"hosts,omitempty"`          // the first hosts that the log names
	Versions   int          `json:"versions"`                 // versions of robots.txt files with which requests were checked
	Undated    int          `json:"undated,omitempty"`        // how many sites have one robots.txt for all times
	Robots     []VersionID  `json:"robots,omitempty"`         // the first versions, if all versions are of the same site
	Retrievals int64        `json:"robots_requests"`          // requests for /robots.txt from all clients
	Forwarded  int64        `json:"forwarded"`                // lines with the header X-Forwarded-For
	Lists      []ListUsed   `json:"lists,omitempty"`          // with these lists, crawlers were identified
	Others     []Other      `json:"other_crawlers,omitempty"` // the most frequent crawlers that are not in the table
	Problem    string       `json:"problem,omitempty"`        // why no request of a crawler could be checked
	Notes      []string     `json:"notes"`                    // sentences that say what the log cannot show

	hasAgents, noHost, noScheme, fewAddresses bool
	masked                                    int64 // requests of crawlers with proof.isPartly
}

// An Unreadable is a line that could not be read.
type Unreadable struct {
	Log   string `json:"log"`
	Line  int    `json:"line"`
	Text  string `json:"text"` // the first bytes of the line
	Error string `json:"error"`
}

// A Gap is a period in which the logs have no line.
type Gap struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// A ListUsed is a list of addresses with which a crawler was identified.
type ListUsed struct {
	File     string `json:"file"`
	Dated    string `json:"dated"` // the date of the list; "" if it is not known
	Prefixes int    `json:"prefixes"`
	Ignored  int    `json:"ignored"`
}

// Other is a crawler that the table of crawlers does not have.
type Other struct {
	Name     string `json:"name"`
	Requests int64  `json:"requests"`
}

type Verdict string

const (
	Obeys      Verdict = "obeys"
	Disobeys   Verdict = "disobeys"  // at least one forbidden request is proved
	IsImpostor Verdict = "impostor"  // the requests are from somebody else who uses the crawler's name
	IsNotBound Verdict = "not-bound" // there are forbidden requests, but the operator does not promise that the crawler obeys (AU-6)
	// There were forbidden requests, but none is proved; or no robots.txt was known for any request.
	UnknownIfAny Verdict = "unknown"
)

type rowKey struct {
	crawler  *crawler
	identity Identity
}

// A Row is about all requests of a crawler with the same Identity.
type Row struct {
	Crawler   string           `json:"crawler"`
	Operator  string           `json:"operator,omitempty"`
	Identity  Identity         `json:"identity"`
	Requests  int64            `json:"requests"`
	Forbidden int64            `json:"forbidden"`
	Proved    int64            `json:"proved"`
	Reasons   map[string]int64 `json:"not_proved,omitempty"` // forbidden requests that are not proved, counted by Reason
	Robots    int64            `json:"robots_requests"`
	// The age of the crawler's copy of robots.txt, at the request when the copy was oldest. The age
	// is nil if it is not known.
	Age *int64 `json:"longest_copy_age_seconds,omitempty"`
	// Apart counts requests for /favicon.ico, /.well-known/ (AU-5), and sitemaps that the robots.txt names.
	Apart     int64      `json:"apart"`
	Unchecked int64      `json:"unchecked"`             // at times for which no robots.txt is known
	Delay     *Delay     `json:"crawl_delay,omitempty"` // nil if no crawl delay applied
	Verdict   Verdict    `json:"verdict"`
	First     time.Time  `json:"first"`
	Last      time.Time  `json:"last"`
	When      *Period    `json:"forbidden_between,omitempty"`
	Surely    *Period    `json:"proved_between,omitempty"`
	Telling   []*Finding `json:"examples,omitempty"` // examples of forbidden requests, if possible of proved ones

	Days map[int64]*Day `json:"-"` // the key is the number of days since 1970-01-01

	crawler         *crawler
	checkedRequests int64
	hasVersion      bool   // a robots.txt was known at the time of at least one request
	Sample          sample `json:"-"`
}

// A Period is the time between two requests, in UTC.
type Period struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

func (p *Period) extendTo(t time.Time) *Period {
	if p == nil {
		return &Period{t, t}
	}
	if t.Before(p.First) {
		p.First = t
	}
	if t.After(p.Last) {
		p.Last = t
	}
	return p
}

// Delay says how often a crawler did not wait for the crawl delay (AU-15). A gap is the time from one request to the
// next.
type Delay struct {
	Gaps  int64 `json:"gaps"`
	Short int64 `json:"shorter"`
}

type Day struct{ Requests, Forbidden, Proved int64 }

// A Finding is a forbidden request.
type Finding struct {
	Time      time.Time    `json:"time"`
	Crawler   string       `json:"crawler"`
	Operator  string       `json:"operator,omitempty"`
	Identity  Identity     `json:"identity"`
	By        *Identified  `json:"identified_by,omitempty"`
	Proved    bool         `json:"proved"`
	Reason    string       `json:"not_proved_because,omitempty"`
	Method    string       `json:"method"`
	Host      string       `json:"host,omitempty"`
	Target    string       `json:"target"`
	Status    int          `json:"status"`
	Address   string       `json:"address"`
	UserAgent string       `json:"user_agent"`
	Rule      DecidingRule `json:"rule"`
	InForce   VersionID    `json:"in_force"`
	Copy      *FetchedCopy `json:"copy,omitempty"` // the robots.txt that the crawler last fetched; nil if the log shows no request for it
	Log       string       `json:"log"`
	Line      int          `json:"line"`
}

type Identified struct {
	List    string `json:"list,omitempty"`
	Dated   string `json:"dated,omitempty"`
	IsLater bool   `json:"list_is_later,omitempty"`
	Prefix  string `json:"prefix,omitempty"`
	Service string `json:"service,omitempty"`
	Name    string `json:"host_name,omitempty"`
}

type DecidingRule struct {
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

type VersionID struct {
	SHA256 string     `json:"sha256,omitempty"`
	Since  *time.Time `json:"since,omitempty"` // nil means from the start of the log
	Source string     `json:"source,omitempty"`
}

// FetchedCopy is the robots.txt that a crawler last fetched.
type FetchedCopy struct {
	Fetched    time.Time `json:"fetched"`
	Status     int       `json:"status"`
	SHA256     string    `json:"sha256,omitempty"`
	AgeSeconds int64     `json:"age_seconds"`
}

func utc(t int64) time.Time { return time.Unix(0, t).UTC() }

func dateOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func (j *auditor) row(w *crawler, i Identity) *Row {
	key := rowKey{w, i}
	r := j.rows[key]
	if r == nil {
		r = &Row{Crawler: w.name, Operator: w.knownOperator, Identity: i, crawler: w, Days: map[int64]*Day{}, Reasons: map[string]int64{}}
		j.rows[key] = r
	}
	return r
}

const maxDays = 5000

func (r *Row) countRequest(e *event) {
	at := utc(e.time)
	if r.Requests == 0 || at.Before(r.First) {
		r.First = at
	}
	if at.After(r.Last) {
		r.Last = at
	}
	r.Requests++
	r.day(e.time).Requests++
	r.hasVersion = r.hasVersion || e.count != none
	switch {
	case e.kind == pageRequest:
		r.checkedRequests++
	case e.kind == robotsRequest:
		r.Robots++
	case e.kind == exemptRequest:
		r.Apart++
	case e.kind == uncheckedRequest && e.count == none:
		r.Unchecked++
	}
}

func (r *Row) day(at int64) *Day {
	n := at / day
	d := r.Days[n]
	if d == nil {
		d = &Day{}
		if len(r.Days) < maxDays {
			r.Days[n] = d
		}
	}
	return d
}

func (r *Row) updateAge(at int64, c retrieval) {
	if c.time == minTime {
		return
	}
	seconds := (at - c.time) / int64(time.Second)
	if r.Age == nil {
		r.Age = new(int64)
	}
	*r.Age = max(*r.Age, seconds)
}

// Only requests of pages count for the crawl delay (AU-15).
func (r *Row) countGap(e *event, last int64) {
	if e.delay <= 0 || last == minTime {
		return
	}
	if r.Delay == nil {
		r.Delay = &Delay{}
	}
	r.Delay.Gaps++
	if e.time-last < int64(e.delay) {
		r.Delay.Short++
	}
}

func (r *Row) addForbidden(f *Finding, isWanted bool) {
	r.Forbidden++
	r.When = r.When.extendTo(f.Time)
	d := r.day(f.Time.UnixNano())
	d.Forbidden++
	if f.Proved {
		r.Proved++
		r.Surely = r.Surely.extendTo(f.Time)
		d.Proved++
	} else {
		r.Reasons[f.Reason]++
	}
	r.addExample(f)
	if isWanted {
		r.Sample.add(f)
	}
}

const examples = 3

// The examples should be proved, and show different rules. So a new one may replace another.
func (r *Row) addExample(f *Finding) {
	same := func(g *Finding) bool { return g.Rule == f.Rule && g.Proved == f.Proved }
	if len(r.Telling) < examples {
		r.Telling = append(r.Telling, f)
		return
	}
	for i, g := range slices.Backward(r.Telling) {
		if !g.Proved && f.Proved {
			r.Telling = append(slices.Delete(r.Telling, i, i+1), f)
			return
		}
	}
	if f.Proved != r.Telling[0].Proved || slices.ContainsFunc(r.Telling, same) {
		return
	}
	for i, g := range slices.Backward(r.Telling) {
		if slices.ContainsFunc(r.Telling[:i], func(h *Finding) bool { return h.Rule == g.Rule }) {
			r.Telling = append(slices.Delete(r.Telling, i, i+1), f)
			return
		}
	}
}

// As soon as one finding is proved, a sample keeps only proved findings.
type sample struct {
	first    []*Finding
	last     []*Finding // a ring buffer
	n        int        // findings that came after the first ones
	isProved bool
}

const halfSample = 250

func (s *sample) add(f *Finding) {
	if f.Proved && !s.isProved {
		*s = sample{isProved: true}
	}
	switch {
	case f.Proved != s.isProved:
		return
	case len(s.first) < halfSample:
		s.first = append(s.first, f)
		return
	case len(s.last) < halfSample:
		s.last = append(s.last, f)
	default:
		s.last[s.n%halfSample] = f
	}
	s.n++
}

// Findings returns the findings that were kept, in the order of time. Left is the number of findings between first
// and last.
func (s *sample) Findings() (first, last []*Finding) {
	last = slices.Clone(s.last)
	slices.SortStableFunc(last, func(a, b *Finding) int { return a.Time.Compare(b.Time) })
	return s.first, last
}

func (s *sample) Left() int64 { return int64(max(0, s.n-halfSample)) }

func (r *Row) verdict() Verdict {
	excused := r.Reasons[CopyAllows.String()] + r.Reasons[DialectsDiffer.String()] + r.Reasons[OtherMethod.String()]
	switch {
	case r.Identity == Impostor:
		return IsImpostor
	case r.Proved > 0:
		return Disobeys
	case !r.hasVersion || r.checkedRequests == 0 && r.Unchecked > 0:
		return UnknownIfAny
	case r.Forbidden == excused:
		return Obeys
	case r.Forbidden == excused+r.Reasons[NotBound.String()]:
		return IsNotBound
	}
	return UnknownIfAny
}

func (j *auditor) finding(e *event, reason Reason, lastRetrieval *retrieval) *Finding {
	f := e.found
	v := e.site.versions[e.count]
	out := &Finding{
		Time: utc(e.time), Crawler: e.crawler.name, Operator: e.crawler.knownOperator, Identity: e.identity, Proved: reason == Proved,
		Method: f.method, Host: f.host, Target: f.target, Status: int(e.status), Address: f.address, UserAgent: f.agent,
		Rule: DecidingRule{Line: f.rule.Line, Text: f.because}, InForce: v.shown(),
		Log: j.Logs[e.input], Line: f.line,
	}
	if f.rule.Line > 0 {
		out.Rule.Text = printable.Text(f.rule.Text())
	}
	if reason != Proved {
		out.Reason = reason.String()
	}
	if p := f.proof; p.list != nil {
		out.By = &Identified{List: p.list.Name, Dated: dateOf(p.list.Dated), IsLater: p.isLater, Service: p.match.Service}
		if p.match.Prefix.IsValid() {
			out.By.Prefix = p.match.Prefix.String()
		}
	} else if p.name != "" {
		out.By = &Identified{Name: p.name}
	}
	if lastRetrieval.time != minTime {
		out.Copy = &FetchedCopy{Fetched: utc(lastRetrieval.time), Status: int(lastRetrieval.status), AgeSeconds: (e.time - lastRetrieval.time) / int64(time.Second)}
		if lastRetrieval.reading >= 0 {
			out.Copy.SHA256 = e.site.versions[lastRetrieval.reading].sha256
		}
	}
	if j.wants(e.crawler) && j.Evidence != nil {
		if err := j.Evidence(out); err != nil {
			j.fail(err)
		}
	}
	return out
}

func (j *auditor) report() []*Row {
	all := []*Row{}
	for _, r := range j.rows {
		if r.Requests > 0 {
			r.Verdict = r.verdict()
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(b.Proved, a.Proved), cmp.Compare(b.Forbidden, a.Forbidden), cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(a.Crawler, b.Crawler), cmp.Compare(a.Identity, b.Identity))
	})
	return all
}
