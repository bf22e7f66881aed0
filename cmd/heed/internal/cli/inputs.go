package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// An input is one of the robots.txt files that a command compares.
type input struct {
	name      string // as output shows it: a path, "-", git:REV:PATH, or a URL
	file      *robotstxt.File
	truncated bool // the file has more than the dialect reads
}

// inputs reads the robots.txt files that a command compares.
type inputs struct {
	*app
	live liveSites

	stdin string // the argument that is standard input; "": none yet
}

// inputsHelp explains the arguments in the help of commands.
const inputsHelp = `is the path of a file, "-" for standard input,
git:REV:PATH for a file in a Git repository, or a site: a URL, or a host such as
www.example.com. For a site, heed retrieves its robots.txt, or uses the cached one if
that is fresh. A site without a robots.txt (status 404) allows everything. A site
that is unreachable cannot be compared: that is an error.`

func (i *inputs) flags(c *cobra.Command) {
	i.live.app = i.app
	i.live.flags(c)
	c.ValidArgsFunction = completeSources
}

// readInputs reads the robots.txt files that arguments mean.
func (i *inputs) readInputs(d *robotstxt.Dialect, args ...string) (all []input, err error) {
	readers := make([]func(string, *robotstxt.Dialect) (input, error), len(args))
	sites := 0
	for n, arg := range args {
		switch {
		case isGit(arg):
			readers[n] = i.readGit
		case (&source{app: i.app}).isSite(arg):
			readers[n] = i.readSite
			sites++
		default:
			readers[n] = i.readFile
		}
	}
	if flag := i.live.changedFlag(); flag != "" && sites == 0 {
		return nil, fmt.Errorf("--%s is for sites, and no site is given: leave the flag out", flag)
	}
	for n, arg := range args {
		in, err := readers[n](arg, d)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// parsed returns the input that a text is.
func (i *inputs) parsed(arg string, body []byte, d *robotstxt.Dialect) input {
	if fetch.IsHTML(body) {
		i.notice(fmt.Sprintf("note: %s is an HTML page; heed reads the lines in it that are records", arg))
	}
	file := robotstxt.Parse(body, d)
	return input{name: arg, file: file, truncated: pastLimit(file)}
}

// readFile reads a file or standard input.
func (i *inputs) readFile(arg string, d *robotstxt.Dialect) (input, error) {
	if arg == "" {
		return input{}, errors.New(`an argument is empty; expected a file, "-", git:REV:PATH or a site`)
	}
	if isStandardInput(arg) {
		if i.stdin != "" {
			return input{}, fmt.Errorf("%s and %s are both standard input, which can be read once: save it in a file", i.stdin, arg)
		}
		i.stdin = arg
	}
	body, err := i.readRobots(arg)
	if err != nil {
		return input{}, tidy(arg, err)
	}
	return i.parsed(arg, body, d), nil
}

// tidy returns the error of reading a file so that it begins with the file's name.
func tidy(arg string, err error) error {
	var system *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf(`%s: there is no such file; expected a file, "-", git:REV:PATH, or a site such as https://www.example.com`, arg)
	case errors.As(err, &system):
		return fmt.Errorf("%s: %w", arg, system.Err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "robots.txt: "))
}

// isStandardInput reports whether an argument is standard input, or another name of it.
func isStandardInput(arg string) bool {
	return slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, arg)
}

// readGit reads git:REV:PATH.
func (i *inputs) readGit(arg string, d *robotstxt.Dialect) (input, error) {
	ctx, stop := interruptible()
	defer stop()
	body, err := readGit(ctx, arg)
	switch {
	case ctx.Err() != nil:
		return input{}, errInterrupted
	case err != nil:
		return input{}, err
	}
	text, encoding, err := decodeRobots(body, arg)
	if err != nil {
		return input{}, tidy(arg, err)
	}
	if encoding != "" {
		i.notice(encodingNotice(arg, encoding))
	}
	return i.parsed(arg, text, d), nil
}

// readSite reads the robots.txt of a site.
func (i *inputs) readSite(given string, d *robotstxt.Dialect) (in input, err error) {
	err = i.live.visit(given, d, func(ctx context.Context, o origin.Origin) error {
		get := i.live.site
		if i.live.refresh {
			get = i.live.retrieve
		}
		site, err := get(ctx, o.RobotsURL())
		if err == nil {
			in, err = i.inputOf(site)
		}
		return err
	})
	return in, err
}

// inputOf returns the robots.txt of a site. A failure says nothing about the rules of its
// owner, so it is an error, also if the site has failed for so long that crawlers may go there
//
func (i *inputs) inputOf(site *cache.Site) (input, error) {
	a, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return input{}, err
	}
	name := a.Origin.RobotsURL()
	if a.Outcome == fetch.Unreachable || a.Stale && a.Outcome == fetch.Unavailable && !a.FailingSince.IsZero() {
		return input{}, fmt.Errorf("%s is unreachable, so there is nothing to compare: %s", name, retrievalText(&a))
	}
	r := site.Result()
	for _, note := range i.notesOn(r, a.Outcome) {
		i.notice("note: " + name + " " + note)
	}
	if needsRemark(&a) && !a.HTML {
		i.notice(fmt.Sprintf("note: %s: %s", name, retrievalText(&a)))
	}
	file := site.File()
	return input{name: name, file: file, truncated: r.Truncated || pastLimit(file)}, nil
}

// notesOn returns what is special about the result of a retrieval, as ends of sentences about
// the robots.txt.
func (i *inputs) notesOn(r *fetch.Result, outcome fetch.Outcome) (notes []string) {
	switch {
	case outcome == fetch.Unavailable:
		notes = append(notes, fmt.Sprintf("does not exist (%s): everything is allowed", responseText(r)))
	case outcome == fetch.Restricted:
		notes = append(notes, fmt.Sprintf("may not be read (%s): everything is disallowed", responseText(r)))
	case r.HTML:
		notes = append(notes, "is an HTML page; heed reads the lines in it that are records (see --"+htmlFlag+")")
	case len(bytes.TrimSpace(r.Body)) == 0:
		notes = append(notes, "is empty: everything is allowed")
	}
	if n := len(r.Hops); n > 0 {
		if o, err := origin.Parse(r.Hops[n-1].URL); err == nil && o != r.Origin {
			notes = append(notes, "is redirected to "+r.Hops[n-1].URL)
		}
	}
	return notes
}

// responseText describes the end of a retrieval, such as "status 404".
func responseText(r *fetch.Result) string {
	switch {
	case r.Err != nil:
		return live.Failure(r.Err, hint(r.Err))
	case r.HTML:
		return fmt.Sprintf("status %d, an HTML page", r.Status)
	}
	return fmt.Sprintf("status %d", r.Status)
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
