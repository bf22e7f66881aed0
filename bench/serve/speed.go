package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A side answers questions. ask returns how many were answered in which time.
type side struct {
	name string
	ask  func() (answers int, took time.Duration, err error)
}

// inTurns measures two sides one after the other in each round, and prints the ratio of their speeds. The
// first round fills the caches and does not count.
func (s settings) inTurns(what string, sides [2]side) error {
	var ratios []float64
	for round := range s.rounds + 1 {
		var rates [2]float64
		for i, side := range sides {
			answers, took, err := side.ask()
			if err != nil {
				return fmt.Errorf("%s: %w", side.name, err)
			}
			rates[i] = float64(answers) / took.Seconds()
		}
		if round > 0 {
			ratios = append(ratios, rates[0]/rates[1])
			fmt.Printf("%s: %s %.0f/s, %s %.0f/s, ratio %.3f\n", what, sides[0].name, rates[0], sides[1].name, rates[1], rates[0]/rates[1])
		}
	}
	slices.Sort(ratios)
	fmt.Printf("%s: median ratio %.3f\n", what, ratios[len(ratios)/2])
	return nil
}

// load compares GET /v1/check with a constant of the same size.
func load(s settings) error {
	return s.withHeed(func(heed *process, sites *crowdOfSites, _ string) error {
		random := rand.New(rand.NewPCG(1, 2))
		var questions []string
		size := 0
		for i := range 5 * s.origins {
			questions = append(questions, checkOf(sites.origin(i%s.origins)+pathOf(random)))
			answer, err := askOnce(heed.address, questions[i])
			if err != nil {
				return err
			}
			size += len(answer)
		}
		constant, err := startConstant(strings.Repeat("x", size/len(questions)))
		if err != nil {
			return err
		}
		defer constant.stop()
		what := fmt.Sprintf("%d origins, answers of %d bytes, %d connections", s.origins, size/len(questions), s.connections)
		sideOf := func(name string, p *process) side {
			return side{name, func() (int, time.Duration, error) { return s.askAll(p.address, questions) }}
		}
		err = s.inTurns(what, [2]side{sideOf("heed", heed), sideOf("constant", constant)})
		fmt.Printf("memory of heed serve: %d MiB\n", heed.memory("VmHWM"))
		return err
	})
}

// checkOf returns the request about a URL.
func checkOf(u string) string { return "/v1/check?agent=ExampleBot&url=" + url.QueryEscape(u) }

// askAll sends requests over all connections for some time.
func (s settings) askAll(address string, questions []string) (answers int, took time.Duration, err error) {
	counts, failures := make([]int, s.connections), make([]error, s.connections)
	var asking sync.WaitGroup
	start := time.Now()
	for n := range counts {
		asking.Go(func() { counts[n], failures[n] = send(address, questions, 7*n, start.Add(s.time)) })
	}
	asking.Wait()
	took = time.Since(start)
	for n, count := range counts {
		if failures[n] != nil {
			return 0, 0, failures[n]
		}
		answers += count
	}
	return answers, took, nil
}

// send sends one request after the other over one connection. It parses no more of a response than it must:
// the load should cost little.
func send(address string, questions []string, first int, end time.Time) (answers int, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 16<<10)
	for ; time.Now().Before(end); answers++ {
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", questions[(first+answers)%len(questions)], address); err != nil {
			return answers, err
		}
		if err := skipResponse(in); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// skipResponse reads a response with status 200 and a Content-Length.
func skipResponse(in *bufio.Reader) error {
	status, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	size := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			fmt.Sscan(string(value), &size)
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") || size < 0 {
		return fmt.Errorf("%q, Content-Length %d", status, size)
	}
	_, err = in.Discard(size)
	return err
}

// streamLines is how many questions a stream has.
const streamLines = 300_000

// stream compares a stream of questions, POST /v1/check, with "heed check --input jsonl" and the same lines
// through a pipe: about live sites from a warm cache, and with a robots.txt in each line.
func stream(s settings) error {
	return s.withHeed(func(heed *process, sites *crowdOfSites, folder string) error {
		for what, line := range map[string]func(random *rand.Rand, site int) string{
			"live sites": func(random *rand.Rand, site int) string {
				return fmt.Sprintf(`{"agent":"ExampleBot","url":"%s%s"}`, sites.origin(site), pathOf(random))
			},
			"robots in each line": func(random *rand.Rand, site int) string {
				return fmt.Sprintf(`{"agent":"ExampleBot","url":"https://a.example%s","robots":%q}`, pathOf(random), robotsOf(site).text())
			},
		} {
			var questions bytes.Buffer
			random := rand.New(rand.NewPCG(3, 4))
			for i := range streamLines {
				fmt.Fprintln(&questions, line(random, i%s.origins))
			}
			served := func(in io.Reader) (io.ReadCloser, error) {
				response, err := http.Post("http://"+heed.address+"/v1/check", "application/x-ndjson", in)
				if err != nil {
					return nil, err
				}
				return response.Body, nil
			}
			piped := func(in io.Reader) (io.ReadCloser, error) {
				c := exec.Command(s.heed, "check", "--input", "jsonl", "--allow-private", "--store", filepath.Join(folder, "command"))
				c.Stdin, c.Stderr = in, os.Stderr
				out, err := c.StdoutPipe()
				if err != nil {
					return nil, err
				}
				return ending{out, c}, c.Start()
			}
			if err := s.inTurns(what, [2]side{streamed("served", questions.Bytes(), served), streamed("piped", questions.Bytes(), piped)}); err != nil {
				return err
			}
		}
		fmt.Printf("memory of heed serve: %d MiB\n", heed.memory("VmHWM"))
		return nil
	})
}

// ending is the output of a command. Closing waits for its end; the status says only whether some URLs are
// disallowed.
type ending struct {
	io.Reader
	command *exec.Cmd
}

func (e ending) Close() error {
	e.command.Wait()
	return nil
}

// streamed returns a side that gets all questions at once, and whose answers are read at the same time.
func streamed(name string, questions []byte, start func(in io.Reader) (io.ReadCloser, error)) side {
	return side{name, func() (lines int, took time.Duration, err error) {
		begin := time.Now()
		answers, err := start(bytes.NewReader(questions))
		if err != nil {
			return 0, 0, err
		}
		defer answers.Close()
		text := bufio.NewReaderSize(answers, 1<<20)
		for ; err == nil; lines++ {
			_, err = text.ReadSlice('\n')
		}
		if lines--; err != io.EOF || lines != streamLines {
			return 0, 0, fmt.Errorf("%d answers: %w", lines, err)
		}
		return lines, time.Since(begin), nil
	}}
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
