package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/crawlernames"
)

// textReader reads the text form; see the package documentation.
type textReader struct {
	file     string
	lines    []string
	at       int  // the line being read, from 0
	base     Case // what the settings say
	ready    bool // a robots.txt has been named or given
	sets     [len(setNames)]*set
	origins  origins
	options  *Options
	emit     func(Case, error)
	isRobots bool // a line of a robots.txt was reported
}

// readText passes every case of a text to emit, or what is wrong with a line
// of it, with a Case that says where.
func readText(file, text string, o *Options, emit func(Case, error)) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	t := textReader{file: file, lines: strings.Split(text, "\n"), options: o, emit: emit}
	if o.Robots != "" {
		t.fail(t.nameRobots(o.Robots))
	}
	for ; t.at < len(t.lines); t.at++ {
		t.fail(t.line(t.lines[t.at]))
	}
	for kind := range t.sets {
		t.leaveSet(kind)
	}
}

// fail passes on what is wrong with the current line; nil: nothing is.
func (t *textReader) fail(err error) {
	if err != nil {
		t.emit(t.here(), err)
	}
}

// here returns the settings as a Case of the current line.
func (t *textReader) here() Case {
	c := t.base
	c.File, c.FileLine = t.file, t.at+1
	return c
}

// withoutComment cuts a line at a "#" that white space precedes, or nothing.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

func (t *textReader) line(line string) error {
	line = withoutComment(line)
	words := strings.Fields(line)
	if len(words) == 0 {
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
			return t.setRobots(value)
		case "origin":
			return t.origins.set(value, t.options)
		case "dialect":
			return t.base.setDialect(value)
		case "case":
			t.base.ID = value
			return nil
		case setNames[urls]:
			return t.setSet(urls, value)
		case setNames[sitemap]:
			return t.setSet(sitemap, value)
		}
	}
	if ok && isRobotsKey(key) {
		if t.isRobots {
			return nil // the first such line is reported
		}
		t.isRobots = true
		return fmt.Errorf(`%.60q is a line of a robots.txt, and this is a file of cases; expected "robots: FILE" and cases such as "disallow Googlebot /cart"`, key+":")
	}
	return fmt.Errorf(`%.60q is unknown at the beginning of a line; expected "allow CRAWLER URL…", "disallow CRAWLER URL…", "robots:", "origin:", "dialect:", "case:", "urls:" or "sitemap:"`, words[0])
}

// isRobotsKey reports whether a key is one of a robots.txt.
func isRobotsKey(key string) bool {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "user-agent", "allow", "disallow", "sitemap":
		return true
	}
	return false
}

// setRobots takes a path or a URL, or without one the indented lines that follow.
func (t *textReader) setRobots(name string) error {
	block := t.block(name == "")
	if t.options.Robots != "" {
		return nil // which is asked in place of it
	}
	t.base.Robots, t.base.RobotsLine = nil, 0
	if name != "" {
		return t.nameRobots(name)
	}
	t.base.Robots, t.base.RobotsLine = []byte(unindent(block)), t.at-len(block)+2
	return t.nameRobots("")
}

// nameRobots takes a path or a URL; "" for a robots.txt that is given.
func (t *textReader) nameRobots(name string) error {
	t.ready = true
	t.base.RobotsFile = name
	return t.origins.reset(name, t.options)
}

// block returns the indented lines that follow, and goes to the last of them.
func (t *textReader) block(expected bool) []string {
	if !expected {
		return nil
	}
	begin, end := t.at+1, t.at+1 // blank lines count only between the others
	for i := begin; i < len(t.lines); i++ {
		line := t.lines[i]
		if strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			break
		}
		end = i + 1
	}
	t.at = end - 1
	return t.lines[begin:end]
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

// expectation reads "allow|disallow CRAWLER URL… [line N]".
func (t *textReader) expectation(words []string) error {
	for kind, name := range setNames {
		if s := t.sets[kind]; s != nil && slices.Contains(words, name) {
			s.named = true
		}
	}
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
		return fmt.Errorf("expected a crawler and at least one URL")
	case !t.ready:
		return fmt.Errorf(`no robots.txt is given; expected "robots: FILE" above`)
	}
	crawlers, err := crawlernames.Crawlers(words[0], t.known)
	if err != nil {
		return err
	}
	targets := t.targets(c, words[1:])
	for _, c.Agents = range crawlers {
		for _, target := range targets {
			c.URL, c.From = target.Text, target.From
			t.emit(c, nil)
		}
	}
	return nil
}

// known returns the crawlers of "@NAME".
func (t *textReader) known(name string) ([][]string, error) {
	if t.options.Crawlers == nil {
		return nil, errors.New("no crawlers are known: Options.Crawlers is nil")
	}
	return t.options.Crawlers(name)
}

// targets returns the URLs that words of a case stand for, and tells what is wrong with
// others.
func (t *textReader) targets(c Case, words []string) (targets []URL) {
	for _, word := range words {
		those := []URL{{Text: word}}
		for kind, name := range setNames {
			if word == name {
				those = t.useSet(kind)
			}
		}
		for _, target := range those {
			if err := t.origins.check(target.Text, t.options); err != nil {
				c.URL, c.From = target.Text, target.From
				t.emit(c, err)
			} else {
				targets = append(targets, target)
			}
		}
	}
	return targets
}
