package conformance

import (
	"fmt"
	"strconv"
	"strings"
)

// textReader reads the text form; see the package documentation.
type textReader struct {
	file  string
	lines []string
	at    int  // the line being read, from 0
	base  Case // what the settings say
	ready bool // a robots.txt has been named or given
	emit  func(Case, error)
}

// readText passes every case of a text to emit, or what is wrong with a line
// of it, with a Case that says where.
func readText(file, text string, emit func(Case, error)) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	t := textReader{file: file, lines: strings.Split(text, "\n"), emit: emit}
	for ; t.at < len(t.lines); t.at++ {
		if err := t.line(t.lines[t.at]); err != nil {
			emit(t.here(), err)
		}
	}
}

// here returns the settings as a Case of the current line.
func (t *textReader) here() Case {
	c := t.base
	c.File, c.FileLine = t.file, t.at+1
	return c
}

func (t *textReader) line(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || words[0][0] == '#' {
		return nil
	}
	if line[0] == ' ' || line[0] == '\t' {
		return fmt.Errorf(`an indented line belongs below "robots:"`)
	}
	if words[0] == "allow" || words[0] == "disallow" {
		return t.expectation(words)
	}
	key, value, ok := strings.Cut(line, ":")
	if ok {
		switch value = strings.TrimSpace(value); key {
		case "robots":
			t.setRobots(value)
			return nil
		case "dialect":
			return t.base.setDialect(value)
		case "case":
			t.base.ID = value
			return nil
		}
	}
	return fmt.Errorf(`%q begins no line; expected "allow AGENT URL…", "disallow AGENT URL…", "robots:", "dialect:" or "case:"`, words[0])
}

// setRobots takes a path, or without one the indented lines that follow.
func (t *textReader) setRobots(path string) {
	t.ready = true
	t.base.RobotsFile, t.base.Robots = path, nil
	if path != "" {
		return
	}
	var block []string
	end := t.at
	for i := t.at + 1; i < len(t.lines); i++ {
		line := t.lines[i]
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] == ' ' || line[0] == '\t':
			end = i // blank lines count only between the file's own
		default:
			i = len(t.lines)
			continue
		}
		block = append(block, line)
	}
	block = block[:end-t.at]
	t.at = end
	t.base.Robots = []byte(unindent(block))
}

// unindent removes from every line the indentation of the first.
func unindent(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " \t"))
	var b strings.Builder
	for _, line := range lines {
		own := len(line) - len(strings.TrimLeft(line, " \t"))
		b.WriteString(line[min(indent, own):])
		b.WriteByte('\n')
	}
	return b.String()
}

// expectation reads "allow|disallow AGENT[,AGENT] URL… [line N]".
func (t *textReader) expectation(words []string) error {
	c := t.here()
	c.Allow = words[0] == "allow"
	words = words[1:]
	if n := len(words); n >= 2 && words[n-2] == "line" {
		line, err := strconv.Atoi(words[n-1])
		if err != nil || line < 0 {
			return fmt.Errorf(`"line %s": expected the number of a line, 0 for none`, words[n-1])
		}
		c.Line, words = &line, words[:n-2]
	}
	switch {
	case len(words) < 2:
		return fmt.Errorf("expected an agent and at least one URL")
	case !t.ready:
		return fmt.Errorf(`no robots.txt to ask; expected "robots: PATH" above`)
	}
	c.Agents = strings.Split(words[0], ",")
	for _, url := range words[1:] {
		c.URL = url
		t.emit(c, nil)
	}
	return nil
}
