//go:build !wasm

// This file is not in the WebAssembly. The decoders of compressed bodies would make the package for JavaScript larger, and
// fetch() of JavaScript decodes the bodies.

package binding

import "github.com/heed-robots/heed/internal/rawbody"

// Refusal returns why a response is not a robots.txt, though its status is between 200 and 299. It returns "" if the
// response is a robots.txt. codings is the Content-Encoding, without the codings that the caller has already decoded.
func Refusal(status int, codings string, body []byte) (why []byte, err error) {
	defer rescueBytes(&err, "refusal", body)
	if len(body) > MaxBody {
		return nil, tooLarge(body)
	}
	return []byte(rawbody.Refusal(status, []string{codings}, body)), nil
}
