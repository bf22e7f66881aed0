package sites

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Source is the argument SITE|FILE of a command, which names a robots.txt.
type Source struct {
	Live

	Name string // the name in output: a path, "-", or a URL
	File *robotstxt.File
	Site *cache.Answer // an answer for the crawler "*"; nil if the robots.txt is a file

	Result    *fetch.Result // the last retrieval; nil if nothing is cached, or if the robots.txt is a file
	Truncated bool
}

// SourceHelp is the help text about the argument SITE|FILE.
const SourceHelp = `SITE is a URL, or a host such as www.example.com, which is read as
https://www.example.com/. heed fetches the robots.txt of the site, or uses the
cached robots.txt while it is fresh (see heed help check). FILE is the path of a
file, "-" for standard input, or git:REV:PATH for a file in a Git repository. If a
name can be a host, but a file with this name exists, heed reads the file.`

// SourceFlags adds the flags for commands with the argument SITE|FILE.
func (l *Live) SourceFlags(c *cobra.Command) {
	l.Flags(c)
	c.ValidArgsFunction = completeSources
}

func OneSource(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New(`expected one argument: a site, such as https://www.example.com/, a file, or "-" for standard input`)
	}
	return nil
}

func (s *Source) Read(arg string, d *robotstxt.Dialect) error {
	if IsSite(s.Term, arg) {
		return s.ReadSite(arg, d)
	}
	if flag := s.Live.ChangedFlag(); flag != "" {
		return fmt.Errorf("--%s is for live sites, but %s is a file: leave the flag out", flag, arg)
	}
	body, err := ReadRobots(s.Term, arg, d)
	s.Name, s.File = arg, robotstxt.Parse(body, d)
	return err
}

func (s *Source) ReadSite(given string, d *robotstxt.Dialect) error {
	return s.Live.Visit(given, d, s.setSite)
}

func (s *Source) setSite(ctx context.Context, o origin.Origin) error {
	site, err := s.Live.Site(ctx, o)
	if err != nil {
		return err
	}
	answer, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return err
	}
	answer.CrawlDelay = 0 // unset, because a crawler may have another crawl delay than "*"
	if answer.Outcome == fetch.Unreachable {
		s.Term.Raise(exit.Undetermined)
	}
	s.Name, s.File, s.Site = answer.Origin.RobotsURL(), site.File(), &answer
	s.Result = site.Result()
	s.Truncated = s.Result != nil && s.Result.Truncated
	return nil
}

// If no argument is a site and hasOtherUse is false, a flag for live sites is an error.
func (l *Live) SitesAmong(args []string, hasOtherUse bool) (sites []string, err error) {
	for _, arg := range args {
		if IsSite(l.Term, arg) {
			sites = append(sites, arg)
		}
	}
	if flag := l.ChangedFlag(); flag != "" && len(sites) == 0 && !hasOtherUse {
		err = fmt.Errorf("--%s is for live sites, but no argument is a site: leave the flag out", flag)
	}
	return sites, err
}

// IsSite reports whether an argument is a site. If a file has the same name, IsSite prints a notice and returns
// false.
func IsSite(a *term.Terminal, arg string) bool {
	switch {
	case IsGit(arg):
		return false
	case flags.IsURL(arg):
		return true
	case !address.IsHost(arg) || strings.HasPrefix(arg, ".") || strings.HasSuffix(arg, ".txt"):
		return false
	}
	_, err := os.Stat(arg)
	if err == nil {
		a.Notice(fmt.Sprintf("note: heed reads the file %s; for the site with this name, write https://%s", arg, arg))
	}
	return err != nil
}

// Inputs reads the robots.txt files that a command compares.
type Inputs struct {
	Live

	SitemapURL bool // a sitemap is fetched, so flags for live sites have a use

	Remarks []string // what is unusual about the robots.txt files

	stdin string // the argument that was read from standard input; "": none so far
}

// InputsHelp is a part of a sentence in the help, about the arguments that name robots.txt files.
const InputsHelp = `is the path of a file, "-" for standard input,
git:REV:PATH for a file in a Git repository, or a site: a URL, or a host such as
www.example.com. For a site, heed fetches the robots.txt, or uses the cached
robots.txt while it is fresh. A site without a robots.txt (status 404) allows
everything. If a site is unreachable, this is an error, because heed does not know
its robots.txt.`

func (i *Inputs) remark(name, text string) {
	sentence := input.NameOf(name) + " " + text + "."
	if text != "" && !slices.Contains(i.Remarks, sentence) {
		i.Remarks = append(i.Remarks, sentence)
	}
}

func (i *Inputs) ReadInputs(d *robotstxt.Dialect, args ...string) (all []report.Input, err error) {
	sites, err := i.Live.SitesAmong(args, i.SitemapURL)
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		read := i.ReadFile
		if slices.Contains(sites, arg) {
			read = i.ReadSite
		}
		in, err := read(arg, d)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

func (i *Inputs) ReadFile(arg string, d *robotstxt.Dialect) (report.Input, error) {
	if arg == "" {
		return report.Input{}, errors.New(`an argument is empty; expected a file, "-" for standard input, git:REV:PATH or a site`)
	}
	if isStandardInput(arg) {
		if i.stdin != "" {
			return report.Input{}, fmt.Errorf("%s and %s are both standard input, which heed can read only once: save one of them in a file", i.stdin, arg)
		}
		i.stdin = arg
	}
	body, err := ReadRobots(i.Term, arg, d)
	switch {
	case errors.Is(err, term.ErrInterrupted):
		return report.Input{}, err
	case err != nil:
		return report.Input{}, tidyError(arg, err)
	}
	i.remark(arg, noteOfFile(body))
	return report.InputOf(arg, robotstxt.Parse(body, d)), nil
}

func exampleIn(folder string) string {
	path := filepath.Join(folder, "robots.txt")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		entries, _ := saved.List(folder) // an error is not important, because the example is only a help
		i := slices.IndexFunc(entries, func(e saved.Entry) bool { return e.Host != "" })
		if i < 0 {
			return ""
		}
		path = entries[i].Path
	}
	return "; name one robots.txt in it, such as " + path
}

