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

	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"heed": func() { os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The transcripts of testdata/script: what is typed and what must come back.
func TestTranscripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		Setup:         serveSite,
		UpdateScripts: os.Getenv("UPDATE_TRANSCRIPTS") != "",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"status": status, "unhex": unhex, "expand": expand},
	})
}

// serveSite starts a site for a transcript, which goes by $SITE: its robots.txt
// lies behind a redirect, and /index.xml is an index of sitemaps. That of $WALL is an HTML page, $CLOSED lets nobody read
// any, and nobody answers at $DOWN.
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
	env.Setenv("DOWN", "http://127.0.0.1:2")
	env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
	return nil
}

// buildHeed builds the command and returns where it is.
func buildHeed(t *testing.T) string {
	t.Helper()
	heed := filepath.Join(t.TempDir(), "heed")
	if out, err := exec.Command("go", "build", "-o", heed, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return heed
}

// fifty processes on one cache folder that is not there yet.
func TestManyProcesses(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
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
			var exit *exec.ExitError
			lines := strings.Split(string(out), "\n")
			if !errors.As(err, &exit) || exit.ExitCode() != exitDisallowed || len(lines) != 3 ||
				!strings.Contains(lines[0], "line 2: Disallow: /x") || !strings.HasPrefix(lines[1], "allowed") {
				t.Errorf("%v: %s", err, out)
			}
			// On a busy machine not all of them write within a second: one is enough.
			if n := notice.String(); n != "" && (strings.Count(n, "\n") != 1 || !strings.Contains(n, "closed before it was written") &&
				!strings.Contains(n, "another process has been writing")) {
				t.Errorf("notice: %s", n)
			}
		})
	}
	wg.Wait()
	before := asked.Load()
	if out, err := exec.Command(heed, "check", "-a", "ExampleBot", "--store", folder, server.URL+"/y").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if asked.Load() != before {
		t.Error("what fifty processes learnt was not remembered")
	}
}

// status runs a command that must end with the exit status that comes first.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// unhex writes the bytes that a file of hexadecimal digits stands for.
func unhex(ts *testscript.TestScript, _ bool, args []string) {
	data, err := hex.DecodeString(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// expand puts the values of variables into a file.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// An interrupt ends a wait for a site, and for input, at once: what is asked could
// not be determined.
func TestInterrupt(t *testing.T) {
	asked := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	heed := buildHeed(t)
	for _, args := range [][]string{
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), "--format", "json", server.URL, "-"}, // and nothing comes
		{"check", "-a", "x", "--allow-private", "--store", t.TempDir(), "--input", "jsonl"},
		{"explain", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"fetch", "--allow-private", server.URL},
		{"show", "-a", "x", "--allow-private", "--store", t.TempDir(), server.URL},
		{"parse", "--allow-private", "--store", t.TempDir(), server.URL},
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
		<-asked
		start := time.Now()
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		err = c.Wait()
		in.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitUndetermined || time.Since(start) > 5*time.Second || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: %v after %s, %s", args, err, time.Since(start), stderr.String())
		}
	}
}

// Bytes of a remote file never reach a terminal as escape sequences, in JSON neither.
func TestVisible(t *testing.T) {
	got := string(marshal(report.AnswerOf("/\x1b\u009b\u202e\U000e0041<\xff", robotstxt.Decision{})))
	want := `{"url":"/\u001b\u009b\u202e\udb40\udc41<` + "\ufffd" + `","url_b64":"LxvCm+KArvOggYE8/w==","allowed":false,"reason":"undecided"}`
	if got != want {
		t.Errorf("JSON\n got %s\nwant %s", got, want)
	}
}

// The exit status is that of the worst answer (0, 1, 3, 2), in that order.
func TestStatus(t *testing.T) {
	allow := robotstxt.Decision{Allowed: true, Reason: robotstxt.NoGroup}
	deny := robotstxt.Decision{Reason: robotstxt.ByRule}
	down := robotstxt.Decision{Reason: robotstxt.Unreachable}
	bad := robotstxt.Decision{Reason: robotstxt.InvalidTarget}
	for _, c := range []struct {
		decisions []robotstxt.Decision
		want      int
	}{
		{nil, exitAllowed},
		{[]robotstxt.Decision{allow, allow}, exitAllowed},
		{[]robotstxt.Decision{allow, deny, allow}, exitDisallowed},
		{[]robotstxt.Decision{deny, down, deny}, exitUndetermined},
		{[]robotstxt.Decision{bad, down, allow}, exitUsage},
		{[]robotstxt.Decision{{}}, exitUndetermined},
	} {
		a := &app{}
		for _, d := range c.decisions {
			a.raise(statusOf(d))
		}
		if a.status != c.want {
			t.Errorf("%+v: exit status %d, want %d", c.decisions, a.status, c.want)
		}
	}
}

// An output that cannot be written is an error, not a silent loss.
func TestBrokenOutput(t *testing.T) {
	var stderr bytes.Buffer
	in := strings.NewReader("user-agent: *\n")
	if got := Run([]string{"check", "-a", "x", "--robots", "-", "/"}, in, broken{}, &stderr); got != exitUsage {
		t.Errorf("exit status %d", got)
	}
	if !strings.Contains(stderr.String(), "standard output: no room") {
		t.Errorf("standard error: %s", stderr.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }
