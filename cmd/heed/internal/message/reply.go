package message

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
)

// WriteError answers with an error, {"error": "…"}, and returns the status.
func WriteError(w http.ResponseWriter, err error) (status int) {
	status = http.StatusInternalServerError
	if p := (*asked.Problem)(nil); errors.As(err, &p) {
		status = p.Status
		if p.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
		}
	}
	body, _ := json.Marshal(asked.ErrorBody{Error: err.Error()}) // never fails
	WriteJSON(w, status, body)
	return status
}

// WriteJSON answers with JSON, and adds a line end.
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

// shortAnswer is the size below which net/http itself adds Content-Length, and faster: the answer
// fits its buffer of 2 KiB.
const shortAnswer = 2000

// The values of headers that all responses have.
var (
	JsonType = []string{"application/json"}
	NoSniff  = []string{"nosniff"} // text of other sites must not become a page
)

// WriteValue answers with a value as JSON.
func WriteValue(w http.ResponseWriter, value any) error {
	WriteJSON(w, http.StatusOK, report.AppendJSON(nil, value))
	return nil
}
