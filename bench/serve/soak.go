package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// askOnce asks one question over a connection of its own.
func askOnce(address, question string) ([]byte, error) {
	response, err := http.Get("http://" + address + question)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", question, response.StatusCode, body)
	}
	return body, err
}

// askEach asks each question once, over all connections, and returns how many failed.
func (s settings) askEach(address string, questions []string) (failed int64) {
	var next, failures atomic.Int64
	var asking sync.WaitGroup
	for range s.connections {
		asking.Go(func() {
			c, err := net.Dial("tcp", address)
			if err != nil {
				failures.Add(1)
				return
			}
			defer c.Close()
			in := bufio.NewReaderSize(c, 16<<10)
			for i := next.Add(1) - 1; i < int64(len(questions)); i = next.Add(1) - 1 {
				fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", questions[i], address)
				if _, err := readResponse(in); err != nil {
					failures.Add(1)
					return
				}
			}
		})
	}
	asking.Wait()
	return failures.Load()
}

// soak asks for long, in all ways, about sites of which a tenth begin to fail, and checks each
// answer. It shows the memory each minute.
func soak(s settings) error { return s.withHeed(s.soak, "--timeout", "5s") }

func (s settings) soak(heed *process, sites *crowdOfSites, _ string) error {
	sites.failing.Store(true)
	check := checker{sites: sites, address: heed.address, origins: max(s.origins, 5000)}
	end := time.Now().Add(s.time)
	var asking sync.WaitGroup
	for n := range uint64(4) {
		asking.Go(func() { check.single(n, end) })
	}
	for n := range uint64(2) {
		asking.Go(func() { check.streams(100+n, end) })
	}
	asking.Go(func() { check.others(200, end) })
	for i := 0; time.Now().Before(end); i++ {
		fmt.Printf("%3d min: %9d answers, %d wrong, %d failed, %d retrievals, %d MiB\n", i, check.answers.Load(), check.wrong.Load(), check.failed.Load(), sites.requests.Load(), heed.memory("VmRSS"))
		time.Sleep(min(time.Minute, time.Until(end)))
	}
	asking.Wait()
	fmt.Printf("end: %d answers, %d wrong, %d failed, %d unreachable, %d retrievals, %d MiB, at most %d MiB\n", check.answers.Load(), check.wrong.Load(), check.failed.Load(), check.unreachable.Load(), sites.requests.Load(), heed.memory("VmRSS"), heed.memory("VmHWM"))
	if check.wrong.Load()+check.failed.Load() > 0 {
		return fmt.Errorf("the first: %v", check.first.Load())
	}
	return nil
}

// A checker asks questions to which it knows the answers.
type checker struct {
	sites   *crowdOfSites
	address string
	origins int

	answers, wrong, failed, unreachable atomic.Int64
	first                               atomic.Value // the first wrong answer, or failure, as a string
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
	c.answers.Add(1)
	err := json.Unmarshal(answer, &a)
	right := err == nil && a.Error == ""
	switch {
	case !right:
	case c.sites.fails(site):
		right = !a.Allowed && a.Reason == "unreachable"
		c.unreachable.Add(1)
	default:
		right = a.Allowed == robotsOf(site).oracle(path) && a.Reason != "unreachable"
	}
	if !right {
		c.wrong.Add(1)
		c.first.CompareAndSwap(nil, fmt.Sprintf("site %d, %s: %s", site, path, answer))
	}
}

func (c *checker) fail(err error) {
	c.failed.Add(1)
	c.first.CompareAndSwap(nil, err.Error())
}

func (c *checker) single(seed uint64, end time.Time) {
	random := rand.New(rand.NewPCG(seed, 5))
	for time.Now().Before(end) {
		site, path, u := c.question(random)
		body, err := askOnce(c.address, "/v1/check?agent=ExampleBot&url="+url.QueryEscape(u))
		if err != nil {
			c.fail(err)
			continue
		}
		c.judge(site, path, body)
		time.Sleep(time.Millisecond) // the memory is measured, not the speed
	}
}

func (c *checker) streams(seed uint64, end time.Time) {
	random := rand.New(rand.NewPCG(seed, 5))
	for time.Now().Before(end) {
		const lines = 2000
		var body strings.Builder
		var sites []int
		var paths []string
		for range lines {
			site, path, u := c.question(random)
			sites, paths = append(sites, site), append(paths, path)
			fmt.Fprintf(&body, "{\"agent\":\"ExampleBot\",\"url\":%q}\n", u)
		}
		response, err := http.Post("http://"+c.address+"/v1/check", "application/x-ndjson", strings.NewReader(body.String()))
		if err != nil {
			c.fail(err)
			continue
		}
		n, answers := 0, bufio.NewScanner(response.Body)
		answers.Buffer(nil, 1<<20)
		for ; answers.Scan() && n < lines; n++ {
			c.judge(sites[n], paths[n], answers.Bytes())
		}
		response.Body.Close()
		if n < lines {
			c.fail(fmt.Errorf("a stream ended after %d of %d answers: %v", n, lines, answers.Err()))
		}
		time.Sleep(time.Second)
	}
}

// others uses the methods that answer one question each with more than a verdict.
func (c *checker) others(seed uint64, end time.Time) {
	random := rand.New(rand.NewPCG(seed, 5))
	for time.Now().Before(end) {
		_, _, u := c.question(random)
		robots, _ := json.Marshal(robotsOf(random.IntN(c.origins)).text())
		for path, body := range map[string]string{
			"/v1/explain": fmt.Sprintf(`{"url":%q,"agent":"ExampleBot"}`, u),
			"/v1/lint":    fmt.Sprintf(`{"robots":%s}`, robots),
			"/v1/compare": fmt.Sprintf(`{"old":{"url":%q},"new":{"robots":%s}}`, u, robots),
			"/v1/preview": fmt.Sprintf(`{"url":%q,"robots":%s}`, u, robots),
		} {
			response, err := http.Post("http://"+c.address+path, "application/json", strings.NewReader(body))
			if err != nil {
				c.fail(err)
				continue
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode >= 500 {
				c.fail(fmt.Errorf("%s: status %d", path, response.StatusCode))
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}
