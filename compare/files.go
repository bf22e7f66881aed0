package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// Everyone is the name of all crawlers that no file names.
const Everyone = "*"

// A FilesResult is how two files differ for all crawlers.
type FilesResult struct {
	Outcome  Outcome
	Crawlers []Crawler // everyone first; then the crawlers that a file names, in file order; then the given chains
	Unpaired bool      // there are too many pairs of names to compare all; see Crawler.MadeUp
}

// A Crawler is what a change means for one crawler.
type Crawler struct {
	Tokens   []string // its product tokens, the most specific first; none: everyone whom no file names
	MadeUp   bool     // no file has this name: it contains two names, which decide in one file each (S94-6)
	Old, New *robotstxt.Policy
	Result   Result
}

// String returns the tokens as in "a:b", or "*" for everyone whom no file names.
func (c Crawler) String() string {
	if len(c.Tokens) == 0 {
		return Everyone
	}
	return strings.Join(c.Tokens, ":")
}

// Files finds out how two files differ, for each crawler that one of them names, for everyone
// else, and for chains of product tokens. Crawlers to which the same groups apply are compared
// once.
func Files(old, new *robotstxt.File, chains ...[]string) FilesResult {
	f := files{old: old, new: new, results: map[string]Result{}}
	f.add(nil, false)
	names := namesIn(old, new)
	for _, name := range names {
		f.add([]string{name}, false)
	}
	for _, chain := range chains {
		f.add(chain, false)
	}
	if old.Dialect().NamesAreParts() || new.Dialect().NamesAreParts() {
		f.addPairs(names)
	}
	f.result.Outcome = f.outcome()
	return f.result
}

// FilesFor is Files for some crawlers only. The chain "*" is everyone whom no file names.
func FilesFor(old, new *robotstxt.File, chains ...[]string) FilesResult {
	f := files{old: old, new: new, results: map[string]Result{}}
	for _, chain := range chains {
		if slices.Equal(chain, []string{Everyone}) {
			chain = nil
		}
		f.add(chain, false)
	}
	f.result.Outcome = f.outcome()
	return f.result
}

// files is one call of Files or FilesFor.
type files struct {
	old, new *robotstxt.File
	result   FilesResult
	results  map[string]Result // by the groups that apply
}

// add compares the files for a crawler.
func (f *files) add(tokens []string, madeUp bool) {
	c := Crawler{Tokens: tokens, MadeUp: madeUp, Old: f.old.Agent(tokens...), New: f.new.Agent(tokens...)}
	key := groupsKey(c.Old, c.New)
	result, known := f.results[key]
	if !known {
		result = Policies(c.Old, c.New)
		f.results[key] = result
	}
	c.Result = result
	f.result.Crawlers = append(f.result.Crawlers, c)
}

// groupsKey is equal for crawlers to which the same groups apply.
func groupsKey(old, new *robotstxt.Policy) string {
	return fmt.Sprint(old.GroupsThatApply(), old.Otherwise(), new.GroupsThatApply(), new.Otherwise())
}

// namesIn returns the names of all crawlers that files name, each once.
func namesIn(files ...*robotstxt.File) (names []string) {
	seen := map[string]bool{}
	for _, file := range files {
		for group := range file.Groups() {
			for _, agent := range group.Agents {
				if name := strings.ToLower(agent.Name); !agent.Everyone && name != "" && !seen[name] {
					seen[name] = true
					names = append(names, agent.Name)
				}
			}
		}
	}
	return names
}

// maxPairs limits the pairs of names that are compared.
const maxPairs = 10_000

// addPairs adds crawlers whose names contain two names of the files, if other groups apply to
// them than to all crawlers so far: one name decides in the old file, and the other one in the
// new file.
func (f *files) addPairs(names []string) {
	pairs := 0
	for _, a := range names {
		for _, b := range names {
			if a == b {
				continue
			}
			if pairs++; pairs > maxPairs {
				f.result.Unpaired = true
				return
			}
			for _, joined := range []string{a + "_" + b, b + "_" + a} {
				if _, known := f.results[groupsKey(f.old.Agent(joined), f.new.Agent(joined))]; !known {
					f.add([]string{joined}, true)
				}
			}
		}
	}
}

func (f *files) outcome() Outcome {
	outcome := Equal
	for _, c := range f.result.Crawlers {
		switch c.Result.Outcome {
		case Differs:
			return Differs
		case Undecided:
			outcome = Undecided
		}
	}
	if f.result.Unpaired {
		return Undecided
	}
	return outcome
}

// Differing returns the crawlers for which the files differ.
func (r FilesResult) Differing() []Crawler {
	return slices.DeleteFunc(slices.Clone(r.Crawlers), func(c Crawler) bool { return c.Result.Outcome != Differs })
}
