package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
)

// writeError answers with an error, {"error": "…"}, and returns the status.
func writeError(w http.ResponseWriter, err error) (status int) {
	status = http.StatusInternalServerError
	if p := (*asked.Problem)(nil); errors.As(err, &p) {
		status = p.Status
		if p.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
		}
	}
	body, _ := json.Marshal(asked.ErrorBody{Error: err.Error()}) // never fails
	writeJSON(w, status, body)
	return status
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
		if method, path, _ := strings.Cut(each.pattern, " "); path == r.URL.EscapedPath() {
			methods = append(methods, method)
		}
	}
	if methods == nil && strings.Contains(r.URL.EscapedPath(), "%") {
		// "%2F" is no "/" (RFC 3986, 2.2): a client or proxy escaped the path once too often.
		writeError(w, &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no %s; paths of the API have no escapes, such as /v1/check: only parameters are escaped", r.URL.EscapedPath())})
		return
	}
	if methods == nil {
		writeError(w, &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no %s; /v1/openapi.json lists what there is", r.URL.Path)})
		return
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	writeError(w, &asked.Problem{Status: http.StatusMethodNotAllowed, Err: fmt.Errorf("the method of %s is %s; expected %s", r.URL.Path, r.Method, allowed)})
}
