package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A query is the parameters of a request, as they were sent. There are few, so it is faster than
// url.Values.
type query []parameter

type parameter struct{ name, value string }

// readQuery returns the parameters of a request. A parameter with an unknown name is an error,
// since a misspelt one would be ignored.
func readQuery(r *http.Request, known ...string) (query, error) {
	q := make(query, 0, len(known))
	for text := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if text == "" {
			continue
		}
		p, err := readParameter(text)
		switch {
		case err != nil:
			return nil, wrong("the query cannot be read: %w", err)
		case !slices.Contains(known, p.name):
			return nil, wrong("the parameter %q is unknown; expected one of %s", p.name, strings.Join(known, ", "))
		case p.name != "agent" && q.has(p.name):
			return nil, wrong("the parameter %q is there more than once", p.name)
		}
		q = append(q, p)
	}
	return q, nil
}

var errSemicolon = errors.New(`";" does not separate parameters; expected "&", or "%3B" in a value`)

func readParameter(text string) (p parameter, err error) {
	if strings.Contains(text, ";") {
		return p, errSemicolon
	}
	name, value, _ := strings.Cut(text, "=")
	if p.name, err = url.QueryUnescape(name); err != nil {
		return p, err
	}
	p.value, err = url.QueryUnescape(value)
	return p, err
}

func (q query) has(name string) bool {
	return slices.ContainsFunc(q, func(p parameter) bool { return p.name == name })
}

// get returns the value of a parameter; "": it is not there.
func (q query) get(name string) string {
	for _, p := range q {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// all returns the values of a parameter.
func (q query) all(name string) (values []string) {
	for _, p := range q {
		if p.name == name {
			values = append(values, p.value)
		}
	}
	return values
}

// readBody reads the body of a request, which must be one JSON object, into a struct.
func readBody(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var (
		tooLarge  *http.MaxBytesError
		notJSON   *json.SyntaxError
		wrongKind *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &tooLarge):
		return &problem{status: http.StatusRequestEntityTooLarge, err: fmt.Errorf("the body is larger than %d bytes", tooLarge.Limit)}
	case errors.Is(err, io.EOF):
		return wrong("the body is empty; expected a JSON object")
	case errors.As(err, &notJSON), errors.Is(err, io.ErrUnexpectedEOF):
		return wrong("the body is not JSON: %w; expected a JSON object", err)
	case errors.As(err, &wrongKind) && wrongKind.Field == "":
		return wrong("the body is a JSON %s; expected a JSON object", wrongKind.Value)
	case errors.As(err, &wrongKind):
		member := wrongKind.Field[strings.LastIndexByte(wrongKind.Field, '.')+1:] // before it are names of Go
		return wrong("%q is a JSON %s; expected %s", member, wrongKind.Value, kindOf(wrongKind.Type))
	case err != nil:
		return wrong("the body cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return wrong("the body has something after the JSON object")
	}
	return nil
}

// kindOf returns what JSON has for a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// A crawlerAndDialect is the members that most questions have.
type crawlerAndDialect struct {
	Agent   report.Agent `json:"agent"`   // the product token of a crawler, or several, the most specific first
	Dialect string       `json:"dialect"` // "": that of the server
}

// read returns the product tokens and the dialect.
func (q *crawlerAndDialect) read(s *Server) ([]string, *robotstxt.Dialect, error) {
	if len(q.Agent) == 0 {
		return nil, nil, wrong(`"agent" is missing; expected the product token of a crawler, or "*" for one that no group names`)
	}
	if err := checkTokens(q.Agent); err != nil {
		return nil, nil, err
	}
	d, err := s.dialectNamed(q.Dialect)
	return q.Agent, d, err
}

// maxAgentTokens limits the product tokens of one crawler. Each is looked for in each group of a file.
const maxAgentTokens = 32

func checkTokens(agent report.Agent) error {
	if len(agent) > maxAgentTokens {
		return wrong(`"agent" has %d product tokens; expected at most %d`, len(agent), maxAgentTokens)
	}
	return nil
}

// dialectNamed returns the dialect with a name; "" is that of the server.
func (s *Server) dialectNamed(name string) (*robotstxt.Dialect, error) {
	if name == "" {
		return s.dialect(), nil
	}
	d, err := questions.DialectNamed(name)
	if err != nil {
		return nil, wrong("the dialect %w", err)
	}
	return d, nil
}
