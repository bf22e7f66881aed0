// Package checkcmd has the command "heed check".
package checkcmd

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

type check struct {
	sites.Question
	purposes flags.Purposes

	jobs      int
	unordered bool
	input     string   // "": the arguments are the URLs
	pages     []string // URLs of pages to check, together with what they load, for example images

	subjects    []subject // in the order of question.Crawlers
	nameWidth   int
	files       robotsfiles.Files // for --input, or if --robots is a folder
	printsAtEnd bool              // text output shows all answers together
	verdicts    []verdict

	start     time.Time
	total     int // the number of URLs; 0: unknown
	doneCount atomic.Int64
	lastDone  int64 // doneCount at the last progress line
	sum       tally
	sites     map[origin.Origin]bool // filled only if standard error is a terminal

	describedOrigins map[origin.Origin]bool // origins whose retrieval the output has described
}

type subject struct {
	tokens []string // the most specific first
	name   string
	agent  report.Agent
	facts  report.Facts
	key    string
	inFile robotsfiles.Crawler // in the file of --robots
}

//go:embed check.txt
var checkHelp string

func Command(a *term.Terminal) *cobra.Command {
	o := &check{Question: sites.Question{Live: sites.Live{Term: a}}}
	c := flags.WithHelp(checkHelp, &cobra.Command{
		Use:   "check -a CRAWLER… URL… | --input jsonl [FILE…]",
		Short: "Check whether a crawler may fetch each URL",
		RunE:  func(_ *cobra.Command, urls []string) error { return o.run(urls) },
	})
	o.Flags(c, "text", "json", "jsonl")
	o.purposes.Flags(c)
	o.Live.TDMRepFlag(c)
	o.Live.ApproveFlag(c)
	c.Flags().StringVar(&o.input, "input", "", `format of the questions: jsonl, one JSON object on each line`)
	flags.Choose(c, "input", []string{"jsonl"})
	c.Flags().StringArrayVar(&o.pages, "page", nil, "`URL` of a page: check the page, and the URLs that a browser loads for this page; may be repeated")
	c.Flags().IntVar(&o.jobs, "jobs", sites.DefaultJobs, "how many URLs to check at the same time")
	c.Flags().BoolVar(&o.unordered, "unordered", false, "print each answer as soon as it is known, not in the order of the URLs")
	return c
}

func (o *check) run(urls []string) error {
	if err := cmp.Or(o.purposes.Check(o.Live.Command), o.Live.CheckTDMRep(o.purposes.IsAsked())); err != nil {
		return err
	}
	switch {
	case o.jobs < 1 || o.jobs > sites.MaxJobs:
		return fmt.Errorf("--jobs %d: expected a number from 1 to %d", o.jobs, sites.MaxJobs)
	case o.Live.Command.Flags().Changed("input"):
		return o.checkQuestions(urls)
	case len(urls)+len(o.pages) == 0:
		return errors.New(`no URL is given: expected URLs, hosts or paths, or "-" to read them from standard input`)
	case o.Robots == "-" && slices.Contains(urls, "-"):
		return errors.New(`standard input cannot be both the robots.txt and the URLs; give one of them as a file`)
	}
	o.Fetches = len(o.pages) > 0
	if err := o.Read(); err != nil {
		return err
	}
	loaded, err := o.loadedURLs()
	if err != nil {
		return err
	}
	urls = append(urls, loaded...)
	o.setSubjects()
	o.start, o.sites, o.describedOrigins = time.Now(), map[origin.Origin]bool{}, map[origin.Origin]bool{}
	if !slices.Contains(urls, "-") {
		o.total = len(urls)
		o.printsAtEnd = o.Format == "text" && len(o.Crawlers) > 1
	}
	err = o.checkAll(urls)
	if len(o.verdicts) > 0 {
		o.show(o.verdicts)
	}
	o.Term.Out.Flush()
	o.SuggestChains()
	if footer := o.footer(); footer != "" {
		fmt.Fprintln(o.Term.Err, footer)
	}
	return err
}

