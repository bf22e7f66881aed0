package cli

import (
	"fmt"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// An input is one of the robots.txt files that a command compares.
type input struct {
	name      string // as output shows it: a path, or "-"
	file      *robotstxt.File
	truncated bool // the file has more than the dialect reads
}

// readInput reads the robots.txt that an argument means.
func (a *app) readInput(arg string, d *robotstxt.Dialect) (input, error) {
	body, err := a.readRobots(arg)
	if err != nil {
		return input{}, err
	}
	if fetch.IsHTML(body) {
		a.notice(fmt.Sprintf("note: %s is an HTML page; heed reads the lines in it that are records", arg))
	}
	file := robotstxt.Parse(body, d)
	return input{name: arg, file: file, truncated: pastLimit(file)}, nil
}

// pastLimit reports whether a file has more than its dialect reads.
func pastLimit(f *robotstxt.File) bool {
	for line := range f.Lines() {
		if line.Notes.Has(robotstxt.NotePastLimit) {
			return true
		}
	}
	return false
}
