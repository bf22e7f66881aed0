package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// readAgents reads the value of an -a flag: product tokens, or a User-Agent
// header, in which it finds the token and says so.
func (a *app) readAgents(value string, d *robotstxt.Dialect) ([]string, error) {
	if strings.TrimSpace(value) == "" {
		return nil, errors.New("-a TOKEN is missing: the crawler's product token, such as -a Googlebot, or -a '*' for a crawler that no group names")
	}
	parts := []string{value}
	if !looksLikeHeader(value) {
		parts = strings.Split(value, ",")
	}
	if d == robotstxt.Google {
		d = robotstxt.RFC9309 // Google's parser checks nothing; people want to be told
	}
	var agents []string
	for _, part := range parts {
		token, err := a.readAgent(part, d)
		if err != nil {
			return nil, err
		}
		agents = append(agents, token)
	}
	return agents, nil
}

func (a *app) readAgent(given string, d *robotstxt.Dialect) (string, error) {
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

// looksLikeHeader reports whether an agent is more than a token with a wrong
// character: one with a version, or a User-Agent header.
func looksLikeHeader(s string) bool { return strings.ContainsAny(s, " /();") }
