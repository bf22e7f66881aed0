//go:build !wasm

// This file is not in the WebAssembly, because JavaScript does not need it: fetch() decodes compressed bodies. The
// decoders would make the package for JavaScript larger.

package binding

import "github.com/heed-robots/heed/internal/rawbody"

// Refusal returns why a response with a status from 200 to 299 is not a robots.txt, or "" if it is one. The
// parameter codings is the Content-Encoding, without the codings that the caller has already decoded.
func Refusal(status int, codings string, body []byte) (why []byte, err error) {
	defer rescueBytes(&err, "refusal", body)
	if len(body) > MaxBody {
		return nil, tooLarge(body)
	}
	return []byte(rawbody.Refusal(status, []string{codings}, body)), nil
}
