package questions

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/beside"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// question is a question, read from a line of JSON.
type question struct {
	set      *Settings
	url      string
	urlB64   string             // the decoded bytes of url_b64
	agent    string             // as JSON; "": Settings.Agent
	dialect  *robotstxt.Dialect // nil: Settings.Dialect
	kind     robotsfiles.Kind   // of robots
	robots   string             // as in robotsfiles.Key.Text; "": the question has no robots.txt
	purposes asked.Purposes     // none: Settings.Purposes
	ofUses   [][2]string        // the members that have a meaning only with "for", as JSON
	maxWait  time.Duration      // as in Ask
	rest     []byte             // the members that are copied to the answer, each after a comma
	seen     members
}

// members is a set of members that a question has.
type members uint8

const (
	hasURL members = 1 << iota
	hasURLB64
	hasRobots // as robots, robots_b64 or robots_file
)

// read reads a question. If one member is wrong, read returns an error and the other members, so that the
// answer with the error can have the id of its question.
func (s *Settings) read(line string) (q question, err error) {
	q.set = s
	syntax := jsonobject.Each(line, func(key, value string) error {
		if wrong := q.member(key, value); wrong != nil && err == nil {
			err = fmt.Errorf("%s: %w", key, wrong)
		}
		return nil
	})
	switch {
	case syntax != nil:
		return question{set: s}, syntax
	case err != nil:
		return q, err
	}
	if err = q.setURL(); err == nil && s.CheckURL != nil {
		err = s.CheckURL(q.url)
	}
	if err == nil {
		err = q.setPurposes()
	}
	return q, err
}

// member reads a member. key and value are JSON.
func (q *question) member(key, value string) (err error) {
	if strings.IndexByte(key, '\\') >= 0 {
		if name, err := jsonobject.String(key); err == nil {
			key = string(report.AppendString(nil, name))
		}
	}
	switch key {
	case `"url"`:
		q.seen |= hasURL
		q.url, err = jsonobject.String(value)
	case `"url_b64"`:
		q.seen |= hasURLB64
		q.urlB64, err = jsonobject.Bytes(value)
	case `"agent"`:
		q.agent = value
	case `"dialect"`:
		q.dialect, err = dialectOf(value)
	case `"for"`:
		err = q.purposes.For.UnmarshalJSON([]byte(value))
	case `"profile"`, `"headers"`, `"html"`, `"tdmrep"`:
		q.ofUses = append(q.ofUses, [2]string{key, value})
	case `"max_wait"`:
		if !q.set.MaxWait {
			q.rest = appendMember(q.rest, key, value)
		} else {
			q.maxWait, err = maxWaitOf(value)
		}
	case `"robots"`:
		err = q.file(robotsfiles.InText, value)
	case `"robots_b64"`:
		err = q.file(robotsfiles.InBase64, value)
	case `"robots_file"`:
		if q.set.NoFiles {
			return errors.New("heed reads no files here: give the text of the robots.txt as \"robots\" or \"robots_b64\"")
		}
		if value, err = jsonobject.String(value); err == nil {
			err = q.file(robotsfiles.Named, value)
		}
	case `"allowed"`, `"reason"`, `"rule"`, `"error"`, `"source"`, `"site"`, `"usage"`:
		// ignored, so that the answers of one run can be the questions of another
	default:
		if !q.set.writes(key) {
			q.rest = appendMember(q.rest, key, value)
		}
	}
	return err
}

// setURL uses the bytes of url_b64 as the URL, if a question has that member. A question may be the answer
// of another run. An answer about a URL that is not UTF-8 has both members: url is a form of the URL that
// can be shown.
func (q *question) setURL() error {
	switch {
	case q.seen&(hasURL|hasURLB64) == 0:
		return errors.New(`"url" is missing`)
	case q.seen&hasURLB64 == 0:
		return nil
	case q.seen&hasURL != 0 && q.url != report.TextOf(q.urlB64).Text:
		return errors.New(`"url" and "url_b64" name different URLs: give only one of them`)
	}
	q.url = q.urlB64
	return nil
}

// setPurposes sets the purposes of a question: its own, or else those of the Settings. If there are none, the members about the use of
// pages are copied to the answer, like unknown members.
func (q *question) setPurposes() error {
	if len(q.purposes.For) == 0 {
		q.purposes.For = q.set.Purposes.For
	}
	if len(q.purposes.For) == 0 {
		for _, member := range q.ofUses {
			q.rest = appendMember(q.rest, member[0], member[1])
		}
		return nil
	}
	q.purposes.Profile = q.set.Purposes.Profile
	var said beside.Members
	for _, member := range q.ofUses {
		if err := q.readMember(&said, member[0], []byte(member[1])); err != nil {
			return fmt.Errorf("%s: %w", member[0], err)
		}
	}
	if len(q.ofUses) == 0 {
		return nil
	}
	return q.purposes.AddBeside(&said)
}

// readMember reads one member about the use of pages.
func (q *question) readMember(said *beside.Members, key string, value []byte) error {
	switch key {
	case `"profile"`:
		return q.purposes.Profile.UnmarshalJSON(value)
	case `"headers"`:
		return json.Unmarshal(value, &said.Headers)
	case `"html"`:
		return json.Unmarshal(value, &said.HTML)
	}
	said.TDMRep = value
	return nil
}

// file sets where the robots.txt of a question comes from: its kind, and a path or the text itself. It is an error if the
// question has two of them, or an empty path.
func (q *question) file(kind robotsfiles.Kind, robots string) error {
	q.kind, q.robots = kind, robots
	if robots == "" {
		return errors.New("expected a path")
	}
	if q.seen&hasRobots != 0 {
		return errors.New("expected only one of \"robots\", \"robots_b64\" and \"robots_file\"")
	}
	q.seen |= hasRobots
	return nil
}

func dialectOf(value string) (*robotstxt.Dialect, error) {
	name, err := jsonobject.String(value)
	if err != nil {
		return nil, err
	}
	return asked.DialectNamed(name)
}

func maxWaitOf(value string) (time.Duration, error) {
	text, err := jsonobject.String(value)
	if err != nil {
		return 0, err
	}
	return MaxWaitOf(text)
}

// appendMember appends a comma and a member to dst. It replaces tabs and carriage returns, which JSON may
// contain between values, by spaces: on a terminal they would move the cursor.
func appendMember(dst []byte, key, value string) []byte {
	dst = report.AppendSafe(append(dst, ','), key)
	start := len(dst) + 1
	dst = report.AppendSafe(append(dst, ':'), value)
	for i, c := range dst[start:] {
		if c < ' ' {
			dst[start+i] = ' '
		}
	}
	return dst
}
