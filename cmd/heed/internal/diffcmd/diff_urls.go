package diffcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/flips"
	"github.com/heed-robots/heed/internal/flips/sieve"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/origin"
)

type lists struct {
	live           *sites.Live
	urls, sitemaps []string

	sieve         sieve.Sieve
	unread        int64    // errors about sitemaps, or parts of them, that cannot be read
	unreadSamples []string // the first of these errors
	failure       error
}

func (l *lists) isGiven() bool { return len(l.urls)+len(l.sitemaps) > 0 }

func (l *lists) all(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		isDone := false
		each := func(url string) {
			isDone = isDone || ctx.Err() != nil || l.sieve.Keeps(url) && !yield(url)
		}
		for _, name := range l.urls {
			if err := l.read(name, each); err != nil && l.failure == nil {
				l.failure = fmt.Errorf("--urls: %w", err)
			}
		}
		for _, name := range l.sitemaps {
			isEmpty, failure := true, error(nil)
			for e, err := range sitemap.All(l.live.SitemapOpener(ctx, name, name), name) {
				switch {
				case isDone:
					return
				case err != nil:
					failure = cmp.Or(failure, err)
					l.reject(err)
				case !e.Index:
					isEmpty = false
					l.sieve.Name, l.sieve.Line = "", 0
					each(e.URL)
				}
			}
			if isEmpty && failure != nil && l.failure == nil {
				l.failure = fmt.Errorf("--sitemap: %w", failure)
			}
		}
	}
}

func (l *lists) noURL() error {
	of := ""
	if !l.sieve.Site.IsZero() {
		of = " of " + l.sieve.Site.String()
	}
	return fmt.Errorf("no URL was compared: there is no correct URL%s in %s; expected at least one", of, printable.Some(slices.Concat(l.urls, l.sitemaps), ", "))
}

func (l *lists) reject(err error) {
	const most = 20
	if wrong := (*sitemap.Error)(nil); errors.As(err, &wrong) && wrong.IsOneURL {
		l.sieve.Reject(err)
	} else if l.unread++; len(l.unreadSamples) < most {
		l.unreadSamples = append(l.unreadSamples, err.Error())
	}
}

func (l *lists) read(name string, each func(string)) error {
	in, err := l.live.Term.OpenInput(name)
	if err != nil {
		return err
	}
	defer in.Close()
	err = stream.Lines(name, in, "", stream.Fields{}, func(line *stream.Line) {
		switch {
		case line.Err == nil:
			l.sieve.Name, l.sieve.Line = name, line.Number
			each(line.URL)
		case !errors.Is(line.Err, stream.ErrNothing):
			l.sieve.Reject(fmt.Errorf("%s, line %d: %w: %s", name, line.Number, line.Err, printable.Quote(line.Shown())))
		}
	})
	var notList *stream.NotListError
	switch {
	case !errors.As(err, &notList):
		return err
	case notList.IsXML:
		return fmt.Errorf("%s is XML, not a list of URLs: if it is a sitemap, name it with --sitemap", name)
	case !notList.IsTable:
		return errors.New(notList.Text)
	}
	return errors.New(notList.Text + "; rename the column with the URLs to url")
}

func (l *lists) unreadInWords() string {
	return printable.Counted(int(l.unread), "error") + " while heed read the sitemaps"
}

func (l *lists) printNotices() {
	l.live.Term.NoticeSamples(printable.Counted(int(l.sieve.Rejected), "line")+" without a URL", l.sieve.Rejected, l.sieve.Samples)
	l.live.Term.NoticeSamples(l.unreadInWords(), l.unread, l.unreadSamples)
	if l.sieve.Others > 0 {
		l.live.Term.Notice(fmt.Sprintf("%s were not compared, because they are not URLs of %s", printable.Counted(int(l.sieve.Others), "URL"), l.sieve.Site))
	}
	if text := l.manySitesInWords(); text != "" {
		l.live.Term.Notice("note: the " + text)
	}
}

// leftOutInWords repeats printNotices for documents, because readers of a document do not see notices.
func (l *lists) leftOutInWords() (sentences []string) {
	if l.sieve.Rejected > 0 {
		sentences = append(sentences, printable.Counted(int(l.sieve.Rejected), "line")+" without a URL: "+samplesInWords(l.sieve.Rejected, l.sieve.Samples)+".")
	}
	if l.unread > 0 {
		sentences = append(sentences, "Some URLs were not compared, because of "+l.unreadInWords()+": "+samplesInWords(l.unread, l.unreadSamples)+".")
	}
	if l.sieve.Others > 0 {
		sentences = append(sentences, fmt.Sprintf("Not compared: %s of other sites than %s.", printable.Counted(int(l.sieve.Others), "URL"), l.sieve.Site))
	}
	if text := l.manySitesInWords(); text != "" {
		sentences = append(sentences, "The "+text+".")
	}
	return sentences
}

