package live

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// An Answer is a report.Answer about a live site.
type Answer struct {
	report.Answer
	Site    *Site `json:"site,omitempty"`    // the retrieval from which the answer comes; absent if there is no answer
	Pending bool  `json:"pending,omitempty"` // a retrieval is in progress, but the client did not want to wait for its result
}

// An Explanation is a report.Explanation about a live site.
type Explanation struct {
	report.Question
	Site *Site `json:"site"` // the retrieval from which the explanation comes
	report.Verdicts
}

// A Site is a live site, with the retrieval from which answers about it come.
type Site struct {
	Origin       origin.Origin `json:"origin"`                  // the origin of the site, such as "https://www.example.com"
	Outcome      fetch.Outcome `json:"outcome"`                 // "rules" if there is a robots.txt, else "unavailable", "unreachable" or "restricted"
	Status       int           `json:"status,omitempty"`        // the HTTP status of the last response; absent if no response came
	RedirectedTo string        `json:"redirected_to,omitempty"` // the URL of the last request; only present if the site redirected to this URL
	Page         fetch.Page    `json:"page,omitempty"`          // what the server sent instead of a robots.txt: "html" for an HTML page, or "json" for a JSON value
	Error        string        `json:"error,omitempty"`         // why the site sent no complete response, for example a timeout or too many redirects
	Fetched      time.Time     `json:"fetched,omitzero"`        // the time at which the retrieval ended; absent if there was no retrieval
	AgeSeconds   int64         `json:"age_seconds"`             // the number of seconds since "fetched"
	Stale        bool          `json:"stale"`                   // the robots.txt is no longer fresh, but it is still used
	// The time of the first failed retrieval after the last successful one. Absent if the last retrieval was successful.
	FailingSince  time.Time `json:"failing_since,omitzero"`
	NextRetrieval time.Time `json:"next_retrieval,omitzero"`       // the time of the next retrieval
	CrawlDelay    float64   `json:"crawl_delay_seconds,omitempty"` // the crawl delay for this crawler; absent if there is none
}

func AnswerOf(url string, a *cache.Answer) Answer {
	return Answer{Answer: report.AnswerOf(url, a.Decision), Site: SiteOf(a)}
}

func ExplanationOf(e report.Explanation, a *cache.Answer) Explanation {
	return Explanation{Question: e.Question, Site: SiteOf(a), Verdicts: e.Verdicts}
}

func SiteOf(a *cache.Answer) *Site {
	s := &Site{
		Origin:        a.Origin,
		Outcome:       a.Outcome,
		Status:        a.Status,
		RedirectedTo:  a.RedirectedTo,
		Page:          a.Page,
		Fetched:       inSeconds(a.Fetched),
		AgeSeconds:    int64(a.Age / time.Second),
		Stale:         a.Stale,
		FailingSince:  inSeconds(a.FailingSince),
		NextRetrieval: inSeconds(a.NextRetrieval),
		CrawlDelay:    a.CrawlDelay.Seconds(),
	}
	if a.Err != nil {
		s.Error = Failure(a.Err)
	}
	return s
}

func inSeconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func (a *Answer) AppendJSON(dst []byte) []byte {
	return append(a.AppendFields(append(dst, '{')), '}')
}

// AppendFields leaves out the braces around the members.
func (a *Answer) AppendFields(dst []byte) []byte {
	dst = a.Answer.AppendFields(dst)
	if a.Site != nil {
		dst = a.Site.appendJSON(append(dst, `,"site":`...)) // report.Answer has at least one member, so a comma is needed
	}
	if a.Pending {
		dst = append(dst, `,"pending":true`...)
	}
	return dst
}

// "origin" is always there, so each later member begins with a comma.
func (s *Site) appendJSON(dst []byte) []byte {
	dst = report.AppendString(append(dst, `{"origin":`...), s.Origin.String())
	dst = report.AppendString(append(dst, `,"outcome":`...), s.Outcome.String())
	if s.Status != 0 {
		dst = strconv.AppendInt(append(dst, `,"status":`...), int64(s.Status), 10)
	}
	dst = report.AppendNonempty(dst, `,"redirected_to":`, s.RedirectedTo)
	dst = report.AppendNonempty(dst, `,"page":`, string(s.Page))
	dst = report.AppendNonempty(dst, `,"error":`, s.Error)
	dst = appendTime(dst, `,"fetched":`, s.Fetched)
	dst = strconv.AppendInt(append(dst, `,"age_seconds":`...), s.AgeSeconds, 10)
	dst = strconv.AppendBool(append(dst, `,"stale":`...), s.Stale)
	dst = appendTime(dst, `,"failing_since":`, s.FailingSince)
	dst = appendTime(dst, `,"next_retrieval":`, s.NextRetrieval)
	if s.CrawlDelay != 0 {
		delay, _ := json.Marshal(s.CrawlDelay) // json.Marshal is slow, but few sites have a crawl delay
		dst = append(append(dst, `,"crawl_delay_seconds":`...), delay...)
	}
	return append(dst, '}')
}

func appendTime(dst []byte, key string, t time.Time) []byte {
	if t.IsZero() {
		return dst
	}
	dst = append(append(dst, key...), '"')
	return append(t.AppendFormat(dst, time.RFC3339Nano), '"')
}

// d must be the dialect of the cache.
func Explain(ctx context.Context, s *cache.Site, d *robotstxt.Dialect, statuses func(*robotstxt.Dialect) fetch.Statuses, agents crawlernames.InDialect, target string) (report.Explained, cache.Answer, error) {
	answer, err := s.Check(agents(d), target)
	if err != nil {
		return report.Explained{}, answer, err
	}
	e := report.Explained{Agents: agents(d), Contrast: Contrast(s), File: s.File()}
	for _, each := range robotstxt.Dialects() {
		if err := ctx.Err(); err != nil {
			return report.Explained{}, answer, err
		}
		in := statuses(each)
		trace, err := s.ExplainIn(each, &in, agents(each), target)
		if err != nil {
			return report.Explained{}, answer, err
		}
		e.Add(trace, each == d)
	}
	e.AddUses()
	return e, answer, nil
}

// A Sheet is a report.Sheet about a live site.
type Sheet struct {
	Site *Site `json:"site"` // the retrieval from which the sheet comes
	report.Sheet
}

func SheetOf(s report.Sheet, a *cache.Answer) Sheet { return Sheet{Site: SiteOf(a), Sheet: s} }
