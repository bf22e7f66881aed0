package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/origin"
)

// maxLine limits a JSON line, in octets.
const maxLine = 64 << 20

// readLines reads JSON lines.
func (r *reader) readLines(ctx context.Context) error {
	from := lines.New(r.in.text, r.job.path, maxLine)
	for line := range from.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.order++
		if line.Wrong == nil && strings.TrimSpace(line.Text) == "" {
			continue
		}
		a, err := answerOf(line)
		if err != nil {
			r.reject(fmt.Sprintf("line %d", line.Number), err)
			continue
		}
		if err := r.addAnswer(fmt.Sprintf("line %d", line.Number), a); err != nil {
			return err
		}
	}
	if err := from.Err(); err != nil {
		r.reject("", err)
	}
	return nil
}

// addAnswer adds the capture of an answer, or rejects it.
func (r *reader) addAnswer(place string, a *answer) error {
	c, err := a.capture()
	if err != nil {
		r.reject(place, err)
		return nil
	}
	return r.add(c)
}

// An item is a JSON line. Heed cache import reads the same ones, and robots_file instead of body and
// location: a source may come from others, who must not choose what is read of this machine.
type item struct {
	URL       string  `json:"url"`
	Origin    string  `json:"origin"`
	Robots    *string `json:"robots"`
	RobotsB64 *[]byte `json:"robots_b64"`
	Body      *string `json:"body"`
	Location  string  `json:"location"`
	Status    int     `json:"status"`
	Fetched   string  `json:"fetched"`
}

// answerOf returns the answer that a JSON line describes.
func answerOf(line lines.Line) (*answer, error) {
	if line.Wrong != nil {
		return nil, line.Wrong
	}
	var i item
	if err := jsonobject.Decode([]byte(line.Text), &i); err != nil {
		return nil, err
	}
	a := &answer{status: i.Status, header: http.Header{}}
	if err := checkStatus(i.Status); err != nil {
		return nil, err
	}
	if i.Location != "" {
		a.header.Set("Location", i.Location)
	}
	err := i.setURL(a)
	if err == nil {
		err = i.setBody(a)
	}
	if err == nil && i.Fetched != "" {
		if a.at, err = time.Parse(time.RFC3339, i.Fetched); err != nil {
			err = fmt.Errorf("fetched %q: expected a time such as 2026-05-03T14:00:00Z", i.Fetched)
		}
	}
	return a, err
}

// checkStatus refuses what is no status of a response; 0 means success.
func checkStatus(status int) error {
	if status != 0 && (status < 100 || status > 599) {
		return fmt.Errorf("status %d: expected the status of a response, such as 200 or 404", status)
	}
	return nil
}

// setURL sets the URL that answered. A url without a path means the robots.txt of its origin; so
// does any url of a line with robots or robots_b64.
func (i *item) setURL(a *answer) error {
	if (i.URL == "") == (i.Origin == "") {
		return errors.New("expected url or origin")
	}
	a.url = i.URL + i.Origin
	o, err := origin.Parse(a.url)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(a.url, "://")
	_, path, _ := strings.Cut(rest, "/")
	if i.Origin != "" || path == "" || i.Robots != nil || i.RobotsB64 != nil {
		a.url = o.RobotsURL()
	}
	return nil
}

// setBody sets the body. Only an answer that is no success may have none.
func (i *item) setBody(a *answer) error {
	given := 0
	if i.Robots != nil {
		a.body = []byte(*i.Robots)
		given++
	}
	if i.Body != nil {
		a.body = []byte(*i.Body)
		given++
	}
	if i.RobotsB64 != nil {
		a.body = *i.RobotsB64
		given++
	}
	switch {
	case given > 1:
		return errors.New("expected only one of body, robots and robots_b64")
	case given == 0 && (i.Status == 0 || i.Status >= 200 && i.Status <= 299):
		return errors.New("expected body, robots or robots_b64, or a status such as 404")
	}
	return nil
}
