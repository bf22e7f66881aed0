package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
)

// heed watch --once tells what changed since the run before, once, and with --exec when the program has succeeded.
func TestWatchOnce(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the program of --exec is a shell script")
	}
	site := newChangingSite(t, "User-agent: *\nDisallow: /x\n")
	folder := t.TempDir()
	store, list := filepath.Join(folder, "store"), filepath.Join(folder, "sites.txt")
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("sites.txt", "# mine\n"+site.URL+"/a\nnot a site\n"+site.URL+"/b\n")
	failing := write("failing", "#!/bin/sh\necho it is broken\nexit 3\n")
	keeping := write("keeping", "#!/bin/sh\ncat >> '"+folder+"/told'\n")
	watch := func(args ...string) (int, string, string) {
		return site.run(t, store, append([]string{"watch", list, "--once"}, args...)...)
	}
	refresh := func(body string) {
		t.Helper()
		site.body = body
		if status, _, notices := site.run(t, store, "check", "-a", "*", "--refresh", site.URL+"/"); status > 1 {
			t.Fatal(status, notices)
		}
	}
	if status, out, notices := watch(); status != exit.Usage || out != "" || !strings.Contains(notices, `sites.txt:3: "not a site": expected a URL or a host`) {
		t.Errorf("the first look, at a list with a wrong line: %d %q %q", status, out, notices)
	}
	write("sites.txt", "# mine\n"+site.URL+"/a\n"+site.URL+"/b\n")
	refresh("User-agent: *\nDisallow: /x # the same\n")
	if status, out, _ := watch(); status != exit.Allowed || out != "" {
		t.Errorf("nothing changed: %d %q", status, out)
	}
	refresh("User-agent: *\nDisallow: /\n")
	status, out, notices := watch("--exec", failing)
	if status != exit.Usage || out != "" || !strings.Contains(notices, "failing failed: exit status 3: it is broken; heed keeps the event") {
		t.Errorf("a program that fails: %d %q %q", status, out, notices)
	}
	status, out, _ = watch("--exec", keeping)
	want := regexp.MustCompile(`^20\d\d-\d\d-\d\d \d\d:\d\d UTC high SITE Everything is disallowed now for all crawlers without a group\. For example, SITE/ was allowed \(no rule matches\), and now is disallowed \(line 2: Disallow: /\)$`)
	if status != exit.Disallowed || !want.MatchString(strings.Join(strings.Fields(out), " ")) {
		t.Errorf("a program that succeeds: %d %q", status, out)
	}
	text, _ := os.ReadFile(filepath.Join(folder, "told"))
	var event struct {
		Site, Severity string
		What           []string
		Old, New       struct{ SHA256 string }
	}
	if err := json.Unmarshal(text, &event); err != nil || event.Site != site.URL || event.Severity != "high" || len(event.What) != 1 || event.Old.SHA256 == event.New.SHA256 {
		t.Errorf("%v %s", err, text)
	}
	if status, out, _ = watch(); status != exit.Allowed || out != "" {
		t.Errorf("told again: %d %q", status, out)
	}
	refresh("User-agent: *\nDisallow: /x\n")
	if status, out, _ = watch("--severity", "high"); status != exit.Allowed || out != "" {
		t.Errorf("not wanted: %d %q", status, out)
	}
	refresh("User-agent: *\nDisallow: /y\n")
	status, out, _ = watch("--format", "jsonl", "--only", "verdicts")
	if status != exit.Disallowed || !strings.Contains(out, `"what":["verdicts"],"severity":"medium"`) || !strings.Contains(out, `"effect":"blocked-and-opened"`) {
		t.Errorf("JSON: %d %q", status, out)
	}
}

// With --once a change is told at once, also if the site may be asked again within the hour: there may be no other run by then.
func TestWatchOnceHoldsNothing(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	site.header = http.Header{"Cache-Control": {"max-age=300"}}
	watch := func() (int, string, string) { return site.run(t, store, "watch", site.URL, "--once") }
	if status, out, notices := watch(); status != exit.Allowed || out != "" || notices != "" {
		t.Errorf("the first look: %d %q %q", status, out, notices)
	}
	site.body = after
	if status, _, notices := site.run(t, store, "check", "-a", "*", "--refresh", site.URL+"/"); status > 1 {
		t.Fatal(status, notices)
	}
	if status, out, _ := watch(); status != exit.Disallowed || !strings.Contains(out, "Everything is disallowed now") {
		t.Errorf("a change: %d %q", status, out)
	}
	if status, out, _ := watch(); status != exit.Allowed || out != "" {
		t.Errorf("told again: %d %q", status, out)
	}
}

