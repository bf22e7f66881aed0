package saved

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/origin"
)

// An Answer is what a URL answered, as a Record describes it.
type Answer struct {
	URL      string        // as capture.Key returns it; for a robots.txt as Origin.RobotsURL
	Origin   origin.Origin // of the URL
	Status   int           // 0: success
	Location string        // of a redirect
	At       time.Time     // of the retrieval; zero: unknown, which is before all others of the same source
	Body     []byte
}

// IsRobots reports whether the URL is that of a robots.txt.
func (a *Answer) IsRobots() bool { return a.URL == a.Origin.RobotsURL() }

// A Record is a line of JSON, or a row of a table with the same names.
type Record struct {
	URL        string  `json:"url"`
	Origin     string  `json:"origin"`
	Robots     *string `json:"robots"`
	RobotsB64  *[]byte `json:"robots_b64"`
	RobotsFile *string `json:"robots_file"`
	Body       *string `json:"body"`
	Location   string  `json:"location"`
	Status     int     `json:"status"`
	Fetched    string  `json:"fetched"`
}

// IsMember reports whether a line may have a member with a name.
func IsMember(name string) bool {
	return slices.Contains([]string{"url", "origin", "robots", "robots_b64", "robots_file", "body", "location", "status", "fetched"}, name)
}

// ReadLine returns the answer that a line of JSON describes. withFiles is as for Record.Answer.
func ReadLine(line lines.Line, withFiles bool) (a Answer, err error) {
	if line.Wrong != nil {
		return a, line.Wrong
	}
	var r Record
	if err := jsonobject.Decode([]byte(line.Text), &r); err != nil {
		return a, err
	}
	return r.Answer(withFiles)
}

// Answer returns the answer that a record describes. Only if withFiles is true, robots_file may name a
// file: records of others must not choose what is read of this machine. The time of the answer is then the
// one when the file was last changed, unless the record has another.
func (r *Record) Answer(withFiles bool) (a Answer, err error) {
	a.Status, a.Location = r.Status, r.Location
	if err = r.setURL(&a); err == nil {
		err = r.setBody(&a, withFiles)
	}
	if err != nil || r.Fetched == "" {
		return a, err
	}
	if a.At, err = time.Parse(time.RFC3339, r.Fetched); err != nil {
		return a, fmt.Errorf("fetched %q: expected a time such as 2026-05-03T14:00:00Z", r.Fetched)
	}
	return a, CheckTime(a.At)
}

// CheckTime refuses a time at which nobody can have retrieved a robots.txt.
func CheckTime(at time.Time) error {
	if at.After(time.Now()) || at.Unix() < 0 { // the age of a much earlier time overflows time.Duration
		return fmt.Errorf("expected a time between 1970 and now, found %s", at.UTC().Format(time.RFC3339))
	}
	return nil
}

// setURL sets the URL that answered: that of the robots.txt of an origin, or of any url of a record with
// robots, robots_b64 or robots_file. Else url is what answered, also without a path: a home page is no robots.txt.
func (r *Record) setURL(a *Answer) (err error) {
	if (r.URL == "") == (r.Origin == "") {
		return errors.New("expected url or origin")
	}
	if a.Origin, err = origin.Parse(r.URL + r.Origin); err != nil {
		return err
	}
	a.URL = a.Origin.RobotsURL()
	if r.Origin == "" && r.Robots == nil && r.RobotsB64 == nil && r.RobotsFile == nil {
		a.URL, err = capture.Key(r.URL)
	}
	return err
}

// setBody sets the body. Only an answer that is no success may have none.
func (r *Record) setBody(a *Answer, withFiles bool) (err error) {
	given := 0
	for _, text := range []*string{r.Robots, r.Body} {
		if text != nil {
			a.Body = []byte(*text)
			given++
		}
	}
	if r.RobotsB64 != nil {
		a.Body = *r.RobotsB64
		given++
	}
	if r.RobotsFile != nil {
		given++
	}
	switch {
	case r.RobotsFile != nil && !withFiles:
		return errors.New(`"robots_file": files are not read here; give the robots.txt itself, as robots or robots_b64`)
	case given > 1:
		return errors.New("expected only one of body, robots, robots_b64 and robots_file")
	case r.RobotsFile != nil:
		if a.Body, a.At, err = ReadFile(*r.RobotsFile); err != nil {
			return err
		}
	}
	return a.check(given > 0)
}

// check refuses what is no status of a response, and a success without a body.
func (a *Answer) check(hasBody bool) error {
	switch {
	case a.Status != 0 && (a.Status < 100 || a.Status > 599):
		return fmt.Errorf("status %d: expected the status of a response, such as 200 or 404", a.Status)
	case !hasBody && (a.Status == 0 || a.Status >= 200 && a.Status <= 299):
		return errors.New("expected body, robots or robots_b64, or a status such as 404")
	}
	return nil
}
