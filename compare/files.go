package compare

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Everyone stands for all crawlers that neither file names.
const Everyone = "*"

// A FilesResult says how two files differ for all crawlers.
type FilesResult struct {
	Outcome Outcome
	// The first element of Crawlers stands for all crawlers without a group in either file. Then come the crawlers that a
	// file names, in file order, and then the chains given to Files.
	Crawlers []Crawler

	// Incomplete is true if the files name too many crawlers to compare all. Then Outcome is never Equal. The field
	// Crawlers has all crawlers that the caller gave, even then.
	Incomplete bool

	// OtherChains is true if only one file names some crawler. Then chains that the caller did not give may have
	// different verdicts. This is possible even if Outcome is Equal. A chain is the list of the product tokens of
	// one crawler, often only one token. Its last token may be robotstxt.NotEveryone.
	OtherChains bool
}

// A Crawler is one crawler with the result of comparing two files for it.
type Crawler struct {
	Tokens   []string // the product tokens, the most specific first; empty for all crawlers without a group in either file
	MadeUp   bool     // the name is in no file, but contains a name of each file (S94-6)
	Old, New *robotstxt.Policy
	Groups   string // a text that is equal for crawlers to which the same groups apply
	Result   Result
}

// String returns the tokens with colons between them, such as "a:b", or "*" for all crawlers without a group in either file.
func (c Crawler) String() string {
	if len(c.Tokens) == 0 {
		return Everyone
	}
	return strings.Join(c.Tokens, ":")
}

// Files compares two files for each crawler that they name, for the given chains, and for all other crawlers together.
// A chain is the list of the product tokens of one crawler. The empty name is no crawler. A file may name the
// first token of a chain. If the other tokens of the chain make a difference, the chain takes the place of this name.
//
// If the context ends, the result is Incomplete. The result also has purpose tokens. WithoutTokens takes them out.
func Files(ctx context.Context, old, new *robotstxt.File, chains ...[]string) FilesResult {
	f := newFiles(ctx, old, new)
	f.add(nil, given)
	for _, chain := range chains { // the given chains first, so that a limit affects only crawlers that the caller did not ask for
		f.add(chain, given)
	}
	others := slices.Clone(f.result.Crawlers[1:])
	f.result.Crawlers = f.result.Crawlers[:1]
	f.known = knownByName(others)
	for _, name := range namesIn(old, new) {
		f.add([]string{name}, named)
	}
	f.result.Crawlers = append(f.result.Crawlers, others...)
	if old.Dialect().NamesAreParts() || new.Dialect().NamesAreParts() {
		f.addMadeUp()
	}
	f.result.OtherChains = f.result.OtherChains || hasOthers(ctx, old, new) || hasOthers(ctx, new, old)
	return f.end()
}

// FilesFor does the same as Files, but only for the given chains. The chain "*" stands for all crawlers without
// a group in either file.
func FilesFor(ctx context.Context, old, new *robotstxt.File, chains ...[]string) FilesResult {
	f := newFiles(ctx, old, new)
	for _, chain := range chains {
		if slices.Equal(chain, []string{Everyone}) {
			chain = nil
		}
		f.add(chain, given)
	}
	return f.end()
}

type files struct {
	ctx context.Context

	old, new *robotstxt.File
	names    int
	known    map[string]Crawler // the given crawlers, by their first token in lower case
	result   FilesResult
	results  map[string]Result // by groupsKey
	work     int
}

func newFiles(ctx context.Context, old, new *robotstxt.File) *files {
	f := &files{ctx: ctx, old: old, new: new, results: map[string]Result{}}
	for _, file := range []*robotstxt.File{old, new} {
		for group := range file.Groups() {
			f.names += len(group.Agents)
		}
	}
	return f
}

// maxFilesWork limits the work for all crawlers together. Reading a User-agent line is one step.
const maxFilesWork = 2 * MaxWork

type kind uint8

const (
	given kind = iota // the caller asks for the crawler, so it is always in the result
	named             // a file names the crawler
	// madeUp: addMadeUp has made the name. It is left out if the same groups apply to an earlier crawler.
	madeUp
)

func (f *files) add(tokens []string, kind kind) {
	spent := f.work > maxFilesWork || ended(f.ctx)
	if spent && kind != given {
		f.result.Incomplete = true
		return
	}
	c := Crawler{Tokens: tokens, MadeUp: kind == madeUp, Old: f.old.Agent(tokens...), New: f.new.Agent(tokens...)}
	c.Groups = groupsKey(c.Old, c.New)
	if chain, ok := f.known[ascii.ToLower(c.String())]; ok && kind == named && chain.Groups != c.Groups {
		c, f.result.OtherChains = chain, true // a crawler with only this name may have other verdicts
	}
	f.work += f.names + len(c.Groups)
	result, known := f.results[c.Groups]
	switch {
	case known && kind == madeUp:
		return
	case !known && spent:
		f.result.Incomplete = true
	case !known:
		result = Policies(f.ctx, c.Old, c.New)
		f.results[c.Groups] = result
		f.work += result.Work
	}
	c.Result = result
	f.result.Crawlers = append(f.result.Crawlers, c)
}

