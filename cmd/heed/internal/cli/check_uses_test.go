package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
)

// AI-13, AI-3: --tdmrep fetches one file more for each site, whatever is asked there. One that cannot be read is reported, and
// allows nothing.
func TestTDMRep(t *testing.T) {
	tdmrep, status, robots := "", http.StatusOK, "User-agent: *\nDisallow: /x\nContent-Usage: train-ai=y\n"
	var mu sync.Mutex
	var seen []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path)
		if r.URL.Path == "/robots.txt" {
			w.Write([]byte(robots))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write([]byte(tdmrep))
	}))
	defer site.Close()
	run := func(args ...string) (code int, out, errors string) {
		var o, e bytes.Buffer
		mu.Lock()
		seen = nil
		mu.Unlock()
		args = append(args, "-a", "x", "--allow-private", "--for", "train-ai", "--store", t.TempDir(), site.URL+"/a")
		code = Run(args, nil, &o, &e)
		return code, o.String(), e.String()
	}
	for _, c := range []struct {
		status       int
		body         string
		code         int
		out, warning string
	}{
		{200, `[{"location":"/a","tdm-reservation":1}]`, exit.Disallowed, "train-ai  disallowed     tdmrep.json, row 1: ", ""},
		{200, `[{"location":"/b","tdm-reservation":1}]`, exit.Allowed, "train-ai  allowed        line 3: ", ""},
		{404, "", exit.Allowed, "train-ai  allowed", ""},
		{500, "", exit.Undetermined, "(does not count: tdmrep.json is not known, and may disallow it), and 1 more", "/.well-known/tdmrep.json is not known: the server sent the status 500; expected 200"},
		{200, `{"location":"\u001b[31m"}`, exit.Undetermined, "train-ai  unknown", "/.well-known/tdmrep.json is not known: tdmrep.json: expected a JSON array of objects"},
	} {
		tdmrep, status = c.body, c.status
		code, out, errors := run("check", "--tdmrep", site.URL+"/b2", site.URL+"/x")
		errors, isNoted := strings.CutPrefix(errors, "heed check: note: headers and meta elements of a page may also say what it may be used for; heed reads them in responses that you give to \"heed filter --responses\" or \"heed check --input jsonl\"\n")
		if code != max(c.code, exit.Disallowed) || !strings.Contains(out, c.out) || !strings.Contains(errors, c.warning) || c.warning == "" && errors != "" || !isNoted {
			t.Errorf("%d %s: status %d, %s%s", c.status, c.body, code, out, errors)
		}
		if !strings.Contains(out, "train-ai  not-crawlable") {
			t.Errorf("the page that may not be crawled: %s", out)
		}
		if got := strings.Join(seen, " "); got != "/robots.txt /.well-known/tdmrep.json" {
			t.Errorf("the site saw %s", got)
		}
		code, out, _ = run("explain", "--tdmrep")
		if code != c.code || !strings.Contains(out, "May it be used for train-ai: ") {
			t.Errorf("explain: status %d, %s", code, out)
		}
	}
	if run("check"); strings.Join(seen, " ") != "/robots.txt" {
		t.Errorf("without --tdmrep the site saw %v", seen)
	}
	if code, _, errors := run("check", "--tdmrep", "--offline"); code != exit.Usage || !strings.Contains(errors, "--offline fetches nothing") {
		t.Errorf("with --offline: status %d, %s", code, errors)
	}
}
