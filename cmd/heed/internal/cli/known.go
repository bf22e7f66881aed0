package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// crawlerTable is the table of known crawlers, which "-a @NAME" looks into.
type crawlerTable struct {
	file   string // that extends the table; "": none does
	chains bool   // known chains are applied to crawlers that are asked about by their token alone

	read *crawlers.Table
}

// crawlerFlags adds the flags of a command that asks about crawlers.
func (a *app) crawlerFlags(c *cobra.Command, agents *[]string) {
	c.Flags().StringArrayVarP(agents, "agent", "a", nil,
		`product tokens, "TOKEN:FALLBACK", "@NAME" or "@PURPOSE", joined by commas; may be repeated`)
	c.Flags().BoolVar(&a.known.chains, "chains", false, "if no group names a crawler, use the group of its known fallback")
	a.crawlersFlag(c)
}

// knownTable returns the table of known crawlers. It is read when it is needed first.
func (a *app) knownTable() (t *crawlers.Table, err error) {
	if a.known.read == nil {
		a.known.read, err = a.readTable(a.known.file)
	}
	return a.known.read, err
}

// readKnown returns the crawlers that "@NAME" stands for, with their chains.
func (a *app) readKnown(given string) ([]crawler, error) {
	table, err := a.knownTable()
	if err != nil {
		return nil, err
	}
	some, err := crawlersBehind(table, given[1:])
	if err != nil {
		return nil, fmt.Errorf("agent %q: %w", given, err)
	}
	return a.askAbout(some, given)
}

// crawlersBehind returns the crawlers that a name stands for behind "@".
func crawlersBehind(table *crawlers.Table, name string) ([]crawlers.Crawler, error) {
	set := crawlers.Purpose(strings.ToLower(name))
	switch one, ok := table.Lookup(name); {
	case ok:
		return []crawlers.Crawler{one}, nil
	case set == "known":
		return slices.Collect(table.All()), nil
	case slices.Contains(crawlers.Purposes(), set):
		return slices.Collect(table.For(set)), nil
	case name == "*":
		return nil, errors.New(`expected '*' for a crawler that no group names, or @known for all known crawlers`)
	}
	names := namesOfSets()
	for c := range table.All() {
		names = append(names, "@"+c.Token)
	}
	if meant := closest("@"+name, names); meant != "" {
		return nil, fmt.Errorf("no crawler of that name is known; did you mean %s?", meant)
	}
	return nil, fmt.Errorf("no crawler of that name is known; expected one that heed crawlers lists, such as @Googlebot, or a set of them: %s",
		strings.Join(namesOfSets(), ", "))
}

// namesOfSets returns the names of the sets.
func namesOfSets() []string {
	names := []string{"@known"}
	for _, p := range crawlers.Purposes() {
		names = append(names, "@"+string(p))
	}
	return names
}

// askAbout returns crawlers of the table as they are asked about. Those that no line can
// name are left out. Notices say so, and what else the answers about them do not show.
func (a *app) askAbout(some []crawlers.Crawler, given string) ([]crawler, error) {
	var found []crawler
	var unnamed, renamed, deaf, named []string
	for _, c := range some {
		tokens := c.Agents()
		if len(tokens) == 0 {
			unnamed = append(unnamed, c.Token)
			continue
		}
		found = append(found, crawler{tokens})
		if as := c.ReadAs(); as != c.Token {
			renamed = append(renamed, c.Token+" as "+as)
		}
		switch {
		case c.Obeys == crawlers.No:
			deaf = append(deaf, c.Token)
		case c.ObeysWildcard == crawlers.No:
			named = append(named, c.Token)
		}
	}
	switch {
	case len(some) == 0:
		return nil, fmt.Errorf("agent %q: no known crawler is for that", given)
	case len(found) == 0:
		return nil, fmt.Errorf("agent %q: no User-agent line can name it, since its name does not begin with a letter, \"_\" or \"-\"; use -a '*'", given)
	}
	a.noteOf("skipped, because no User-agent line can name them: ", unnamed)
	a.noteOf(`a User-agent line is read up to the first character that is no letter, "_" or "-": `, renamed)
	a.noteOf("sources say that these do not follow robots.txt: ", deaf)
	a.noteOf(`sources say that these follow only groups that name them, not "*": `, named)
	return found, nil
}

