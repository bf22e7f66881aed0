package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
)

// A crawler is who is asked about: its product tokens, the most specific first.
type crawler struct{ tokens []string }

// String returns the tokens as -a takes them.
func (c crawler) String() string { return strings.Join(c.tokens, ":") }

// readCrawlers reads the values of -a flags, and returns each crawler once. A value holds
// crawlers joined by commas, and a crawler is a chain of product tokens joined by colons,
// or "@" and the name of known crawlers; or the value is a User-Agent header, in which the
// token is found, with a notice.
func (a *app) readCrawlers(values []string, d *robotstxt.Dialect) ([]crawler, error) {
	var found []crawler
	seen := map[string]bool{}
	for _, value := range values {
		for _, name := range crawlernames.Names(value) {
			if name == "" {
				continue
			}
			some, err := a.readCrawler(name, d)
			if err != nil {
				return nil, err
			}
			for _, c := range some {
				if key := strings.ToLower(c.String()); !seen[key] {
					seen[key] = true
					found = append(found, c)
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, errNoCrawler
	}
	return found, a.applyChains(found)
}

// errNoCrawler says that no crawler is given.
var errNoCrawler = errors.New("-a CRAWLER is missing: expected a product token, such as -a Googlebot, or -a '*' for a crawler that no group names")

// noteMisspelt says which known crawler may be meant by a token that differs from its own in
// one letter, once for each token. A chain is written by who knows the names.
func (a *app) noteMisspelt(c crawler) {
	token := c.tokens[0]
	if len(c.tokens) > 1 || len(token) < 5 {
		return
	}
	if _, noted := a.misspelt.LoadOrStore(token, true); noted {
		return
	}
	table, err := a.knownTable()
	if err != nil {
		return // which is reported where the table is needed
	}
	if _, ok := table.Lookup(token); ok {
		return
	}
	if meant := closest(token, tokensOf(table.All())); meant != "" && typos(strings.ToLower(token), strings.ToLower(meant)) == 1 {
		a.notice(fmt.Sprintf("note: %s is not a known crawler; did you mean %s?", token, meant))
	}
}

// readCrawler reads one crawler, or the name of a set of them.
func (a *app) readCrawler(name string, d *robotstxt.Dialect) ([]crawler, error) {
	tokens, isKnown, err := crawlernames.Chain(name)
	if err == nil && isKnown {
		return a.readKnown(name)
	}
	for i, given := range tokens {
		if tokens[i], err = a.readAgent(given, d); err != nil {
			break
		}
	}
	return []crawler{{tokens}}, err
}

// severalNames is a hint where a value has spaces between known crawlers; "": it has not.
func severalNames(given string) string {
	names := strings.Fields(given)
	for _, name := range names {
		if _, ok := crawlers.Known().Lookup(name); !ok {
			return ""
		}
	}
	if len(names) < 2 {
		return ""
	}
	return "; for several crawlers write -a " + strings.Join(names, ",")
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
	case crawlernames.LooksLikeHeader(given):
		a.notice(fmt.Sprintf("read the agent %q as the product token %s%s", given, token, severalNames(given)))
		return token, nil
	}
	return "", fmt.Errorf("agent %q: %q cannot stand in a product token (letters, \"_\" and \"-\" only); lines that name it are read as %q: use -a %s",
		given, given[len(token):len(token)+1], token, token)
}

// readForGoogle reads an agent for Google's parser, which takes every string as it
// comes. A notice says where no line of a file can name such an agent.
func (a *app) readForGoogle(given string) string {
	if crawlernames.LooksLikeHeader(given) {
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
// is one that is asked about.
func sendsAs(userAgent string, asked ...crawler) error {
	var tokens []string
	for _, c := range asked {
		tokens = append(tokens, c.tokens...)
	}
	for _, token := range tokens {
		if token == "*" || strings.Contains(strings.ToLower(userAgent), strings.ToLower(token)) {
			return nil
		}
	}
	return fmt.Errorf("--user-agent %q does not contain the product token %s of the crawler in -a", userAgent, someOf(tokens, " or "))
}

// someOf joins names; of many it shows the first five.
func someOf(names []string, with string) string {
	const most = 5
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, with)
}
