package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// With --unordered the answer of a fast site is printed before that of a slow one, unless
// --jobs 1 makes it wait. Without --unordered the answers are in the order of the URLs.
func TestUnorderedPrintsFastSiteFirst(t *testing.T) {
	portion.Skip(t, 4)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(2 * time.Second) }))
	defer slow.Close()
	fast := httptest.NewServer(http.NotFoundHandler())
	defer fast.Close()
	for _, c := range []struct {
		flags []string
		first string
	}{
		{nil, slow.URL},
		{[]string{"--unordered"}, fast.URL},
		{[]string{"--unordered", "--jobs", "1"}, slow.URL},
	} {
		var out, errors bytes.Buffer
		args := append([]string{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), slow.URL, fast.URL}, c.flags...)
		status := Run(args, nil, &out, &errors)
		first, rest, _ := strings.Cut(out.String(), "\n")
		if status != exit.Allowed || !strings.Contains(first, c.first) || strings.Count(rest, "\n") != 1 {
			t.Errorf("%v: status %d, %s%s", c.flags, status, out.String(), errors.String())
		}
	}
}

// heed check suggests the known chain of a crawler, once, if the answer of a site would be
// another one with it.
func TestChainIsSuggestedForSite(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: Googlebot\nDisallow: /x\n")
	}))
	defer site.Close()
	store := t.TempDir()
	for path, want := range map[string]string{
		"/y": "",
		"/x": "heed check: note: if there is no group for Googlebot-Image, this crawler follows the group of Googlebot; to include that group, use -a @Googlebot-Image\n",
	} {
		var out, errors bytes.Buffer
		Run([]string{"check", "-a", "Googlebot-Image", "--allow-private", "--store", store, site.URL + path, site.URL + path + "?x"}, nil, &out, &errors)
		if errors.String() != want || strings.Count(out.String(), "allowed    ") != 2 {
			t.Errorf("%s: %s%s", path, errors.String(), out.String())
		}
	}
}

// After a good retrieval, a failed one does not change the answers, but heed check and heed test
// say so. With --refresh, heed test does not end with 0 then.
func TestFailedRefreshIsShown(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	cases := filepath.Join(t.TempDir(), "live.cases")
	if err := os.WriteFile(cases, []byte("allow Googlebot /a /b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	test := []string{"test", "--robots", site.URL, cases}
	const failed = "copy fetched [0-9]+ seconds? ago; the last try failed: status 503"
	for _, step := range []struct {
		status       int
		args         []string
		want         int
		out, notices string // regular expressions
	}{
		{200, append(test, "--refresh"), exit.Allowed, "^2 passed, 0 failed\n$", "^$"},
		{503, append(test, "--refresh"), exit.Undetermined, "^2 passed, 0 failed\n$",
			"^heed test: note: SITE/robots.txt: rules \\(" + failed + "\\)\n$"},
		{503, test, exit.Allowed, "^2 passed", failed},
		{503, []string{"check", "-a", "x", site.URL + "/x", "--refresh"}, exit.Disallowed, failed, "^$"},
		{200, append(test, "--refresh"), exit.Allowed, "^2 passed, 0 failed\n$", "^$"},
	} {
		site.status = step.status
		status, out, notices := site.run(t, store, step.args...)
		if status != step.want || !regexp.MustCompile(step.out).MatchString(out) || !regexp.MustCompile(step.notices).MatchString(notices) {
			t.Errorf("%d %v: status %d\n%s%s", step.status, step.args, status, out, notices)
		}
	}
}
