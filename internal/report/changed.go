package report

import (
	"context"
	"slices"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// ComparedPreferences says how two files differ in their preferences about the use of content. Only URLs that both files
// allow are compared.
type ComparedPreferences struct {
	Result  string              `json:"result"`         // "equal" (proved), "differs" or "undecided"
	Changes []ChangedPreference `json:"changes"`        // empty if the result is "equal", or if not all crawlers were compared
	More    int                 `json:"more,omitempty"` // the number of changes that are left out
}

// A ChangedPreference is a preference about one purpose that differs, or may differ, for some crawlers.
type ChangedPreference struct {
	// The crawlers with this change. They are in the list Crawlers of the Comparison. If a file names a purpose token,
	// known crawlers of the token's operator may be added. Each crawler stands for all crawlers with the same groups.
	Agents     []Agent `json:"agents"`
	Token      bool    `json:"is_token,omitempty"` // true if the agents are purpose tokens instead of crawlers; then only the groups that name them were compared
	Purpose    string  `json:"purpose"`            // the purpose, such as "train-ai"
	Result     string  `json:"result"`             // "differs" or "undecided"
	Witness    string  `json:"witness,omitempty"`  // a path whose preference differs; absent if the result is "undecided"
	WitnessB64 []byte  `json:"witness_b64,omitempty"`
	Old        *Stated `json:"old,omitempty"` // what the old file says about the path in "witness"
	New        *Stated `json:"new,omitempty"` // what the new file says about the path in "witness"
}

// Stated is what a file says about a page and a purpose.
type Stated struct {
	Preference string      `json:"preference"` // "allowed", "disallowed" or "unknown"
	By         []Statement `json:"by"`         // the lines that decide, at most 10; empty if the preference is "unknown"
}

// The limits of the answer, because a hostile file can name many crawlers and have many lines.
const (
	maxChangedPreferences = 1000
	maxStatedBy           = 10
)

// The parameters listed and others are two lists of crawlers. A change for a crawler of others is left out if a crawler
// of listed has the same groups and the same change.
func (c *Comparison) addPreferences(ctx context.Context, old, new *robotstxt.File, listed, others, tokens []compare.Crawler) {
	all := compare.Preferences(ctx, old, new, slices.Concat(listed, others, tokens))
	if all == nil {
		return
	}
	c.Preferences = &ComparedPreferences{Result: compare.Equal.String(), Changes: []ChangedPreference{}}
	type change struct {
		groups string
		compare.PreferenceResult
	}
	seen := map[change]bool{}
	for i, each := range all {
		for _, r := range each.Purposes {
			key := change{each.Groups, r}
			isOther := i >= len(listed) && !each.Token
			if r.Outcome != compare.Equal && !(isOther && seen[key]) {
				c.Preferences.add(each, r)
			}
			seen[key] = seen[key] || !isOther
		}
	}
	if c.Incomplete && c.Preferences.Is(compare.Equal) {
		c.Preferences.Result = compare.Undecided.String()
	}
}

// Of several crawlers with the same operator and the same groups, crawlersOfOperators returns one, preferably one for search.
func crawlersOfOperators(all []compare.Crawler, known []crawlers.Crawler, tokens []compare.Crawler) (some []compare.Crawler) {
	operators := map[string]bool{}
	for _, c := range tokens {
		token, _ := usage.TokenNamed(c.Tokens[0])
		operators[token.Operator] = token.Operator != ""
	}
	type kind struct{ operator, groups string }
	seen := map[kind]bool{}
	all = all[firstKnown(all, len(known)):]
	for _, search := range []bool{true, false} {
		for i, k := range known {
			each := kind{usage.OperatorOf(all[i].Tokens), all[i].Groups}
			if slices.Contains(k.Purposes, crawlers.Search) == search && !seen[each] && operators[each.operator] {
				seen[each] = true
				some = append(some, all[i])
			}
		}
	}
	return some
}

// Is reports whether the preferences were compared, with the given result.
func (p *ComparedPreferences) Is(result compare.Outcome) bool {
	return p != nil && p.Result == result.String()
}

// Crawlers with an equal change share one ChangedPreference.
func (p *ComparedPreferences) add(each compare.CrawlerPreferences, r compare.PreferenceResult) {
	if r.Outcome == compare.Differs || p.Result == compare.Equal.String() {
		p.Result = r.Outcome.String()
	}
	change := ChangedPreference{Agents: []Agent{agentOf(each.Crawler)}, Token: each.Token, Purpose: r.Purpose.String(), Result: r.Outcome.String()}
	if r.Outcome == compare.Differs {
		w := TextOf(r.Witness)
		change.Witness, change.WitnessB64 = w.Text, w.B64
		change.Old, change.New = statedOf(each.Use[0], r), statedOf(each.Use[1], r)
	}
	i := slices.IndexFunc(p.Changes, change.isLike)
	switch {
	case i >= 0:
		p.Changes[i].Agents = append(p.Changes[i].Agents, change.Agents...)
	case len(p.Changes) == maxChangedPreferences:
		p.More++
	default:
		p.Changes = append(p.Changes, change)
	}
}

func statedOf(use *usage.Policy, r compare.PreferenceResult) *Stated {
	v := use.Explain("http://www.example.com"+r.Witness, true, nil, r.Purpose)[0]
	stated := &Stated{Preference: v.Preference.String(), By: []Statement{}}
	for _, s := range v.By[:min(len(v.By), maxStatedBy)] {
		s.Note = "" // a note explains a statement, but not the difference between two statements
		stated.By = append(stated.By, statementOf(s))
	}
	return stated
}

// isLike compares everything except the crawlers.
func (c ChangedPreference) isLike(other ChangedPreference) bool {
	return c.Token == other.Token && c.Purpose == other.Purpose && c.Result == other.Result && c.Witness == other.Witness &&
		c.Old.isLike(other.Old) && c.New.isLike(other.New)
}

func (s *Stated) isLike(other *Stated) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.Preference == other.Preference && slices.EqualFunc(s.By, other.By, func(a, b Statement) bool { return a.Line == b.Line })
}
