package message

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
)

// ReadQuery returns the parameters of a request. A parameter with an unknown name is an error,
// since a misspelt one would be ignored.
func ReadQuery(r *http.Request, known ...string) (q url.Values, err error) {
	if strings.Contains(r.URL.RawQuery, ";") {
		return q, asked.Wrong("the query cannot be read: %w", errSemicolon)
	}
	if q, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return q, asked.Wrong("the query cannot be read: %w", err)
	}
	var wrong []string
	for name, values := range q {
		if !slices.Contains(known, name) || name != "agent" && len(values) > 1 {
			wrong = append(wrong, name)
		}
	}
	if wrong == nil {
		return q, nil
	}
	if name := slices.Min(wrong); !slices.Contains(known, name) {
		return q, asked.Wrong("the parameter %q is unknown; expected one of %s", name, strings.Join(known, ", "))
	}
	return q, asked.Wrong("the parameter %q is there more than once", slices.Min(wrong))
}

var errSemicolon = errors.New(`";" does not separate parameters; expected "&", or "%3B" in a value`)

// DialectOf returns the parameter "dialect"; nil: there is none.
func DialectOf(q url.Values) *string {
	if !q.Has("dialect") {
		return nil
	}
	name := q.Get("dialect")
	return &name
}

// ReadBody reads the body of a request, which must be one JSON object, into a struct.
func ReadBody(r *http.Request, into any) error {
	body, err := TextOf(r)
	if err != nil {
		return err
	}
	if err := jsonobject.Decode(body, into); err != nil {
		return asked.Wrong("the body: %w", err)
	}
	return nil
}

// TextOf reads the body of a request, without a byte-order mark.
func TextOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	return bytes.TrimPrefix(body, []byte(lines.ByteOrderMark)), nil
}

// bodyError returns the error of a body for its client.
func bodyError(err error) error {
	if problem := (*asked.Problem)(nil); errors.As(err, &problem) {
		return problem // of the reader of the body
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return &asked.Problem{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the body is larger than %d bytes", tooLarge.Limit)}
	}
	return asked.Wrong("the body cannot be read: %w", err)
}
