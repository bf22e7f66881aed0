package fetch

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/origin"
)

// Saved returns the Result of a retrieval that was made elsewhere, such as one from an
// archive. status and body are those of the last response, at its time. The body is read
// like that of a response, with the same limits: a body that cannot be a
// robots.txt is a failure. Status 0 means success.
func Saved(o origin.Origin, status int, body []byte, at time.Time) Result {
	if status == 0 {
		status = http.StatusOK
		if o.Scheme() == "ftp" {
			status = ftp.StatusClosingDataConnection
		}
	}
	r := Result{Origin: o, Status: status, Hops: []Hop{{URL: o.RobotsURL(), Status: status}}, Start: at, End: at}
	from, f := bytes.NewReader(body), &Fetcher{}
	var err error
	if o.Scheme() == "ftp" {
		err = f.readBody(&r, from, "")
	} else {
		err = f.readResponse(&r, &http.Response{StatusCode: status, Body: io.NopCloser(from)})
	}
	if err != nil {
		r.Err = NewFailure(err)
	}
	return r
}
