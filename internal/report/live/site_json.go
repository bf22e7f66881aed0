package live

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
)

// AppendJSON appends the JSON of the answer, as report.Answer.AppendJSON does.
func (a *Answer) AppendJSON(dst []byte) []byte {
	return append(a.AppendFields(append(dst, '{')), '}')
}

// AppendFields appends what AppendJSON does, without the braces.
func (a *Answer) AppendFields(dst []byte) []byte {
	dst = a.Answer.AppendFields(dst)
	if a.Site != nil {
		dst = a.Site.appendJSON(append(dst, `,"site":`...)) // the fields of report.Answer are before it, hence the comma
	}
	if a.Pending {
		dst = append(dst, `,"pending":true`...)
	}
	return dst
}

// appendJSON appends the site as an object. "origin" is always there, so each later member
// begins with a comma.
func (s *Site) appendJSON(dst []byte) []byte {
	dst = report.AppendString(append(dst, `{"origin":`...), s.Origin.String())
	dst = report.AppendString(append(dst, `,"outcome":`...), s.Outcome.String())
	if s.Status != 0 {
		dst = strconv.AppendInt(append(dst, `,"status":`...), int64(s.Status), 10)
	}
	if s.Page != fetch.NoPage {
		dst = report.AppendString(append(dst, `,"page":`...), string(s.Page))
	}
	if s.Error != "" {
		dst = report.AppendString(append(dst, `,"error":`...), s.Error)
	}
	dst = appendTime(dst, `,"fetched":`, s.Fetched)
	dst = strconv.AppendInt(append(dst, `,"age_seconds":`...), s.AgeSeconds, 10)
	dst = strconv.AppendBool(append(dst, `,"stale":`...), s.Stale)
	dst = appendTime(dst, `,"failing_since":`, s.FailingSince)
	dst = appendTime(dst, `,"next_retrieval":`, s.NextRetrieval)
	if s.CrawlDelay != 0 {
		delay, _ := json.Marshal(s.CrawlDelay) // slow, but few sites have a crawl delay
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