func knownByName(given []Crawler) map[string]Crawler {
	known := map[string]Crawler{}
	// The order is backward, so that of several chains with the same first token the first one stays.
	for _, c := range slices.Backward(given) {
		if len(c.Tokens) > 0 {
			known[ascii.ToLower(c.Tokens[0])] = c
		}
	}
	return known
}

func groupsKey(old, new *robotstxt.Policy) string {
	var key []byte
	for _, p := range []*robotstxt.Policy{old, new} {
		key = append(key, byte(p.Otherwise().Reason))
		groups := p.GroupsThatApply()
		key = binary.AppendUvarint(key, uint64(len(groups)))
		for _, group := range groups {
			key = binary.AppendUvarint(key, uint64(group))
		}
	}
	return string(key)
}

func namesIn(files ...*robotstxt.File) (names []string) {
	seen := map[string]bool{}
	for _, file := range files {
		for group := range file.Groups() {
			for _, agent := range group.Agents {
				if name := ascii.ToLower(agent.Name); !agent.Everyone && name != "" && !seen[name] {
					seen[name] = true
					names = append(names, agent.Name)
				}
			}
		}
	}
	return names
}

// hasOthers reports whether there is a crawler that only the first file names, and for which the second file may have
// other verdicts than for "*". Suppose that the second file names no crawler. Then its verdicts can be different only
// for a crawler that does not follow the groups for "*". They are different only if these groups disallow something.
func hasOthers(ctx context.Context, first, second *robotstxt.File) bool {
	names := map[string]bool{}
	for _, name := range namesIn(second) {
		names[ascii.ToLower(name)] = true
	}
	if !slices.ContainsFunc(namesIn(first), func(name string) bool {
		_, token := usage.TokenNamed(name) // a purpose token, such as Google-Extended, is not a crawler
		return !names[ascii.ToLower(name)] && !token
	}) {
		return false
	}
	if len(names) > 0 {
		return true
	}
	outcome, _ := BlocksNothing(ctx, second.Agent(Everyone))
	return outcome != Equal
}

// addMadeUp adds made-up names such as "a_b". In some dialects, the groups "a" and "b" both apply to "a_b".
func (f *files) addMadeUp() {
	parts := func(file *robotstxt.File) []string {
		if !file.Dialect().NamesAreParts() {
			return []string{""}
		}
		return namesIn(file)
	}
	joints := tokenJoints
	if f.old.Dialect().NamesAreParts() && f.new.Dialect().NamesAreParts() {
		if slices.Equal(orderOf(f.old), orderOf(f.new)) {
			return // the same name decides in both files, and every name is compared already
		}
		joints += otherJoints
	}
	all := ascii.ToLower(strings.Join(namesIn(f.old, f.new), "/"))
	unused := strings.IndexFunc(joints, func(joint rune) bool { return !strings.ContainsRune(all, joint) })
	if unused < 0 {
		f.result.Incomplete = true
		return
	}
	for _, a := range parts(f.old) {
		for _, b := range parts(f.new) {
			f.add([]string{a + joints[unused:unused+1] + b}, madeUp)
			if f.result.Incomplete {
				return
			}
		}
	}
}

func orderOf(file *robotstxt.File) (names []string) {
	for group := range file.Groups() {
		for _, agent := range group.Agents {
			names = append(names, ascii.ToLower(agent.Name))
		}
	}
	return names
}

// A made-up name is two names with a joint between them. The rarest joints are tried first. Those of otherJoints are tried only
// if both dialects look for parts of names.
const (
	tokenJoints = "_-qxzjkvwyfbghmpdlucntrsioae"
	otherJoints = "~+=!:.0123456789"
)

func (f *files) end() FilesResult {
	f.result.Outcome = f.result.outcome()
	return f.result
}

func (r *FilesResult) outcome() Outcome {
	outcome := Equal
	for _, c := range r.Crawlers {
		switch c.Result.Outcome {
		case Differs:
			return Differs
		case Undecided:
			outcome = Undecided
		}
	}
	if r.Incomplete {
		return Undecided
	}
	return outcome
}

// WithoutTokens splits the result: rest has only the crawlers, and tokens has the purpose tokens, which are no crawlers
// (AI-10). The function Preferences compares the groups of purpose tokens.
func (r FilesResult) WithoutTokens() (rest FilesResult, tokens []Crawler) {
	rest = r
	rest.Crawlers = nil
	for _, c := range r.Crawlers {
		if _, is := tokenOf(c); is {
			tokens = append(tokens, c)
		} else {
			rest.Crawlers = append(rest.Crawlers, c)
		}
	}
	rest.Outcome = rest.outcome()
	return rest, tokens
}
