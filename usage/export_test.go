package usage

// MayHaveMeta is the quick look at a page, and Tokenize reads it without that.
var MayHaveMeta = mayHaveMeta

func Tokenize(page []byte) *Response {
	r := &Response{}
	r.tokenize(page)
	return r
}