func (o *check) checkAll(urls []string) error {
	defer o.Term.ShowProgress(o.progress)()
	if o.IsLive() {
		defer o.Live.Close()
		if err := o.Live.Open(o.Dialect); err != nil {
			return err
		}
		o.Known.NoteMisspelt(o.Crawlers...)
		o.Live.NoteResponses(o.purposes.IsAsked())
	} else {
		o.readFile()
	}
	l := o.Term.JsonList(o.Format)
	defer l.Close()
	ctx, stop := term.Interruptible()
	defer stop()
	from := lines.New(o.Term.In, input.StandardInput, lines.MaxURL)
	run := ordered.Map[part, answers]
	if o.unordered && !o.printsAtEnd {
		run = unorderedMap
	}
	var broken error
	worker := func() func(part) answers { return func(g part) answers { return o.answersTo(ctx, g) } }
	run(o.workers(), ordered.Until(ctx, o.allParts(urls, from)), worker, func(a answers) {
		o.write(l, a)
		lines.Recycle(a.out)
		if broken = o.Term.Out.Flush(); broken != nil {
			stop() // nobody reads the other answers
		}
	})
	switch {
	case broken != nil:
		return nil // Run reports the error of the output
	case ctx.Err() != nil:
		return term.ErrInterrupted
	}
	return from.Err()
}

func (o *check) workers() int {
	if o.IsLive() {
		return o.jobs
	}
	return runtime.GOMAXPROCS(0)
}

func (o *check) answersTo(ctx context.Context, g part) (a answers) {
	a.out = lines.NewBuffer()
	check := o.checkInFile
	if o.IsLive() {
		check = func(a *answers, url string) { o.checkAtSite(ctx, a, url) }
	}
	for _, url := range g.urls {
		check(&a, url)
	}
	if g.lines == nil {
		return a
	}
	for line := range g.lines {
		if line.Wrong != nil {
			o.refuse(&a, "", fmt.Errorf("%s, line %d: %w", input.StandardInput, line.Number, line.Wrong))
		} else if url := lines.Text(line.Text); url != "" {
			check(&a, url)
		}
	}
	return a
}

func (o *check) readFile() {
	file := robotstxt.Parse(o.Body, o.Dialect)
	uses := sync.OnceValue(func() *usage.Robots { return usage.Read(file) })
	o.files = robotsfiles.Files{Dir: o.RobotsDir, Notice: o.Term.Notice, Crawlers: o.Known.Table}
	for i := range o.subjects {
		s, row := &o.subjects[i], o.row(verdict{crawler: i})
		s.key, s.inFile = keyOf(s.tokens), robotsfiles.Crawler{Policy: file.Agent(s.tokens...), Question: row.AppendQuestion(nil)}
		s.inFile.Usage = func() *usage.Policy { return uses().For(usage.Options{}, s.tokens...) }
		o.NoteChain(i, file)
	}
}

type verdict struct {
	crawler int // an index in check.subjects
	url     string
	robotstxt.Decision
	uses     report.Preferences
	site     *cache.Answer // nil: the rules come from a file
	question []byte        // see robotsfiles.Crawler; nil if there is a site
}

// Crawlers with equal shownParts share a line of the text output.
type shownPart struct {
	robotstxt.Decision
	uses string
}

func (o *check) shownPart(v verdict) shownPart {
	return shownPart{v.Decision, string(o.appendUses(nil, v.uses, 0))}
}

type answers struct {
	out      []byte
	verdicts []verdict // for text output about live sites, or about all URLs together
	notices  []string
	status   int
	tally
	origin origin.Origin // zero: the rules come from a file
}

func (o *check) addAnswer(a *answers, v verdict) {
	a.status = exit.Worse(a.status, exit.OfUses(v.Decision, v.uses, o.purposes.Unknown))
	a.count(v.Decision)
	switch {
	case o.printsAtEnd || o.Format == "text" && v.site != nil:
		a.verdicts = append(a.verdicts, v)
	case o.Format == "text":
		a.out = o.appendLine(a.out, v, false)
	case v.site != nil:
		row := live.Answer{Answer: o.row(v), Site: live.SiteOf(v.site)}
		a.out = term.AppendItem(a.out, &row, o.Format == "json")
	default:
		row := report.AnswerOf(v.url, v.Decision)
		row.Usage = v.uses
		a.out = term.AppendAnswer(a.out, &row, v.question, o.Format == "json")
	}
}

