package sites

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// ReadCrawlers reads the values of -a. It returns the product tokens of each crawler. Each crawler is returned once.
// A value is one of
//
//	GPTBot,Googlebot           crawlers, by their product tokens
//	Googlebot-Image:Googlebot  one crawler: its product token, and a token for when no group has the first one
//	@ai-training               a set of known crawlers
//	Mozilla/5.0 (…)            a User-Agent header; a notice shows the token in it
func (k *Known) ReadCrawlers(values []string, dialects ...*robotstxt.Dialect) (found [][]string, err error) {
	d := dialects[0]
	k.Dialect = d
	if slices.Contains(dialects, robotstxt.Google) {
		d = robotstxt.Google // since 2019, the tokens of this dialect are right for known crawlers in all dialects
	}
	seen := map[string]bool{}
	for _, value := range values {
		for _, name := range crawlernames.Names(value) {
			switch {
			case value == "":
				continue
			case name == "":
				return nil, crawlernames.ErrMissing(value)
			}
			some, err := k.readCrawler(name, d, dialects[0])
			if err != nil {
				return nil, err
			}
			for _, c := range some {
				if key := strings.ToLower(strings.Join(c, ":")); !seen[key] {
					seen[key] = true
					found = append(found, c)
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, ErrNoCrawler
	}
	for i, c := range found {
		if chain := k.chain(c, d); chain != nil && k.Chains {
			found[i] = chain
		}
	}
	k.noteOf(`a User-agent line is read up to the first character that is not a letter, "_" or "-": `, k.shortened)
	k.noteOf(crawlernames.NamelessNote, k.nameless)
	k.noteFacts(found)
	return found, nil
}

// InDialect does the same as ReadCrawlers for one dialect, but prints nothing.
func (k *Known) InDialect(values []string, d *robotstxt.Dialect) (found [][]string, err error) {
	silent := Known{term: &term.Terminal{Err: io.Discard}, Table: k.Table, Chains: k.Chains}
	return silent.ReadCrawlers(values, d)
}

var ErrNoCrawler = errors.New("-a CRAWLER is missing: name a crawler by its product token, such as -a Googlebot; -a '*' is a crawler without a group")

func (k *Known) NoteMisspelt(crawlers ...[]string) {
	table := k.KnownTable()
	for _, tokens := range crawlers {
		token := tokens[0]
		if len(tokens) > 1 {
			continue
		}
		if _, noted := k.misspelt.LoadOrStore(token, true); noted {
			continue
		}
		if meant := crawlernames.Meant(table, token); meant != "" {
			k.term.Notice(fmt.Sprintf("note: %s is not a known crawler; did you mean %s?", token, meant))
		}
	}
}

func (k *Known) readCrawler(name string, knownDialect, otherDialect *robotstxt.Dialect) ([][]string, error) {
	tokens, isKnown, err := crawlernames.Chain(name)
	if err == nil && isKnown {
		return k.readKnown(name, knownDialect)
	}
	if err == nil && crawlernames.IsNameless(k.Table, name, knownDialect) {
		c, _ := k.KnownTable().Lookup(name)
		k.nameless = appendNew(k.nameless, c.Token)
		return [][]string{{"*"}}, nil
	}
	k.hasEveryone = k.hasEveryone || name == "*"
	if err = cmp.Or(err, crawlernames.Check(tokens)); err != nil {
		return nil, err
	}
	for i, given := range tokens {
		if tokens[i], err = k.readAgent(given, otherDialect); err != nil {
			return nil, err
		}
	}
	return [][]string{tokens}, nil
}

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

func (k *Known) readAgent(given string, d *robotstxt.Dialect) (string, error) {
	token, ok := crawlernames.ReadAgent(d, given)
	switch {
	case !ok && !crawlernames.LooksLikeHeader(given) && strings.ContainsFunc(given, unicode.IsLetter):
		return "", fmt.Errorf("agent %q: no User-agent line can name this crawler, because its name does not begin with a letter, \"_\" or \"-\"; use -a '*'", given)
	case !ok:
		return "", fmt.Errorf("agent %q has no product token in it: expected letters, \"_\" and \"-\"; give the token that the crawler documents, such as -a Googlebot", given)
	case token == given && crawlernames.IsGoogle(d):
		k.NoticeRaw(given)
		return token, nil
	case token == given:
		return token, nil
	case crawlernames.LooksLikeHeader(given):
		k.term.Notice(fmt.Sprintf("note: heed reads the agent %q as the product token %s%s", given, token, severalNames(given)))
		return token, nil
	}
	if err := crawlernames.CheckLetters(given, token); err != nil {
		return "", err
	}
	k.shortened = append(k.shortened, given+" as "+token)
	return given, nil // answers name the crawler as the user wrote it; the dialect can read this name, too
}

// NoticeRaw prints a notice if an agent is not a product token. Google's parser accepts any text as an agent, but no
// User-agent line can name such an agent.
func (k *Known) NoticeRaw(agent string) {
	if robotstxt.ValidToken(agent) || agent == "*" || agent == robotstxt.NotEveryone {
		return
	}
	k.term.Notice(fmt.Sprintf("agent %q: in the dialect google, no User-agent line can name this crawler, because Google's parser reads a name only up to the first character that is not a letter, \"_\" or \"-\"", agent))
}

// CheckUserAgent returns an error if --user-agent contains no product token of a crawler in -a. Without this error,
// heed would ask about one crawler, and would send requests with the name of another.
func CheckUserAgent(userAgent string, crawlers ...[]string) error {
	tokens := slices.Concat(crawlers...)
	for _, token := range tokens {
		if token == "*" || strings.Contains(strings.ToLower(userAgent), strings.ToLower(token)) {
			return nil
		}
	}
	return fmt.Errorf("--user-agent %q does not contain the product token of the crawler in -a: expected %s in it", userAgent, printable.Some(tokens, " or "))
}
