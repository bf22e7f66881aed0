package source

import (
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/warc"
	"github.com/heed-robots/heed/usage"
)

type responses struct {
	in  *input
	err error
}

// OpenResponses opens a WARC file as a list of its responses. bytesRead counts the bytes.
func OpenResponses(path string, bytesRead *atomic.Int64) (stream.Responses, error) {
	in, err := open(path, bytesRead, &saved.Columns{})
	if err != nil {
		return nil, err
	}
	if in.kind != WARC {
		in.close()
		return nil, errors.New("expected a WARC file, because --responses checks the responses in WARC files")
	}
	return &responses{in: in}, nil
}

func (r *responses) Close() { r.in.close() }

func (r *responses) Err() error { return r.err }

var errEnough = errors.New("heed needs no more records of this file, so it stops reading")

func (r *responses) All() iter.Seq[stream.Response] {
	return func(yield func(stream.Response) bool) {
		give := func(place string, read func() (bulk.Page, error)) error {
			if !yield(stream.Response{Place: place, Read: read}) {
				return errEnough
			}
			return nil
		}
		err := r.in.eachRecord(func(record *warc.Record) error {
			if !isResponse(record.Header) {
				return nil
			}
			block, isCut, err := readBegin(record)
			if err != nil {
				return nil // err is not lost: eachRecord passes it to the function damaged
			}
			a, err := newAnswer(record.Header, isCut)
			return give(offset(record.Offset), func() (bulk.Page, error) {
				defer beginnings.Put(block)
				if err != nil {
					return bulk.Page{URL: a.url}, err
				}
				return a.page(*block)
			})
		}, func(place string, err error) error {
			return give(place, func() (bulk.Page, error) { return bulk.Page{}, err })
		})
		if !errors.Is(err, errEnough) {
			r.err = err
		}
	}
}

// maxResponse is enough for the headers and usage.MaxHTML bytes of a body, even a compressed or chunked one.
const maxResponse = 4 * usage.MaxHTML

var beginnings = sync.Pool{New: func() any {
	block := make([]byte, 0, maxResponse)
	return &block
}}

// The record is read to its end, to find damage, but only its first maxResponse bytes are kept.
func readBegin(record *warc.Record) (block *[]byte, isCut bool, err error) {
	block = beginnings.Get().(*[]byte)
	*block = (*block)[:min(record.Length, maxResponse)]
	if _, err = io.ReadFull(record.Block, *block); err == nil {
		_, err = io.Copy(io.Discard, record.Block)
	}
	if err != nil {
		beginnings.Put(block)
		return nil, false, err
	}
	return block, record.Length > maxResponse, nil
}

var errRevisitOfPage = errors.New("the record is a revisit, without the page or the headers of the response that it refers to, so heed does not know what the site says about the use of this page")

// The page keeps nothing of block, so the caller can use block again.
func (a *answer) page(block []byte) (page bulk.Page, err error) {
	page.URL, page.At = a.url, a.at
	if err := a.readResponse(block); err != nil {
		return page, err
	}
	isPage := isHTML(a.header.Get("Content-Type"))
	if a.isRevisit && (isPage || !a.hasOwnHeaders()) {
		return page, errRevisitOfPage
	}
	var html []byte
	if isPage {
		if html, err = fetch.SavedPage(a.body, a.header, a.isCut || a.broken != nil, usage.MaxHTML); err != nil {
			return page, err
		}
	}
	page.Response = usage.ReadResponse(a.header, html)
	return page, nil
}

// Only HTML has meta elements.
func isHTML(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	return strings.EqualFold(media, "text/html") || strings.EqualFold(media, "application/xhtml+xml")
}
