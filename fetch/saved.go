package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/rawbody"
)

// Saved returns the Result of a retrieval by another program, such as a web archive. The parameter last has the known
// facts: Origin, Status (0 means success), Header, Start, End, the raw Body, and Truncated, which is true if the program
// cut the Body. maxBytes limits the body; 0 means 500 KiB.
//
// Saved reads the body in the same way as the body of a response. A compressed body is decoded, unless
// it is text already.
//
// A cut body loses its last line, which may be incomplete. If nothing is left, or the body cannot be decoded,
// the result is a failure. If the program did not cut the body, the body must be complete. The result is a
// failure if the end of a compressed body is missing, or if the body is shorter than Content-Length. The length of a
// compressed body is checked only if the body is empty, because the program may have decompressed the body. If the
// program got an error while it read the body, do not call Saved. The robots.txt is then unreachable, as without a
// response.
func Saved(last Result, maxBytes int) Result {
	status := cmp.Or(last.Status, http.StatusOK)
	isFTP := last.Origin.Scheme() == "ftp"
	if status == http.StatusOK && isFTP { // FTP has no reply 200 for a file: its reply is 226
		status = ftp.StatusClosingDataConnection
	}
	r := Result{
		Origin: last.Origin, Status: status, Start: last.Start, End: last.End, Header: keepHeaders(last.Header),
		Hops: []Hop{{URL: last.Origin.RobotsURL(), Status: status}},
	}
	read := func() error { return r.readSaved(&last, defaults.Positive(maxBytes, defaultMaxBytes)) }
	var err error
	if isFTP {
		err = read()
	} else {
		err = r.decide(last.Header, read)
	}
	if err != nil {
		r.Err = NewFailure(err)
	}
	return r
}

func (r *Result) readSaved(last *Result, limit int) error {
	raw, isCut := last.Body, last.Truncated
	if !isCut && len(raw) <= limit && r.isFile() {
		if err := checkLength(r.Status, raw, last.Header); err != nil {
			return err
		}
	}
	if codings, _ := rawbody.Codings(last.Header.Values("Content-Encoding")); len(codings) > 0 && !rawbody.IsDecoded(raw, codings) {
		var err error
		if raw, err = decodeSaved(raw, codings, isCut, limit+1); err != nil {
			return err
		}
	}
	isCut = isCut || len(raw) > limit
	if err := r.setBody(raw[:min(len(raw), limit+1)], last.Header.Get("Content-Type"), isCut); err != nil {
		return err
	}
	incompleteFTP := r.Origin.Scheme() == "ftp" && r.Status == ftp.StatusAboutToSend && len(raw) <= limit
	if incompleteFTP || isCut && len(r.Body) == 0 && len(raw) <= limit {
		return fmt.Errorf("body: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

func checkLength(status int, body []byte, h http.Header) error {
	mayBeDecoded := len(body) > 0 && isRecoded(h.Values("Content-Encoding"))
	if status == http.StatusNoContent || mayBeDecoded || isRecoded(h.Values("Transfer-Encoding")) {
		return nil
	}
	for _, value := range h.Values("Content-Length") {
		for text := range strings.SplitSeq(value, ",") {
			text = strings.TrimSpace(text)
			if n, _ := strconv.ParseInt(text, 10, 64); n > int64(len(body)) { // n is the largest int64 for all larger numbers
				return fmt.Errorf("the end of the body is missing, so heed does not use the body: it has %d bytes, but Content-Length says %.20s", len(body), text)
			}
		}
	}
	return nil
}

// isRecoded reports whether the length of a body may differ from Content-Length because of its codings.
func isRecoded(codings []string) bool {
	known, others := rawbody.Codings(codings)
	return len(known) > 0 || slices.Contains(others, "chunked")
}

func decodeSaved(raw []byte, codings []string, isCut bool, limit int) ([]byte, error) {
	text, err := decode(bytes.NewReader(raw), codings, limit)
	if err != nil && !(isCut && errors.Is(err, errEndMissing)) {
		return nil, fmt.Errorf("body: %w", err)
	}
	return text, nil
}

// SavedPage returns at most limit bytes of an HTML page from an archive, decoded. If isCut is true, the end of the page may
// be missing.
func SavedPage(body []byte, header http.Header, isCut bool, limit int) ([]byte, error) {
	codings, _ := rawbody.Codings(header.Values("Content-Encoding"))
	if len(codings) > 0 && !markup.IsHTML(string(body[:min(len(body), maxStart)])) {
		return decodeSaved(body, codings, isCut, limit)
	}
	return body[:min(len(body), limit)], nil
}

const maxStart = 4 << 10
