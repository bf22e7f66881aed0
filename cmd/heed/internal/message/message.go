// Package message reads requests of HTTP strictly, and writes answers and errors as JSON.
package message

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
)

// CheckMessage refuses a request whose body would be misread.
func CheckMessage(w http.ResponseWriter, r *http.Request) error {
	if !r.ProtoAtLeast(1, 1) && r.Method != http.MethodGet && r.Method != http.MethodHead {
		// HTTP/1.0 has no Transfer-Encoding, and net/http ignores one: what follows could be the
		// rest of this body (RFC 9112, 6.1).
		w.Header()["Connection"] = Closes
		if r.Method == http.MethodPost && r.Header.Get("Content-Length") == "" {
			return asked.Wrong("%w", errNoLength)
		}
	}
	for _, coding := range r.Header["Content-Encoding"] {
		if coding != "" && coding != "identity" {
			w.Header().Set("Accept-Encoding", "identity")
			return &asked.Problem{
				Status: http.StatusUnsupportedMediaType,
				Err:    fmt.Errorf("the body has the Content-Encoding %s; expected none: send it as it is", printable.Quote(coding)),
			}
		}
	}
	return nil
}

var errNoLength = errors.New("a POST of HTTP/1.0 needs a Content-Length: its body cannot come in chunks; expected one, or HTTP/1.1")

// Closes is the header Connection of an answer after which the connection ends.
var Closes = []string{"close"}
