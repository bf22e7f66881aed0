package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A PreferenceResult says how two files differ about one purpose, for one crawler. It is only about URLs that both files
// allow (AI-3).
type PreferenceResult struct {
	Purpose  usage.Purpose
	Outcome  Outcome
	Witness  string           // the shortest path that was found whose preferences differ; "" if none was found
	Old, New usage.Preference // the preferences about the Witness
}

// A CrawlerPreferences says how the preferences of two files differ for one crawler or one purpose token.
type CrawlerPreferences struct {
	Crawler
	Token    bool             // this is a purpose token, not a crawler; only the groups that name the token are compared
	Use      [2]*usage.Policy // the preferences of the old and the new file; nil if reading them would take too much work
	Purposes []PreferenceResult
}

// Preferences compares the preferences of two files. The parameter crawlers has crawlers of the FilesResult of these two
// files. If neither file has a preference, the result is empty. If the context ends, the rest is Undecided.
func Preferences(ctx context.Context, old, new *robotstxt.File, crawlers []Crawler) (all []CrawlerPreferences) {
	uses := [2]*usage.Robots{usage.Read(old), usage.Read(new)}
	if uses[0].IsSilent() && uses[1].IsSilent() {
		return nil
	}
	f := preferences{ctx: ctx, old: old.In(robotstxt.RFC9309), new: new.In(robotstxt.RFC9309), known: map[string]CrawlerPreferences{}}
	f.uses, f.operators = uses, slices.Concat(uses[0].Operators(), uses[1].Operators())
	for _, file := range []*robotstxt.File{f.old, f.new} {
		for range file.Lines() {
			f.reading += lineWork
		}
	}
	for _, c := range crawlers {
		all = append(all, f.preferencesOf(c))
	}
	return all
}

// lineWork is the work of reading the preferences in one line for one crawler, in search steps.
const lineWork = 64

type preferences struct {
	ctx       context.Context
	old, new  *robotstxt.File // read as RFC 9309, because this is the dialect of preferences (AI-5)
	uses      [2]*usage.Robots
	operators []string // the operators that have a purpose token in one of the files
	reading   int      // steps to read the statements of both files for one crawler
	known     map[string]CrawlerPreferences
	work      int
}

func (f *preferences) preferencesOf(c Crawler) CrawlerPreferences {
	token, isToken := tokenOf(c)
	key := token.Name
	if !isToken {
		key = f.key(c)
	}
	p, known := f.known[key]
	if !known {
		p = f.read(c, token)
		f.known[key] = p
	}
	p.Crawler = c
	return p
}

// read compares the preferences for a crawler. If the parameter token is not zero, read compares only the groups that name this
// purpose token.
func (f *preferences) read(c Crawler, token usage.Token) (p CrawlerPreferences) {
	purposes, crawl := usage.Purposes(), []*robotstxt.Policy{c.Old, c.New}
	if token.Name != "" {
		purposes, crawl, p.Token = []usage.Purpose{token.Purpose}, nil, true
	}
	if f.work += f.reading; f.work > maxFilesWork || ended(f.ctx) {
		for _, purpose := range purposes {
			p.Purposes = append(p.Purposes, PreferenceResult{Purpose: purpose})
		}
		return p
	}
	for i, uses := range f.uses {
		p.Use[i] = uses.For(usage.Options{}, c.Tokens...)
	}
	for _, purpose := range purposes {
		p.Purposes = append(p.Purposes, f.comparePurpose(crawl, p.Use, purpose))
	}
	return p
}

func tokenOf(c Crawler) (usage.Token, bool) {
	if len(c.Tokens) == 0 {
		return usage.Token{}, false
	}
	return usage.TokenNamed(c.Tokens[0])
}

// key returns a text that is equal for two crawlers if the same rules and preferences apply to both. Preferences are read as in
// RFC 9309 (AI-5).
func (f *preferences) key(c Crawler) string {
	operator := usage.OperatorOf(c.Tokens)
	if !slices.Contains(f.operators, operator) {
		operator = ""
	}
	return fmt.Sprintf("%q %q %q", c.Groups, groupsKey(f.old.Agent(c.Tokens...), f.new.Agent(c.Tokens...)), operator)
}

