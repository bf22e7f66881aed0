package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/robotstxt"
)

// A Comment is a comment in a robots.txt that turns rules of lint off:
//
//	Disallow: /*$/x # heed-lint: ignore dollar-not-last    for this line
//	# heed-lint: ignore key-misspelt, path-start           for the next line
//	# heed-lint: ignore-file no-sitemap                    for the whole file
type Comment struct {
	Line  int      // the number of the line with the comment, counted from 1
	About int      // the number of the line for which the comment turns rules off; 0 means the whole file
	Codes []string // the codes as written in the comment; there may be no rule with such a code
}

// Hidden reports whether one of the comments turns off a finding.
func Hidden(found Finding, comments []Comment) bool {
	return slices.ContainsFunc(comments, func(c Comment) bool {
		return (c.About == 0 || c.About == found.Line) && slices.Contains(c.Codes, found.Code)
	})
}

const lintMark = "heed-lint:"

func Comments(body []byte) (comments []Comment) {
	if !bytes.Contains(body, []byte(lintMark)) {
		return nil
	}
	for line := range robotstxt.Parse(body, robotstxt.RFC9309).Lines() {
		if c := commentIn(line); c != nil && len(c.Codes) > 0 {
			comments = append(comments, *c)
		}
	}
	return comments
}

// commentIn returns nil for a line without a lint comment. In a comment with a mistake, Codes is empty.
func commentIn(line robotstxt.Line) *Comment {
	before, text, found := strings.Cut(line.Raw, lintMark)
	if !found || !strings.HasSuffix(strings.TrimRight(before, " \t"), "#") {
		return nil
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) })
	c := &Comment{Line: line.Number, About: line.Number}
	switch {
	case len(words) < 2 || words[0] != "ignore" && words[0] != "ignore-file":
		return c
	case words[0] == "ignore-file":
		c.About = 0
	case line.Kind == robotstxt.KindComment:
		c.About++
	}
	c.Codes = words[1:]
	return c
}

func wrongComments(f *file, report func(Finding)) {
	if !strings.Contains(f.body, lintMark) {
		return
	}
	for _, line := range f.textLines() {
		c := commentIn(line)
		if c == nil {
			continue
		}
		if len(c.Codes) == 0 {
			report(findingAt(line, lintMark, `expected "# heed-lint: ignore CODE" or "# heed-lint: ignore-file CODE"`))
			continue
		}
		if i := slices.IndexFunc(c.Codes, func(code string) bool { return !slices.Contains(f.codes, code) }); i >= 0 {
			report(findingAt(line, c.Codes[i], f.noRule(c.Codes[i])))
		}
	}
}

func (f *file) noRule(code string) string {
	message := "there is no rule " + printable.Quote(code)
	if meant := spelling.Closest(code, f.codes); meant != "" {
		return message + fmt.Sprintf("; did you mean %s?", meant)
	}
	return message
}
