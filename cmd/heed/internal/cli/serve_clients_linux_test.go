package cli

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const clientsFolder = "../../../../examples/clients"

// eachClient runs a test for each client whose language is installed.
func eachClient(t *testing.T, test func(t *testing.T, program, file string)) {
	for program, file := range map[string]string{"python3": "heed.py", "node": "heed.mjs", "sh": "heed.sh"} {
		t.Run(program, func(t *testing.T) {
			for _, needed := range []string{program, "curl"} {
				if _, err := exec.LookPath(needed); err != nil && (needed != "curl" || program == "sh") {
					t.Skipf("%s is not installed: examples/clients/%s is not run", needed, file)
				}
			}
			test(t, program, file)
		})
	}
}

// The clients of heed serve in other languages print what is expected: over https, with a path before that of the API,
// and with a token.
func TestServeClients(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /cart\nDisallow: /1\n")
	}))
	defer site.Close()
	const token = "0123456789abcdef0123456789abcdef"
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	base, authority := tlsFront(t, startServe(t, "--token-file", tokens).url)
	eachClient(t, func(t *testing.T, program, file string) {
		for _, c := range []struct{ token, want string }{
			{token, "check false\nstream 889\nturn true\n"}, // 1111 of 2000 begin with 1
			{"wrong", ""},
		} {
			command := exec.CommandContext(t.Context(), program, filepath.Join(clientsFolder, file), site.URL)
			command.Env = append(os.Environ(), "HEED_URL="+base, "HEED_TOKEN="+c.token, "SSL_CERT_FILE="+authority, "NODE_EXTRA_CA_CERTS="+authority, "CURL_CA_BUNDLE="+authority)
			var failures strings.Builder
			command.Stderr = &failures
			out, err := command.Output()
			got := strings.ToLower(string(out))
			if c.want != "" && (err != nil || got != c.want) || c.want == "" && (err == nil || got != "" || !strings.Contains(failures.String(), "401")) {
				t.Errorf("with the token %s: %v: got %s, want %s; %s", c.token, err, got, c.want, failures.String())
			}
		}
	})
}

// Without a site, a client prints how it is used.
func TestServeClientsUsage(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, program, file string) {
		for _, arguments := range [][]string{nil, {"--help"}} {
			command := exec.CommandContext(t.Context(), program, append([]string{filepath.Join(clientsFolder, file)}, arguments...)...)
			want := "usage: " + program + " " + file + " SITE, such as https://www.example.com\n"
			if out, err := command.CombinedOutput(); err == nil || string(out) != want {
				t.Errorf("%q: %v: %s", arguments, err, out)
			}
		}
	})
}

