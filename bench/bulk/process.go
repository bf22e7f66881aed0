package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A process is a command that is measured.
type process struct {
	*exec.Cmd
	to string // the file for its output; "": none is kept
}

// A usage is what a process needed.
type usage struct {
	took   time.Duration
	cpu    time.Duration
	peak   int64  // memory in octets
	stderr string // the end of it
}

// heedFilter returns "heed filter" for CCBot.
func (s *settings) heedFilter(args ...string) process {
	return process{Cmd: exec.Command(s.heed, append([]string{"filter", "-a", crawler}, args...)...)}
}

// crawler is whose URLs are judged.
const crawler = "CCBot"

// self returns this command in another role.
func (s *settings) self(role string, args ...string) process {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	flags := []string{"-role", role, "-folder", s.folder, "-heed", s.heed, "-urls", strconv.Itoa(s.urls), "-rival-urls", strconv.Itoa(s.rival)}
	return process{Cmd: exec.Command(program, append(flags, args...)...)}
}

// run runs a process to its end.
func (p process) run() (usage, error) {
	var stderr bytes.Buffer
	if p.Stderr == nil {
		p.Stderr = &stderr
	}
	if p.to != "" {
		out, err := os.Create(p.to)
		if err != nil {
			return usage{}, err
		}
		defer out.Close()
		p.Stdout = out
	}
	start := time.Now()
	err := p.Run()
	u := usage{took: time.Since(start), stderr: lastLine(stderr.String())}
	if p.ProcessState != nil {
		u.cpu = p.ProcessState.SystemTime() + p.ProcessState.UserTime()
		u.peak = peakMemory(p.ProcessState)
	}
	if err != nil {
		return u, fmt.Errorf("%s: %w: %s", strings.Join(p.Args[:min(2, len(p.Args))], " "), err, u.stderr)
	}
	return u, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// best returns the usage of the run that took the shortest time.
func best(runs []usage) usage {
	b := runs[0]
	for _, u := range runs[1:] {
		if u.took < b.took {
			b = u
		}
	}
	return b
}

// least returns the least processor time of some runs. Other processes on the machine change it less
// than the time that a run takes.
func least(runs []usage) time.Duration {
	l := runs[0].cpu
	for _, u := range runs[1:] {
		l = min(l, u.cpu)
	}
	return l
}
