// Package asked reads and answers questions of the HTTP API. It does no I/O, because the web page uses it too.
package asked

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// MaxRobots limits a robots.txt in a question, in bytes. It is above 500 KiB, so that lint can find files that are
// too long.
const MaxRobots = 1 << 20

// A Text is a robots.txt in a question.
type Text struct {
	Robots    *string `json:"robots"`
	RobotsB64 *[]byte `json:"robots_b64"` // in base64, because the bytes may not be UTF-8
}

func (t *Text) IsGiven() bool { return t.Robots != nil || t.RobotsB64 != nil }

func (t *Text) Raw() (body []byte, err error) {
	switch {
	case t.Robots != nil && t.RobotsB64 != nil:
		return nil, Wrong(`expected one of "robots" and "robots_b64"`)
	case t.Robots != nil:
		if IsPlace(*t.Robots) {
			return nil, Wrong(`"robots": %w`, ErrPlace)
		}
		body = []byte(*t.Robots)
	default:
		body = *t.RobotsB64
	}
	if len(body) > MaxRobots {
		return nil, &Problem{Status: statusTooLarge, Err: fmt.Errorf("the robots.txt is larger than %d bytes; expected a smaller file", MaxRobots)}
	}
	return body, nil
}

// ErrPlace says that a text is only a URL or a path; see IsPlace.
var ErrPlace = errors.New(`found a URL or a path; expected the text of a robots.txt (leave "robots" out and give "url": then heed fetches the robots.txt of the site)`)

