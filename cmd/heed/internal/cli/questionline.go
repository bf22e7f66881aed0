package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// questionLine is a question as a line of JSON.
type questionLine struct {
	url     string
	urlB64  string             // its bytes, where they were given in base64
	agent   string             // as it stands; "": the one of -a
	dialect *robotstxt.Dialect // nil: that of --dialect
	kind    fileKind           // where robots is set
	robots  string             // what names the robots.txt, or itself as it stands; "": that of the flags
	rest    []byte             // the members that are none of ours, each behind a comma
	seen    member             // those that are there
}

// member is a set of the members that a question may have.
type member uint8

const (
	hasURL member = 1 << iota
	hasURLB64
	hasAgent
	hasRobots
	hasDialect
)

// readQuestion reads a question. What could be read is returned with an error too.
func readQuestion(line string) (q questionLine, err error) {
	syntax := eachMember(line, func(key, value string) error {
		if wrong := q.member(key, value); wrong != nil && err == nil {
			err = fmt.Errorf("%s: %w", key, wrong) // and the id may follow
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

// member takes a member of the object, both as they stand.
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
		// of an answer, which has its own: answers may be asked again
	default:
		q.rest = appendMember(q.rest, key, value)
	}
	return err
}

// once takes note of a member, of which there may be one.
func (q *questionLine) once(m member) error {
	if q.seen&m != 0 {
		return errors.New("is there twice")
	}
	q.seen |= m
	return nil
}

// setURL takes the URL in base64, where there is one. An answer has it beside a text that
// can be shown.
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

// file takes note of the robots.txt.
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

// bytesOf returns the bytes that a value of JSON holds in base64.
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

// appendMember appends a member to those that are echoed, behind a comma. White space in
// JSON may be a tab or a return, which do not go to a terminal.
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
