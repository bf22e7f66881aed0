package crawlernames

import "fmt"

// These limits bound the time of a check. Users can name any crawler, and each product token is compared with each
// User-agent line.
const (
	MaxTokens = 16      // the maximum number of product tokens of one crawler
	MaxToken  = 512     // the maximum length of a product token in bytes; real tokens have at most about 40
	MaxHeader = 8 << 10 // the maximum length of a User-Agent header in bytes; servers accept no longer header
)

// Check returns an error if the names of one crawler, which are product tokens or User-Agent headers, are too many or too long.
func Check(tokens []string) error {
	if len(tokens) > MaxTokens {
		return fmt.Errorf("the crawler has %d product tokens; expected at most %d", len(tokens), MaxTokens)
	}
	for _, each := range tokens {
		switch n, isHeader := len(each), LooksLikeHeader(each); {
		case n > MaxHeader && isHeader:
			return fmt.Errorf("a User-Agent header has %d bytes; expected at most %d", n, MaxHeader)
		case n > MaxToken && !isHeader:
			return fmt.Errorf("a product token has %d bytes; expected at most %d", n, MaxToken)
		}
	}
	return nil
}
