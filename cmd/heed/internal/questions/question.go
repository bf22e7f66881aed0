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
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/robotstxt"
)

type question struct {
	set        *Settings
	url        string
	urlB64     string
	agent      string             // the crawler as JSON; "": use Settings.Agent
	dialect    *robotstxt.Dialect // nil: use Settings.Dialect
	kind       robotsfiles.Kind
	robots     string         // "": the question has no robots.txt
	purposes   asked.Purposes // empty: use Settings.Purposes
	useMembers [][2]string    // JSON members that are only allowed together with "for"
	maxWait    time.Duration
	rest       []byte // members that are copied into the answer, each with a comma before it
	seen       members

	misspelt string // a JSON member that is probably misspelt, or ""
}

type members uint8

const (
	hasURL members = 1 << iota
	hasURLB64
	hasRobots // set for robots, robots_b64 and robots_file
)

// If one member is wrong, q still has all other members. So the answer can have the id of the question.
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
	case q.misspelt != "" && !q.hasMember(closestMember(q.misspelt)):
		return q, fmt.Errorf("unknown member %s: did you mean %s? If not, give it another name", q.misspelt, closestMember(q.misspelt))
	}
	if err = q.setURL(); err == nil && s.CheckURL != nil {
		err = s.CheckURL(q.url)
	}
	if err == nil {
		err = q.setPurposes()
	}
	return q, err
}

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
		q.dialect, err = readString(value, asked.DialectNamed)
	case `"for"`:
		err = q.purposes.For.UnmarshalJSON([]byte(value))
	case `"profile"`, `"headers"`, `"html"`, `"tdmrep"`:
		q.useMembers = append(q.useMembers, [2]string{key, value})
	case `"max_wait"`:
		if !q.set.MaxWait {
			q.rest = appendMember(q.rest, key, value)
		} else {
			q.maxWait, err = readString(value, MaxWaitOf)
		}
	case `"robots"`:
		if mayBePlace(value) {
			if text, err := jsonobject.String(value); err == nil && asked.IsPlace(text) {
				return asked.ErrPlace
			}
		}
		err = q.setFile(robotsfiles.InText, value)
	case `"robots_b64"`:
		err = q.setFile(robotsfiles.InBase64, value)
	case `"robots_file"`:
		if q.set.NoFiles {
			return errors.New("heed reads no files here: give the text of the robots.txt as \"robots\" or \"robots_b64\"")
		}
		if value, err = jsonobject.String(value); err == nil {
			err = q.setFile(robotsfiles.Named, value)
		}
	case `"allowed"`, `"reason"`, `"rule"`, `"error"`, `"source"`, `"site"`, `"usage"`, `"retry_after"`:
		// The answers of one run can be the questions of another run. So heed ignores members that only answers have.
	default:
		if closestMember(key) != "" {
			q.misspelt = key
		}
		if !q.set.isOwnMember(key) {
			q.rest = appendMember(q.rest, key, value)
		}
	}
	return err
}

// closestMember returns the member that key probably misspells. Short members such as "url" resemble too many words.
func closestMember(key string) string {
	key = strings.ToLower(key)
	for _, known := range [...]string{`"agent"`, `"robots"`, `"robots_b64"`, `"robots_file"`, `"url_b64"`, `"dialect"`} {
		// These tests are much faster than Distance.
		isNear := (key[1] == known[1] || key[len(key)-2] == known[len(known)-2]) && len(key) >= len(known)-1 && len(key) <= len(known)+1
		if isNear && spelling.Distance(key, known) <= 1 {
			return known
		}
	}
	return ""
}

func (q *question) hasMember(member string) bool {
	switch member {
	case `"agent"`:
		return q.agent != ""
	case `"dialect"`:
		return q.dialect != nil
	case `"url_b64"`:
		return q.seen&(hasURL|hasURLB64) != 0
	}
	return q.seen&hasRobots != 0
}

// "url_b64" has the exact bytes of a URL. If a question also has "url", both must agree.
func (q *question) setURL() error {
	switch {
	case q.seen&(hasURL|hasURLB64) == 0:
		return errors.New(`"url" is missing; expected an absolute URL, or a path that begins with "/"`)
	case q.seen&hasURLB64 == 0:
		return nil
	case q.seen&hasURL != 0:
		if err := report.CheckURLB64(q.url, q.urlB64); err != nil {
			return err
		}
	}
	q.url = q.urlB64
	return nil
}

func (q *question) setPurposes() error {
	if len(q.purposes.For) == 0 {
		q.purposes.For = q.set.Purposes.For
	}
	if len(q.purposes.For) == 0 {
		for _, member := range q.useMembers {
			q.rest = appendMember(q.rest, member[0], member[1])
		}
		return nil
	}
	q.purposes.Profile = q.set.Purposes.Profile
	if len(q.useMembers) == 0 {
		return nil
	}
	var besideMembers beside.Members
	for _, member := range q.useMembers {
		var err error
		switch value := []byte(member[1]); member[0] {
		case `"profile"`:
			err = q.purposes.Profile.UnmarshalJSON(value)
		case `"headers"`:
			err = json.Unmarshal(value, &besideMembers.Headers)
		case `"html"`:
			err = json.Unmarshal(value, &besideMembers.HTML)
		default:
			besideMembers.TDMRep = value
		}
		if err != nil {
			return fmt.Errorf("%s: %w", member[0], err)
		}
	}
	return q.purposes.AddBeside(&besideMembers)
}

func (q *question) setFile(kind robotsfiles.Kind, robots string) error {
	q.kind, q.robots = kind, robots
	if robots == "" {
		return errors.New("the path is empty: expected the path of a robots.txt")
	}
	if q.seen&hasRobots != 0 {
		return errors.New("expected only one of \"robots\", \"robots_b64\" and \"robots_file\"")
	}
	q.seen |= hasRobots
	return nil
}

// mayBePlace is a fast test. A value that is long or has several lines is the text of a robots.txt, not its path or URL.
func mayBePlace(value string) bool {
	inner := strings.Trim(value, `"\nrt `) // without line ends at both ends
	i := strings.Index(inner, `\n`)
	return len(value) <= 2*asked.MaxURL && (i <= 0 || inner[i-1] == '\\') // "\\n" is a backslash and an "n"
}

func readString[T any](value string, read func(string) (T, error)) (result T, err error) {
	text, err := jsonobject.String(value)
	if err != nil {
		return result, err
	}
	return read(text)
}

// appendMember replaces tabs and carriage returns, because they would move the cursor of a terminal.
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
