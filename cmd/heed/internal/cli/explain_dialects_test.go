package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// What explain says about a dialect is what check says in this dialect, also about a name that dialects read differently
//
func TestExplainEachDialectAsCheck(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "robots.txt")
	run := func(args ...string) (string, int) {
		var stdout, stderr strings.Builder
		status := Run(append(args, "--robots", file, "/a"), strings.NewReader(""), &stdout, &stderr)
		return stdout.String(), status
	}
	for c := range crawlers.Known().All() {
		if c.ReadAs() == c.Token {
			continue
		}
		body := "User-agent: *\nDisallow: /\n\nUser-agent: " + c.Token + "\nDisallow: /b\n\nUser-agent: " + c.ReadAs() + "\nDisallow: /a\n"
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{c.Token, "@" + c.Token, c.Token + ":ExampleBot", "Mozilla/5.0 (compatible; " + c.Token + "/1.0)"} {
			checked := map[string]decided{}
			for _, d := range robotstxt.Dialects() {
				var answer decided
				if out, status := run("check", "-a", name, "--dialect", d.String(), "--format", "jsonl"); status < 2 {
					if err := json.Unmarshal([]byte(out), &answer); err != nil {
						t.Fatal(err, out)
					}
					checked[d.String()] = answer
				}
			}
			for main := range checked {
				out, _ := run("explain", "-a", name, "--dialect", main, "--format", "json")
				var explained struct{ Dialects []decided }
				if err := json.Unmarshal([]byte(out), &explained); err != nil {
					t.Fatal(err, out)
				}
				for _, got := range explained.Dialects {
					want, isChecked := checked[got.Dialect]
					if says, want := got.String(), want.String(); isChecked && says != want {
						t.Errorf("-a %q --dialect %s: explain says for %s: %s; check says %s", name, main, got.Dialect, says, want)
					}
				}
			}
		}
	}
}

type decided struct {
	Dialect string
	Allowed bool
	Rule    struct{ Line int }
}

func (d decided) String() string { return fmt.Sprintf("allowed %t, line %d", d.Allowed, d.Rule.Line) }
