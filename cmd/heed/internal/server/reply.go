package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/report"
)

// A problem is the error of a request, with the status of the response.
type problem struct {
	status     int
	retryAfter time.Duration // for the header Retry-After; 0: none
	err        error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

// wrong returns the error of a question that cannot be answered as it is.
func wrong(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, err: fmt.Errorf(format, args...)}
}

// writeError answers with an error, {"error": "…"}, and returns the status.
func writeError(w http.ResponseWriter, err error) (status int) {
	status = http.StatusInternalServerError
	if p := (*problem)(nil); errors.As(err, &p) {
		status = p.status
		if p.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((p.retryAfter+time.Second-1)/time.Second)))
		}
	}
	body, _ := json.Marshal(errorBody{err.Error()}) // never fails
	writeJSON(w, status, body)
	return status
}

// errorBody is the JSON of an error.
type errorBody struct {
	Error string `json:"error"`
}

// writeJSON answers with JSON, and adds a line end.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["X-Content-Type-Options"] = noSniff
	if len(body) >= shortAnswer {
		h.Set("Content-Length", strconv.Itoa(len(body)+1))
	}
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// shortAnswer is the size below which net/http itself adds Content-Length, and faster: the answer
// fits its buffer of 2 KiB.
const shortAnswer = 2000

// The values of headers that all responses have.
var (
	jsonType = []string{"application/json"}
	noSniff  = []string{"nosniff"} // text of other sites must not become a page
)

// writeValue answers with a value as JSON.
func writeValue(w http.ResponseWriter, value any) error {
	writeJSON(w, http.StatusOK, report.AppendJSON(nil, value))
	return nil
}

// noSuchRoute answers a request for which there is no route.
func noSuchRoute(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, each := range routes {
		if method, path, _ := strings.Cut(each.pattern, " "); path == r.URL.Path {
			methods = append(methods, method)
		}
	}
	if methods == nil {
		writeError(w, &problem{status: http.StatusNotFound, err: fmt.Errorf("there is no %s; /v1/openapi.json lists what there is", r.URL.Path)})
		return
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	writeError(w, &problem{status: http.StatusMethodNotAllowed, err: fmt.Errorf("the method of %s is %s; expected %s", r.URL.Path, r.Method, allowed)})
}
