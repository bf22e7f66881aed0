package watchcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

// programEnv says what the program does that a test starts: the test binary itself.
const programEnv = "HEED_WATCH_PROGRAM"

func TestMain(m *testing.M) {
	if what := os.Getenv(programEnv); what != "" {
		os.Exit(program(what))
	}
	os.Exit(m.Run())
}

func program(what string) (status int) {
	event, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	what, file, _ := strings.Cut(what, " ")
	switch what {
	case "fails":
		fmt.Println("the first line")
		fmt.Fprintln(os.Stderr, "no post office\x1b[31m")
		return 3
	case "hangs":
		time.Sleep(time.Hour)
	case "leaves": // a process that keeps its output open
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), programEnv+"=hangs", "HEED_WATCH_LEFT=1")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		in, err := c.StdinPipe()
		if err != nil || c.Start() != nil {
			return 1
		}
		in.Close()
		fmt.Fprintln(os.Stderr, c.Process.Pid)
		os.WriteFile(file, fmt.Append(nil, c.Process.Pid), 0o600)
	case "half":
		if rand.N(2) == 0 {
			return 1
		}
		fallthrough
	case "writes":
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		f.Write(event)
		f.Close()
	}
	return 0
}

func messageOf(text string) *watch.Message { return &watch.Message{JSON: json.RawMessage(text)} }

// An event is one line on the standard input of the program, and is told when it ends with status 0.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	self := os.Args[0]
	t.Setenv(programEnv, "writes "+file)
	for _, event := range []string{`{"id":"1"}`, `{"id":"2","text":"<é>"}`} {
		if err := run(t.Context(), []string{self, "argument"}, messageOf(event)); err != nil {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || strings.Count(string(got), "\n") != 2 || !strings.HasPrefix(string(got), "{\"id\":\"1\"}\n") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv(programEnv, "fails")
	err := run(t.Context(), []string{self}, messageOf("{}"))
	if err == nil || !strings.Contains(err.Error(), "exit status 3: no post office") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error %q", err)
	}
	if err := run(t.Context(), []string{filepath.Join(t.TempDir(), "missing")}, messageOf("{}")); err == nil {
		t.Error("a program that is not there has told an event")
	}
	// When heed ends, a program that was started may end too.
	t.Setenv(programEnv, "writes "+file)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{self}, messageOf("{}")); err != nil {
		t.Error(err)
	}
}

// A program that hangs is ended.
func TestHangs(t *testing.T) {
	before := programTime
	programTime = time.Second
	defer func() { programTime = before }()
	t.Setenv(programEnv, "hangs")
	begin := time.Now()
	err := run(t.Context(), []string{os.Args[0]}, messageOf("{}"))
	if err == nil || !strings.Contains(err.Error(), "ran for more than 1s, so heed stopped it") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A program that leaves a process which has its output has told the event all the same.
func TestLeavesProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "process")
	t.Setenv(programEnv, "leaves "+file)
	begin := time.Now()
	if err := run(t.Context(), []string{os.Args[0]}, messageOf("{}")); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	var pid int
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(string(text), &pid)
	if p, err := os.FindProcess(pid); err == nil && pid > 0 {
		p.Kill()
	}
}