func (o *check) row(v verdict) report.Answer {
	row := report.AnswerOf(v.url, v.Decision)
	row.Usage = v.uses
	s := &o.subjects[v.crawler]
	row.Agent, row.Facts, row.Dialect, row.Source = s.agent, s.facts, o.Dialect.String(), o.Source()
	if v.site != nil {
		row.Source = v.site.Origin.RobotsURL()
	}
	return row
}

func (o *check) checkInFile(a *answers, given string) {
	url, _, err := o.Target(given)
	if err != nil {
		o.refuse(a, given, err)
		return
	}
	sites.NoteUnescaped(o.Term, o.Dialect, url)
	var ofHost *robotsfiles.File
	if o.RobotsDir != "" {
		if ofHost = o.fileOfHost(a, url); ofHost == nil {
			return
		}
	}
	other := o.HasOtherOrigin(url)
	for i := range o.subjects {
		c := &o.subjects[i].inFile
		if ofHost != nil {
			if c, err = o.files.Crawler(ofHost, o.subjects[i].key); err != nil {
				o.refuse(a, url, err)
				return
			}
		}
		d := c.Policy.Check(url)
		switch {
		case d.Reason == robotstxt.InvalidTarget:
			o.refuse(a, url, errors.New(sites.TargetHelp(url)))
			return
		case other:
			d = sites.OtherOrigin
		}
		o.addAnswer(a, verdict{crawler: i, url: url, Decision: d, uses: o.purposes.Explain(c.Usage, url, d), question: c.Question})
	}
	a.urls++
}

// fileOfHost returns nil if the folder of --robots has no robots.txt for a URL.
func (o *check) fileOfHost(a *answers, url string) *robotsfiles.File {
	target, err := origin.Parse(url)
	if err != nil {
		o.refuse(a, url, sites.NeedsURL(url))
		return nil
	}
	f := o.files.Get(robotsfiles.Key{Kind: robotsfiles.OfHost, Text: target.Authority(), Dialect: o.Dialect}, time.Now())
	if f.Err != nil {
		o.addFailure(a, robotsfiles.StatusOf(f.Err), url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, f.Err))
		return nil
	}
	return f
}

func (o *check) refuse(a *answers, url string, why error) {
	o.addFailure(a, exit.Usage, url, robotstxt.Decision{Reason: robotstxt.InvalidTarget}, why)
}

func (o *check) addFailure(a *answers, status int, url string, d robotstxt.Decision, why error) {
	a.status = exit.Worse(a.status, status)
	a.notices = append(a.notices, why.Error())
	a.by[isWrong]++
	if o.Format == "text" {
		return
	}
	for i := range o.subjects {
		row := o.row(verdict{crawler: i, url: url, Decision: d})
		row.Error = why.Error()
		a.out = term.AppendItem(a.out, &row, o.Format == "json")
	}
}

// Only one goroutine may call write at a time.
func (o *check) write(l *term.List, a answers) {
	if o.printsAtEnd {
		o.verdicts = append(o.verdicts, a.verdicts...)
	} else {
		a.out = o.appendLines(a.out, a.verdicts)
	}
	l.Add(a.out)
	for _, notice := range a.notices {
		o.Term.Notice(notice)
	}
	o.Term.Raise(a.status)
	o.sum.add(a.tally)
	o.doneCount.Add(int64(a.urls + a.by[isWrong]))
	if o.Term.ErrTTY && !a.origin.IsZero() {
		o.sites[a.origin.Clone()] = true
	}
}

func (o *check) setSubjects() {
	times := map[string]int{}
	for _, c := range o.Crawlers {
		times[c[0]]++
	}
	for _, c := range o.Crawlers {
		shown := c
		if times[c[0]] == 1 {
			shown = c[:1]
		}
		s := subject{tokens: c, name: o.Known.NameAndRemark(shown), agent: report.AgentOf(c), facts: o.Known.FactsOf(c)}
		o.nameWidth = max(o.nameWidth, layout.Width(s.name))
		o.subjects = append(o.subjects, s)
	}
}
