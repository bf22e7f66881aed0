package sites

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// Known reads the names of crawlers on a command line, with the table of known crawlers.
type Known struct {
	term   *term.Terminal
	File   string // the value of --crawlers: a file with more crawlers
	Chains bool   // the value of --chains: "-a TOKEN" also means the fallback tokens that the table has for this crawler

	Table       *crawlers.Table    // nil means crawlers.Known()
	Dialect     *robotstxt.Dialect // used by Name and NameInFile; ReadCrawlers sets it
	shortened   []string           // names of which only the first letters are read, such as "MJ12bot as MJ"
	nameless    []string           // known crawlers that no User-agent line can name, such as 360Spider
	hasEveryone bool
	misspelt    sync.Map
}

func (k *Known) CrawlerFlags(on *term.Terminal, c *cobra.Command, agents *[]string) {
	c.Flags().StringArrayVarP(agents, "agent", "a", nil,
		`crawlers, separated by commas: product tokens, "TOKEN:FALLBACK", "@NAME" or "@PURPOSE"; may be repeated`)
	c.Flags().BoolVar(&k.Chains, "chains", false, "if there is no group for a crawler, use the group of its known fallback")
	k.CrawlersFlag(on, c)
}

func (k *Known) KnownTable() *crawlers.Table { return cmp.Or(k.Table, crawlers.Known()) }

func (k *Known) FactsOf(tokens []string) report.Facts { return report.FactsOf(k.Table, tokens) }

