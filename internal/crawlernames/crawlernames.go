// Package crawlernames reads which crawlers a question is about, as people write it in
// case files and on the command line.
package crawlernames

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Crawlers reads crawlers that are joined by commas and returns the product
// tokens of each, the most specific first: "Googlebot,bingbot" are two,
// "Googlebot-Image:Googlebot" is one with two tokens. "@NAME" stands for the
// crawlers that known returns. What looks like a User-Agent header is one
// token, as it stands.
func Crawlers(value string, known func(name string) ([][]string, error)) ([][]string, error) {
	var crawlers [][]string
	for _, name := range Names(value) {
		if name == "" {
			return nil, fmt.Errorf("agent %q: no name beside a comma; write crawlers without spaces between them: Googlebot,bingbot", value)
		}
		tokens, isKnown, err := Chain(name)
		switch {
		case err != nil:
			return nil, err
		case isKnown:
			those, err := known(name[1:])
			if err != nil {
				return nil, fmt.Errorf("agent %q: %w", name, err)
			}
			crawlers = append(crawlers, those...)
		default:
			crawlers = append(crawlers, tokens)
		}
	}
	if len(crawlers) == 0 {
		return nil, errors.New("no crawler is named")
	}
	return crawlers, nil
}

// Names cuts a value at its commas. One with a User-Agent header in it stays whole.
func Names(value string) []string {
	names := strings.Split(value, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	if slices.ContainsFunc(names, LooksLikeHeader) {
		return []string{value}
	}
	return names
}

// Chain cuts a name at its colons into product tokens, unless it is "@NAME", which
// stands for known crawlers, or a User-Agent header.
func Chain(name string) (tokens []string, isKnown bool, err error) {
	if LooksLikeHeader(name) {
		return []string{name}, false, nil
	}
	tokens = strings.Split(name, ":")
	for _, token := range tokens {
		switch {
		case strings.HasPrefix(token, "@") && len(tokens) > 1:
			return nil, false, fmt.Errorf("agent %q: a crawler that is given as @NAME brings its own chain; expected @NAME alone, or tokens joined by colons without \"@\"", name)
		case token == "":
			return nil, false, fmt.Errorf("agent %q: a product token is missing beside \":\"", name)
		}
	}
	return tokens, strings.HasPrefix(name, "@"), nil
}

// LooksLikeHeader reports whether an agent is more than a token with a wrong
// character: one with a version, or a User-Agent header.
func LooksLikeHeader(s string) bool { return strings.ContainsAny(s, " /();") }
