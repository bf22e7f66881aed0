package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/internal/octets"
	"github.com/heed-robots/heed/origin"
)

// Saved returns the Result of a retrieval that was made elsewhere, such as one from an
// archive. status and body are those of the last response, at its time. The body is read
// like that of a response, with the same limits: a body that cannot be a
// robots.txt is a failure. Status 0 means success.
func Saved(o origin.Origin, status int, body []byte, at time.Time) Result {
	return (&SavedResponse{Origin: o, Status: status, Body: body, At: at}).Result()
}

// A SavedResponse is the last response of a retrieval that was made elsewhere.
type SavedResponse struct {
	Origin   origin.Origin
	Status   int         // or code of the last FTP reply; 0 and 200: success
	Header   http.Header // may be nil
	Body     []byte
	IsCut    bool // the program that saved the body cut it, at a limit of its own
	At       time.Time
	MaxBytes int // how much of the body is used, after decompression; 0: 500 KiB
}

// Result returns the Result, like Saved. Programs that save responses differ in what they do with
// a compressed body. It is decoded by its Content-Encoding, unless it is text already: some programs
// store the text and keep the header. What cannot be decoded is a failure.
//
// Of a body that is cut, the last line is dropped, like that which MaxBytes cuts. If nothing
// is left then, it is a failure. So is a compressed body without its end that was not cut: the server
// did not send it whole.
func (s *SavedResponse) Result() Result {
	status := cmp.Or(s.Status, http.StatusOK)
	if status == http.StatusOK && s.Origin.Scheme() == "ftp" { // which has no such reply
		status = ftp.StatusClosingDataConnection
	}
	r := Result{
		Origin: s.Origin, Status: status, Start: s.At, End: s.At, Header: keptOf(s.Header),
		Hops: []Hop{{URL: s.Origin.RobotsURL(), Status: status}},
	}
	read := func() error { return s.read(&r) }
	err := read
	if s.Origin.Scheme() != "ftp" {
		err = func() error { return r.decide(s.Header, read) }
	}
	if err := err(); err != nil {
		r.Err = NewFailure(err)
	}
	return r
}

// read sets the Body of r.
func (s *SavedResponse) read(r *Result) error {
	limit := defaults.Positive(s.MaxBytes, defaultMaxBytes)
	raw, isCut := s.Body, s.IsCut
	if codings, _ := octets.Codings(s.Header.Values("Content-Encoding")); len(codings) > 0 && !octets.IsDecoded(raw, codings) {
		var err error
		raw, err = decode(bytes.NewReader(raw), codings, limit+1)
		if err != nil && !(isCut && errors.Is(err, errEndMissing)) {
			return fmt.Errorf("body: %w", err)
		}
	}
	isCut = isCut || len(raw) > limit
	if err := r.use(raw[:min(len(raw), limit+1)], s.Header.Get("Content-Type"), isCut); err != nil {
		return err
	}
	if isCut && len(r.Body) == 0 && len(raw) <= limit {
		return fmt.Errorf("body: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
