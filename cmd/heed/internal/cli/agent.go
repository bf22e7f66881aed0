package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A crawler is who is asked about: its product tokens, the most specific first.
type crawler struct{ tokens []string }

// String returns the tokens as -a takes them.
func (c crawler) String() string { return strings.Join(c.tokens, ":") }

// readCrawlers reads the values of -a flags. Each holds crawlers joined by commas, and a
// crawler is a chain of product tokens joined by colons; or it is a User-Agent header, in
// which the token is found, with a notice.
func (a *app) readCrawlers(values []string, d *robotstxt.Dialect) ([]crawler, error) {
	var crawlers []crawler
	for _, value := range values {
		names := []string{value}
		if !looksLikeHeader(value) {
			names = strings.Split(value, ",")
		}
		for _, name := range names {
			if strings.TrimSpace(name) == "" {
				continue
			}
			c, err := a.readCrawler(name, d)
			if err != nil {
				return nil, err
			}
			crawlers = append(crawlers, c)
		}
	}
	if len(crawlers) == 0 {
		return nil, errors.New("-a TOKEN is missing: the crawler's product token, such as -a Googlebot, or -a '*' for a crawler that no group names")
	}
	return crawlers, nil
}

// readCrawler reads one crawler.
func (a *app) readCrawler(name string, d *robotstxt.Dialect) (crawler, error) {
	tokens := []string{name}
	if !looksLikeHeader(name) {
		tokens = strings.Split(name, ":")
	}
	var c crawler
	for _, given := range tokens {
		token, err := a.readAgent(given, d)
		if err != nil {
			return crawler{}, err
		}
		c.tokens = append(c.tokens, token)
	}
	return c, nil
}

func (a *app) readAgent(given string, d *robotstxt.Dialect) (string, error) {
	if d == robotstxt.Google {
		return a.readForGoogle(given), nil
	}
	token, ok := d.ReadAgent(given)
	switch {
	case !ok:
		return "", fmt.Errorf("agent %q: no product token in it (letters, \"_\" and \"-\"); give the one that the crawler documents, such as -a Googlebot", given)
	case token == given:
		return token, nil
	case looksLikeHeader(given):
		a.notice(fmt.Sprintf("read the agent %q as the product token %s", given, token))
		return token, nil
	}
	return "", fmt.Errorf("agent %q: %q cannot stand in a product token (letters, \"_\" and \"-\" only); lines that name it are read as %q: use -a %s",
		given, given[len(token):len(token)+1], token, token)
}

// readForGoogle reads an agent for Google's parser, which takes every string as it
// comes. A notice says where no line of a file can name such an agent.
func (a *app) readForGoogle(given string) string {
	if looksLikeHeader(given) {
		if token, err := a.readAgent(given, robotstxt.RFC9309); err == nil {
			return token
		}
	}
	a.noticeRaw(given)
	return given
}

// noticeRaw says how Google's parser takes an agent that is no product token.
func (a *app) noticeRaw(agent string) {
	if robotstxt.ValidToken(agent) || agent == "*" {
		return
	}
	a.notice(fmt.Sprintf("agent %q: Google's parser takes it as it is, and no line of a file can name it: names are read up to the first character that is no letter, \"_\" or \"-\"", agent))
}

// sendsAs checks that a crawler that asks for robots.txt under a User-Agent header
// is the one that is asked about.
func sendsAs(userAgent string, c crawler) error {
	for _, token := range c.tokens {
		if token == "*" || strings.Contains(strings.ToLower(userAgent), strings.ToLower(token)) {
			return nil
		}
	}
	return fmt.Errorf("--user-agent %q does not hold the product token %s of the crawler that is asked about (-a)", userAgent, strings.Join(c.tokens, " or "))
}

// looksLikeHeader reports whether an agent is more than a token with a wrong
// character: one with a version, or a User-Agent header.
func looksLikeHeader(s string) bool { return strings.ContainsAny(s, " /();") }
