package usage

import "github.com/heed-robots/heed/internal/markup"

// MayHaveMeta is the quick look at a page, and ReadAlways reads it without that.
var MayHaveMeta = mayHaveMeta

func ReadAlways(page []byte) *Response {
	r := &Response{}
	markup.Metas(page, r.readMeta)
	return r
}
