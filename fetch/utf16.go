package fetch

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/heed-robots/heed/robotstxt"
)

// unmarkedUTF16 tells UTF-16 without a byte-order mark, as editors save it: its
// first characters are ASCII, which is a NUL at every second byte, and as it stands
// no line of it can be read. So nothing is lost by the translation, and NULs that
// stray into a file mean what they always did.
func unmarkedUTF16(body []byte) (encoding.Encoding, string) {
	const enough = 8 // characters
	if len(body) < 2*enough {
		return nil, ""
	}
	little, big := true, true
	for i := 0; i < 2*enough; i += 2 {
		little = little && isText(body[i]) && body[i+1] == 0
		big = big && body[i] == 0 && isText(body[i+1])
	}
	switch {
	case !little && !big || hasRecord(body):
		return nil, ""
	case little:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	}
	return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
}

// isText reports whether a byte is a character of ASCII that lines are made of.
func isText(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\t' || c == '\r' || c == '\n'
}

// hasRecord reports whether a line of the body is of the protocol.
func hasRecord(body []byte) bool {
	for line := range robotstxt.Parse(body, robotstxt.RFC9309.WithLimit(len(body))).Lines() {
		switch line.Kind {
		case robotstxt.KindUserAgent, robotstxt.KindAllow, robotstxt.KindDisallow, robotstxt.KindSitemap:
			return true
		}
	}
	return false
}