func (f *preferences) comparePurpose(crawl []*robotstxt.Policy, use [2]*usage.Policy, purpose usage.Purpose) PreferenceResult {
	r := PreferenceResult{Purpose: purpose, Outcome: Equal}
	paths := []string{"/"}
	for _, least := range []usage.Preference{usage.Allowed, usage.Disallowed} {
		for _, pair := range pairsOf(use[0].Says(purpose, least), use[1].Says(purpose, least)) {
			if f.work > maxFilesWork {
				r.Outcome = Undecided
				break
			}
			found := Policies(f.ctx, pair[0], pair[1])
			f.work += found.Work
			if found.Outcome == Equal {
				continue
			}
			r.Outcome = Undecided // until the paths show more: another carrier may say the same, or the pages may be disallowed
			for _, change := range found.Changes {
				paths = append(paths, change.Witness)
			}
			paths = append(paths, examplesOf(pair[:])...)
		}
	}
	if r.Outcome == Equal || f.anyBlocksAll(crawl) {
		r.Outcome = Equal
		return r
	}
	paths = append(paths, examplesOf(crawl)...)
	f.work += checkWork * len(paths)
	r.findWitness(paths, crawl, use)
	return r
}

func (f *preferences) anyBlocksAll(crawl []*robotstxt.Policy) bool {
	return slices.ContainsFunc(crawl, func(p *robotstxt.Policy) bool {
		outcome, _ := BlocksAll(f.ctx, p)
		return outcome == Equal
	})
}

func (r *PreferenceResult) findWitness(paths []string, crawl []*robotstxt.Policy, use [2]*usage.Policy) {
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(lengthOf(a), lengthOf(b)), cmp.Compare(a, b)) })
	for _, path := range slices.Compact(paths) {
		if slices.ContainsFunc(crawl, func(p *robotstxt.Policy) bool { return !Check(p, path).Allowed }) {
			continue
		}
		old, new := preferenceOf(use[0], path, r.Purpose), preferenceOf(use[1], path, r.Purpose)
		if old != new {
			r.Outcome, r.Witness, r.Old, r.New = Differs, path, old, new
			return
		}
	}
}

func preferenceOf(p *usage.Policy, path string, purpose usage.Purpose) usage.Preference {
	return p.Check("http://www.example.com"+path, true, nil)[purpose]
}

const maxExamples = 1000

func examplesOf(policies []*robotstxt.Policy) (paths []string) {
	for _, p := range policies {
		n, form := 0, robotstxt.PathsOf(p, p)
		for pattern := range p.Patterns() {
			if n++; n > maxExamples {
				break
			}
			paths = append(paths, form.URLPath(newRule("", pattern).shortestPath))
		}
	}
	return paths
}

// noTargets allows no URL. It stands for a carrier (a kind of line, such as Content-Usage) that a file does not have.
var noTargets = robotstxt.FirstOfRules([]robotstxt.Rule{{Pattern: "/"}})

// pairsOf makes pairs: a policy of the old file, and a policy of the new file. The two policies have the same carrier
// (a kind of line, such as Content-Usage). If each file has at most one policy, these two policies are the only pair.
func pairsOf(old, new []usage.Says) (pairs [][2]*robotstxt.Policy) {
	isOnly := len(old) <= 1 && len(new) <= 1
	place := map[string]int{}
	for which, all := range [2][]usage.Says{old, new} {
		for _, says := range all {
			by := says.By
			if isOnly {
				by = ""
			}
			at, known := place[by]
			if !known {
				at = len(pairs)
				place[by] = at
				pairs = append(pairs, [2]*robotstxt.Policy{noTargets, noTargets})
			}
			pairs[at][which] = says.Policy
		}
	}
	return pairs
}
