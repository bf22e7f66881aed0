package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A Comment is a comment of a robots.txt that turns rules off:
//
//	Disallow: /*$/x # heed-lint: ignore dollar-not-last    for this line
//	# heed-lint: ignore key-misspelt, path-start           for the next line
//	# heed-lint: ignore-file no-sitemap                    for the whole file
type Comment struct {
	Line  int      // where it is, counted from 1
	About int      // the line that it is for; 0: the whole file
	Codes []string // as written; there may be no such rule
}

// Hides reports whether a finding is turned off.
func (c Comment) Hides(found Finding) bool {
	return (c.About == 0 || c.About == found.Line) && slices.Contains(c.Codes, found.Code)
}

// mark begins a comment for this package.
const mark = "heed-lint:"

// Comments returns the comments of a robots.txt that turn rules off.
func Comments(body []byte) (comments []Comment, err error) {
	if !strings.Contains(string(body), mark) {
		return nil, nil
	}
	for line := range robotstxt.Parse(body, robotstxt.RFC9309).Lines() {
		before, text, found := strings.Cut(line.Raw, mark)
		before = strings.TrimRight(before, " \t")
		if !found || !strings.HasSuffix(before, "#") {
			continue
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) })
		c := Comment{Line: line.Number, About: line.Number}
		switch {
		case len(words) < 2 || words[0] != "ignore" && words[0] != "ignore-file":
			return nil, fmt.Errorf(`line %d: expected "# heed-lint: ignore CODE" or "# heed-lint: ignore-file CODE"`, line.Number)
		case words[0] == "ignore-file":
			c.About = 0
		case line.Kind == robotstxt.KindComment:
			c.About++
		}
		c.Codes = words[1:]
		comments = append(comments, c)
	}
	return comments, nil
}
