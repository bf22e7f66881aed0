package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/jsonobject"
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
			return nil, asked.Wrong("the query cannot be read: %w", err)
		case !slices.Contains(known, p.name):
			return nil, asked.Wrong("the parameter %q is unknown; expected one of %s", p.name, strings.Join(known, ", "))
		case p.name != "agent" && q.has(p.name):
			return nil, asked.Wrong("the parameter %q is there more than once", p.name)
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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return bodyError(err)
	}
	if err := jsonobject.Decode(body, into); err != nil {
		return asked.Wrong("the body: %w", err)
	}
	return nil
}

// bodyError returns the error of a body for its client.
func bodyError(err error) error {
	if errors.Is(err, errMemory) {
		return errMemory
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return &asked.Problem{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the body is larger than %d bytes", tooLarge.Limit)}
	}
	return asked.Wrong("the body cannot be read: %w", err)
}
