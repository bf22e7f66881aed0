package saved

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/origin"
)

// An Answer is what a URL answered, as a line of JSON describes it.
type Answer struct {
	URL      string        // for a robots.txt as Origin.RobotsURL returns it
	Origin   origin.Origin // of the URL
	Status   int           // 0: success
	Location string        // of a redirect
	At       time.Time     // of the retrieval; zero: unknown
	Body     []byte
}

// IsRobots reports whether the URL is that of a robots.txt.
func (a *Answer) IsRobots() bool { return a.URL == a.Origin.RobotsURL() }

// members are the members of a line.
type members struct {
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

// ReadLine returns the answer that a line of JSON describes. Only if withFiles is true, the member
// robots_file may name a file: lines of others must not choose what is read of this machine. The time
// of the answer is then the one when the file was last changed, unless the line has another.
func ReadLine(line lines.Line, withFiles bool) (a Answer, err error) {
	if line.Wrong != nil {
		return a, line.Wrong
	}
	var m members
	if err := jsonobject.Decode([]byte(line.Text), &m); err != nil {
		return a, err
	}
	a.Status, a.Location = m.Status, m.Location
	if err = m.setURL(&a); err == nil {
		err = m.setBody(&a, withFiles)
	}
	if err == nil && m.Fetched != "" {
		if a.At, err = time.Parse(time.RFC3339, m.Fetched); err != nil || a.At.IsZero() {
			err = fmt.Errorf("fetched %q: expected a time such as 2026-05-03T14:00:00Z", m.Fetched)
		}
	}
	return a, err
}

// setURL sets the URL that answered: that of the robots.txt of an origin, or of any url of a line with
// robots, robots_b64 or robots_file. Else url is what answered, also without a path: a home page is no robots.txt.
func (m *members) setURL(a *Answer) (err error) {
	if (m.URL == "") == (m.Origin == "") {
		return errors.New("expected url or origin")
	}
	a.URL = m.URL + m.Origin
	if a.Origin, err = origin.Parse(a.URL); err != nil {
		return err
	}
	_, rest, _ := strings.Cut(a.URL, "://")
	path := rest[len(origin.Authority(rest)):]
	if m.Origin != "" || path == "/robots.txt" || m.Robots != nil || m.RobotsB64 != nil || m.RobotsFile != nil {
		a.URL = a.Origin.RobotsURL()
	}
	return nil
}

// setBody sets the body. Only an answer that is no success may have none.
func (m *members) setBody(a *Answer, withFiles bool) (err error) {
	given := 0
	for _, text := range []*string{m.Robots, m.Body} {
		if text != nil {
			a.Body = []byte(*text)
			given++
		}
	}
	if m.RobotsB64 != nil {
		a.Body = *m.RobotsB64
		given++
	}
	if m.RobotsFile != nil {
		given++
	}
	switch {
	case m.RobotsFile != nil && !withFiles:
		return errors.New(`"robots_file": files are not read here; give the robots.txt itself, as robots or robots_b64`)
	case given > 1:
		return errors.New("expected only one of body, robots, robots_b64 and robots_file")
	case m.RobotsFile != nil:
		if a.Body, a.At, err = ReadFile(*m.RobotsFile); err != nil {
			return err
		}
	}
	return a.Check(given > 0)
}

// Check refuses what is no status of a response, and a success without a body.
func (a *Answer) Check(hasBody bool) error {
	switch {
	case a.Status != 0 && (a.Status < 100 || a.Status > 599):
		return fmt.Errorf("status %d: expected the status of a response, such as 200 or 404", a.Status)
	case !hasBody && (a.Status == 0 || a.Status >= 200 && a.Status <= 299):
		return errors.New("expected body, robots or robots_b64, or a status such as 404")
	}
	return nil
}
