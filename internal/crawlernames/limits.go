package crawlernames

import "fmt"

// The limits of the crawlers that a client or a user names. Each token is compared with each
// User-agent line of a file, in 1994's dialect in time that grows with its length. The package
// robotstxt has no such limits.
const (
	MaxTokens = 16      // product tokens of a crawler
	MaxToken  = 512     // bytes of a product token; real ones have at most about 40
	MaxHeader = 8 << 10 // bytes of a User-Agent header in which a token is looked for: servers accept no longer one
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

// CheckHeader returns an error if a User-Agent header is too long to look for a token in it.
func CheckHeader(header string) error {
	if len(header) > MaxHeader {
		return fmt.Errorf("a User-Agent header has %d bytes; expected at most %d", len(header), MaxHeader)
	}
	return nil
}
