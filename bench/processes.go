package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// A process is a rival of another language: a program that reads one question
// a line and answers each with a line.
type process struct {
	name    string
	command []string // run in the folder of the rivals
}

var processes = []process{
	{"npm robots-parser 3.0.1", []string{"node", "rival.mjs"}},
	{"Python urllib.robotparser", []string{"python3", "rival.py"}},
}

// rivalsDir is where the programs lie, seen from the top of the repository and
// from this folder.
func rivalsDir() string {
	for _, dir := range []string{"bench/rivals", "rivals"} {
		if _, err := os.Stat(filepath.Join(dir, "rival.py")); err == nil {
			return dir
		}
	}
	return "."
}

// ask runs a process over all questions and passes each answer on.
func (p process) ask(questions []any, answer func(i int, line []byte) error) error {
	c := exec.Command(p.command[0], p.command[1:]...)
	c.Dir = rivalsDir()
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() {
		defer in.Close()
		encoder := json.NewEncoder(in)
		for _, q := range questions {
			if encoder.Encode(q) != nil {
				return // the process ended: what it said last is read below
			}
		}
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		if err := answer(n, lines.Bytes()); err != nil {
			return err
		}
	}
	if err := c.Wait(); err != nil {
		return err
	}
	if n != len(questions) {
		return fmt.Errorf("%d answers to %d questions", n, len(questions))
	}
	return lines.Err()
}

// timing is what a process says of one input, in nanoseconds.
type timing struct{ Parse, Check float64 }

// printProcesses times the rivals of other languages. Each measures itself, so
// that starting it does not count.
func printProcesses(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	inputs := []input{typical, large}
	fmt.Fprint(out, "\nother languages, ns\t")
	for _, in := range inputs {
		fmt.Fprintf(out, "parse, %s\tdecide\t", in.name)
	}
	fmt.Fprintln(out)
	for _, p := range processes {
		cells := make([]timing, len(inputs))
		var questions []any
		for _, in := range inputs {
			questions = append(questions, map[string]any{"robots": string(in.body), "agent": agent, "time": in.miss})
		}
		err := p.ask(questions, func(i int, line []byte) error { return json.Unmarshal(line, &cells[i]) })
		if err != nil {
			fmt.Fprintf(out, "%s\tskipped: %s\t\n", p.name, strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Fprintf(out, "%s\t", p.name)
		for _, c := range cells {
			fmt.Fprintf(out, "%.0f\t%.0f\t", c.Parse, c.Check)
		}
		fmt.Fprintln(out)
	}
}

// measured is what npm's parser says that a question takes it, in nanoseconds:
// "anew" with parsing, "kept" with every file parsed once, or "decide" alone.
func measured(kind string, sites []site) (ns float64, err error) {
	type file struct {
		Robots    string      `json:"robots"`
		Questions [][2]string `json:"questions"`
	}
	files := make([]file, len(sites))
	for i := range sites {
		files[i].Robots = string(sites[i].body)
		for _, q := range sites[i].questions {
			files[i].Questions = append(files[i].Questions, [2]string{q.agent, q.url})
		}
	}
	questions := []any{map[string]any{"measure": kind, "files": files}}
	err = processes[0].ask(questions, func(_ int, line []byte) error { return json.Unmarshal(line, &ns) })
	return ns, err
}
