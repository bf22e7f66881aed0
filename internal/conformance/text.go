package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/usage"
)

type textReader struct {
	file      string
	lines     []string
	lineIndex int
	base      Case
	hasRobots bool                // there was a "robots:" line, or Options.Robots is set
	sets      [len(setNames)]*set // the index is a kind of set; nil: the file had no such setting so far
	origins   origins
	options   *Options
	emit      func(Case, error)

	count              int
	robotsLineReported bool // an error was reported for lines of a robots.txt between the cases
}

// Together with an error, the Case has only the settings and the line number.
func readText(file, text string, o *Options, emit func(Case, error)) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	t := textReader{file: file, lines: strings.Split(text, "\n"), options: o, emit: emit}
	if o.Robots != "" {
		t.fail(t.nameRobots(o.Robots))
	}
	for ; t.lineIndex < len(t.lines); t.lineIndex++ {
		t.fail(t.line(t.lines[t.lineIndex]))
	}
	for kind := range t.sets {
		t.leaveSet(kind)
	}
}

func (t *textReader) fail(err error) {
	if err != nil {
		t.emit(t.here(), err)
	}
}

func (t *textReader) here() Case {
	c := t.base
	c.File, c.FileLine = t.file, t.lineIndex+1
	return c
}

func (t *textReader) line(line string) error {
	line = lines.WithoutComment(line)
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	if isIndented(line) {
		return fmt.Errorf(`the line is indented, but is not below a line "robots:": remove the indent, because only the lines of a robots.txt have one`)
	}
	if words[0] == "allow" || words[0] == "disallow" || words[0] == "usage" {
		return t.readCases(words)
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
		if t.robotsLineReported {
			return nil // one error is enough, because a whole robots.txt may stand here
		}
		t.robotsLineReported = true
		return fmt.Errorf(`%.60q begins a line of a robots.txt, but this is a file with cases: expected "robots: FILE", and cases such as "disallow Googlebot /cart"`, key+":")
	}
	return fmt.Errorf(`no line can begin with %.60q; expected "allow CRAWLER URL…", "disallow CRAWLER URL…", "usage CRAWLER PURPOSE=y URL…", "robots:", "origin:", "dialect:", "case:", "urls:" or "sitemap:"`, words[0])
}

func isRobotsKey(key string) bool {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "user-agent", "allow", "disallow", "sitemap":
		return true
	}
	return false
}

// Without a name, the robots.txt is the indented block below the line.
func (t *textReader) setRobots(name string) error {
	var robots []byte
	first := 0
	if name == "" {
		var block []string
		block, first = t.takeBlock()
		robots = []byte(unindent(block))
	}
	if t.options.Robots != "" {
		return nil // Options.Robots is used instead of the robots.txt of each case
	}
	t.base.Robots, t.base.RobotsLine = robots, first
	return t.nameRobots(name)
}

func (t *textReader) nameRobots(name string) error {
	t.hasRobots = true
	t.base.RobotsFile = name
	return t.origins.reset(name, t.options)
}

func (t *textReader) takeBlock() (block []string, first int) {
	start := t.lineIndex + 1
	end := start
	for i, line := range t.lines[start:] {
		isBlank := strings.TrimSpace(line) == ""
		if !isBlank && !isIndented(line) {
			break
		}
		if !isBlank {
			end = start + i + 1
		}
	}
	t.lineIndex = end - 1
	return t.lines[start:end], start + 1 // line numbers begin with 1
}

func isIndented(line string) bool { return line[0] == ' ' || line[0] == '\t' }

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

func (t *textReader) readCases(words []string) error {
	for kind, name := range setNames {
		if s := t.sets[kind]; s != nil && slices.Contains(words, name) {
			s.isUsed = true
		}
	}
	c := t.here()
	c.Allow, c.Any = words[0] == "allow", words[0] == "usage"
	words = words[1:]
	if c.Any && len(words) > 1 {
		var err error
		if c.Uses.Expected, err = usage.ParsePreferences(words[1]); err != nil {
			return err
		}
		words = slices.Delete(words, 1, 2)
	}
	if n := len(words); n >= 2 && words[n-2] == "line" {
		line, err := strconv.Atoi(words[n-1])
		if err != nil || line < 0 {
			return fmt.Errorf(`"line %s": expected the number of the line that decides, or 0 if no line decides`, words[n-1])
		}
		c.Line, words = &line, words[:n-2]
	}
	switch {
	case len(words) < 2:
		return fmt.Errorf("expected a crawler and at least one URL after it")
	case !t.hasRobots:
		return fmt.Errorf(`no robots.txt is given; expected a line "robots: FILE" above this line`)
	}
	crawlers, err := crawlernames.Crawlers(words[0], t.options.Table, cmp.Or(t.options.Dialect, c.Dialect))
	if err != nil {
		return err
	}
	targets := t.urlsOf(c, words[1:])
	if t.count += len(crawlers) * len(targets); t.options.MaxCases > 0 && t.count > t.options.MaxCases {
		return fmt.Errorf("the file has more than %d cases (a line with 2 crawlers and 3 URLs counts as 6 cases): remove some of them", t.options.MaxCases)
	}
	for _, crawler := range crawlers {
		c.Crawler, c.Agents = crawler.Name, crawler.Tokens
		for _, target := range targets {
			c.URL, c.From = target.Text, target.From
			t.emit(c, nil)
		}
	}
	return nil
}

// URLs of a wrong origin are reported and left out.
func (t *textReader) urlsOf(c Case, words []string) (targets []URL) {
	for _, word := range words {
		list := []URL{{Text: word}}
		for kind, name := range setNames {
			if word == name {
				list = t.useSet(kind)
			}
		}
		for _, target := range list {
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
