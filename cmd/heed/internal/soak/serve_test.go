package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestServe asks a daemon in all ways about sites of which a tenth fail.
func TestServe(t *testing.T) {
	c, end := newChecker(t)
	c.daemons = []*daemon{{t: t, heed: c.heed, store: filepath.Join(t.TempDir(), "store")}}
	c.run(t, end, 32)
}

// TestServeDisturbed asks three daemons, of which two share a Redis and one has a store in a folder, while the
// stores and the daemons are paused, killed, emptied and damaged. A daemon that is down, or that says that a
// site is unreachable, is no wrong answer then.
func TestServeDisturbed(t *testing.T) {
	c, end := newChecker(t)
	c.isDisturbed = true
	server, folder := startRedis(t), filepath.Join(t.TempDir(), "store")
	defer func() { server.stop() }()
	c.daemons = []*daemon{{t: t, heed: c.heed, store: folder, handles: 30}, {t: t, heed: c.heed, store: server.url()}, {t: t, heed: c.heed, store: server.url()}}
	ctx, stop := context.WithDeadline(t.Context(), end)
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { server.disturb(ctx, func() string { return c.sites.origin(rand.IntN(soakSites)) }) })
	work.Go(func() {
		for ctx.Err() == nil {
			pause(ctx, rand.N(time.Minute))
			server.send(context.Background(), "FLUSHALL")
		}
	})
	work.Go(func() { disturbFolder(ctx, folder) })
	c.run(t, end, 200)
	work.Wait()
}

// A daemon is a "heed serve" that may be killed and started again.
type daemon struct {
	t           *testing.T
	heed, store string
	handles     int // of files, 0: no limit

	mu       sync.Mutex
	command  *exec.Cmd
	address  atomic.Value // host and port, as a string
	restarts int
}

// start starts the daemon, and waits until it says "ready at http://…".
func (d *daemon) start() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit := ""
	if d.handles > 0 {
		limit = fmt.Sprintf("ulimit -n %d; ", d.handles)
	}
	d.command = exec.Command("sh", "-c", limit+`exec "$0" serve --listen 127.0.0.1:0 --allow-private --timeout 5s --store "$1"`, d.heed, d.store)
	stderr, err := d.command.StderrPipe()
	if err != nil {
		return err
	}
	if err := d.command.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "ready at http://"); ok {
			d.address.Store(strings.TrimSpace(address))
			go io.Copy(io.Discard, stderr)
			return nil
		}
	}
	return fmt.Errorf("heed serve does not become ready: %v", d.command.Wait())
}

func (d *daemon) stop(signal os.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.command.Process.Signal(signal)
	d.command.Wait()
}

// disturb kills the daemon, or stops it, and starts it again.
func (d *daemon) disturb(ctx context.Context) {
	for {
		pause(ctx, rand.N(20*time.Second))
		if ctx.Err() != nil {
			return
		}
		d.stop([]os.Signal{os.Kill, os.Interrupt}[rand.IntN(2)])
		d.restarts++
		for d.start() != nil { // its store may be damaged just now
			time.Sleep(time.Second)
		}
	}
}

// memory returns what the daemon has in memory, as Linux writes it.
func (d *daemon) memory() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.command.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// disturbFolder removes, cuts, overwrites and replaces the files of a store.
func disturbFolder(ctx context.Context, folder string) {
	for ctx.Err() == nil {
		pause(ctx, rand.N(8*time.Second))
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(files) == 0 {
			continue
		}
		file := files[rand.IntN(len(files))]
		switch rand.IntN(5) {
		case 0:
			os.RemoveAll(folder)
		case 1:
			os.Truncate(file, rand.Int64N(1<<16))
		case 2:
			damage(file)
		case 3:
			os.Remove(file)
			os.WriteFile(file, []byte("this is no database"), 0o600)
		case 4:
			os.Rename(file, file+".away")
		}
	}
}

// damage overwrites 64 bytes somewhere in a file.
func damage(file string) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		noise := make([]byte, 64)
		for i := range noise {
			noise[i] = byte(rand.IntN(256))
		}
		f.WriteAt(noise, rand.Int64N(info.Size()))
	}
}

// soakSites is how many sites a checker asks about.
const soakSites = 2000

// A checker asks questions to which it knows the answers.
type checker struct {
	heed        string // the path of the command
	sites       *crowd
	daemons     []*daemon
	isDisturbed bool

	answers, wrong, failed, down, unreachable atomic.Int64 // down: without an answer, and the daemons are disturbed
	first                                     atomic.Value // the first wrong answer, or failure, as a string
}

// newChecker returns a checker without daemons, and when its test ends.
func newChecker(t *testing.T) (c *checker, end time.Time) {
	length, err := time.ParseDuration(os.Getenv("HEED_SOAK_SERVE"))
	if err != nil {
		t.Skip("HEED_SOAK_SERVE is not set to a time such as 10m")
	}
	c = &checker{heed: filepath.Join(t.TempDir(), "heed"), sites: newCrowd(t)}
	if out, err := exec.Command("go", "build", "-o", c.heed, "github.com/heed-robots/heed/cmd/heed").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c, time.Now().Add(length)
}

