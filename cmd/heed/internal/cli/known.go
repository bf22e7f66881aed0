package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// crawlerTable is the table of known crawlers, for "-a @NAME" and --chains.
type crawlerTable struct {
	file   string // more crawlers, of --crawlers; "": none
	chains bool   // --chains: a crawler that is given by its token alone gets its known chain

	table *crawlers.Table // nil: crawlers.Known()
}

// crawlerFlags adds the flags of a command that takes crawlers.
func (a *app) crawlerFlags(c *cobra.Command, agents *[]string) {
	c.Flags().StringArrayVarP(agents, "agent", "a", nil,
		`product tokens, "TOKEN:FALLBACK", "@NAME" or "@PURPOSE", joined by commas; may be repeated`)
	c.Flags().BoolVar(&a.known.chains, "chains", false, "if no group names a crawler, use the group of its known fallback")
	a.crawlersFlag(c)
}

// knownTable returns the table of known crawlers.
func (a *app) knownTable() *crawlers.Table { return cmp.Or(a.known.table, crawlers.Known()) }

// factsOf returns the facts about a crawler.
func (a *app) factsOf(tokens []string) report.Facts { return report.FactsOf(a.known.table, tokens) }

// readKnown returns the crawlers that "@NAME" means, with their chains. It skips crawlers that no User-agent
// line can name. Notices report these crawlers, and those that are read under another token.
func (a *app) readKnown(given string) (found [][]string, err error) {
	some, err := crawlernames.Known(a.known.table, given[1:])
	if err != nil {
		return nil, fmt.Errorf("agent %q: %w", given, err)
	}
	var skipped, renamed []string
	for _, c := range some {
		tokens := c.Agents()
		if len(tokens) == 0 {
			skipped = append(skipped, c.Token)
			continue
		}
		found = append(found, tokens)
		if as := c.ReadAs(); as != c.Token {
			renamed = append(renamed, c.Token+" as "+as)
		}
	}
	switch {
	case len(some) == 0:
		return nil, fmt.Errorf("agent %q: no known crawler is for that", given)
	case len(found) == 0:
		return nil, fmt.Errorf("agent %q: no User-agent line can name it, because its name does not begin with a letter, \"_\" or \"-\"; use -a '*'", given)
	}
	a.noteOf("skipped, because no User-agent line can name them: ", skipped)
	a.noteOf(`a User-agent line is read up to the first character that is no letter, "_" or "-": `, renamed)
	return found, nil
}

// noteFacts prints notices about crawlers that do not follow robots.txt as a verdict by its rules
// suggests.
func (a *app) noteFacts(some [][]string) {
	var disobedient, onlyOwn, answered []string
	for _, c := range some {
		facts := a.factsOf(c)
		switch {
		case facts.Obeys != nil:
			disobedient = append(disobedient, c[0])
		case facts.ObeysEveryone != nil && !slices.Contains(c, robotstxt.NotEveryone):
			answered = append(answered, c[0])
		case facts.ObeysEveryone != nil:
			onlyOwn = append(onlyOwn, c[0])
		}
	}
	a.noteOf("sources say that these do not follow robots.txt: ", disobedient)
	a.noteOf(`sources say that these follow only groups that name them, not "*": `, onlyOwn)
	a.noteOf(`answered as if they followed the groups for "*", though sources say that they do not; for the answer by that, write @ before the name: `, answered)
}

// mark returns what text shows behind the name of a crawler that does not follow robots.txt;
// "": it does, or may.
func (a *app) mark(tokens []string) string {
	if a.factsOf(tokens).Obeys == nil {
		return ""
	}
	return " (does not obey)"
}

// noteOf prints a notice about some crawlers, if there are any.
func (a *app) noteOf(what string, names []string) {
	if len(names) > 0 {
		a.notice("note: " + what + someOf(names, ", "))
	}
}

// chain returns the known chain of a crawler that is given by its token alone; nil: there is
// none.
func (a *app) chain(c []string) []string {
	if len(c) != 1 || c[0] == "*" {
		return nil
	}
	known, ok := a.knownTable().Lookup(c[0])
	if !ok {
		return nil
	}
	chain := known.Agents()
	chain = slices.DeleteFunc(chain, func(token string) bool { return token == robotstxt.NotEveryone }) // which is no fallback
	if len(chain) < 2 {
		return nil
	}
	return chain
}

// unusedChain returns the known chain of a crawler; nil: there is none, or it is unused already.
func (q *question) unusedChain(crawler int) []string {
	if _, unused := q.unused.Load(crawler); unused {
		return nil
	}
	return q.chain(q.crawlers[crawler])
}

// noteChain prints a notice if the token of a crawler may be misspelt, and notes that its known
// chain is unused if that would select other groups of a file. If a group names the crawler,
// neither can be true.
func (q *question) noteChain(crawler int, f *robotstxt.File) {
	tokens := q.crawlers[crawler]
	if groupsDiffer(f, tokens, nil) {
		return
	}
	q.noteMisspelt(tokens)
	if chain := q.unusedChain(crawler); chain != nil && groupsDiffer(f, tokens, chain) {
		q.unused.Store(crawler, true)
	}
}

// suggestChains prints a notice that suggests the unused chains.
func (q *question) suggestChains() {
	var names, chain []string
	for i, c := range q.crawlers {
		if _, unused := q.unused.Load(i); unused {
			chain = q.chain(c)
			names = append(names, chain[0])
		}
	}
	switch len(names) {
	case 0:
	case 1:
		q.notice(fmt.Sprintf("note: %s falls back to the group of %s; to apply that, use -a @%s", chain[0], strings.Join(chain[1:], ", then of "), chain[0]))
	default:
		q.notice(fmt.Sprintf("note: %s fall back to the groups of others; to apply that, use --chains", someOf(names, " and ")))
	}
}

// groupsDiffer reports whether two chains of tokens select different groups of a file.
func groupsDiffer(f *robotstxt.File, tokens, others []string) bool {
	return !slices.EqualFunc(f.Agent(tokens...).Explain("/").Groups, f.Agent(others...).Explain("/").Groups,
		func(a, b robotstxt.GroupUse) bool { return a.Role.Applies() == b.Role.Applies() })
}
