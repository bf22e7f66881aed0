package polite

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Record says what a Transport decided about one request, and how the request ended.
type Record struct {
	Time    time.Time        `json:"time"`   // when the Transport made its decision
	Method  string           `json:"method"` // method of the request, such as "GET"
	URL     string           `json:"url"`    // URL of the request, without its password
	Agents  []string         `json:"agents"` // product tokens of the crawler, for which the Transport made its decision
	Allowed bool             `json:"allowed"`
	Reason  robotstxt.Reason `json:"reason"`
	Rule    *RecordedRule    `json:"rule,omitempty"`   // the rule that decided; absent if no rule decided
	SHA256  string           `json:"sha256,omitempty"` // SHA-256 of the robots.txt; absent if no robots.txt was used
	Status  int              `json:"status,omitempty"` // HTTP status of the response; absent if there was no response
	Error   string           `json:"error,omitempty"`  // why there was no response; absent if there was a response
}

// A RecordedRule is a rule in a Record.
type RecordedRule struct {
	Line    int    `json:"line"` // line of the rule in the robots.txt, counted from 1
	Allow   bool   `json:"allow"`
	Pattern string `json:"pattern"`
}

// RecordTo returns a function for Transport.Record that writes each Record to w, as one line of JSON. Each request waits
// until its line is written. After the first error, nothing more is written. If onError is not nil, it is called with this
// error.
func RecordTo(w io.Writer, onError func(error)) func(*Record) {
	var mu sync.Mutex
	broken := false
	return func(r *Record) {
		line, err := json.Marshal(r)
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return
		}
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		if broken = err != nil; broken && onError != nil {
			onError(err)
		}
	}
}

func (t *Transport) record(req *http.Request, u *Usage, response *http.Response, err error) {
	if t.Record == nil {
		return
	}
	if u.decided.IsZero() { // the request failed before robots.txt was checked
		u.decided = time.Now()
	}
	r := &Record{Time: u.decided.UTC(), Method: req.Method, URL: req.URL.Redacted(), Agents: u.agents, Allowed: u.answer.Allowed, Reason: u.answer.Reason}
	if u.site != nil {
		r.SHA256 = u.site.SHA256()
	}
	if rule := u.answer.Rule; u.answer.Reason == robotstxt.ByRule {
		r.Rule = &RecordedRule{rule.Line, rule.Allow, rule.Pattern}
	}
	if response != nil {
		r.Status = response.StatusCode
	}
	if err != nil {
		r.Error = printable.Text(err.Error())
	}
	t.Record(r)
}
