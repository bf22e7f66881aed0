package fetch

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/rawbody"
)

type decoder func(*bufio.Reader) (io.Reader, error)

// decoders has a decoder for each Content-Encoding that this package can read.
var decoders = map[string]decoder{
	"gzip": fromGzip, "x-gzip": fromGzip, "deflate": fromDeflate, "br": fromBrotli, "brotli": fromBrotli,
	"zstd": fromZstandard, "x-zstd": fromZstandard, "zlib": fromDeflate,
}

// maxCodings limits how often one body is decoded. A server may encode a body once, and a proxy may encode it again.
const maxCodings = 3

func encodedAs(names []string) error {
	return noRobotsTxt("%s", rawbody.EncodedAs(names))
}

var (
	errEndMissing = noRobotsTxt("the end of the compressed body is missing")
	errNotTheEnd  = noRobotsTxt("the compressed body has bytes after its end")
)

// decode returns at most limit bytes. With an error, it also returns the bytes that were decoded before the error. It
// reads at most about 2 * limit bytes of the body.
func decode(body io.Reader, codings []string, limit int) ([]byte, error) {
	if len(codings) > maxCodings {
		return nil, encodedAs(codings)
	}
	from := &errorReader{Reader: body}
	text, parts := io.Reader(from), []*bufio.Reader{}
	for _, name := range slices.Backward(codings) {
		part := bufio.NewReader(io.LimitReader(text, 2*int64(limit)+1<<10))
		var err error
		if text, err = decoders[name].open(part); err != nil {
			return nil, from.orElse(name, err)
		}
		parts = append(parts, part)
	}
	raw, err := io.ReadAll(io.LimitReader(text, int64(limit)))
	if err != nil {
		return raw, from.orElse(strings.Join(codings, ", "), err)
	}
	if len(raw) < limit { // otherwise reading ended at the limit, and the rest is not read
		for _, part := range parts {
			if _, err := part.Peek(1); err != io.EOF {
				return raw, from.orElse("", errNotTheEnd)
			}
		}
	}
	return raw, from.err
}

func (d decoder) open(body *bufio.Reader) (io.Reader, error) {
	_, err := body.Peek(1)
	switch {
	case d == nil:
		return nil, errors.ErrUnsupported
	case err == io.EOF:
		return http.NoBody, nil
	case err != nil:
		return nil, err
	}
	return d(body)
}

// An errorReader keeps its error, because decoders may return another error instead.
type errorReader struct {
	io.Reader
	err error // the last error except io.EOF
}

func (s *errorReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = withoutURL(err)
	}
	return n, err
}

// orElse returns the error of the connection. If there was none, it returns err, the error of a decoder, as a Failure.
func (s *errorReader) orElse(coding string, err error) error {
	switch {
	case s.err != nil:
		return s.err
	case is[*Failure](err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return errEndMissing
	case errors.Is(err, errors.ErrUnsupported):
		return encodedAs([]string{coding})
	}
	return noRobotsTxt("the body cannot be decoded as %.100q: %v", coding, err)
}

func fromGzip(body *bufio.Reader) (io.Reader, error) { return gzip.NewReader(body) }

// fromDeflate reads a body with the header of zlib, as the standard says, or without this header, as some servers send it.
func fromDeflate(body *bufio.Reader) (io.Reader, error) {
	if head, _ := body.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(body)
	}
	return flate.NewReader(body), nil
}

// fromZstandard reads frames with a window of at most 8 MiB, as RFC 8878 asks of each decoder.
func fromZstandard(body *bufio.Reader) (io.Reader, error) {
	return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
}

func fromBrotli(body *bufio.Reader) (io.Reader, error) {
	from := &paddedReader{from: body}
	return &brotliReader{brotli.NewReader(from), from}, nil
}

// A brotliReader notices if the end of the data is missing. It adds one byte to the data. A brotli.Reader refuses this byte
// only if the data was complete.
type brotliReader struct {
	text *brotli.Reader
	from *paddedReader
}

func (b *brotliReader) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	switch {
	case err == io.EOF:
		return n, io.ErrUnexpectedEOF
	case err != nil && err.Error() == "brotli: excessive input":
		if b.from.ended {
			return n, io.EOF
		}
		return n, errNotTheEnd
	}
	return n, err
}

type paddedReader struct {
	from  io.Reader
	ended bool
}

func (o *paddedReader) Read(p []byte) (int, error) {
	if o.ended {
		return 0, io.EOF
	}
	n, err := o.from.Read(p)
	if n == 0 && err == io.EOF {
		o.ended, p[0] = true, 0
		return 1, nil
	}
	if err == io.EOF {
		err = nil // the next Read returns io.EOF again
	}
	return n, err
}