// With --refresh a change is told although the copy is still fresh.
func TestWatchOnceRefreshes(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	watch := func(args ...string) (int, string, string) {
		return site.run(t, store, append([]string{"watch", site.URL}, args...)...)
	}
	if status, out, notices := watch("--once", "--refresh"); status != exit.Allowed || out != "" || notices != "" {
		t.Errorf("the first look: %d %q %q", status, out, notices)
	}
	site.body = after
	if status, out, _ := watch("--once"); status != exit.Allowed || out != "" {
		t.Errorf("a fresh copy: %d %q", status, out)
	}
	if status, out, _ := watch("--once", "--refresh"); status != exit.Disallowed || !strings.Contains(out, "Everything is disallowed now") {
		t.Errorf("a change: %d %q", status, out)
	}
	if status, _, notices := watch("--refresh"); status != exit.Usage || !strings.Contains(notices, "--refresh can only be used together with --once: ") {
		t.Errorf("without --once: %d %q", status, notices)
	}
}

// An event that a program was told is not given to it again because the output is full.
func TestWatchProgramAndFullOutput(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the program of --exec is a shell script")
	}
	site, folder := newChangingSite(t, before), t.TempDir()
	program, told, store := filepath.Join(folder, "program"), filepath.Join(folder, "told"), filepath.Join(folder, "store")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat >> '"+told+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	watch := func(stdout io.Writer) (int, string) {
		var stderr bytes.Buffer
		return Run([]string{"watch", site.URL, "--once", "--exec", program, "--store", store, "--allow-private"}, strings.NewReader(""), stdout, &stderr), stderr.String()
	}
	watch(io.Discard)
	site.body = after
	site.run(t, store, "check", "-a", "*", "--refresh", site.URL+"/")
	if status, notices := watch(full{}); status != exit.Usage || !strings.Contains(notices, "cannot write to standard output: full") {
		t.Errorf("%d %q", status, notices)
	}
	if status, notices := watch(io.Discard); status != exit.Allowed || notices != "" {
		t.Errorf("the next run: %d %q", status, notices)
	}
	if text, _ := os.ReadFile(told); bytes.Count(text, []byte("\n")) != 1 {
		t.Errorf("the program was told: %s", text)
	}
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// that heed may not or cannot ask is nothing that happened at the site, and not told as such. It is no success either.
func TestWatchOnceOfOwnFailures(t *testing.T) {
	site := newChangingSite(t, before)
	var stdout, stderr bytes.Buffer
	status := Run([]string{"watch", site.URL, "--once", "--store", t.TempDir()}, strings.NewReader(""), &stdout, &stderr)
	if got := stderr.String(); status != exit.Usage || stdout.Len() > 0 || !strings.Contains(got, "is not public") || !strings.Contains(got, "heed could not check 1 site") {
		t.Errorf("%d %q %q", status, stdout.String(), got)
	}
}

// That a site is unreachable at the first look is said, once, for each of a few sites: perhaps its name is misspelt.
func TestWatchOnceOfUnreachableSites(t *testing.T) {
	a, b := newChangingSite(t, before), newChangingSite(t, before)
	a.status, b.status = 503, 500
	store := t.TempDir()
	status, out, notices := a.run(t, store, "watch", a.URL, b.URL, "--once")
	for _, want := range []string{"SITE: the site was unreachable when heed fetched its robots.txt for the first time, so check whether its name is correct: status 503\n", b.URL + ": the site was unreachable when heed fetched its robots.txt for the first time, so check whether its name is correct: status 500\n"} {
		if status != exit.Allowed || out != "" || !strings.Contains(notices, want) {
			t.Errorf("%d %q %q, want %q", status, out, notices, want)
		}
	}
	if status, out, notices = a.run(t, store, "watch", a.URL, b.URL, "--once"); status != exit.Allowed || out != "" || notices != "" {
		t.Errorf("the next run: %d %q %q", status, out, notices)
	}
}

// Mistakes in the arguments of heed watch are named.
func TestWatchMistakes(t *testing.T) {
	site := newChangingSite(t, "")
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"heed watch: no site is given: name sites":                                                   {},
		"heed watch: the lists name no site: expected a URL or a host in each line":                  {empty},
		`heed watch: only: "verdict" is not a kind of change; expected one of verdicts, preferences`: {"a.example", "--only", "verdict"},
		`heed watch: --severity "grave" is unknown; expected one of low`:                             {"a.example", "--severity", "grave"},
		`heed watch: --exec: exec: "nothing-there": executable file not found`:                       {"a.example", "--exec", "nothing-there"},
		`missing.txt: there is no such file`:                                                         {"missing.txt"},
	} {
		if status, _, notices := site.run(t, t.TempDir(), append([]string{"watch"}, args...)...); status != exit.Usage || !strings.Contains(notices, want) {
			t.Errorf("%v: %d %q, want %q", args, status, notices, want)
		}
	}
}
