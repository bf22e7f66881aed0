package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A PreferenceResult is how the preferences of two files about one purpose differ, for one crawler: about the URLs that it may fetch
// by both files. Of another URL, the verdict has changed, or it has no preference at all (AI-3).
type PreferenceResult struct {
	Purpose  usage.Purpose
	Outcome  Outcome
	Witness  string           // a path with other preferences, if these differ; the shortest one that was found
	Old, New usage.Preference // of the witness
	Work     int              // the steps of the search
}

// A CrawlerPreferences is how the preferences of two files differ for one crawler, or what the group of one purpose token says.
type CrawlerPreferences struct {
	Crawler
	Token    bool             // it is no crawler, but a purpose token: its group is compared by itself
	Use      [2]*usage.Policy // of the old and the new file; nil: they were not read, because that takes too much work
	Purposes []PreferenceResult
}

// Preferences finds out how the preferences of two files about the use of content differ, for each of some crawlers, as Files has them.
// It returns none if no file has a preference. Crawlers for which the same statements count are compared once. Soon after the end
// of the context, the rest is Undecided.
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
		all = append(all, f.of(c))
	}
	return all
}

// lineWork is about how many steps it takes to read one line for the statements of one crawler.
const lineWork = 64

// preferences is one call of Preferences.
type preferences struct {
	ctx       context.Context
	old, new  *robotstxt.File  // in RFC 9309, as statements are read (AI-5)
	uses      [2]*usage.Robots // of old and new
	operators []string         // those with a purpose token of their own
	reading   int              // the work of reading the statements of both files for one crawler
	known     map[string]CrawlerPreferences
	work      int // for all crawlers together
}

func (f *preferences) of(c Crawler) CrawlerPreferences {
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

// read compares the preferences for a crawler, or the groups of a purpose token.
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
		p.Purposes = append(p.Purposes, f.compare(crawl, p.Use, purpose))
	}
	return p
}

// tokenOf returns the purpose token that a crawler is, if it is none.
func tokenOf(c Crawler) (usage.Token, bool) {
	if len(c.Tokens) == 0 {
		return usage.Token{}, false
	}
	return usage.TokenNamed(c.Tokens[0])
}

// key is equal for crawlers for which the same rules and the same statements count: the groups of statements are those of RFC 9309
// in every dialect (AI-5).
func (f *preferences) key(c Crawler) string {
	operator := usage.OperatorOf(c.Tokens)
	if !slices.Contains(f.operators, operator) {
		operator = ""
	}
	return fmt.Sprintf("%q %q %q", c.Groups, groupsKey(f.old.Agent(c.Tokens...), f.new.Agent(c.Tokens...)), operator)
}

// compare compares preferences about one purpose, for the URLs that all crawl policies allow.
func (f *preferences) compare(crawl []*robotstxt.Policy, use [2]*usage.Policy, purpose usage.Purpose) PreferenceResult {
	r := PreferenceResult{Purpose: purpose, Outcome: Equal}
	paths := []string{"/"}
	for _, least := range []usage.Preference{usage.Allowed, usage.Disallowed} {
		for _, pair := range pairsOf(use[0].Says(purpose, least), use[1].Says(purpose, least)) {
			if f.work > maxFilesWork {
				r.Outcome = Undecided
				break
			}
			found := Policies(f.ctx, pair[0], pair[1])
			r.Work += found.Work
			f.work += found.Work
			if found.Outcome == Equal {
				continue
			}
			r.Outcome = Undecided // yet: another carrier may say the same, or the pages may not be crawled
			for _, change := range found.Changes {
				paths = append(paths, change.Witness)
			}
			paths = append(paths, examplesOf(pair[:])...)
		}
	}
	if r.Outcome == Equal || f.noneMayBeCrawled(crawl) {
		r.Outcome = Equal
		return r
	}
	paths = append(paths, examplesOf(crawl)...)
	f.work += checkWork * len(paths)
	r.look(paths, crawl, use)
	return r
}

// noneMayBeCrawled reports whether one of some policies is proved to disallow every URL.
func (f *preferences) noneMayBeCrawled(crawl []*robotstxt.Policy) bool {
	return slices.ContainsFunc(crawl, func(p *robotstxt.Policy) bool {
		outcome, _ := BlocksAll(f.ctx, p)
		return outcome == Equal
	})
}

// look looks for a path with other preferences among some paths, the shortest first.
func (r *PreferenceResult) look(paths []string, crawl []*robotstxt.Policy, use [2]*usage.Policy) {
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

// preferenceOf returns the preference about a path that may be crawled.
func preferenceOf(p *usage.Policy, path string, purpose usage.Purpose) usage.Preference {
	return p.Check("http://www.example.com"+path, true, nil)[purpose]
}

// maxExamples limits how many paths are tried for one policy.
const maxExamples = 1000

// examplesOf returns, for each pattern of some policies, a path that it matches.
func examplesOf(policies []*robotstxt.Policy) (paths []string) {
	for _, p := range policies {
		n, form := 0, robotstxt.PathsOf(p, p)
		for pattern := range p.Patterns() {
			if n++; n > maxExamples {
				break
			}
			paths = append(paths, form.URLPath(newRule("", pattern).shortest))
		}
	}
	return paths
}

// nowhere disallows every path, as the policy of a carrier that says nothing.
var nowhere = robotstxt.FirstOfRules([]robotstxt.Rule{{Pattern: "/"}})

// pairsOf returns for each carrier what two files say. If each pair is proved equal, so is the answer. If each file has one carrier at
// most, these two are a pair, so that it makes no difference in which of them something is said.
func pairsOf(old, new []usage.Says) (pairs [][2]*robotstxt.Policy) {
	if len(old) <= 1 && len(new) <= 1 {
		return [][2]*robotstxt.Policy{{onlyOf(old), onlyOf(new)}}
	}
	var names []string
	for _, says := range slices.Concat(old, new) {
		if !slices.Contains(names, says.By) {
			names = append(names, says.By)
			pairs = append(pairs, [2]*robotstxt.Policy{by(says.By, old), by(says.By, new)})
		}
	}
	return pairs
}

// onlyOf returns the policy of the one carrier; nowhere if there is none.
func onlyOf(all []usage.Says) *robotstxt.Policy {
	if len(all) == 0 {
		return nowhere
	}
	return all[0].Policy
}

// by returns the policy of a carrier; nowhere if there is none.
func by(name string, all []usage.Says) *robotstxt.Policy {
	i := slices.IndexFunc(all, func(says usage.Says) bool { return says.By == name })
	if i < 0 {
		return nowhere
	}
	return all[i].Policy
}
