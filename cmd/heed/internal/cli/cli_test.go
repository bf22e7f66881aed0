package cli

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/signature"
)

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"heed": func() { os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// testdata/script contains transcripts: commands with their expected output. Each time, a part of them is run.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	if os.Getenv("UPDATE_TRANSCRIPTS") == "" {
		files = slices.DeleteFunc(files, func(string) bool { return !portion.Of(4) })
	}
	testscript.Run(t, testscript.Params{
		Files:         files,
		Setup:         serveSite,
		UpdateScripts: os.Getenv("UPDATE_TRANSCRIPTS") != "",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"status": status, "unhex": unhex, "expand": expand},
	})
}

// serveSite starts the sites of a transcript:
//
//	$SITE    its robots.txt is found after a redirect, and /index.xml is a sitemap index
//	$WALL    its robots.txt is an HTML page
//	$CLOSED  every response has status 403
//	$DOWN    no server listens there
//	$ODD     see oddSite
//	$LOOP    its robots.txt redirects to itself
//	$GUARDED its robots.txt is a challenge, with status 403
//	$LARGE   its robots.txt is longer than crawlers read
//	$HIDING  its robots.txt turns off what is wrong with it
func serveSite(env *testscript.Env) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/real.txt", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/real.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Etag", `"1"`)
		w.Header()["Date"] = nil
		io.WriteString(w, "User-agent: *\nDisallow: /x\n\n")
	})
	mux.HandleFunc("/index.xml", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<sitemapindex><sitemap><loc>http://%s/pages.txt</loc></sitemap></sitemapindex>", r.Host)
	})
	mux.HandleFunc("/pages.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "http://%s/y\nhttp://%[1]s/x/1\n", r.Host)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page/", http.StatusFound) })
	mux.HandleFunc("/page/", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<!DOCTYPE html><script src=/x/app.js></script><link rel=stylesheet href=style.css><img src=a.png srcset='b.png 2x'>")
	})
	mux.HandleFunc("localhost/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<!DOCTYPE html>\n<title>Just a moment...</title>\n")
	})
	site := httptest.NewServer(mux)
	env.Defer(site.Close)
	env.Setenv("SITE", site.URL)
	env.Setenv("WALL", strings.Replace(site.URL, "127.0.0.1", "localhost", 1))
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	env.Defer(closed.Close)
	env.Setenv("CLOSED", closed.URL)
	loop := httptest.NewServer(http.RedirectHandler("/robots.txt", http.StatusFound))
	env.Defer(loop.Close)
	env.Setenv("LOOP", loop.URL)
	env.Setenv("DOWN", "http://127.0.0.1:2")
	for name, site := range lintSites {
		server := httptest.NewServer(site)
		env.Defer(server.Close)
		env.Setenv(name, server.URL)
	}
	env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
	return nil
}

// buildHeed returns the path of the command, which is built once for all tests.
func buildHeed(t *testing.T) string {
	t.Helper()
	heed, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return heed
}

var builtIn string // the folder of the command, which is removed after the tests

var built = sync.OnceValues(func() (heed string, err error) {
	if builtIn, err = os.MkdirTemp("", "heed-cli"); err != nil {
		return "", err
	}
	heed = filepath.Join(builtIn, "heed")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", heed, "../..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return heed, nil
})

// cleaning runs the tests, and then removes the command that they have built.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer func() { os.RemoveAll(builtIn) }() // "" is no folder
	return c.M.Run()
}

// fifty processes share one cache folder, which the first one makes. All give the right
// answers, and a later process fetches nothing.
func TestManyProcessesShareCache(t *testing.T) {
	portion.Skip(t, 4)
	var retrievals atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		retrievals.Add(1)
		io.WriteString(w, "User-agent: *\nDisallow: /x\n")
	}))
	defer server.Close()
	heed, folder := buildHeed(t), filepath.Join(t.TempDir(), "cache")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			command := exec.Command(heed, "check", "-a", "ExampleBot", "--store", folder, "--allow-private", server.URL+"/x", server.URL+"/y")
			var notice strings.Builder
			command.Stderr = &notice
			out, err := command.Output()
			var ended *exec.ExitError
			lines := strings.Split(string(out), "\n")
			if !errors.As(err, &ended) || ended.ExitCode() != exit.Disallowed || len(lines) != 3 ||
				!strings.Contains(lines[0], "line 2: Disallow: /x") || !strings.HasPrefix(lines[1], "allowed") {
				t.Errorf("%v: %s", err, out)
			}
			// On a busy machine some processes cannot write in time, and one line reports that.
			if n := notice.String(); n != "" && (strings.Count(n, "\n") != 1 || !strings.Contains(n, "closed before the record was written") &&
				!strings.Contains(n, "another process has been writing")) {
				t.Errorf("notice: %s", n)
			}
		})
	}
	wg.Wait()
	before := retrievals.Load()
	if out, err := exec.Command(heed, "check", "-a", "ExampleBot", "--store", folder, server.URL+"/y").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if retrievals.Load() != before {
		t.Error("fifty processes left nothing in the cache")
	}
}

// status is a command of transcripts: "status N COMMAND" runs a command that must end with
// exit status N, and must not show a private key of a file named *.key (SG-6).
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	keys, err := filepath.Glob(ts.MkAbs("*.key"))
	ts.Check(err)
	for _, key := range keys {
		if how := signature.Leaked(key, ts.ReadFile("stdout")+ts.ReadFile("stderr")); how != "" {
			ts.Fatalf("the output shows the key in %s: %s", key, how)
		}
	}
}

// unhex is a command of transcripts: "unhex FROM TO" decodes a file of hexadecimal digits.
func unhex(ts *testscript.TestScript, _ bool, args []string) {
	data, err := hex.DecodeString(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// expand is a command of transcripts: "expand FILE" replaces variables in a file.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// An interrupt ends a command at once while it waits for a site or for input. The exit status
// is 3, because the answer could not be determined.
func TestInterruptEndsWaits(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	requested := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requested <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	heed := buildHeed(t)
	for _, args := range [][]string{
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), "--format", "json", server.URL, "-"}, // standard input sends nothing
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), "--input", "jsonl"},
		{"explain", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"fetch", "--allow-private", server.URL},
		{"show", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"parse", "--allow-private", "--store", t.TempDir(), server.URL},
		{"lint", "--allow-private", "--store", t.TempDir(), server.URL, "nosuch.txt"},
		{"diff", "--allow-private", "--store", t.TempDir(), server.URL, server.URL},
	} {
		c := exec.Command(heed, args...)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(args, "--input") {
			io.WriteString(in, `{"url": "`+server.URL+`"}`+"\n")
		}
		<-requested
		start := time.Now()
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		err = c.Wait()
		in.Close()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exit.Undetermined || time.Since(start) > 5*time.Second || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: %v after %s, %s", args, err, time.Since(start), stderr.String())
		}
	}
}

// If the output cannot be written, heed reports an error.
func TestBrokenOutputIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	in := strings.NewReader("user-agent: *\n")
	if got := Run([]string{"check", "-a", "x", "--robots", "-", "/"}, in, broken{}, &stderr); got != exit.Usage {
		t.Errorf("exit status %d", got)
	}
	if !strings.Contains(stderr.String(), "cannot write to standard output: no room") {
		t.Errorf("standard error: %s", stderr.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }
