package diffcmd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/flips"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/origin"
)

// A lists reads the URLs whose verdicts are compared, of --urls and --sitemap.
type lists struct {
	term           *term.Terminal
	live           *sites.Live
	urls, sitemaps []string

	of        origin.Origin // zero: URLs of all sites are compared
	last      origin.Origin // of the last URL
	elsewhere int64         // URLs of other sites
	rejected  int64         // lines and entries without a URL
	samples   []string      // of these
	failure   error
}

// isGiven reports whether URLs are given.
func (l *lists) isGiven() bool { return len(l.urls)+len(l.sitemaps) > 0 }

// all yields the URLs.
func (l *lists) all(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		isDone := false
		each := func(url string) {
			isDone = isDone || ctx.Err() != nil || l.isOfSite(url) && !yield(url)
		}
		for _, name := range l.urls {
			if err := l.read(name, each); err != nil && l.failure == nil {
				l.failure = fmt.Errorf("--urls: %w", err)
			}
		}
		for _, name := range l.sitemaps {
			for e, err := range sitemap.All(l.live.SitemapOpener(ctx, name, name), name, sitemap.Limits{}) {
				switch {
				case isDone:
					return
				case err != nil:
					l.reject(err)
				case !e.Index:
					each(e.URL)
				}
			}
		}
	}
}

// read reads a list in one of the formats of heed filter. A line may be a path, too.
func (l *lists) read(name string, each func(string)) error {
	in, err := l.term.OpenInput(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return stream.Lines(name, in, "", stream.Fields{}, func(line *stream.Line) {
		switch {
		case line.Err == nil:
			each(strings.Clone(line.URL))
		case strings.HasPrefix(line.Text, "/"):
			each(strings.Clone(line.Text))
		case !errors.Is(line.Err, stream.ErrNothing):
			l.reject(fmt.Errorf("%s, line %d: %w: %s", name, line.Number, line.Err, printable.Quote(line.Shown())))
		}
	})
}

// isOfSite reports whether a URL is compared. One that has no origin is rejected.
func (l *lists) isOfSite(url string) bool {
	switch {
	case strings.HasPrefix(url, "/"):
		return true
	case l.last.IsZero() || !l.last.Begins(url):
		of, err := origin.Parse(url)
		if err != nil {
			l.reject(fmt.Errorf("%s: %w", printable.Quote(url), err))
			return false
		}
		l.last = of.Clone()
	}
	if !l.of.IsZero() && l.last != l.of {
		l.elsewhere++
		return false
	}
	return true
}

// reject counts what has no URL, and keeps the first ones.
func (l *lists) reject(err error) {
	const most = 5
	if l.rejected++; len(l.samples) < most {
		l.samples = append(l.samples, err.Error())
	}
}

// tell says what was not compared.
func (l *lists) tell() {
	if l.rejected > 0 {
		l.term.Notice(printable.Counted(int(l.rejected), "line") + " without a URL; the first:")
		for _, s := range l.samples {
			l.term.Notice("  " + s)
		}
	}
	if l.elsewhere > 0 {
		l.term.Notice(fmt.Sprintf("%s of other sites than %s were not compared", printable.Counted(int(l.elsewhere), "URL"), l.of))
	}
}

// Flips is what a change does to the URLs of a list, as JSON.
type Flips struct {
	URLs     int64     `json:"urls"`     // that were compared
	Rejected int64     `json:"rejected"` // lines without a URL
	Others   int64     `json:"other_sites"`
	Crawlers []Flipped `json:"crawlers"` // for which the verdict of a URL changes
}

// Flipped is what changes for crawlers that have the same verdicts.
type Flipped struct {
	Agents      []report.Agent `json:"agents"`
	Blocked     int64          `json:"blocked"` // URLs that were allowed and are disallowed
	Opened      int64          `json:"opened"`  // the opposite
	Directories []Directory    `json:"directories"`
	Examples    []Flip         `json:"examples"`
}

// Directory is the first part of a path; "" is all that are not told one by one.
type Directory struct {
	Path    string `json:"path"`
	Blocked int64  `json:"blocked"`
	Opened  int64  `json:"opened"`
}

// Flip is a URL whose verdict changes.
type Flip struct {
	URL    string          `json:"url"`
	Agents []report.Agent  `json:"agents,omitempty"` // only in JSON lines
	Old    report.Decision `json:"old"`
	New    report.Decision `json:"new"`
}

// flips compares the verdicts of the URLs for the crawlers for which the files differ.
func (o *diff) flips(ctx context.Context, c report.Comparison) (*Flips, error) {
	var agents [][]string
	for _, crawler := range c.Crawlers {
		if crawler.Result != compare.Equal.String() {
			agents = append(agents, crawler.Agent)
		}
	}
	pairs := flips.Pairs(o.old.File, o.new.File, agents)
	agentsOf := func(pair int) (all []report.Agent) {
		for _, a := range pairs[pair].Agents {
			all = append(all, report.AgentOf(a))
		}
		return all
	}
	var told func(flips.Flip) error
	if o.format == "jsonl" {
		told = func(f flips.Flip) error {
			_, err := o.inputs.Term.Out.Write(append(term.Marshal(Flip{f.URL, agentsOf(f.Pair), report.DecisionOf(f.Old), report.DecisionOf(f.New)}), '\n'))
			return err
		}
	}
	o.lists.of = o.siteOf()
	r, err := flips.Run(o.lists.all(ctx), pairs, told)
	switch {
	case ctx.Err() != nil:
		return nil, term.ErrInterrupted
	case err != nil:
		return nil, err
	case o.lists.failure != nil:
		return nil, o.lists.failure
	}
	out := &Flips{URLs: r.URLs, Rejected: o.lists.rejected, Others: o.lists.elsewhere, Crawlers: []Flipped{}}
	for i := range r.Counts {
		n := &r.Counts[i]
		if n.Blocked+n.Opened == 0 {
			continue
		}
		f := Flipped{Agents: agentsOf(i), Blocked: n.Blocked, Opened: n.Opened}
		for _, d := range n.Directories {
			f.Directories = append(f.Directories, Directory(d))
		}
		for _, e := range n.Examples {
			f.Examples = append(f.Examples, Flip{URL: e.URL, Old: report.DecisionOf(e.Old), New: report.DecisionOf(e.New)})
		}
		out.Crawlers = append(out.Crawlers, f)
	}
	return out, nil
}

// siteOf returns the site whose file is compared; zero: both files are of no site.
func (o *diff) siteOf() origin.Origin {
	for _, name := range []string{o.new.Name, o.old.Name} {
		if flags.IsURL(name) {
			if of, err := origin.Parse(name); err == nil {
				return of
			}
		}
	}
	return origin.Origin{}
}

// statusOfFlips returns the exit status of a comparison of URLs.
func (o *diff) statusOfFlips(f *Flips) int {
	for _, c := range f.Crawlers {
		if c.Blocked > 0 || !o.failOnBlock {
			return exit.Disallowed
		}
	}
	return exit.Allowed
}

// textOfFlips shows what changes for the URLs.
func (o *diff) textOfFlips(f *Flips) {
	t := o.inputs.Term
	of := printable.Counted(int(f.URLs), "URL")
	if len(f.Crawlers) == 0 {
		t.PrintPaintedAfter(term.Bold, "", fmt.Sprintf("Of %s no verdict changes", of), 2)
		return
	}
	t.PrintPaintedAfter(term.Bold, "", fmt.Sprintf("Of %s the verdict changes", of), 2)
	for _, c := range f.Crawlers {
		t.Out.WriteString("\n")
		t.PrintPaintedAfter(term.Bold, "", capital(o.namesOf(c.Agents))+": "+changed(c.Blocked, c.Opened), 2)
		for i, d := range c.Directories {
			if i == maxDirectories {
				t.PrintAfter("  ", fmt.Sprintf("… and in %d more directories; --format json has them all", len(c.Directories)-i), 2)
				break
			}
			name := d.Path
			if name == "" {
				name = "(others)"
			}
			t.PrintAfter("  ", printable.Short(name)+"  "+changed(d.Blocked, d.Opened), 2)
		}
		for _, e := range c.Examples {
			o.change(report.Change{Witness: e.URL, Old: e.Old, New: e.New})
		}
	}
}

// maxDirectories is how many directories a text shows.
const maxDirectories = 8

// changed says how many URLs change.
func changed(blocked, opened int64) string {
	var parts []string
	if blocked > 0 {
		parts = append(parts, fmt.Sprintf("%d disallowed now", blocked))
	}
	if opened > 0 {
		parts = append(parts, fmt.Sprintf("%d allowed now", opened))
	}
	return strings.Join(parts, ", ")
}