// A client knows how long a verdict is valid.
func TestServeClientsValidity(t *testing.T) {
	t.Parallel()
	const verdicts = `[
		{"site": {"fetched": "2026-11-27T10:00:00Z", "age_seconds": 60, "stale": false, "next_retrieval": "2026-11-28T10:00:00Z"}},
		{"site": {"fetched": "2026-11-27T10:00:00Z", "age_seconds": 86399, "stale": false, "next_retrieval": "2026-11-28T10:00:00Z"}},
		{"site": {"fetched": "2026-11-27T10:00:00Z", "age_seconds": 60, "stale": true, "next_retrieval": "2026-11-28T10:00:00Z"}},
		{"site": {"fetched": "2026-11-27T10:00:00Z", "age_seconds": 60, "stale": false, "next_retrieval": "2026-11-28T10:00:00Z"}, "pending": true},
		{"site": {"fetched": "2026-11-27T10:00:00Z", "age_seconds": 60, "stale": false}},
		{"site": {"age_seconds": 0, "stale": false, "next_retrieval": "2026-11-28T10:00:00Z"}},
		{"error": "x"}
	]`
	scripts := map[string][]string{
		"python3": {"-c", "import heed, json, sys; print(*map(heed.Heed.valid_seconds, json.load(sys.stdin)))"},
		"node":    {"--input-type=module", "-e", `import { Heed } from "./heed.mjs"; console.log(...(await new Response(process.stdin).json()).map(Heed.validSeconds))`},
	}
	eachClient(t, func(t *testing.T, program, _ string) {
		if scripts[program] == nil {
			return // a shell cannot compute with times
		}
		command := exec.CommandContext(t.Context(), program, scripts[program]...)
		command.Dir, command.Stdin = clientsFolder, strings.NewReader(verdicts)
		command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		if out, err := command.CombinedOutput(); err != nil || string(out) != "86338 0 0 0 0 0 0\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// tlsFront starts a proxy with TLS before a daemon. It returns the URL of the daemon there, which has a path, and a file with
// the certificate.
func tlsFront(t *testing.T, daemon string) (base, authority string) {
	t.Helper()
	to, err := url.Parse(daemon)
	if err != nil {
		t.Fatal(err)
	}
	proxy := http.StripPrefix("/heed", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex() // a stream is answered while its questions come
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return front.URL + "/heed", authority
}

// A client that was stopped until its turn was over, while it waited or while the answer came, asks for another turn, which
// is valid longer, and uses that.
func TestServeClientsAskForAnotherTurn(t *testing.T) {
	t.Parallel()
	scripts := map[string][]string{
		"python3": {"-c", "import heed; print(heed.Heed().turn('http://x/', 'ExampleBot'))"},
		"node":    {"--input-type=module", "-e", `import { Heed } from "./heed.mjs"; console.log(await new Heed().turn("http://x/", "ExampleBot"))`},
		"sh":      {"-c", ". ./heed.sh; turn http://x/ ExampleBot"},
	}
	eachClient(t, func(t *testing.T, program, _ string) {
		for _, wait := range []time.Duration{0, time.Second} {
			t.Run(wait.String(), func(t *testing.T) {
				t.Parallel()
				var turns atomic.Int32
				command := exec.CommandContext(t.Context(), program, scripts[program]...)
				signal := func(s syscall.Signal) func() { return func() { syscall.Kill(-command.Process.Pid, s) } }
				daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					var question struct {
						ValidSeconds float64 `json:"valid_seconds"`
					}
					if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
						t.Error(err)
					}
					valid := 30.0
					switch turns.Add(1) {
					case 1:
						if valid = 0.3; wait == 0 {
							signal(syscall.SIGSTOP)() // before it reads the answer
						} else {
							time.AfterFunc(wait/2, signal(syscall.SIGSTOP))
						}
						time.AfterFunc(wait+800*time.Millisecond, signal(syscall.SIGCONT))
					case 2:
						if question.ValidSeconds < 0.4 || question.ValidSeconds > 10 {
							t.Errorf("the second turn is asked to be valid for %g seconds", question.ValidSeconds)
						}
					}
					fmt.Fprintf(w, `{"allowed":true,"turn":{"wait_seconds":%g,"valid_seconds":%g}}`, wait.Seconds(), valid)
				}))
				defer daemon.Close()
				command.Dir = clientsFolder
				command.Env = append(os.Environ(), "HEED_URL="+daemon.URL, "PYTHONDONTWRITEBYTECODE=1")
				command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				out, err := command.CombinedOutput()
				if err != nil || turns.Load() != 2 || !strings.Contains(string(out), "allowed") {
					t.Errorf("%v, %d turns: %s", err, turns.Load(), out)
				}
			})
		}
	})
}

// HEED_URL needs no "http://". If a question is wrong, the client shows why.
func TestServeClientsShowWhy(t *testing.T) {
	t.Parallel()
	scripts := map[string][]string{
		"python3": {"-c", "import heed; heed.Heed().turn('x', 'ExampleBot')"},
		"node":    {"--input-type=module", "-e", `import { Heed } from "./heed.mjs"; await new Heed().turn("x", "ExampleBot")`},
		"sh":      {"-c", ". ./heed.sh; turn x ExampleBot"},
	}
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"expected a URL"}`, http.StatusBadRequest)
	}))
	t.Cleanup(daemon.Close)
	eachClient(t, func(t *testing.T, program, _ string) {
		command := exec.CommandContext(t.Context(), program, scripts[program]...)
		command.Dir = clientsFolder
		command.Env = append(os.Environ(), "HEED_URL="+strings.TrimPrefix(daemon.URL, "http://"), "PYTHONDONTWRITEBYTECODE=1")
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "expected a URL") || !strings.Contains(string(out), "status 400") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// If the clock shows whole seconds, the shell client uses a turn only if it is valid for a second more.
func TestServeClientsClockOfSeconds(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, "date"), []byte("#!/bin/sh\necho \"$(PATH=/bin:/usr/bin date +%s).N\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const long = `,"valid_seconds":30`
	for valid, want := range map[string]int32{"": 1, long: 1, `,"valid_seconds":0.5`: 2} {
		var turns atomic.Int32
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if turns.Add(1) > 1 {
				valid = long
			}
			fmt.Fprintf(w, `{"allowed":true,"turn":{"wait_seconds":0.1%s}}`, valid)
		}))
		defer daemon.Close()
		command := exec.CommandContext(t.Context(), "sh", "-c", ". ./heed.sh; turn http://x/ ExampleBot")
		command.Dir = clientsFolder
		command.Env = append(os.Environ(), "HEED_URL="+daemon.URL, "PATH="+programs+":"+os.Getenv("PATH"))
		if out, err := command.CombinedOutput(); err != nil || turns.Load() != want || !strings.Contains(string(out), "allowed") {
			t.Errorf("%v, %d turns, want %d: %s", err, turns.Load(), want, out)
		}
	}
}

// A stream that is cut without a last line, as when the time of --grace is over, is not complete.
func TestServeShellClientOfCutStream(t *testing.T) {
	t.Parallel()
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"url":"http://x/1","allowed":true}`+"\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer daemon.Close()
	command := exec.CommandContext(t.Context(), "sh", "-c", ". ./heed.sh; check_many </dev/null | is_complete")
	command.Dir, command.Env = clientsFolder, append(os.Environ(), "HEED_URL="+daemon.URL)
	if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "before all questions were answered") {
		t.Errorf("%v: %s", err, out)
	}
}