func (k *Known) readKnown(given string, d *robotstxt.Dialect) (found [][]string, err error) {
	some, err := crawlernames.Known(k.Table, given[1:])
	switch {
	case err != nil:
		return nil, fmt.Errorf("agent %q: %w", given, err)
	case len(some) == 0:
		return nil, fmt.Errorf(`agent %q: no crawler in the table has this purpose; the command "heed crawlers" shows the purposes`, given)
	}
	for _, c := range some {
		tokens := crawlernames.Agents(&c, d)
		found = append(found, tokens)
		if as, _ := d.ReadAgent(tokens[0]); as == "*" {
			k.nameless = appendNew(k.nameless, c.Token)
		} else if as != c.Token {
			k.shortened = append(k.shortened, c.Token+" as "+as)
		}
	}
	return found, nil
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// noteFacts prints notices about crawlers whose verdicts may mislead. For example, a crawler may not follow
// robots.txt.
func (k *Known) noteFacts(some [][]string) {
	var disobedient, onlyOwn, answered, preferences []string
	for _, c := range some {
		facts := k.FactsOf(c)
		switch {
		case facts.Obeys != nil:
			disobedient = append(disobedient, c[0])
		case facts.ObeysEveryone != nil && !slices.Contains(c, robotstxt.NotEveryone):
			answered = append(answered, c[0])
		case facts.ObeysEveryone != nil:
			onlyOwn = append(onlyOwn, c[0])
		case facts.PurposeToken != "":
			preferences = append(preferences, c[0])
		}
	}
	k.noteOf("sources say that these crawlers do not follow robots.txt, or not always: ", disobedient)
	k.noteOf(`sources say that these crawlers follow only groups that name them, not "*": `, onlyOwn)
	k.noteOf(`sources say that these crawlers do not follow the groups for "*", but heed answers as if they did; to change that, write @ before the name: `, answered)
	k.noteOf(`purpose tokens are not crawlers: only groups that name them state preferences about training; without such a group, a verdict comes from the groups for "*": `, preferences)
}

// The user may give a crawler that no User-agent line can name. For such a crawler, tokens are "*". IsNameless
// reports whether this is the case.
func (k *Known) IsNameless(tokens []string) bool {
	return len(k.nameless) > 0 && !k.hasEveryone && slices.Equal(tokens, []string{"*"})
}

// For crawlers that no User-agent line can name, the tokens are "*". Name returns their real names.
func (k *Known) Name(tokens []string) string {
	if k.IsNameless(tokens) {
		return printable.Text(crawlernames.Nameless(k.nameless))
	}
	return printable.Text(crawlernames.Shown(k.Table, tokens, k.Dialect))
}

// NameInFile does the same as Name, for tokens that may be in a file.
func (k *Known) NameInFile(tokens []string) string {
	if k.IsNameless(tokens) {
		return k.Name(tokens)
	}
	return printable.Text(crawlernames.ShownInFile(k.Table, tokens, k.Dialect))
}

func (k *Known) NameAndRemark(tokens []string) string { return k.Name(tokens) + k.Remark(tokens) }

// Remark returns a text to print after the name of a crawler. The text says that the crawler ignores robots.txt
// or that the token is not a crawler (AI-10). If none of this is true, Remark returns "".
func (k *Known) Remark(tokens []string) string {
	switch facts := k.FactsOf(tokens); {
	case facts.Obeys != nil:
		return " (does not obey)"
	case facts.PurposeToken != "":
		return " (purpose token)"
	}
	return ""
}

func (k *Known) noteOf(text string, names []string) {
	var each []string
	for _, name := range names {
		each = appendNew(each, name)
	}
	if len(each) > 0 {
		k.term.Notice("note: " + text + printable.Some(each, ", "))
	}
}

// If the user gave only one token of a crawler, chain returns all known tokens of this crawler. In all other cases,
// chain returns nil.
func (k *Known) chain(c []string, d *robotstxt.Dialect) []string {
	if len(c) != 1 || c[0] == "*" {
		return nil
	}
	known, ok := k.KnownTable().Lookup(c[0])
	if !ok {
		return nil
	}
	chain := crawlernames.Agents(&known, d)
	chain = slices.DeleteFunc(chain, func(token string) bool { return token == robotstxt.NotEveryone }) // this token only means that "*" does not apply to the crawler
	if len(chain) < 2 {
		return nil
	}
	return chain
}

func (q *Question) UnusedChain(crawler int) []string {
	if _, unused := q.UnusedChains.Load(crawler); unused {
		return nil
	}
	return q.Known.chain(q.Crawlers[crawler], q.Dialect)
}

// NoteChain prints a notice if a token may be misspelt. The crawler may have known tokens that the question does not
// use. If these tokens would choose other groups, NoteChain adds the crawler to q.UnusedChains.
func (q *Question) NoteChain(crawler int, f *robotstxt.File) {
	tokens := q.Crawlers[crawler]
	if groupsDiffer(f, tokens, nil) {
		return
	}
	q.Known.NoteMisspelt(tokens)
	if chain := q.UnusedChain(crawler); chain != nil && groupsDiffer(f, tokens, chain) {
		q.UnusedChains.Store(crawler, true)
	}
}

// SuggestChains suggests to ask about the crawlers in q.UnusedChains with all their known tokens.
func (q *Question) SuggestChains() {
	var chains [][]string
	for i, c := range q.Crawlers {
		if _, unused := q.UnusedChains.Load(i); unused {
			chains = append(chains, q.Known.chain(c, q.Dialect))
		}
	}
	q.Known.suggest(chains)
}

// SuggestChains is like Question.SuggestChains, for several files. A crawler may have other known tokens.
// SuggestChains suggests these tokens if they would choose other groups in one of the files.
func (k *Known) SuggestChains(crawlers [][]string, files ...report.Input) {
	var chains [][]string
	for _, c := range crawlers {
		chain := k.chain(c, files[0].File.Dialect())
		if chain != nil && slices.ContainsFunc(files, func(in report.Input) bool { return groupsDiffer(in.File, c, chain) }) {
			chains = append(chains, chain)
		}
	}
	k.suggest(chains)
}

func (k *Known) suggest(chains [][]string) {
	var names []string
	for _, chain := range chains {
		names = append(names, chain[0])
	}
	switch len(names) {
	case 0:
	case 1:
		k.term.Notice(suggestion(chains[0], "use -a"))
	default:
		k.term.Notice(fmt.Sprintf("note: if there is no group for them, the crawlers %s follow the groups of other crawlers; to include those groups, use --chains", printable.Some(names, " and ")))
	}
}

func suggestion(chain []string, how string) string {
	return fmt.Sprintf("note: if there is no group for %s, this crawler follows the group of %s; to include that group, %s @%s", chain[0], strings.Join(chain[1:], ", then of "), how, chain[0])
}

// SuggestInCase is like SuggestChains, for the crawler of a test case. It suggests each chain once.
func (k *Known) SuggestInCase(crawler []string, f *robotstxt.File) {
	chain := k.chain(crawler, f.Dialect())
	if chain != nil && groupsDiffer(f, crawler, chain) {
		k.term.NoticeOnce(chain[0], suggestion(chain, "write"))
	}
}

func groupsDiffer(f *robotstxt.File, tokens, others []string) bool {
	return !slices.EqualFunc(f.Agent(tokens...).Explain("/").Groups, f.Agent(others...).Explain("/").Groups,
		func(a, b robotstxt.GroupUse) bool { return a.Role.Applies() == b.Role.Applies() })
}

// CrawlersFlag adds the flag --crawlers. The file of this flag is read before the command runs.
func (k *Known) CrawlersFlag(on *term.Terminal, c *cobra.Command) {
	k.term = on
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		k.Table, err = k.readTable(k.File)
		return err
	}
	c.Flags().StringVar(&k.File, "crawlers", "", "add the crawlers in `FILE` to the known crawlers (JSON lines, as heed crawlers --format jsonl prints them); only:FILE uses only the crawlers in FILE")
}

// Wrong rows are reported and left out.
func (k *Known) readTable(value string) (*crawlers.Table, error) {
	if value == "" {
		return nil, nil
	}
	path, only := strings.CutPrefix(value, "only:")
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--crawlers: %w", err)
	}
	defer f.Close()
	in := &io.LimitedReader{R: f, N: maxTable + 1}
	table, wrong, err := crawlers.Read(in)
	if in.N == 0 { // the rest of a file that is too long is not read, because a device may never end
		return nil, fmt.Errorf("--crawlers: %s is larger than %d MiB: expected a table of crawlers, which is smaller", path, maxTable>>20)
	}
	for _, err := range wrong {
		k.term.Complain(fmt.Errorf("--crawlers: %s, %w", path, err))
	}
	if err != nil {
		return nil, fmt.Errorf("--crawlers: %s: %w", path, err)
	}
	if only {
		return table, nil
	}
	return crawlers.Known().With(table), nil
}

const maxTable = 16 << 20