// run starts the daemons and asks them over some connections until the end. It logs the memory each minute.
func (c *checker) run(t *testing.T, end time.Time, connections int) {
	for _, d := range c.daemons {
		if err := d.start(); err != nil {
			t.Fatal(err)
		}
		defer d.stop(os.Kill)
	}
	ctx, stop := context.WithDeadline(t.Context(), end)
	defer stop()
	var work sync.WaitGroup
	for n := range connections {
		work.Go(func() { c.ask(ctx, n, time.Millisecond, c.single) }) // the memory is measured, not the speed
	}
	for n := range 2 {
		work.Go(func() { c.ask(ctx, n, time.Second, c.stream) })
	}
	work.Go(func() { c.ask(ctx, 0, 200*time.Millisecond, c.others) })
	if c.isDisturbed {
		for _, d := range c.daemons {
			work.Go(func() { d.disturb(ctx) })
		}
	}
	for ctx.Err() == nil {
		pause(ctx, time.Minute)
		t.Log(c)
	}
	work.Wait()
	t.Log("at the end:", c)
	if c.wrong.Load()+c.failed.Load() > 0 || c.answers.Load() == 0 {
		t.Errorf("the first: %v", c.first.Load())
	}
}

func (c *checker) String() string {
	restarts, memory := 0, []string{}
	for _, d := range c.daemons {
		restarts += d.restarts
		memory = append(memory, d.memory())
	}
	return fmt.Sprintf("%d answers, %d wrong, %d failed, %d without an answer, %d unreachable, %d retrievals, %d restarts, %s", c.answers.Load(), c.wrong.Load(),
		c.failed.Load(), c.down.Load(), c.unreachable.Load(), c.sites.requests.Load(), restarts, strings.Join(memory, " + "))
}

// ask asks in one way until the end, with a pause after each time.
func (c *checker) ask(ctx context.Context, n int, each time.Duration, once func(address string) error) {
	for ; ctx.Err() == nil; pause(ctx, each) {
		err := once(c.daemons[n%len(c.daemons)].address.Load().(string))
		switch {
		case err == nil:
		case c.isDisturbed:
			c.down.Add(1)
			pause(ctx, 100*time.Millisecond)
		default:
			c.failed.Add(1)
			c.first.CompareAndSwap(nil, err.Error())
		}
	}
}

func (c *checker) question() (site int, path, url string) {
	site, path = rand.IntN(soakSites), randomPath(rand.IntN, 4)
	return site, path, c.sites.origin(site) + path
}

// check checks an answer.
func (c *checker) judge(site int, path string, answer []byte) {
	var a struct {
		Allowed bool
		Reason  string
		Error   string
	}
	err := json.Unmarshal(answer, &a)
	if c.isDisturbed && err == nil && a.Error != "" {
		c.down.Add(1)
		return
	}
	c.answers.Add(1)
	isUnreachable := !a.Allowed && a.Reason == "unreachable"
	if isUnreachable {
		c.unreachable.Add(1)
	}
	right := err == nil && a.Error == ""
	switch {
	case !right || c.isDisturbed && isUnreachable:
	case fails(site):
		right = isUnreachable
	default:
		right = a.Allowed == rulesOf(site).allow(path) && a.Reason != "unreachable"
	}
	if !right {
		c.wrong.Add(1)
		c.first.CompareAndSwap(nil, fmt.Sprintf("site %d, %s: %s", site, path, answer))
	}
}

// read reads a response. Status 500 and above are errors.
func read(response *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 500 {
		err = fmt.Errorf("%s: status %d: %s", response.Request.URL, response.StatusCode, body)
	}
	return body, err
}

func (c *checker) single(address string) error {
	site, path, u := c.question()
	answer, err := read(http.Get("http://" + address + "/v1/check?agent=ExampleBot&url=" + url.QueryEscape(u)))
	if err == nil {
		c.judge(site, path, answer)
	}
	return err
}

func (c *checker) stream(address string) error {
	const lines = 2000
	var questions strings.Builder
	var sites []int
	var paths []string
	for range lines {
		site, path, u := c.question()
		sites, paths = append(sites, site), append(paths, path)
		fmt.Fprintf(&questions, "{\"agent\":\"ExampleBot\",\"url\":%q}\n", u)
	}
	response, err := http.Post("http://"+address+"/v1/check", "application/x-ndjson", strings.NewReader(questions.String()))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	n, answers := 0, bufio.NewScanner(response.Body)
	answers.Buffer(nil, 1<<20)
	for ; n < lines && answers.Scan(); n++ {
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("a stream: status %d: %s", response.StatusCode, answers.Bytes())
		}
		c.judge(sites[n], paths[n], answers.Bytes())
	}
	if n < lines {
		return fmt.Errorf("a stream ended after %d of %d answers: %v", n, lines, answers.Err())
	}
	return nil
}

// others uses the methods that answer one question each with more than a verdict.
func (c *checker) others(address string) error {
	_, _, u := c.question()
	robots, err := json.Marshal(rulesOf(rand.IntN(soakSites)).text())
	for path, body := range map[string]string{
		"/v1/explain": fmt.Sprintf(`{"url":%q,"agent":"ExampleBot"}`, u),
		"/v1/lint":    fmt.Sprintf(`{"robots":%s}`, robots),
		"/v1/compare": fmt.Sprintf(`{"old":{"url":%q},"new":{"robots":%s}}`, u, robots),
		"/v1/preview": fmt.Sprintf(`{"url":%q,"robots":%s}`, u, robots),
	} {
		if _, failure := read(http.Post("http://"+address+path, "application/json", strings.NewReader(body))); failure != nil {
			err = failure
		}
	}
	return err
}
