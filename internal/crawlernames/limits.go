package crawlernames

import "fmt"

// Limits for the crawlers that a client or a user names. They are needed because each token is compared with each
// User-agent line of a file; in the dialect standard1994, the time grows with the length of the token. Package
// robotstxt has no such limits.
const (
	MaxTokens = 16      // product tokens of a crawler
	MaxToken  = 512     // bytes of a product token; real ones have at most about 40
	MaxHeader = 8 << 10 // bytes of a User-Agent header; servers accept no longer one
)

// Check returns an error if a crawler has too many product tokens, or one that is too long.
func Check(tokens []string) error {
	if len(tokens) > MaxTokens {
		return fmt.Errorf("the crawler has %d product tokens; expected at most %d", len(tokens), MaxTokens)
	}
	for _, each := range tokens {
		if len(each) > MaxToken {
			return fmt.Errorf("a product token has %d bytes; expected at most %d", len(each), MaxToken)
		}
	}
	return nil
}

// CheckHeader returns an error if a User-Agent header is longer than MaxHeader.
func CheckHeader(header string) error {
	if len(header) > MaxHeader {
		return fmt.Errorf("a User-Agent header has %d bytes; expected at most %d", len(header), MaxHeader)
	}
	return nil
}
