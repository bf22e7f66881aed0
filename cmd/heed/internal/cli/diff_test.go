package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
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
	if status != exit.Allowed || !strings.Contains(out, "The new file is longer than 500 KiB: the rest is ignored, and not compared.\n") {
		t.Errorf("%d: %s", status, out)
	}
	status, out, _ = runDiff(t, long, rules, "--format", "json")
	if status != exit.Allowed || !strings.Contains(out, `"old_truncated":true,"crawlers"`) {
		t.Errorf("%d: %s", status, out)
	}
	if status, out, _ = runDiff(t, long, rules, "--dialect", "google"); status != exit.Disallowed || strings.Contains(out, "500 KiB") {
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
		{old, nil, exit.Allowed},
		{reordered, nil, exit.Undetermined},
		{reordered, []string{"--fail-on-block"}, exit.Undetermined},
		{reordered, []string{"--format", "json"}, exit.Undetermined},
		{reordered, []string{"-a", "a,*"}, exit.Allowed},
		{old + "User-agent: *\nDisallow: /", nil, exit.Disallowed},
		{old + "User-agent: *\nDisallow: /", []string{"--fail-on-block"}, exit.Disallowed},
		{"User-agent: \u00e9\nDisallow: /x\n", []string{"--fail-on-block"}, exit.Disallowed},
		{"", []string{"--fail-on-block"}, exit.Undetermined},
		{"", nil, exit.Disallowed},
	} {
		status, out, _ := runDiff(t, old, c.new, append(c.flags, "--dialect", "standard1994")...)
		if status != c.want || strings.Contains(strings.ToLower(out), "equal:") != (c.want == exit.Allowed) {
			t.Errorf("%q: status %d, want %d: %.300s", c.flags, status, c.want, out)
		}
	}
}
