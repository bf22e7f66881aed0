// Package message reads HTTP requests strictly, and writes answers and errors as JSON.
package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/printable"
)

// A proxy and heed could read different ends of a request's body. CheckMessage refuses such a request.
func CheckMessage(w http.ResponseWriter, r *http.Request) error {
	if !r.ProtoAtLeast(1, 1) && r.Method != http.MethodGet && r.Method != http.MethodHead {
		// net/http ignores the header Transfer-Encoding of an HTTP/1.0 request. The rest of the body could then look like
		// another request (RFC 9112, 6.1).
		w.Header()["Connection"] = ConnectionClose
		if r.Method == http.MethodPost && r.Header.Get("Content-Length") == "" {
			return asked.Wrong("%w", errNoLength)
		}
	}
	for _, coding := range r.Header["Content-Encoding"] {
		if coding != "" && coding != "identity" {
			w.Header().Set("Accept-Encoding", "identity")
			return &asked.Problem{
				Status: http.StatusUnsupportedMediaType,
				Err:    fmt.Errorf("the body has the Content-Encoding %s: send the body without compression", printable.Quote(coding)),
			}
		}
	}
	return nil
}

var errNoLength = errors.New("a POST request of HTTP/1.0 must have a Content-Length header: add the header, or use HTTP/1.1")

var ConnectionClose = []string{"close"}

// WriteError sends an error to the client as {"error": "…"}, and returns the HTTP status.
func WriteError(w http.ResponseWriter, err error) (status int) {
	status = http.StatusInternalServerError
	if p := (*asked.Problem)(nil); errors.As(err, &p) {
		status = p.Status
	}
	if seconds := asked.RetrySeconds(err); seconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	text := err.Error()
	if errors.As(err, new(bodyJSONError)) {
		text = "the body: " + text
	}
	body, _ := json.Marshal(asked.ErrorBody{Error: text})
	WriteJSON(w, status, body)
	return status
}

// WriteJSON sends JSON to the client, with a line end after it.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = JsonType
	h["X-Content-Type-Options"] = NoSniff
	if len(body) >= shortAnswer {
		h.Set("Content-Length", strconv.Itoa(len(body)+1))
	}
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// If an answer has fewer than shortAnswer bytes, net/http itself adds Content-Length. This is faster than adding it here.
const shortAnswer = 2000

var (
	JsonType = []string{"application/json"}
	NoSniff  = []string{"nosniff"} // stops browsers from showing the text of a robots.txt as HTML
)

// Unknown parameters are an error. Only "agent" may be repeated. If there are no known names, each parameter is an error.
func ReadQuery(r *http.Request, knownNames ...string) (q url.Values, err error) {
	if strings.Contains(r.URL.RawQuery, ";") {
		return q, asked.Wrong("the query cannot be read: %w", errSemicolon)
	}
	if q, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return q, asked.Wrong("the query cannot be read: %w", err)
	}
	var wrong []string
	for name, values := range q {
		if !slices.Contains(knownNames, name) || name != "agent" && len(values) > 1 {
			wrong = append(wrong, name)
		}
	}
	if wrong == nil {
		return q, nil
	}
	name, hint := slices.Min(wrong), ""
	if len(knownNames) == 0 {
		if r.Method == http.MethodPost {
			hint = ": write it into the body, as a member of the JSON"
		}
		return q, asked.Wrong("the URL has the parameter %q; expected no parameters in the URL%s", name, hint)
	}
	if slices.Contains(knownNames, name) {
		return q, asked.Wrong("the query has the parameter %q more than once; expected one", name)
	}
	if slices.Contains(knownNames, "url") && strings.Contains(q.Get("url"), "?") {
		hint = `; if it is a part of the url, write "%26" for each "&" of the url`
	}
	return q, asked.Wrong("the parameter %q is unknown; expected one of %s%s", name, strings.Join(knownNames, ", "), hint)
}

var errSemicolon = errors.New(`";" cannot separate parameters: use "&" between parameters, and "%3B" for a ";" in a value`)

func DialectOf(q url.Values) *string {
	if !q.Has("dialect") {
		return nil
	}
	name := q.Get("dialect")
	return &name
}

// The body must be one JSON object. The URL must have no parameters, because they would have no effect.
func ReadBody(r *http.Request, into any) error {
	if _, err := ReadQuery(r); err != nil {
		return err
	}
	body, err := TextOf(r)
	if err != nil {
		return err
	}
	if err := jsonobject.Decode(body, into); err != nil {
		return bodyJSONError{asked.Wrong("%w", err)}
	}
	return nil
}

// A bodyJSONError says that the JSON in the body of a request is wrong. WriteError begins the text of this error with
// "the body: ".
type bodyJSONError struct{ error }

func (e bodyJSONError) Unwrap() error { return e.error }

// TextOf reads the body of a request, without a byte-order mark.
func TextOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	return bytes.TrimPrefix(body, []byte(lines.ByteOrderMark)), nil
}

// TooLarge is the error of a request whose body has more bytes than the limit.
func TooLarge(limit int64) *asked.Problem {
	return &asked.Problem{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the body of this HTTP request is larger than %d bytes: send less in one request", limit)}
}

func bodyError(err error) error {
	if problem := (*asked.Problem)(nil); errors.As(err, &problem) {
		return problem // the reader of the body made this problem
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return TooLarge(tooLarge.Limit)
	}
	return asked.Wrong("the body cannot be read: %w", err)
}
