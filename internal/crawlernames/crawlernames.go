// Package crawlernames reads the names of crawlers that people write in case files and on
// the command line.
package crawlernames

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Crawlers reads crawlers that are separated by commas. It returns the product tokens of
// each, the most specific first:
//
//	Googlebot,bingbot            two crawlers with one token each
//	Googlebot-Image:Googlebot    one crawler with two tokens
//	@NAME                        the crawlers that known returns for NAME
//	Foo/1.0 (a, b)               a User-Agent header: one crawler, and one token
func Crawlers(value string, known func(name string) ([][]string, error)) ([][]string, error) {
	var crawlers [][]string
	for _, name := range Names(value) {
		if name == "" {
			return nil, fmt.Errorf("agent %q: a name is missing before or after a comma; write crawlers without spaces between them: Googlebot,bingbot", value)
		}
		tokens, isKnown, err := Chain(name)
		switch {
		case err != nil:
			return nil, err
		case isKnown:
			named, err := known(name[1:])
			if err != nil {
				return nil, fmt.Errorf("agent %q: %w", name, err)
			}
			crawlers = append(crawlers, named...)
		default:
			crawlers = append(crawlers, tokens)
		}
	}
	if len(crawlers) == 0 {
		return nil, errors.New("no crawler is named")
	}
	return crawlers, nil
}

// Names splits a value at its commas. A value that contains a User-Agent header is one name.
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

// Chain splits a name at its colons into product tokens. A User-Agent header is one token.
// isKnown is true for "@NAME".
func Chain(name string) (tokens []string, isKnown bool, err error) {
	if LooksLikeHeader(name) {
		return []string{name}, false, nil
	}
	tokens = strings.Split(name, ":")
	for _, token := range tokens {
		switch {
		case strings.HasPrefix(token, "@") && len(tokens) > 1:
			return nil, false, fmt.Errorf("agent %q: @NAME has its own chain; expected @NAME alone, or tokens joined by colons without \"@\"", name)
		case token == "":
			return nil, false, fmt.Errorf("agent %q: a product token is missing before or after \":\"", name)
		}
	}
	return tokens, strings.HasPrefix(name, "@"), nil
}

// LooksLikeHeader reports whether a name is a User-Agent header, or a token with a version
// ("Foo/1.0").
func LooksLikeHeader(s string) bool { return strings.ContainsAny(s, " /();") }
