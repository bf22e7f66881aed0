package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// questionLine is a question, read from a line of JSON. JSON calls a name and a value of an
// object a member.
type questionLine struct {
	url     string
	urlB64  string             // the decoded bytes of url_b64
	agent   string             // as JSON; "": the crawler of -a
	dialect *robotstxt.Dialect // nil: that of --dialect
	kind    fileKind           // of robots
	robots  string             // as fileKey.text has it; "": the robots.txt of the flags
	rest    []byte             // the members that are copied to the answer, each after a comma
	seen    members
}

// members is a set of members that a question must not contain twice.
type members uint8

const (
	hasURL members = 1 << iota
	hasURLB64
	hasAgent
	hasRobots
	hasDialect
)

// readQuestion reads a question. With an error about one member it returns the others too: an
// answer with an error has the id of its question.
func readQuestion(line string) (q questionLine, err error) {
	syntax := eachMember(line, func(key, value string) error {
		if wrong := q.member(key, value); wrong != nil && err == nil {
			err = fmt.Errorf("%s: %w", key, wrong)
		}
		return nil
	})
	switch {
	case syntax != nil:
		return questionLine{}, syntax
	case err != nil:
		return q, err
	}
	return q, q.setURL()
}

// member reads a member. key and value are JSON.
func (q *questionLine) member(key, value string) (err error) {
	if strings.IndexByte(key, '\\') >= 0 {
		if name, err := stringOf(key); err == nil {
			key = string(report.AppendString(nil, name))
		}
	}
	switch key {
	case `"url"`:
		if err = q.once(hasURL); err == nil {
			q.url, err = stringOf(value)
		}
	case `"url_b64"`:
		if err = q.once(hasURLB64); err == nil {
			q.urlB64, err = bytesOf(value)
		}
	case `"agent"`:
		q.agent = value
		err = q.once(hasAgent)
	case `"dialect"`:
		if err = q.once(hasDialect); err == nil {
			q.dialect, err = dialectOf(value)
		}
	case `"robots"`:
		err = q.file(inText, value)
	case `"robots_b64"`:
		err = q.file(inBase64, value)
	case `"robots_file"`:
		if value, err = stringOf(value); err == nil {
			err = q.file(namedFile, value)
		}
	case `"allowed"`, `"reason"`, `"rule"`, `"error"`, `"source"`, `"site"`:
		// members of an answer, so the answers of one run can be the questions of another
	default:
		q.rest = appendMember(q.rest, key, value)
	}
	return err
}

// once adds a member to seen, or returns an error if seen contains it.
func (q *questionLine) once(m members) error {
	if q.seen&m != 0 {
		return errors.New("is there twice")
	}
	q.seen |= m
	return nil
}

// setURL uses the bytes of url_b64 as the URL, if a question contains that member. An answer
// about a URL that is not UTF-8 contains both: url is the URL in a form that can be shown.
func (q *questionLine) setURL() error {
	switch {
	case q.seen&(hasURL|hasURLB64) == 0:
		return errors.New(`"url" is missing`)
	case q.seen&hasURLB64 == 0:
		return nil
	case q.seen&hasURL != 0 && q.url != report.TextOf(q.urlB64).Text:
		return errors.New(`"url" and "url_b64" are different URLs`)
	}
	q.url = q.urlB64
	return nil
}

// file sets the robots.txt.
func (q *questionLine) file(kind fileKind, robots string) error {
	q.kind, q.robots = kind, robots
	if robots == "" {
		return errors.New("expected a path")
	}
	if q.once(hasRobots) != nil {
		return errors.New("expected one of robots, robots_b64 and robots_file")
	}
	return nil
}

func dialectOf(value string) (*robotstxt.Dialect, error) {
	name, err := stringOf(value)
	if err != nil {
		return nil, err
	}
	d, err := robotstxt.DialectNamed(name)
	if err != nil {
		return nil, fmt.Errorf("%q is unknown; expected one of %s", name, strings.Join(dialectNames(), ", "))
	}
	return d, nil
}

// bytesOf returns the bytes of a JSON string in base64.
func bytesOf(value string) (string, error) {
	text, err := stringOf(value)
	if err != nil {
		return "", err
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("expected base64: %w", err)
	}
	return string(b), nil
}

// appendMember appends a comma and a member to those that are copied. It replaces tabs and
// carriage returns, which JSON may contain between values, by spaces: on a terminal they
// would move the cursor.
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