func tidyError(arg string, err error) error {
	var system *fs.PathError
	info, wrong := os.Stat(arg)
	switch {
	case wrong == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: expected a file%s", arg, exampleIn(arg))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf(`%s: %s; expected a file, "-" for standard input, git:REV:PATH, or a site such as https://www.example.com`, arg, saved.NoSuchFile)
	case errors.As(err, &system):
		return fmt.Errorf("%s: %w", arg, system.Err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "robots.txt: "))
}

func isStandardInput(arg string) bool {
	return slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, arg)
}

func (i *Inputs) ReadSite(given string, d *robotstxt.Dialect) (in report.Input, err error) {
	if err := CheckRobotsPath(given); err != nil {
		return in, err
	}
	err = i.Live.Visit(given, d, func(ctx context.Context, o origin.Origin) (err error) {
		if i.Live.Refresh {
			in, err = i.FetchInput(ctx, o)
		} else {
			in, err = i.readCached(ctx, o, i.Live.Site)
		}
		return err
	})
	return in, err
}

func CheckRobotsPath(url string) error {
	path := authority.After(url)
	if o, err := origin.Parse(url); err == nil && strings.HasSuffix(path, ".txt") && path != "/robots.txt" {
		return fmt.Errorf("%s: the robots.txt of this site is %s; to use another file of the site, save it and give its path", url, o.RobotsURL())
	}
	return nil
}

// An unreachable site is an error, even if crawlers may fetch everything.
func (i *Inputs) readCached(ctx context.Context, o origin.Origin, get func(context.Context, origin.Origin) (*cache.Site, error)) (report.Input, error) {
	site, err := get(ctx, o)
	if err != nil {
		return report.Input{}, err
	}
	a, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return report.Input{}, err
	}
	url, d := o.RobotsURL(), i.Live.Cache.Dialect
	if r := site.Result(); r == nil || r.OutcomeBy(i.Live.Statuses(d)) == fetch.Unreachable {
		return report.Input{}, unreachable(url, RetrievalText(&a))
	}
	if a.Stale || a.LastFailure != nil {
		i.Term.Notice(fmt.Sprintf("note: %s: %s", url, RetrievalText(&a)))
	}
	return i.InputOf(url, site.Result(), d), nil
}

func unreachable(url, why string) error {
	return fmt.Errorf("%s is unreachable, so there is no robots.txt to read: %s", url, why)
}

// If the retrieval fails, FetchInput returns an error. It does not use the cached file.
func (i *Inputs) FetchInput(ctx context.Context, o origin.Origin) (report.Input, error) {
	l, d := &i.Live, i.Live.Cache.Dialect
	var r fetch.Result
	l.Cache.Events.Fetched = func(last *fetch.Result) {
		l.fetched(last, l.Statuses(d))
		r = *last
	}
	if err := l.Cache.Refresh(ctx, o); err != nil {
		return report.Input{}, err
	}
	if r.NotModified() { // NotModified means that the site sends the cached file
		return i.readCached(ctx, o, l.Cache.PeekSite)
	}
	if r.OutcomeBy(l.Statuses(d)) == fetch.Unreachable {
		return report.Input{}, unreachable(o.RobotsURL(), live.ResponseText(&r))
	}
	return i.InputOf(o.RobotsURL(), &r, d), nil
}

// The Outcome of the retrieval must not be Unreachable. InputOf prints notices about unusual responses.
func (i *Inputs) InputOf(name string, r *fetch.Result, d *robotstxt.Dialect) report.Input {
	statuses := i.Live.Statuses(d)
	note := func(format string, args ...any) { i.Term.Notice("note: " + name + " " + fmt.Sprintf(format, args...)) }
	remark := contentNote(r.Page, r.Body)
	switch outcome := r.OutcomeBy(statuses); {
	case outcome == fetch.Unavailable:
		remark = fmt.Sprintf("does not exist (%s): everything is allowed", live.ResponseText(r))
		note("%s", remark)
	case outcome == fetch.Restricted:
		remark = fmt.Sprintf("may not be read (%s): everything is disallowed", live.ResponseText(r))
		note("%s", remark)
	case r.Page != fetch.NoPage:
		note("%s (see --%s)", remark, flags.PagesFlag)
	case remark != "":
		note("%s", remark)
	}
	i.remark(name, remark)
	if n := len(r.Hops); n > 0 {
		if o, err := origin.Parse(r.Hops[n-1].URL); err == nil && o != r.Origin {
			note("is redirected to %s", r.Hops[n-1].URL)
		}
	}
	return live.InputOf(name, r, statuses, d)
}
