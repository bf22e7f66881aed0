package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
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
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(300 * time.Millisecond) }))
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
		"/x": "heed check: note: if no group names Googlebot-Image, this crawler follows the group of Googlebot; to include that group in the check, use -a @Googlebot-Image\n",
	} {
		var out, errors bytes.Buffer
		Run([]string{"check", "-a", "Googlebot-Image", "--allow-private", "--store", store, site.URL + path, site.URL + path + "?x"}, nil, &out, &errors)
		if errors.String() != want || strings.Count(out.String(), "allowed    ") != 2 {
			t.Errorf("%s: %s%s", path, errors.String(), out.String())
		}
	}
}
