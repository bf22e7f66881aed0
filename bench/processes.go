package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A process is a library of another language: a program that reads a question on each line and
// writes an answer on one line for each.
type process struct {
	name    string
	command []string // its working directory is rivalsDir
}

var processes = []process{
	{"npm robots-parser 3.0.1", []string{"node", "rival.mjs"}},
	{"Python urllib.robotparser", []string{"python3", "rival.py"}},
}

// rivalsDir returns the folder of the programs. It works in the top folder of the repository and
// in this folder.
func rivalsDir() string {
	for _, dir := range []string{"bench/rivals", "rivals"} {
		if _, err := os.Stat(filepath.Join(dir, "rival.py")); err == nil {
			return dir
		}
	}
	return "."
}

// ask starts a process, writes all questions to it, and calls answer for each line that it
// writes.
func (p process) ask(questions []any, answer func(i int, line []byte) error) error {
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range questions {
		if err := encoder.Encode(q); err != nil {
			return err
		}
	}
	c := exec.Command(p.command[0], p.command[1:]...)
	c.Dir, c.Stdin, c.Stderr = rivalsDir(), &in, os.Stderr
	out, err := c.Output()
	if err != nil {
		return err
	}
	if n := bytes.Count(out, []byte("\n")); n != len(questions) {
		return fmt.Errorf("%d answers to %d questions", n, len(questions))
	}
	n := 0
	for line := range bytes.Lines(out) {
		if err := answer(n, line); err != nil {
			return err
		}
		n++
	}
	return nil
}

// processes measures libraries of other languages. Each process measures its own times, so its start does not
// count.
func (s settings) processes() {
	t := s.table("other languages", "parse, "+typical.name, "decide", "parse, "+large.name, "decide")
	defer t.flush()
	for _, p := range processes {
		cells := []string{p.name}
		var questions []any
		for _, in := range []input{typical, large} {
			questions = append(questions, map[string]any{"robots": string(in.body), "agent": agent, "time": in.miss})
		}
		err := p.ask(questions, func(_ int, line []byte) error {
			var took struct{ Parse, Check float64 } // in nanoseconds
			err := json.Unmarshal(line, &took)
			cells = append(cells, duration(took.Parse), duration(took.Check))
			return err
		})
		if err != nil {
			cells = []string{p.name, "skipped: " + strings.ReplaceAll(err.Error(), "\n", " ")}
		}
		t.row(cells...)
	}
}

// measured returns the time that npm's parser needs for a question, in nanoseconds. The kinds
// are "anew", which parses for each question, "kept", which parses each file once, and "decide",
// which does not count parsing.
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
