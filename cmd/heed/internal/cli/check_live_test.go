package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// With --unordered the answer of a fast site is printed before that of a slow one, unless
// --jobs 1 makes it wait. Without --unordered the answers are in the order of the URLs.
func TestUnorderedPrintsFastSiteFirst(t *testing.T) {
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
		if status != exitAllowed || !strings.Contains(first, c.first) || strings.Count(rest, "\n") != 1 {
			t.Errorf("%v: status %d, %s%s", c.flags, status, out.String(), errors.String())
		}
	}
}

// unorderedMap uses each answer once, and uses a slow one last.
func TestUnorderedMapUsesSlowAnswerLast(t *testing.T) {
	urls := []string{"slow", "a", "b", "c"}
	next := func() (given, bool) {
		if len(urls) == 0 {
			return given{}, false
		}
		g := given{urls: urls[:1]}
		urls = urls[1:]
		return g, true
	}
	worker := func() func(given) answers {
		return func(g given) answers {
			if g.urls[0] == "slow" {
				time.Sleep(100 * time.Millisecond)
			}
			return answers{out: []byte(g.urls[0])}
		}
	}
	var got []string
	unorderedMap(2, next, worker, func(a answers) { got = append(got, string(a.out)) })
	if len(got) != 4 || got[3] != "slow" {
		t.Errorf("the order of the answers is %v", got)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b", "c", "slow"}) {
		t.Errorf("answers are %v", got)
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
		"/x": "heed check: note: Googlebot-Image falls back to the group of Googlebot; to apply that, use -a @Googlebot-Image\n",
	} {
		var out, errors bytes.Buffer
		Run([]string{"check", "-a", "Googlebot-Image", "--allow-private", "--store", store, site.URL + path, site.URL + path + "?x"}, nil, &out, &errors)
		if errors.String() != want || strings.Count(out.String(), "allowed    ") != 2 {
			t.Errorf("%s: %s%s", path, errors.String(), out.String())
		}
	}
}