// noteOf says what is to be known of some crawlers, if there are any.
func (a *app) noteOf(what string, names []string) {
	if len(names) > 0 {
		a.notice("note: " + what + someOf(names, ", "))
	}
}

// applyChains gives crawlers the chains that are known of them, if that is wanted.
func (a *app) applyChains(asked []crawler) error {
	if !a.known.chains {
		return nil
	}
	for i, c := range asked {
		chain, err := a.chain(c)
		if err != nil {
			return err
		}
		if chain != nil {
			asked[i].tokens = chain
		}
	}
	return nil
}

// chain returns the chain that is known of a crawler which is given by its token alone;
// nil: there is none.
func (a *app) chain(c crawler) ([]string, error) {
	if len(c.tokens) != 1 || c.tokens[0] == "*" {
		return nil, nil
	}
	table, err := a.knownTable()
	if err != nil {
		return nil, err
	}
	if known, ok := table.Lookup(c.tokens[0]); ok && len(known.Agents()) > 1 {
		return known.Agents(), nil
	}
	return nil, nil
}

// unused finds crawlers that are asked about without the chain that is known of them.
type unused struct {
	mu     sync.Mutex
	matter []int // the crawlers that would have other answers with theirs
}

// unusedChain returns the chain of a crawler of which it is not known yet whether it
// matters; nil: there is none.
func (q *question) unusedChain(crawler int) []string {
	q.unused.mu.Lock()
	defer q.unused.mu.Unlock()
	if slices.Contains(q.unused.matter, crawler) {
		return nil
	}
	chain, _ := q.chain(q.crawlers[crawler]) // the table can be read: see read
	return chain
}

// seeChain sees whether other groups of a file would apply to a crawler with its chain, or
// whether its token is misspelt. Neither is so where a group names the crawler, and then the
// table need not be read.
func (q *question) seeChain(crawler int, f *robotstxt.File) {
	tokens := q.crawlers[crawler].tokens
	if q.known.read == nil && chooseOtherwise(f, tokens, nil) {
		return
	}
	q.noteMisspelt(q.crawlers[crawler])
	if chain := q.unusedChain(crawler); chain != nil && chooseOtherwise(f, tokens, chain) {
		q.unused.matters(crawler)
	}
}

// matters takes note of a crawler that would have another answer with its chain.
func (u *unused) matters(crawler int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.Contains(u.matter, crawler) {
		u.matter = append(u.matter, crawler)
	}
}

// suggestChains suggests the chains that matter, in one notice.
func (q *question) suggestChains() {
	matter := slices.Sorted(slices.Values(q.unused.matter))
	switch len(matter) {
	case 0:
	case 1:
		chain, _ := q.chain(q.crawlers[matter[0]])
		q.notice(fmt.Sprintf("note: %s falls back to the group of %s; to apply that, use -a @%s", chain[0], strings.Join(chain[1:], ", then of "), chain[0]))
	default:
		var names []string
		for _, i := range matter {
			chain, _ := q.chain(q.crawlers[i])
			names = append(names, chain[0])
		}
		q.notice(fmt.Sprintf("note: %s fall back to the groups of others; to apply that, use --chains", someOf(names, " and ")))
	}
}

// chooseOtherwise reports whether other groups of a file apply to the crawler of some
// tokens than to that of others.
func chooseOtherwise(f *robotstxt.File, tokens, others []string) bool {
	return !slices.EqualFunc(f.Agent(tokens...).Explain("/").Groups, f.Agent(others...).Explain("/").Groups,
		func(a, b robotstxt.GroupUse) bool { return a.Role.Applies() == b.Role.Applies() })
}
