package source

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
)

type answer struct {
	url    string
	at     time.Time
	status int
	header http.Header
	body   []byte
	// noTarget means that the source does not say where a redirect leads, although the server may have said so.
	noTarget  bool
	isCut     bool  // the archive kept only the first part of the body, because of its own limit
	broken    error // why the body cannot be read to its end; else nil
	isRevisit bool  // the archive did not keep the body, because an earlier answer has the same one
}

func (a *answer) capture() (*capture.Capture, error) {
	key, err := capture.Key(a.url)
	if err != nil {
		return nil, err
	}
	o, err := origin.Parse(key)
	if err != nil {
		return nil, err
	}
	c := &capture.Capture{URL: key, At: a.at}
	if redirect.Is(a.status) {
		c.Status, c.Location = a.status, a.target()
		if a.noTarget {
			c.Location = capture.UnknownTarget
		}
		return c, nil
	}
	c.Facts, c.Body = a.facts(o)
	if isPage := c.Page != fetch.NoPage || key != o.RobotsURL(); isPage && !mayHaveGroup(c.Body) {
		c.Body = ""
	}
	return c, nil
}

// unreachable returns an error if the capture of a robots.txt gives no answer. An answer says what
// is in the robots.txt, or that there is no robots.txt.
func (a *answer) unreachable(c *capture.Capture) error {
	why := a.broken
	switch {
	case !isRobotsTxt(c.URL):
		return nil
	case redirect.Is(c.Status) && c.Location == "":
		why = fmt.Errorf("the response has the status %d, but no Location that heed can follow", c.Status)
	case c.Status == http.StatusNotModified:
		why = errors.New("the response has the status 304, so the robots.txt is only in an earlier response")
	case !c.Failed:
		return nil
	}
	return fmt.Errorf("%s counts as unreachable: %w", c.URL, why)
}

func (a *answer) target() string {
	to, err := redirect.Target(a.url, a.header.Get("Location"))
	if err != nil {
		return ""
	}
	key, err := capture.Key(to)
	if err != nil {
		return ""
	}
	return key
}

func (a *answer) facts(o origin.Origin) (facts capture.Facts, body string) {
	last := fetch.Result{Origin: o, Status: a.status, Header: a.header, Start: a.at, End: a.at}
	isSuccess := o.Scheme() == "ftp" || a.status == 0 || a.status >= 200 && a.status <= 299
	if isSuccess || a.status >= 500 && a.status <= 599 { // for other answers, only the status is used, not the body
		last.Body, last.Truncated = a.body, a.isCut
	}
	// All dialects with a limit read fewer than MaxBytes.
	r := fetch.Saved(last, saved.MaxBytes)
	facts = capture.Facts{Status: r.Status, SaysNotFound: r.SaysNotFound}
	if isSuccess {
		a.broken = cmp.Or(a.broken, r.Err)
		facts.Failed, facts.Page = a.broken != nil, r.Page
	}
	if isSuccess && !facts.Failed {
		facts.Truncated = r.Truncated
		body = unsafe.String(unsafe.SliceData(r.Body), len(r.Body)) // safe because nothing else uses Body, so its bytes do not change
	}
	return facts, body
}

// A line may begin with "user-agent", or with a misspelling such as "useragent".
func mayHaveGroup(text string) bool {
	const user, agent = "user", "agent"
	for at := 0; ; at++ {
		i := strings.IndexAny(text[at:], "uU")
		if i < 0 {
			return false
		}
		at += i
		rest := text[at:]
		if len(rest) < len(user+agent) || !strings.EqualFold(rest[:len(user)], user) {
			continue
		}
		rest = rest[len(user):]
		if rest[0] == '-' || rest[0] == ' ' {
			rest = rest[1:]
		}
		if len(rest) >= len(agent) && strings.EqualFold(rest[:len(agent)], agent) && isFirst(text[:at]) {
			return true
		}
	}
}

// Before a user-agent, a line may have white space and bytes outside ASCII, such as a byte-order mark.
func isFirst(text string) bool {
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c == '\n', c == '\r':
			return true
		case c > ' ' && c < 0x80:
			return false
		}
	}
	return true
}
