package live

import (
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
)

// An Answer is a Decision about a URL of a live site.
type Answer struct {
	report.Answer
	Site *Site `json:"site,omitempty"` // nil: there is no answer
}

// An Explanation is one of a decision about a live site.
type Explanation struct {
	report.Question
	Site *Site `json:"site"`
	report.Verdicts
}

// A Site is what an answer about a live site rests on. Times are in UTC, in whole
// seconds.
type Site struct {
	Origin        origin.Origin `json:"origin"`
	Outcome       fetch.Outcome `json:"outcome"`
	Status        int           `json:"status,omitempty"`  // 0: the retrieval got none
	HTML          bool          `json:"html,omitempty"`    // its robots.txt is an HTML page
	Error         string        `json:"error,omitempty"`   // why the retrieval had no answer
	Fetched       *time.Time    `json:"fetched,omitempty"` // nil: there was no retrieval
	AgeSeconds    int64         `json:"age_seconds"`       // since then
	Stale         bool          `json:"stale"`             // the answer rests on something past its time
	FailingSince  *time.Time    `json:"failing_since,omitempty"`
	NextRetrieval *time.Time    `json:"next_retrieval,omitempty"`
	CrawlDelay    float64       `json:"crawl_delay_seconds,omitempty"`
}

// AnswerOf returns an answer about a URL.
func AnswerOf(url string, a *cache.Answer) Answer {
	return Answer{Answer: report.AnswerOf(url, a.Decision), Site: SiteOf(a)}
}

// ExplanationOf returns an explanation with what it rests on.
func ExplanationOf(e report.Explanation, a *cache.Answer) Explanation {
	return Explanation{Question: e.Question, Site: SiteOf(a), Verdicts: e.Verdicts}
}

// SiteOf returns what an answer rests on.
func SiteOf(a *cache.Answer) *Site {
	s := &Site{
		Origin:        a.Origin,
		Outcome:       a.Outcome,
		Status:        a.Status,
		HTML:          a.HTML,
		Fetched:       timeOrNil(a.Fetched),
		AgeSeconds:    int64(a.Age / time.Second),
		Stale:         a.Stale,
		FailingSince:  timeOrNil(a.FailingSince),
		NextRetrieval: timeOrNil(a.NextRetrieval),
		CrawlDelay:    a.CrawlDelay.Seconds(),
	}
	if a.Err != nil {
		s.Error = a.Err.Error()
	}
	return s
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}