// People give a URL or a path where heed expects the text of a robots.txt. IsPlace finds such texts.
func IsPlace(text string) bool {
	if len(text) > MaxURL {
		return false
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if strings.ContainsAny(text, "\r\n") || strings.HasPrefix(text, "#") {
		return false
	}
	for _, scheme := range []string{"http://", "https://", "ftp://", "file://"} {
		if strings.HasPrefix(text, scheme) {
			return !strings.ContainsAny(text, " \t")
		}
	}
	key, _, hasColon := strings.Cut(text, ":")
	isRecord := hasColon && len(key) > 1 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz-_ ") == "" // "c:" is a drive
	path, _, _ := strings.Cut(text, "?")
	return !isRecord && path[strings.LastIndexAny(path, `/\`)+1:] == "robots.txt"
}

// A CrawlerAndDialect has the members that name the crawler and the dialect of a question.
type CrawlerAndDialect struct {
	Agent   report.Agent `json:"agent"`   // product tokens of a crawler, the most specific one first
	Dialect *string      `json:"dialect"` // nil means the default dialect
}

// Check returns the product tokens and the dialect, or byDefault if the question names none.
func (q *CrawlerAndDialect) Check(byDefault *robotstxt.Dialect) ([]string, *robotstxt.Dialect, error) {
	if len(q.Agent) == 0 {
		return nil, nil, ErrNoAgent
	}
	d, err := Dialect(q.Dialect, byDefault)
	if err != nil {
		return nil, nil, err
	}
	tokens, err := crawlernames.Asked(crawlers.Known(), q.Agent, d)
	if err != nil {
		return nil, nil, Wrong("%w", err)
	}
	return tokens, d, nil
}

// Dialect returns byDefault if the name is nil.
func Dialect(name *string, byDefault *robotstxt.Dialect) (*robotstxt.Dialect, error) {
	if name == nil {
		return byDefault, nil
	}
	d, err := DialectNamed(*name)
	if err != nil {
		return nil, Wrong("%w", err)
	}
	return d, nil
}

func DialectNames() []string {
	var names []string
	for _, d := range robotstxt.Dialects() {
		names = append(names, d.String())
	}
	return names
}

func DialectNamed(name string) (*robotstxt.Dialect, error) {
	d, err := robotstxt.DialectNamed(name)
	if err != nil {
		return nil, fmt.Errorf("the dialect %q is unknown; expected one of %s", name, strings.Join(DialectNames(), ", "))
	}
	return d, nil
}

const maxCrawlers = 100

// Crawlers reads the member "agent" or the member "agents". A question with both is an error.
func Crawlers(agent report.Agent, agents []report.Agent, d *robotstxt.Dialect) (all [][]string, err error) {
	switch {
	case len(agent) > 0 && agents != nil:
		return nil, Wrong(`expected one of "agent" and "agents"`)
	case len(agent) > 0:
		agents = []report.Agent{agent}
	}
	if err := checkCrawlers(agents); err != nil {
		return nil, err
	}
	for _, each := range agents {
		some, err := crawlernames.Several(crawlers.Known(), each, d) // "@PURPOSE" means several crawlers
		if err != nil {
			return nil, Wrong("%w", err)
		}
		for _, c := range some {
			all = append(all, c.Tokens)
		}
	}
	if err := checkNumber(len(all)); err != nil {
		return nil, err
	}
	empty := robotstxt.Parse(nil, d)
	for _, each := range all {
		if err := crawlernames.CheckRead(d, each); err != nil {
			return nil, Wrong("%w", err)
		}
		if err := Undecided(empty.Agent(each...).Check("/")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func checkCrawlers(agents []report.Agent) error {
	for _, each := range agents {
		if err := crawlernames.Check(each); err != nil {
			return Wrong(`"agent": %w`, err)
		}
	}
	return checkNumber(len(agents))
}

func checkNumber(crawlers int) error {
	if crawlers > maxCrawlers {
		return Wrong(`"agents" has %d crawlers; expected at most %d`, crawlers, maxCrawlers)
	}
	return nil
}

// Undecided returns an error if d decides nothing, because the crawler or the URL is wrong.
func Undecided(d robotstxt.Decision) error {
	switch d.Reason {
	case robotstxt.InvalidAgent:
		return Wrong(`"agent" has no product token in it (letters, "_" and "-")`)
	case robotstxt.InvalidTarget:
		return Wrong("%w", report.ErrTarget)
	}
	return nil
}

// A Target is the URL of a question.
type Target struct {
	URL    string  `json:"url"`
	URLB64 *[]byte `json:"url_b64"` // in base64, because the bytes may not be UTF-8
}

// MaxURL limits a URL in a question, in bytes. Browsers and servers do not accept longer URLs.
const MaxURL = 64 << 10

func CheckURL(url string) error {
	if len(url) > MaxURL {
		return Wrong("the URL has %d bytes; expected at most %d", len(url), MaxURL)
	}
	return nil
}

// Bytes returns the URL from "url" or "url_b64". If both are given, they must agree.
func (t *Target) Bytes() (string, error) {
	switch {
	case t.URLB64 == nil && t.URL == "", t.URLB64 != nil && len(*t.URLB64) == 0:
		return "", ErrNoURL
	case t.URLB64 == nil:
		return t.URL, CheckURL(t.URL)
	}
	exact := string(*t.URLB64)
	if t.URL != "" {
		if err := report.CheckURLB64(t.URL, exact); err != nil {
			return "", Wrong("%w", err)
		}
	}
	return exact, CheckURL(exact)
}

var ErrNoAgent = Wrong(`"agent" is missing; expected the product token of a crawler, or "*" for one without a group`)

var ErrNoURL = Wrong(`"url" is missing; expected a URL of http, https or ftp`)

// A Problem is the error of a request, with the status of the response.
type Problem struct {
	Status     int           // as in net/http
	RetryAfter time.Duration // when to ask again; 0 means that this is not known
	Err        error
}

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

// RetrySeconds returns after how many seconds the client may ask again, for the header Retry-After and the member
// "retry_after". It returns 0 if this is not known.
func RetrySeconds(err error) int {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return int((p.RetryAfter + time.Second - 1) / time.Second)
	}
	return 0
}

// Importing net/http would make the WebAssembly of the web page too large.
const (
	StatusOK         = 200
	statusBadRequest = 400
	statusNotFound   = 404
	statusTooLarge   = 413
	statusNothing    = 422
	statusFailed     = 500
)

// Wrong is for a wrong question: its status is 400.
func Wrong(format string, args ...any) error {
	return &Problem{Status: statusBadRequest, Err: fmt.Errorf(format, args...)}
}
