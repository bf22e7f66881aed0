//go:build !wasm

// This file is not in the WebAssembly: there, fetch() decodes compressed bodies, and decoders are large.

package binding

import "github.com/heed-robots/heed/internal/rawbody"

// Refusal returns why a successful response is not a robots.txt, or "". The parameter
// codings is the value of Content-Encoding, and the body is not decoded yet.
func Refusal(status int, codings string, body []byte) (why []byte, err error) {
	defer rescueBytes(&err, "refusal", body)
	if len(body) > MaxBody {
		return nil, tooLarge(body)
	}
	return []byte(rawbody.Refusal(status, []string{codings}, body)), nil
}
