package cli

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// What is not decided is shown as such, with the crawlers for which the statement is proved.
func TestUndecidedProofInWords(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: bufio.NewWriter(&out), width: 80}
	o := &prove{diff: diff{diffInputs: diffInputs{inputs: inputs{app: a}}, dialect: robotstxt.RFC9309}, statement: report.Implies}
	o.text(report.Proof{Statement: report.Implies, Result: report.Undecided, Files: []string{"old", "new"}, Truncated: []string{"new"}, Incomplete: true,
		Crawlers: []report.Proved{{Agent: report.Agent{"*"}, Result: report.Undecided}, {Agent: report.Agent{"X"}, Result: report.Proven}}})
	a.out.Flush()
	want := `A: old
B: new
Not decided: heed found no counterexample, but no proof that B allows every
  URL that A allows (RFC 9309)
new: The file is longer than 500 KiB: the rest is ignored.
The files name so many crawlers that heed did not compare all of them.

Not decided, because it takes too much work
  Everyone whom no file names

Proved
  X
`
	if got := out.String(); got != want {
		t.Errorf("%s", got)
	}
}
