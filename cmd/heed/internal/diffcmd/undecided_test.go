package diffcmd

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// The text says for whom it was not decided, and what that means.
func TestDiffTextUndecided(t *testing.T) {
	change := report.Change{Witness: "/x", Old: report.Decision{Allowed: true, Reason: robotstxt.NoRuleMatched}, New: report.Decision{Reason: robotstxt.ByRule, Rule: &report.Rule{Line: 2, Pattern: "/x"}}}
	var out strings.Builder
	o := &diff{dialect: robotstxt.RFC9309}
	o.inputs.Term = &term.Terminal{Out: bufio.NewWriter(&out), Width: 80}
	o.printText(report.Comparison{
		Result: compare.Differs.String(), Old: "old.txt", New: "new.txt",
		Crawlers: []report.Compared{
			{Agent: report.Agent{"*"}, Result: "undecided", Undecided: 3},
			{Agent: report.Agent{"a"}, Result: "differs", Effect: report.Blocked, Changes: []report.Change{change}, Undecided: 2},
			{Agent: report.Agent{"b"}, Result: "equal"},
		},
		Purposes: []report.Purpose{{Purpose: "ai-training", Known: 2, Changes: []report.Affected{{Result: "undecided", Crawlers: []string{"A", "B"}}}}},
	})
	o.inputs.Term.Out.Flush()
	const want = `Old: old.txt
New: new.txt
The verdicts differ for 1 crawler (RFC 9309)

a
  /x
    was allowed     no rule matches
    is disallowed   line 2: Disallow: /x
  Not decided for 2 more changed rules: that takes too much work.

Known crawlers, by purpose
  AI training: not decided (all known crawlers)

Verdicts proved unchanged
  b

Not decided
  All crawlers without a group
  No difference was found within 67 million steps. That is no proof: some URLs
  may have changed.
`
	if out.String() != want {
		t.Error(out.String())
	}
}

// What is not decided is shown as such, with the crawlers for which the statement is proved.
func TestUndecidedProofInWords(t *testing.T) {
	var out bytes.Buffer
	a := &term.Terminal{Out: bufio.NewWriter(&out), Width: 80}
	o := &prove{diff: diff{diffInputs: diffInputs{inputs: sites.Inputs{Live: sites.Live{Term: a}}}, dialect: robotstxt.RFC9309}, statement: report.Implies}
	o.printText(report.Proof{Statement: report.Implies, Result: report.Undecided, Files: []string{"old", "new"}, Truncated: []string{"new"}, Incomplete: true,
		Crawlers: []report.Proved{{Agent: report.Agent{"*"}, Result: report.Undecided}, {Agent: report.Agent{"X"}, Result: report.Proven}}})
	a.Out.Flush()
	want := `A: old
B: new
Not decided: heed found no counterexample, but no proof that B allows every
  URL that A allows (RFC 9309)
new: The file is longer than 500 KiB: the rest is ignored.
The files name so many crawlers that heed did not compare all of them.

Not decided, because it takes too much work
  All crawlers without a group

Proved
  X
`
	if got := out.String(); got != want {
		t.Errorf("%s", got)
	}
}
