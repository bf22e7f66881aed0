package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
)

// A changingSite is a site whose robots.txt changes.
type changingSite struct {
	*httptest.Server
	status   int
	body     string
	header   http.Header
	requests int
}

func newChangingSite(t *testing.T, body string) *changingSite {
	s := &changingSite{status: http.StatusOK, body: body}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests++
		for name, values := range s.header {
			w.Header()[name] = values
		}
		if tag := s.header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.WriteHeader(s.status)
		io.WriteString(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// run runs a command line and returns its exit status, its output and its notices, with SITE in
// place of the URL of the site.
func (s *changingSite) run(t *testing.T, store string, args ...string) (status int, out, notices string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(args, "--allow-private", "--store", store)
	status = Run(args, strings.NewReader(""), &stdout, &stderr)
	short := strings.NewReplacer(s.URL, "SITE")
	return status, short.Replace(stdout.String()), short.Replace(stderr.String())
}

const (
	before = "User-agent: *\nDisallow: /x\n"
	after  = "User-agent: *\nDisallow: /\n"
)

// heed diff --since-stored reports each change once, and a failure is never a change, nor
// the proof that there is none. After a failure, the next run compares with the last answer before
// it.
func TestSinceStored(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	for _, step := range []struct {
		what    string
		set     func()
		status  int
		notices string
		out     string
	}{
		{"a first failure", func() { site.status = 500 }, exit.Usage, "SITE/robots.txt is unreachable, so there is no robots.txt to read: status 500\n", ""},
		{"after a stored failure", func() {}, exit.Usage, "is unreachable", ""},
		{"nothing is stored", func() { site.status = 200 }, exit.Usage, " SITE/robots.txt was not cached before, so there is nothing to compare; heed has cached it now, and the next run will compare with it\n", ""},
		{"no change", func() {}, exit.Allowed, "", "Old: SITE/robots.txt as of 20"},
		{"a change", func() { site.body = after }, exit.Disallowed, "", "is disallowed"},
		{"no further change", func() {}, exit.Allowed, "", "Proved equal"},
		{"a failure", func() { site.status = 503; site.body = before }, exit.Usage, "is unreachable, so there is no robots.txt to read: status 503\n", ""},
		{"a second failure", func() { site.status = 429 }, exit.Usage, "is unreachable, so there is no robots.txt to read: status 429\n", ""},
		{"a change behind failures", func() { site.status = 200 }, exit.Disallowed, "", "is allowed"},
		{"no robots.txt", func() { site.status = 404 }, exit.Disallowed, "note: SITE/robots.txt does not exist (status 404): everything is allowed\n", "robots.txt is unavailable"},
		{"still none", func() {}, exit.Allowed, "(status 404): everything is allowed\n", "Proved equal"},
		{"an empty file instead", func() { site.status = 200; site.body = "" }, exit.Allowed, "note: SITE/robots.txt is empty: everything is allowed\n", "Proved equal"},
		{"a page", func() { site.body = "<!DOCTYPE html><title>Sign in</title>" }, exit.Allowed, "note: SITE/robots.txt is an HTML page; heed reads only the lines in it that look like lines of a robots.txt (see --pages-unreachable)\n", "Proved equal"},
		{"a file again", func() { site.body = before }, exit.Disallowed, "note: SITE/robots.txt as of ", "Disallow: /x"},
	} {
		step.set()
		status, out, notices := site.run(t, store, "diff", "--live", site.URL, "--since-stored")
		if status != step.status || !strings.Contains(notices, step.notices) || (step.notices == "") != (notices == "") ||
			!strings.Contains(out, step.out) || (step.out == "") != (out == "") {
			t.Errorf("%s: status %d, output:\n%snotices:\n%s", step.what, status, out, notices)
		}
	}
}

// A server that answers 304 says that nothing has changed. That is also so if the file was gone
// meanwhile.
func TestSinceStoredNotModified(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	site.header = http.Header{"Etag": {`"1"`}}
	run := func(want int) {
		t.Helper()
		if status, out, notices := site.run(t, store, "diff", "--live", site.URL, "--since-stored"); status != want {
			t.Errorf("status %d, want %d: %s%s", status, want, out, notices)
		}
	}
	run(exit.Usage)
	run(exit.Allowed)
	site.header, site.status = nil, 404
	run(exit.Disallowed)
	site.header = http.Header{"Etag": {`"1"`}}
	run(exit.Disallowed)
	run(exit.Allowed)
	if site.requests != 5 {
		t.Errorf("%d requests, want one for each run", site.requests)
	}
}

// With --pages-unreachable a page is a failure. What was stored as a robots.txt by another run does
// not count then.
func TestSinceStoredPageIsFailure(t *testing.T) {
	site, store := newChangingSite(t, "<!DOCTYPE html><title>Sign in</title>"), t.TempDir()
	if status, _, notices := site.run(t, store, "diff", "--live", site.URL, "--since-stored"); status != exit.Usage {
		t.Errorf("status %d, %s", status, notices)
	}
	status, out, notices := site.run(t, store, "diff", "--live", site.URL, "--since-stored", "--pages-unreachable")
	if status != exit.Usage || out != "" || !strings.Contains(notices, "is unreachable, so there is no robots.txt to read: status 200, an HTML page\n") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
	site.body = before
	status, out, notices = site.run(t, store, "diff", "--live", site.URL, "--since-stored", "--pages-unreachable")
	if status != exit.Usage || out != "" || !strings.Contains(notices, "was not cached before") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
}

// Without a store that works there is nothing to compare, and nothing is said to be stored.
func TestSinceStoredNeedsStore(t *testing.T) {
	site := newChangingSite(t, before)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, notices := site.run(t, file, "diff", "--live", site.URL, "--since-stored")
	if status != exit.Usage || out != "" || !strings.Contains(notices, "--since-stored needs the cache, but heed cannot use its folder: give another folder with --store\n") || site.requests != 0 {
		t.Errorf("status %d, %d requests, %s%s", status, site.requests, out, notices)
	}
}

// --live fetches, even if the cached file is fresh. If that fails, the cached file is not used.
func TestDiffLiveFetches(t *testing.T) {
	site, store := newChangingSite(t, before), t.TempDir()
	file := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		status, requests int
		args             []string
		want             int
	}{
		{200, 1, []string{file, "--live", site.URL}, exit.Allowed},
		{200, 2, []string{file, "--live", site.URL}, exit.Allowed},
		{200, 2, []string{file, site.URL}, exit.Allowed}, // from the cache
		{200, 3, []string{file, site.URL, "--refresh"}, exit.Allowed},
		{500, 4, []string{file, "--live", site.URL}, exit.Usage},
		{500, 5, []string{file, site.URL, "--refresh"}, exit.Usage},
		{500, 5, []string{file, "--live", site.URL, "--offline"}, exit.Allowed},
		{500, 5, []string{file, site.URL}, exit.Allowed}, // still fresh; a note says that the last try failed
	} {
		site.status = step.status
		status, out, notices := site.run(t, store, append([]string{"diff"}, step.args...)...)
		if status != step.want || site.requests != step.requests || (status == exit.Usage) != (out == "") {
			t.Errorf("%v: status %d, %d requests: %s%s", step.args, status, site.requests, out, notices)
		}
		if status == exit.Allowed && step.status == 500 && !strings.Contains(notices, "the last try failed") {
			t.Errorf("%v: no notice of the failure: %s", step.args, notices)
		}
	}
}

// A file that is too long, or that another site sends, is compared, and the output says what it
// is.
func TestDiffLiveOdd(t *testing.T) {
	site, other := newChangingSite(t, strings.Repeat("# long\n", 80_000)+after), newChangingSite(t, before)
	status, out, notices := site.run(t, t.TempDir(), "diff", os.DevNull, "--live", site.URL)
	if status != exit.Allowed || !strings.Contains(out, "The new file is longer than 500 KiB: the rest is ignored, and not compared.\n") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
	site.status, site.header = http.StatusFound, http.Header{"Location": {other.URL + "/moved.txt"}}
	status, out, notices = site.run(t, t.TempDir(), "diff", os.DevNull, "--live", site.URL)
	if status != exit.Disallowed || !strings.Contains(notices, "note: SITE/robots.txt is redirected to "+other.URL+"/moved.txt\n") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
}

// A server that never answers is an error after --timeout.
func TestDiffLiveHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	var out, notices bytes.Buffer
	args := []string{"diff", os.DevNull, "--live", server.URL, "--timeout", "300ms", "--allow-private", "--store", t.TempDir()}
	if status := Run(args, nil, &out, &notices); status != exit.Usage || out.Len() > 0 || !strings.Contains(notices.String(), "no robots.txt to read: ") {
		t.Errorf("status %d, %s%s", status, out.String(), notices.String())
	}
}

func TestDiffArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", `expected two arguments, the old and the new robots.txt, each a file or a site; see "heed diff --help"`},
		{"a b c", "expected two arguments"},
		{"--live x.example", "--live URL names the new robots.txt, and the old one is missing: give one file or site, or --since-stored"},
		{"a b --live x.example", "give one file or site, or --since-stored"},
		{"a --live x.example --since-stored", "--since-stored takes the old file from the cache: leave out a, or leave out --since-stored"},
		{"--since-stored", "name the site with --live URL"},
		{"a b --since-stored", "name the site with --live URL"},
		{"--live x.example --since-stored --offline", "--offline fetches nothing, and --since-stored fetches the robots.txt of the site: leave one of them out"},
		{"/dev/null --live git:HEAD:robots.txt", `URL "git:HEAD:robots.txt": for URLs with the scheme git there is no robots.txt`},
		{"/dev/null --live robots", "expected an absolute URL"},
		{"/dev/null --live https://x.example/staging/robots.txt", "the robots.txt of this site is https://x.example/robots.txt; to use another file of the site, save it"},
		{"--since-stored --live https://x.example/a.txt", "to use another file of the site, save it and give its path"},
		{"/dev/null https://x.example/a.txt", "to use another file of the site, save it and give its path"},
		{"/dev/null --live x.example --refresh --offline", "leave one of them out"},
	} {
		var out, notices bytes.Buffer
		args := append([]string{"diff"}, strings.Fields(c.args)...)
		if status := Run(args, nil, &out, &notices); status != exit.Usage || out.Len() > 0 || !strings.Contains(notices.String(), c.want) {
			t.Error(fmt.Sprintf("%s: status %d, ", c.args, status), out.String(), notices.String())
		}
	}
}

// With two files, the flags for live sites are for the sitemap.
func TestDiffSitemapURL(t *testing.T) {
	site := newChangingSite(t, "https://a.example/x\n")
	status, out, notices := site.run(t, t.TempDir(), "diff", os.DevNull, os.DevNull, "--sitemap", site.URL+"/sitemap.txt")
	if status != exit.Allowed || !strings.Contains(out, "Of 1 URL no verdict changes") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
	status, _, notices = site.run(t, t.TempDir(), "diff", os.DevNull, os.DevNull, "--sitemap", "sitemap.txt")
	if status != exit.Usage || !strings.Contains(notices, "is for live sites, but no argument is a site") {
		t.Errorf("status %d, %s", status, notices)
	}
}