func samplesInWords(count int64, all []string) string {
	if n := count - int64(len(all)); n > 0 {
		all = append(slices.Clone(all), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, "; ")
}

func (l *lists) manySitesInWords() string {
	n := len(l.sieve.Sites)
	if n < 2 {
		return ""
	}
	count := fmt.Sprint(n)
	if n == sieve.MaxSites {
		count += " or more"
	}
	return fmt.Sprintf("list has URLs of %s sites, but a robots.txt is for one site: heed compared all URLs with the same two files; to compare one site, use a list with only its URLs", count)
}

const (
	maxExamples = 3    // for each crawler, and each kind of change
	maxListed   = 5000 // in a document, for all crawlers
)

// examples returns how many changes of each kind are shown for each crawler. A document is given to other people, so
// a document has more examples than a terminal.
func (o *diff) examples(c *report.Comparison) int {
	if o.format != "html" && o.format != "markdown" {
		return maxExamples
	}
	crawlers := 0
	for _, each := range c.Crawlers {
		if each.Result != compare.Equal.String() {
			crawlers++
		}
	}
	return max(maxExamples, maxListed/max(1, crawlers))
}

func (o *diff) changedURLs(ctx context.Context, c *report.Comparison) (report.Flips, error) {
	var lines io.Writer
	if o.format == "jsonl" {
		lines = o.inputs.Term.Out
	}
	o.lists.sieve.Site = o.siteOf()
	f, err := report.FlipsOf(c, o.lists.all(ctx), o.examples(c), lines)
	if ctx.Err() != nil {
		err = term.ErrInterrupted
	}
	if f.URLs > flips.MaxDistinct {
		o.inputs.Term.Notice(fmt.Sprintf("the list has more than %d URLs: a URL after these counts once for each line that has it", flips.MaxDistinct))
	}
	f.Rejected, f.Others = o.lists.sieve.Rejected, o.lists.sieve.Others
	if f.URLs == 0 && o.lists.failure == nil { // without this failure, it would look as if no verdict changed
		o.lists.printNotices()
		o.lists.failure = o.lists.noURL()
	}
	return f, cmp.Or(err, o.lists.failure)
}

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

// notesOfFlips leaves out notes that are only about whole files.
func (o *diff) notesOfFlips(c report.Comparison, f *report.Flips) []string {
	c.Incomplete, c.Managed = f.Incomplete, nil
	return o.notesOf(c)
}

func (o *diff) statusOfFlips(f *report.Flips) int {
	for _, c := range f.Crawlers {
		if c.Blocked > 0 || !o.failOnBlock {
			return exit.Disallowed
		}
	}
	if o.lists.unread > 0 {
		return exit.Undetermined // a URL that was not read may be disallowed now
	}
	return exit.Allowed
}

func headlineOfFlips(c report.Comparison, f *report.Flips) string {
	if len(c.Crawlers) == 0 {
		return "No verdict is compared, because the names in -a are not crawlers, but state preferences"
	}
	of := printable.Counted(int(f.URLs), "URL")
	if f.Flipped == 0 {
		return "Of " + of + " no verdict changes"
	}
	return fmt.Sprintf("The verdict of %d of %s changes", f.Flipped, of)
}

func (o *diff) textOfFlips(c report.Comparison, f *report.Flips) {
	t := o.inputs.Term
	defer func() {
		for _, note := range o.notesOfFlips(c, f) {
			t.PrintAfter("", note, 0)
		}
	}()
	o.printHead(c, headlineOfFlips(c, f))
	for _, c := range f.Crawlers {
		t.Out.WriteString("\n")
		t.PrintPaintedAfter(term.Bold, "", capitalized(o.namesOf(c.Agents))+": "+changed(c.Blocked, c.Opened), 2)
		directories := shownDirectories(c)
		for i, d := range directories {
			if i == maxDirectories {
				t.PrintAfter("  ", fmt.Sprintf("… and in %d more directories; --format json has them all", len(directories)-i), 2)
				break
			}
			place := "under " + printable.Short(d.Path)
			switch d.Path {
			case "":
				place = "in other directories"
			case "/":
				place = "directly under /"
			}
			t.PrintAfter("  ", place+": "+changed(d.Blocked, d.Opened), 2)
		}
		for _, e := range c.Examples {
			o.printChange(report.Change{Witness: e.URL, Old: e.Old, New: e.New})
		}
		if n := notShown(c); n > 0 {
			t.PrintAfter("  ", fmt.Sprintf("… and %d more; --format jsonl has them all", n), 2)
		}
	}
}

func notShown(c report.Flipped) int64 { return c.Blocked + c.Opened - int64(len(c.Examples)) }

// If the examples show every URL that changes, shownDirectories returns nil. In this case, the numbers of the
// directories say nothing more.
func shownDirectories(c report.Flipped) []report.Directory {
	if notShown(c) == 0 {
		return nil
	}
	return c.Directories
}

const maxDirectories = 8

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
