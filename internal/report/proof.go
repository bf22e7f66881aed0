package report

import (
	"context"
	"slices"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
)

// A Proof says whether a statement about one or two robots.txt files is true for the crawlers in the question.
type Proof struct {
	Statement string `json:"statement"` // the statement: "equal", "implies", "blocks-all" or "blocks-nothing"
	// The result for all crawlers together: "proved", "refuted" (the statement is false for a crawler) or "undecided".
	Result      string   `json:"result"`
	Files       []string `json:"files"`                  // the path or URL of the robots.txt, or of the two files A and B; "-" is standard input
	Truncated   []string `json:"truncated,omitempty"`    // the files that are longer than what the dialect reads; the rest of each file was not read
	Dialect     string   `json:"dialect"`                // the dialect in which the files were read
	OtherChains bool     `json:"other_chains,omitempty"` // the result is "proved", but may be another one for crawlers with other product tokens, see Comparison
	Incomplete  bool     `json:"incomplete,omitempty"`   // some crawlers were not checked, because the files name so many; then the result is not "proved"
	Crawlers    []Proved `json:"crawlers"`               // for two files, in the order of a Comparison; for one file, in the order in which the crawlers were given
}

// The statements that a Proof is about.
const (
	SameVerdicts = "equal"   // every URL has the same verdict in A and in B
	Implies      = "implies" // B allows every URL that A allows
	// Every URL is disallowed, except /robots.txt itself. A crawler that does not follow robots.txt never has this result.
	BlocksAll     = "blocks-all"
	BlocksNothing = "blocks-nothing" // every URL is allowed
)

// The results of a Proof.
const (
	Proven    = "proved"
	Refuted   = "refuted"
	Undecided = "undecided"
)

// Proved says whether a statement is true for one crawler.
type Proved struct {
	Agent Agent `json:"agent"`
	Facts
	SameGroups []string `json:"same_groups,omitempty"` // as in Compared; only for a proof about two files
	Result     string   `json:"result"`                // "proved", "refuted" or "undecided", for this crawler
	MadeUp     bool     `json:"made_up,omitempty"`     // the name is in neither file: it was made up for this proof
	// Only present if the result is "refuted". Absent if the statement is false only because the crawler does not follow
	// robots.txt.
	Counterexample *Counterexample `json:"counterexample,omitempty"`
}

// A Counterexample is a URL for which a statement is false. For a statement about one file, the Counterexample has the
// Decision in this file. For a statement about two files, the Counterexample has a decision for each file, in A and B.
type Counterexample struct {
	Witness    string `json:"witness"` // a path with its query
	WitnessB64 []byte `json:"witness_b64,omitempty"`
	*Decision
	A *Decision `json:"a,omitempty"`
	B *Decision `json:"b,omitempty"`
}

// ProofOf proves SameVerdicts or Implies. c must be the comparison of A (the old file) and B.
func ProofOf(statement string, c Comparison) Proof {
	p := Proof{Statement: statement, Files: []string{c.Old, c.New}, Dialect: c.Dialect, Incomplete: c.Incomplete}
	if c.OldTruncated {
		p.Truncated = append(p.Truncated, c.Old)
	}
	if c.NewTruncated {
		p.Truncated = append(p.Truncated, c.New)
	}
	for _, each := range slices.Concat(c.Crawlers, c.tokens) { // the statement must also be true for purpose tokens
		p.Crawlers = append(p.Crawlers, provedOf(statement, each))
	}
	p.settle()
	isUnproved := func(other Compared) bool { return provedOf(statement, other).Result != Proven }
	p.OtherChains = p.Result == Proven && (c.hasOthers || slices.ContainsFunc(c.others, isUnproved))
	return p
}

func provedOf(statement string, c Compared) Proved {
	refutes := func(Change) bool { return true }
	if statement == Implies {
		refutes = Change.Blocks
	}
	proved := Proved{Agent: c.Agent, Facts: c.Facts, SameGroups: c.SameGroups, MadeUp: c.MadeUp, Result: Proven}
	i := slices.IndexFunc(c.Changes, refutes)
	switch {
	case i >= 0:
		change := c.Changes[i]
		proved.Result = Refuted
		proved.Counterexample = &Counterexample{Witness: change.Witness, WitnessB64: change.WitnessB64, A: &change.Old, B: &change.New}
	case c.Undecided > 0 || c.Result == compare.Undecided.String():
		proved.Result = Undecided
	}
	return proved
}

// ProofAbout proves BlocksAll or BlocksNothing for the chosen crawlers. "*" stands for all that the file does not name.
func ProofAbout(table *crawlers.Table, statement string, in Input, chosen [][]string) Proof {
	p := Proof{Statement: statement, Files: []string{TextOf(in.Name).Text}, Dialect: in.File.Dialect().String(), Crawlers: []Proved{}}
	if in.Truncated {
		p.Truncated = p.Files
	}
	search := compare.BlocksAll
	if statement == BlocksNothing {
		search = compare.BlocksNothing
	}
	prove := func(tokens []string) Proved {
		policy := in.File.Agent(tokens...)
		proved := Proved{Agent: AgentOf(tokens), Facts: FactsOf(table, tokens), Result: Proven}
		switch outcome, witness := search(context.Background(), policy); outcome {
		case compare.Differs:
			w, decided := TextOf(witness), DecisionOf(compare.Check(policy, witness))
			proved.Result = Refuted
			proved.Counterexample = &Counterexample{Witness: w.Text, WitnessB64: w.B64, Decision: &decided}
		case compare.Undecided:
			proved.Result = Undecided
		}
		if statement == BlocksAll && proved.Obeys != nil {
			proved.Result = Refuted
		}
		return proved
	}
	for _, tokens := range chosen {
		p.Crawlers = append(p.Crawlers, prove(tokens))
	}
	p.settle()
	isUnproved := func(chain []string) bool { return prove(chain).Result != Proven }
	p.OtherChains = p.Result == Proven && slices.ContainsFunc(wholeChains(table, chosen, in.File.Dialect()), isUnproved)
	return p
}

func (p *Proof) settle() {
	has := func(result string) bool {
		return slices.ContainsFunc(p.Crawlers, func(c Proved) bool { return c.Result == result })
	}
	switch {
	case has(Refuted):
		p.Result = Refuted
	case has(Undecided) || p.Incomplete:
		p.Result = Undecided
	default:
		p.Result = Proven
	}
}
