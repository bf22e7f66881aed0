//go:build !wasm

// Not in WebAssembly: what decompresses would make the package for JavaScript larger, and there fetch() decodes.

package binding

import "github.com/heed-robots/heed/internal/rawbody"

// Refusal returns why a response is no robots.txt, though its status is one of 200 to 299; "": it is one.
// codings is its Content-Encoding, without what the caller has decoded.
func Refusal(status int, codings string, body []byte) (why []byte, err error) {
	defer rescueBytes(&err, "refusal", body)
	if len(body) > MaxBody {
		return nil, tooLarge(body)
	}
	return []byte(rawbody.Refusal(status, []string{codings}, body)), nil
}