// A client notices that questions of a stream have no answer, also if the last line says why.
func TestServeClientsMissAnswers(t *testing.T) {
	t.Parallel()
	scripts := map[string][]string{
		"python3": {"-c", "import heed; list(heed.Heed().check_many([{'url': 'http://x/1'}, {'url': 'http://x/2'}]))"},
		"node":    {"--input-type=module", "-e", `import { Heed } from "./heed.mjs"; for await (const a of new Heed().checkMany([{ url: "http://x/1" }, { url: "http://x/2" }]));`},
		"sh":      {"-c", ". ./heed.sh; check_many </dev/null | is_complete"},
	}
	const answer, why = `{"url":"http://x/1","allowed":true}`, `{"error":"the answers end"}`
	for _, lines := range []string{answer + "\n", answer + "\n" + why + "\n"} {
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, lines)
		}))
		defer daemon.Close()
		eachClient(t, func(t *testing.T, program, _ string) {
			command := exec.CommandContext(t.Context(), program, scripts[program]...)
			command.Dir = clientsFolder
			command.Env = append(os.Environ(), "HEED_URL="+daemon.URL, "PYTHONDONTWRITEBYTECODE=1")
			out, err := command.CombinedOutput()
			if program == "sh" && !strings.Contains(lines, why) {
				if err != nil || len(out) > 0 { // a pipe of a shell cannot count
					t.Errorf("%v: %s", err, out)
				}
			} else if err == nil || !strings.Contains(string(out), "answer") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// The error of a client has the status, the text of the answer, and the seconds of Retry-After, also if a proxy answers
// with something that is not JSON.
func TestServeClientsErrors(t *testing.T) {
	t.Parallel()
	scripts := map[string][]string{
		"python3": {"-c", `
import heed
try:
    heed.Heed().check('http://x/', 'ExampleBot')
except heed.HeedError as error:
    print(error.status, error.retry_after, error.text, "/", error)`},
		"node": {"--input-type=module", "-e", `
import { Heed, HeedError } from "./heed.mjs";
const error = await new Heed().check("http://x/", "ExampleBot").catch((error) => error);
if (error instanceof HeedError) console.log(error.status, error.retryAfter, error.text, "/", error.message);`},
		"sh": {"-c", ". ./heed.sh; check http://x/ ExampleBot 2>&1 || true"},
	}
	for _, c := range []struct {
		status           int
		retryAfter, text string
		want             map[string]string
	}{
		{429, "7", `{"error":"too many requests"}`, map[string]string{
			"python3": `429 7 {"error":"too many requests"} / status 429, Retry-After: 7: {"error":"too many requests"}`,
			"node":    `429 7 {"error":"too many requests"} / status 429, Retry-After: 7: {"error":"too many requests"}`,
			"sh":      "heed.sh: status 429, Retry-After: 7\n",
		}},
		{502, "", "<html>Bad Gateway</html>", map[string]string{
			"python3": "502 None <html>Bad Gateway</html> / status 502: <html>Bad Gateway</html>",
			"node":    "502 undefined <html>Bad Gateway</html> / status 502: <html>Bad Gateway</html>",
			"sh":      "heed.sh: status 502, Retry-After: \n",
		}},
		{503, "Fri, 27 Nov 2026 10:00:00 GMT", "down", map[string]string{
			"python3": "503 None down / status 503: down",
			"node":    "503 undefined down / status 503: down",
			"sh":      "heed.sh: status 503, Retry-After: Fri, 27 Nov 2026 10:00:00 GMT\n",
		}},
	} {
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.retryAfter != "" {
				w.Header().Set("Retry-After", c.retryAfter)
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.text+"\n")
		}))
		defer daemon.Close()
		eachClient(t, func(t *testing.T, program, _ string) {
			command := exec.CommandContext(t.Context(), program, scripts[program]...)
			command.Dir = clientsFolder
			command.Env = append(os.Environ(), "HEED_URL="+daemon.URL, "PYTHONDONTWRITEBYTECODE=1")
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want[program]) || !strings.Contains(string(out), c.text) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	down := httptest.NewServer(nil)
	down.Close()
	eachClient(t, func(t *testing.T, program, _ string) {
		if program != "node" {
			return // in Python, all errors of connections are an OSError, as HeedError is; the shell has no errors to catch
		}
		command := exec.CommandContext(t.Context(), program, scripts[program]...)
		command.Dir = clientsFolder
		command.Env = append(os.Environ(), "HEED_URL="+down.URL)
		const want = "undefined undefined heed does not answer: ECONNREFUSED / heed does not answer: ECONNREFUSED\n"
		if out, err := command.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%v: %s", err, out)
		}
	})
}
