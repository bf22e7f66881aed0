package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// streamLines is how many questions a stream has.
const streamLines = 300_000

// stream compares a stream of questions, POST /v1/check, with "heed check --input jsonl" and the
// same lines through a pipe: about live sites from a warm cache, and with a robots.txt in each
// line.
func stream(s settings) error { return s.withHeed(s.stream) }

func (s settings) stream(heed *process, sites *crowdOfSites, folder string) error {
	command := []string{"check", "--input", "jsonl", "--allow-private", "--store", filepath.Join(folder, "command")}
	for _, kind := range []struct {
		name string
		line func(random *rand.Rand, site int) string
	}{
		{"live sites", func(random *rand.Rand, site int) string {
			return fmt.Sprintf(`{"agent":"ExampleBot","url":"%s%s"}`, sites.origin(site), pathOf(random))
		}},
		{"robots in each line", func(random *rand.Rand, site int) string {
			return fmt.Sprintf(`{"agent":"ExampleBot","url":"https://a.example%s","robots":%q}`, pathOf(random), robotsOf(site).text())
		}},
	} {
		file := filepath.Join(folder, "questions")
		if err := writeLines(file, s.origins, kind.line); err != nil {
			return err
		}
		var ratios []float64
		for round := range s.rounds + 1 {
			served, err := timeServed(heed.address, file)
			if err != nil {
				return err
			}
			piped, err := s.timePiped(command, file)
			if err != nil {
				return err
			}
			if round == 0 {
				continue // it filled both caches
			}
			ratios = append(ratios, piped.Seconds()/served.Seconds())
			fmt.Printf("%s: served %.0f/s, piped %.0f/s, ratio %.3f\n", kind.name, streamLines/served.Seconds(), streamLines/piped.Seconds(), piped.Seconds()/served.Seconds())
		}
		slices.Sort(ratios)
		fmt.Printf("%s: median ratio %.3f\n", kind.name, ratios[len(ratios)/2])
	}
	fmt.Printf("memory of heed serve: %d MiB\n", heed.memory("VmHWM"))
	return nil
}

func writeLines(file string, origins int, line func(*rand.Rand, int) string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w, random := bufio.NewWriter(f), rand.New(rand.NewPCG(3, 4))
	for i := range streamLines {
		fmt.Fprintln(w, line(random, i%origins))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// timeServed sends a file to the daemon, and reads all answers at the same time.
func timeServed(address, file string) (time.Duration, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	start := time.Now()
	response, err := http.Post("http://"+address+"/v1/check", "application/x-ndjson", f)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	err = countLines(response.Body, start)
	return time.Since(start), err
}

// timePiped does the same with the command line.
func (s settings) timePiped(command []string, file string) (time.Duration, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	c := exec.Command(s.heed, command...)
	c.Stdin, c.Stderr = f, os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	if err := countLines(out, start); err != nil {
		return 0, err
	}
	c.Wait() // its status says whether some URLs are disallowed
	return time.Since(start), nil
}

// countLines reads all answers.
func countLines(in io.Reader, start time.Time) error {
	lines, r := 0, bufio.NewReaderSize(in, 1<<20)
	for {
		_, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF && lines == streamLines:
			return nil
		case err != nil:
			return fmt.Errorf("%d answers after %s: %w", lines, time.Since(start), err)
		}
		lines++
	}
}
