// Package asked reads which crawlers a question is about, as people write it in
// case files and on the command line.
package asked

import (
	"errors"
	"fmt"
	"strings"
)

// Crawlers reads crawlers that are joined by commas and returns the product
// tokens of each, the most specific first: "Googlebot,bingbot" are two,
// "Googlebot-Image:Googlebot" is one with two tokens. "@NAME" stands for the
// crawlers that known returns. What looks like a User-Agent header is one
// token, as it stands.
func Crawlers(value string, known func(name string) ([][]string, error)) ([][]string, error) {
	if LooksLikeHeader(value) {
		return [][]string{{value}}, nil
	}
	var crawlers [][]string
	for _, part := range strings.Split(value, ",") {
		name, isKnown := strings.CutPrefix(part, "@")
		tokens := strings.Split(part, ":")
		switch {
		case part == "":
			return nil, fmt.Errorf("agent %q: no name beside a comma; write crawlers without spaces between them: Googlebot,bingbot", value)
		case len(tokens) > 1 && strings.Contains(part, "@"):
			return nil, fmt.Errorf("agent %q: \"@\" cannot stand in a chain; expected product tokens on both sides of \":\"", part)
		case isKnown:
			those, err := known(name)
			if err != nil {
				return nil, fmt.Errorf("agent %q: %w", part, err)
			}
			crawlers = append(crawlers, those...)
			continue
		}
		for _, token := range tokens {
			if token == "" {
				return nil, fmt.Errorf("agent %q: a product token is missing beside \":\"", part)
			}
		}
		crawlers = append(crawlers, tokens)
	}
	if len(crawlers) == 0 {
		return nil, errors.New("no crawler is named")
	}
	return crawlers, nil
}

// LooksLikeHeader reports whether an agent is more than a token with a wrong
// character: one with a version, or a User-Agent header.
func LooksLikeHeader(s string) bool { return strings.ContainsAny(s, " /();") }
