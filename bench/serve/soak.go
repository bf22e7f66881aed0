package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// soak asks for long, in all ways, about sites of which a tenth begin to fail, and checks each answer. It
// shows the memory each minute.
func soak(s settings) error {
	return s.check(func(folder string) ([]*daemon, error) {
		return []*daemon{{settings: s, store: filepath.Join(folder, "store")}}, nil
	}, nil)
}

// check asks daemons, which start makes, until the time is over. With disturb, a daemon that is down, or
// that says that a site is unreachable, is no wrong answer; disturb runs beside the questions.
func (s settings) check(make func(folder string) ([]*daemon, error), disturb func(daemons []*daemon, folder string, end time.Time)) error {
	sites, err := newSites()
	if err != nil {
		return err
	}
	sites.failing.Store(true)
	folder, err := os.MkdirTemp("", "heed-soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	daemons, err := make(folder)
	if err != nil {
		return err
	}
	for _, d := range daemons {
		if err := d.start(); err != nil {
			return err
		}
		defer d.kill()
	}
	c := &checker{sites: sites, daemons: daemons, origins: max(s.origins, 2000), isDisturbed: disturb != nil}
	end := time.Now().Add(s.time)
	var working sync.WaitGroup
	if disturb != nil {
		working.Go(func() { disturb(daemons, folder, end) })
	}
	for n := range s.connections {
		working.Go(func() { c.ask(n, end, time.Millisecond, c.single) }) // the memory is measured, not the speed
	}
	for n := range 2 {
		working.Go(func() { c.ask(1000+n, end, time.Second, c.stream) })
	}
	working.Go(func() { c.ask(2000, end, 200*time.Millisecond, c.others) })
	for i := 0; time.Now().Before(end); i++ {
		fmt.Printf("%3d min: %s\n", i, c)
		time.Sleep(min(time.Minute, time.Until(end)))
	}
	working.Wait()
	fmt.Printf("end: %s\n", c)
	if c.wrong.Load()+c.failed.Load() > 0 {
		return fmt.Errorf("the first: %v", c.first.Load())
	}
	return nil
}

// A checker asks questions to which it knows the answers.
type checker struct {
	sites       *crowdOfSites
	daemons     []*daemon
	origins     int
	isDisturbed bool

	answers, wrong, failed, down, unreachable atomic.Int64 // down: without an answer, and the daemons are disturbed
	first                                     atomic.Value // the first wrong answer, or failure, as a string
}

func (c *checker) String() string {
	restarts := int64(0)
	for _, d := range c.daemons {
		restarts += d.restarts.Load()
	}
	return fmt.Sprintf("%d answers, %d wrong, %d failed, %d without an answer, %d unreachable, %d retrievals, %d restarts, %d MiB", c.answers.Load(), c.wrong.Load(),
		c.failed.Load(), c.down.Load(), c.unreachable.Load(), c.sites.requests.Load(), restarts, c.daemons[0].running.Load().memory("VmRSS"))
}

// ask asks in one way until the end, with a pause after each time.
func (c *checker) ask(n int, end time.Time, pause time.Duration, once func(random *rand.Rand, address string) error) {
	random := rand.New(rand.NewPCG(uint64(n), 5))
	for ; time.Now().Before(end); time.Sleep(pause) {
		err := once(random, c.daemons[n%len(c.daemons)].running.Load().address)
		switch {
		case err == nil:
		case c.isDisturbed:
			c.down.Add(1)
			time.Sleep(100 * time.Millisecond)
		default:
			c.failed.Add(1)
			c.first.CompareAndSwap(nil, err.Error())
		}
	}
}

func (c *checker) question(random *rand.Rand) (site int, path, url string) {
	site, path = random.IntN(c.origins), pathOf(random)
	return site, path, c.sites.origin(site) + path
}

// judge checks an answer.
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
	case c.sites.fails(site):
		right = isUnreachable
	default:
		right = a.Allowed == robotsOf(site).oracle(path) && a.Reason != "unreachable"
	}
	if !right {
		c.wrong.Add(1)
		c.first.CompareAndSwap(nil, fmt.Sprintf("site %d, %s: %s", site, path, answer))
	}
}

// askOnce asks one question over a connection of its own.
func askOnce(address, question string) ([]byte, error) {
	return read(http.Get("http://" + address + question))
}

// read reads a response of which the status must be 200.
func read(response *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", response.Request.URL, response.StatusCode, body)
	}
	return body, err
}

func (c *checker) single(random *rand.Rand, address string) error {
	site, path, u := c.question(random)
	answer, err := askOnce(address, checkOf(u))
	if err == nil {
		c.judge(site, path, answer)
	}
	return err
}

func (c *checker) stream(random *rand.Rand, address string) error {
	const lines = 2000
	var questions strings.Builder
	var sites []int
	var paths []string
	for range lines {
		site, path, u := c.question(random)
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
func (c *checker) others(random *rand.Rand, address string) error {
	_, _, u := c.question(random)
	robots, err := json.Marshal(robotsOf(random.IntN(c.origins)).text())
	for path, body := range map[string]string{
		"/v1/explain": fmt.Sprintf(`{"url":%q,"agent":"ExampleBot"}`, u),
		"/v1/lint":    fmt.Sprintf(`{"robots":%s}`, robots),
		"/v1/compare": fmt.Sprintf(`{"old":{"url":%q},"new":{"robots":%s}}`, u, robots),
		"/v1/preview": fmt.Sprintf(`{"url":%q,"robots":%s}`, u, robots),
	} {
		response, failure := http.Post("http://"+address+path, "application/json", strings.NewReader(body))
		if _, failure = read(response, failure); failure != nil && (response == nil || response.StatusCode >= 500) {
			err = failure
		}
	}
	return err
}