func TestCheckProgram(t *testing.T) {
	for value, ok := range map[string]bool{"": false, " ": false, "/no/such/program x": false, os.Args[0] + " x": true} {
		if err := checkProgram(value); (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestTail(t *testing.T) {
	var said tail
	for range 1000 {
		fmt.Fprintln(&said, strings.Repeat("x", 100))
	}
	said.Write(bytes.Repeat([]byte("y"), 10*maxSaid))
	fmt.Fprint(&said, "\nthe end\n\n")
	if len(said.text) > maxSaid || said.inWords() != ": the end" {
		t.Errorf("%d bytes, %q", len(said.text), said.inWords())
	}
	if got := new(tail).inWords(); got != "" {
		t.Errorf("nothing was said, and it is %q", got)
	}
}

// --only and --severity choose events; both must want one. The end of an event with the severity high has every severity.
func TestWants(t *testing.T) {
	head := func(s watch.Severity, what ...watch.What) *watch.Head { return &watch.Head{Severity: s, What: what} }
	heads := []*watch.Head{
		head(watch.High, watch.VerdictsChanged, watch.ManagedChanged), head(watch.Medium, watch.PreferencesChanged), head(watch.Low, watch.ManagedChanged), head(watch.Low, watch.Brief),
		head(watch.High, watch.Unreachable), head(watch.Low, watch.Reachable),
	}
	for _, c := range []struct {
		only     []string
		severity string
		want     []int
	}{
		{nil, "low", []int{0, 1, 2, 3, 4, 5}}, {nil, "medium", []int{0, 1, 4, 5}}, {nil, "high", []int{0, 4, 5}},
		{[]string{"managed"}, "low", []int{0, 2}}, {[]string{"managed"}, "medium", []int{0}}, {[]string{"brief", "reachable"}, "low", []int{3, 5}}, {[]string{"reachable"}, "high", []int{5}}, {[]string{"brief"}, "high", nil},
	} {
		f, err := watch.Wants(c.only, c.severity)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i, h := range heads {
			if f(h) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v %s: %v, expected %v", c.only, c.severity, got, c.want)
		}
	}
	for _, wrong := range [][2]string{{"verdict", "low"}, {"verdicts", "grave"}} {
		if _, err := watch.Wants([]string{wrong[0]}, wrong[1]); err == nil {
			t.Errorf("%v is no error", wrong)
		}
	}
}

// edits is a site that changes with each retrieval.
type edits struct {
	mu sync.Mutex
	n  int
}

func (e *edits) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n++
	return fetch.Result{Origin: o, Status: 200, Body: fmt.Appendf(nil, "User-agent: *\nDisallow: /%d\n", e.n), Header: http.Header{"Cache-Control": {"max-age=7200"}}}, nil
}

// A program that fails half the time gets each event once, in their order.
func TestProgramFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	t.Setenv(programEnv, "half "+file)
	store := cache.NewMemory(0, 0)
	begin := time.Now()
	const speed = 36_000
	now := func() time.Time { return begin.Add(time.Since(begin) * speed) }
	var site edits
	c := &cache.Cache{Fetcher: &site, Store: store, Now: now}
	defer c.Close()
	o, err := origin.Parse("https://shop.example")
	if err != nil {
		t.Fatal(err)
	}
	var failures int
	w := &watch.Watch{Cache: c, Notes: store.(cache.Noter), Now: now, After: func(d time.Duration) <-chan time.Time { return time.After(d / speed) },
		Tell: func(ctx context.Context, m *watch.Message) error { return run(ctx, []string{os.Args[0]}, m) }}
	w.Trouble = func(_ origin.Origin, err error) {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			t.Error(err)
		}
		failures++
	}
	ctx, cancel := context.WithCancel(t.Context())
	lists := make(chan []origin.Origin, 1)
	lists <- []origin.Origin{o}
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx, lists) }()
	var told []byte
	for deadline := time.Now().Add(time.Minute); bytes.Count(told, []byte("\n")) < 8 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		told, _ = os.ReadFile(file)
	}
	cancel()
	<-ended
	ids := map[string]bool{}
	var before struct {
		ID       string
		Old, New struct{ SHA256 string }
	}
	for i, line := range strings.Split(strings.TrimSpace(string(told)), "\n") {
		e := before
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if ids[e.ID] || i > 0 && e.Old.SHA256 != before.New.SHA256 {
			t.Errorf("line %d is not the next event: %s", i, line)
		}
		ids[e.ID], before = true, e
	}
	if len(ids) < 8 {
		t.Errorf("%d events", len(ids))
	}
	t.Logf("%d events, the program failed %d times", len(ids), failures)
}

// When heed is asked to end, a program has some seconds to end by itself, and is then ended.
func TestProgramIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sleep")
	}
	defer func(d time.Duration) { leaveTime = d }(leaveTime)
	leaveTime = 2 * time.Second
	m := &watch.Message{JSON: json.RawMessage("{}")}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"sleep", "0"}, m); err != nil {
		t.Errorf("a program that ends in time: %v", err)
	}
	start := time.Now()
	err := run(ctx, []string{"sleep", "30"}, m)
	if err == nil || !strings.Contains(err.Error(), "because heed itself was stopped") || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}
