package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// load compares GET /v1/check with a constant of the same size, and measures the latency at half
// of the peak.
func load(s settings) error { return s.withHeed(s.load) }

func (s settings) load(heed *process, sites *crowdOfSites, _ string) error {
	questions := questionsOf(sites, s.origins)
	size := 0
	for _, q := range questions { // also fills the cache
		body, err := askOnce(heed.address, q)
		if err != nil {
			return err
		}
		size += len(body)
	}
	constant, err := startConstant(strings.Repeat("x", size/len(questions)))
	if err != nil {
		return err
	}
	defer constant.stop()
	fmt.Printf("%d origins, %d questions, answers of %d bytes, %d connections, %d rounds of %s\n", s.origins, len(questions), size/len(questions), s.connections, s.rounds, s.time)
	var ratios, peaks []float64
	for range s.rounds {
		a := s.measure(heed.address, questions, 0)
		b := s.measure(constant.address, questions, 0)
		ratios, peaks = append(ratios, a.rate()/b.rate()), append(peaks, a.rate())
		fmt.Printf("heed %.0f/s (p50 %s, p99 %s), constant %.0f/s, ratio %.3f\n", a.rate(), a.at(.5), a.at(.99), b.rate(), a.rate()/b.rate())
	}
	slices.Sort(ratios)
	slices.Sort(peaks)
	half := s.measure(heed.address, questions, peaks[len(peaks)/2]/2)
	fmt.Printf("median ratio %.3f; at half of the peak, %.0f/s: p50 %s, p99 %s, p99.9 %s; %d failed; memory %d MiB\n",
		ratios[len(ratios)/2], half.rate(), half.at(.5), half.at(.99), half.at(.999), half.failed, heed.memory("VmHWM"))
	return nil
}

// questionsOf returns requests about the first sites.
func questionsOf(sites *crowdOfSites, origins int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range origins {
		for range 5 {
			all = append(all, "/v1/check?agent=ExampleBot&url="+url.QueryEscape(sites.origin(i)+pathOf(random)))
		}
	}
	return all
}

// A measured is the result of a measurement.
type measured struct {
	took      time.Duration
	latencies []time.Duration // sorted
	failed    int64
}

func (m *measured) rate() float64 { return float64(len(m.latencies)) / m.took.Seconds() }

func (m *measured) at(part float64) time.Duration {
	if len(m.latencies) == 0 {
		return 0
	}
	return m.latencies[min(int(part*float64(len(m.latencies))), len(m.latencies)-1)].Round(time.Microsecond)
}

// measure sends requests over all connections for some time; with a rate, that many a second in
// all. A latency counts from when the request should have been sent.
func (s settings) measure(address string, questions []string, rate float64) measured {
	var all measured
	var mu sync.Mutex
	var failed atomic.Int64
	var sending sync.WaitGroup
	start := time.Now()
	end := start.Add(s.time)
	for n := range s.connections {
		sending.Go(func() {
			latencies, err := send(address, questions, n, end, rate/float64(s.connections))
			if err != nil {
				failed.Add(1)
				fmt.Fprintln(os.Stderr, "load:", err)
			}
			mu.Lock()
			defer mu.Unlock()
			all.latencies = append(all.latencies, latencies...)
		})
	}
	sending.Wait()
	all.took, all.failed = time.Since(start), failed.Load()
	slices.SortFunc(all.latencies, cmp.Compare)
	return all
}

// send sends one request after the other over one connection. It parses no more of a response
// than it must: the load should cost little.
func send(address string, questions []string, first int, end time.Time, rate float64) (latencies []time.Duration, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 16<<10)
	requests := make([][]byte, len(questions))
	for i, q := range questions {
		requests[i] = []byte("GET " + q + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n")
	}
	due := time.Now()
	for i := first * 7; ; i++ {
		now := time.Now()
		if !now.Before(end) {
			return latencies, nil
		}
		if rate > 0 {
			due = due.Add(time.Duration(float64(time.Second) / rate))
			time.Sleep(due.Sub(now))
		} else {
			due = now
		}
		if _, err := c.Write(requests[i%len(requests)]); err != nil {
			return latencies, err
		}
		if _, err := readResponse(in); err != nil {
			return latencies, err
		}
		latencies = append(latencies, time.Since(due))
	}
}

// readResponse reads a response with a Content-Length, and returns its body if it is not 200.
func readResponse(in *bufio.Reader) (body []byte, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	ok, size := strings.HasPrefix(string(line), "HTTP/1.1 200"), -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		if len(line) > 16 && strings.EqualFold(string(line[:16]), "Content-Length: ") {
			if size, err = strconv.Atoi(strings.TrimSpace(string(line[16:]))); err != nil {
				return nil, err
			}
		}
	}
	if size < 0 {
		return nil, fmt.Errorf("no Content-Length")
	}
	if ok {
		_, err = in.Discard(size)
		return nil, err
	}
	body = make([]byte, size)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, err
	}
	return body, fmt.Errorf("not status 200: %s", body)
}
