package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// runDiff runs heed diff on two texts.
func runDiff(t *testing.T, old, new string, flags ...string) (status int, out, notice string) {
	t.Helper()
	folder := t.TempDir()
	args := append([]string{"diff"}, flags...)
	for name, text := range map[string]string{"old.txt": old, "new.txt": new} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr strings.Builder
	status = Run(append(args, filepath.Join(folder, "old.txt"), filepath.Join(folder, "new.txt")), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// Only what the dialect reads is compared, and the output says so.
func TestDiffOfLongFiles(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /x\n"
	long := rules + strings.Repeat("# "+strings.Repeat("x", 100)+"\n", 6000) + "Disallow: /y\n"
	status, out, _ := runDiff(t, rules, long)
	if status != exitAllowed || !strings.Contains(out, "The new file is longer than 500 KiB: the rest is ignored, and not compared.\n") {
		t.Errorf("%d: %s", status, out)
	}
	status, out, _ = runDiff(t, long, rules, "--format", "json")
	if status != exitAllowed || !strings.Contains(out, `"old_truncated":true,"crawlers"`) {
		t.Errorf("%d: %s", status, out)
	}
	if status, out, _ = runDiff(t, long, rules, "--dialect", "google"); status != exitDisallowed || strings.Contains(out, "500 KiB") {
		t.Errorf("%d: %s", status, out)
	}
}

// What is not decided is never called equal, and the status is 3. If something is known to
// differ, that decides the status.
func TestDiffUndecided(t *testing.T) {
	// In the dialect of 1994, crawlers are made up of two names, with a character between them
	// that no name has. Here, there is none.
	old, reordered := "", ""
	for _, c := range "abcdefghijklmnopqrstuvwxyz-_~+=!:.0123456789" {
		group := fmt.Sprintf("User-agent: %c\nDisallow: /\n\n", c)
		old, reordered = old+group, group+reordered
	}
	for _, c := range []struct {
		new   string
		flags []string
		want  int
	}{
		{old, nil, exitAllowed},
		{reordered, nil, exitUndetermined},
		{reordered, []string{"--fail-on-block"}, exitUndetermined},
		{reordered, []string{"--format", "json"}, exitUndetermined},
		{reordered, []string{"-a", "a,*"}, exitAllowed},
		{old + "User-agent: *\nDisallow: /", nil, exitDisallowed},
		{old + "User-agent: *\nDisallow: /", []string{"--fail-on-block"}, exitDisallowed},
		{"User-agent: \u00e9\nDisallow: /x\n", []string{"--fail-on-block"}, exitDisallowed},
		{"", []string{"--fail-on-block"}, exitUndetermined},
		{"", nil, exitDisallowed},
	} {
		status, out, _ := runDiff(t, old, c.new, append(c.flags, "--dialect", "standard1994")...)
		if status != c.want || strings.Contains(strings.ToLower(out), "equal:") != (c.want == exitAllowed) {
			t.Errorf("%q: status %d, want %d: %.300s", c.flags, status, c.want, out)
		}
	}
}

// The text says for whom it was not decided, and what that means.
func TestDiffTextUndecided(t *testing.T) {
	change := report.Change{Witness: "/x", Old: report.Decision{Allowed: true, Reason: robotstxt.NoRuleMatched}, New: report.Decision{Reason: robotstxt.ByRule, Rule: &report.Rule{Line: 2, Pattern: "/x"}}}
	var out strings.Builder
	o := &diff{dialect: robotstxt.RFC9309}
	o.app = &app{out: bufio.NewWriter(&out), width: 80}
	o.text(report.Comparison{
		Result: compare.Differs.String(), Old: "old.txt", New: "new.txt",
		Crawlers: []report.Compared{
			{Agent: report.Agent{"*"}, Result: "undecided", Undecided: 3},
			{Agent: report.Agent{"a"}, Result: "differs", Effect: report.Blocked, Changes: []report.Change{change}, Undecided: 2},
			{Agent: report.Agent{"b"}, Result: "equal"},
		},
		Purposes: []report.Purpose{{Purpose: "ai-training", Known: 2, Changes: []report.Affected{{Result: "undecided", Crawlers: []string{"A", "B"}}}}},
	})
	o.out.Flush()
	const want = `Old: old.txt
New: new.txt
The files differ for 1 crawler (RFC 9309)

a
  /x
    was allowed     no rule matches
    is disallowed   line 2: Disallow: /x
  Not decided for 2 more changed rules: that takes too much work.

Known crawlers, by purpose
  AI training: not decided (all known crawlers)

Proved unchanged
  b

Not decided
  Everyone whom no file names
  No difference was found within 67 million steps. That is no proof: some URLs
  may have changed.
`
	if out.String() != want {
		t.Error(out.String())
	}
}
