// Package watchcmd has the command "heed watch".
package watchcmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type command struct {
	sites.Live
	known    sites.Known
	agent    []string
	dialect  *robotstxt.Dialect
	format   string
	exec     string
	only     []string
	severity string
	once     bool

	printing    sync.Mutex
	trouble     term.MinuteLimit
	noticeCount atomic.Int64 // only for --once
}

//go:embed watch.txt
var watchHelp string

func Command(a *term.Terminal) *cobra.Command {
	o := &command{Live: sites.Live{Term: a}}
	c := flags.WithHelp(strings.Replace(watchHelp, "{{LISTS}}", sites.ListsHelp, 1), &cobra.Command{
		Use:   "watch SITE|LIST…",
		Short: "Watch the robots.txt of many sites, and report what changes, and for which crawlers",
		RunE:  func(_ *cobra.Command, args []string) error { return o.run(args) },
	})
	o.known.CrawlerFlags(a, c, &o.agent)
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect to read the files in")
	sites.StoreFlag(c, &o.Live.Store)
	o.Live.RefreshFlag(c)
	c.Flag("refresh").Usage += "; only with --once"
	o.Live.RetrievalFlags(c)
	flags.FormatFlag(c, &o.format, "text", "jsonl")
	c.Flags().StringVar(&o.exec, "exec", "", "start this `PROGRAM` for each event, with the event on its standard input")
	c.Flags().StringSliceVar(&o.only, "only", nil, "report only events with one of these `WORDS`: "+strings.Join(printable.Words(watch.All), ", "))
	flags.Complete(c, "only", printable.Words(watch.All))
	c.Flags().StringVar(&o.severity, "severity", "low", "report only events of this severity or higher, and \"reachable\": low, medium, high")
	c.Flags().BoolVar(&o.once, "once", false, "look once at the sites whose copies are not fresh, report what changed since the last run, and end")
	flags.CheckFlag(c, "exec", checkProgram)
	flags.Choose(c, "severity", []string{"low", "medium", "high"})
	return c
}

func (o *command) run(args []string) error {
	if len(args) == 0 {
		return errors.New("no site is given: name sites, such as www.example.com, or files with lists of sites, such as sites.txt")
	}
	w, err := o.watch()
	if err != nil {
		return err
	}
	lists, err := sites.ReadLists(o.Term, args)
	if err != nil {
		return err
	}
	release, err := sites.ClaimWatch(o.Live.Store)
	if err != nil {
		return err
	}
	defer release()
	store, closeStore, err := sites.OpenStore(o.Term, o.Live.Store, true, nil)
	if err != nil {
		return err
	}
	defer closeStore()
	w.Notes = store.(cache.Noter) // all stores of OpenStore are Noters
	w.Cache = o.cacheOn(store)
	defer w.Cache.Close() // an error goes to Events.StoreFailed
	return o.follow(w, lists)
}

func (o *command) watch() (*watch.Watch, error) {
	w := &watch.Watch{Dialect: o.dialect, Table: o.known.KnownTable(), Trouble: o.tellTrouble, Refresh: o.Live.Refresh}
	if o.Live.Refresh && !o.once {
		return nil, errors.New("--refresh can only be used together with --once: add --once, or leave --refresh out")
	}
	err := o.Live.Check()
	if err != nil {
		return nil, err
	}
	if len(o.agent) > 0 {
		if w.Crawlers, err = o.known.ReadCrawlers(o.agent, o.dialect); err != nil {
			return nil, err
		}
		o.known.NoteMisspelt(w.Crawlers...)
	}
	w.Wants, err = watch.Wants(o.only, o.severity)
	return w, err
}

// heed seldom needs a robots.txt again, so the cache in memory is small.
const memoryBytes = 32 << 20

func (o *command) cacheOn(store cache.Store) *cache.Cache {
	o.Live.Fetcher.MaxPerHost = 1
	statuses := o.Live.Statuses(o.dialect)
	return &cache.Cache{Fetcher: &o.Live.Fetcher, Store: store, Dialect: o.dialect, Statuses: &statuses, MemoryBytes: memoryBytes, Events: cache.Events{
		StoreFailed: func(_ string, about origin.Origin, err error) { o.tellTrouble(about, err) },
		WrongRecord: o.tellTrouble,
	}}
}

func (o *command) follow(w *watch.Watch, lists *sites.Lists) error {
	signalled, stop := term.Interruptible()
	defer stop()
	ctx, fail := context.WithCancelCause(signalled)
	defer fail(nil)
	w.Tell = func(ctx context.Context, m *watch.Message) error { return o.tell(ctx, m, fail) }
	if o.once {
		if lists.Wrong > 0 {
			o.Term.Raise(exit.Usage)
		}
		return o.lookOnce(ctx, w, lists.All())
	}
	o.Term.Notice("watching " + printable.Counted(len(lists.All()), "site"))
	changed := make(chan []origin.Origin)
	go lists.Follow(ctx, changed)
	defer o.Term.ShowProgress(func(elapsed time.Duration) string { return progress(w.Counts(), elapsed) })()
	w.Run(ctx, changed)
	if signalled.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

func (o *command) lookOnce(ctx context.Context, w *watch.Watch, list []origin.Origin) error {
	stop := o.Term.ShowProgress(func(elapsed time.Duration) string { return progress(w.Counts(), elapsed) })
	sum := w.Once(ctx, list)
	stop()
	if ctx.Err() != nil {
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			return err // for example, the output cannot be written
		}
		return term.ErrInterrupted
	}
	if o.Term.ErrTTY && !sum.Due.IsZero() { // a job of cron should print nothing if there is no event
		for _, fact := range o.facts(&sum, len(list)) {
			o.Term.Notice(fact)
		}
	}
	if sum.Failed > 0 {
		return fmt.Errorf("heed could not check %s, or could not report what changed there: the next run will try again", printable.Counted(sum.Failed, "site"))
	}
	if sum.Told > 0 {
		o.Term.Raise(exit.Disallowed)
	}
	return nil
}

// facts returns several texts about a run. Examples are "3 sites: 2 tried, 1 not due; no event", "1 unreachable:
// https://a.example (status 503, since …)", and "the next retrieval is due at …".
func (o *command) facts(sum *watch.Summary, sites int) (facts []string) {
	text := fmt.Sprintf("%s: %d tried", printable.Counted(sites, "site"), sum.Tried)
	rest := sites - sum.Tried
	if rest > 0 {
		text += fmt.Sprintf(", %d not due", rest)
	}
	events := "no event"
	if sum.Told > 0 {
		events = printable.Counted(sum.Told, "event")
	}
	text += "; " + events
	if o.severity != watch.Low.String() {
		text += " with --severity " + o.severity
	}
	facts = append(facts, text)
	if n := len(sum.Unreachable); n > 0 {
		facts = append(facts, fmt.Sprintf("%d unreachable: %s", n, failingInWords(sum.Unreachable)))
	}
	if n := len(sum.CopyUsed); n > 0 {
		facts = append(facts, fmt.Sprintf("%d failed, but heed still uses the copy: %s", n, failingInWords(sum.CopyUsed)))
	}
	form := "2006-01-02 15:04 UTC"
	if time.Until(sum.Due) < time.Hour {
		form = "2006-01-02 15:04:05 UTC"
	}
	text = "the next retrieval is due at " + sum.Due.UTC().Format(form)
	if rest > 0 {
		text += "; --refresh also looks at sites that are not due"
	}
	return append(facts, text)
}

func failingInWords(list []watch.Failing) string {
	var each []string
	for _, f := range list {
		each = append(each, fmt.Sprintf("%s (%s, since %s)", f.Site, f.Why, live.When(f.Since)))
	}
	return printable.Some(each, ", ")
}

func progress(c watch.Counts, elapsed time.Duration) string {
	text := printable.Counted(c.Sites, "site")
	text += ", " + printable.Counted(c.Looks, "look")
	if c.Waiting > 0 {
		text += fmt.Sprintf(", %s with events to tell", printable.Counted(c.Waiting, "site"))
	}
	return text + ", " + term.Seconds(elapsed)
}

// If the event cannot be printed, the run ends, and the next run prints the event. The next run must not give the
// event to the program of --exec again.
func (o *command) tell(ctx context.Context, m *watch.Message, endRun context.CancelCauseFunc) error {
	if o.exec != "" {
		if err := run(ctx, strings.Fields(o.exec), m); err != nil {
			return err
		}
	}
	o.printing.Lock()
	defer o.printing.Unlock()
	if o.format == "jsonl" {
		o.Term.Out.Write(append(term.Marshal(m.JSON), '\n'))
	} else {
		o.show(m)
	}
	err := o.Term.Flush()
	if err != nil {
		endRun(err)
	}
	if o.exec != "" {
		return nil // no error, because the program must not get the event again
	}
	return err
}

var colours = map[watch.Severity]string{watch.Low: term.Faint, watch.Medium: term.Magenta, watch.High: term.Red}

func (o *command) show(m *watch.Message) {
	fmt.Fprintf(o.Term.Out, "%s  %s  %s\n", m.Time.Format("2006-01-02 15:04 UTC"), o.Term.Paint(colours[m.Severity], fmt.Sprintf("%-6s", m.Severity)), m.Site)
	o.Term.PrintAfter("  ", m.Text, 0)
}

// With --once, heed prints at most this number of failures.
const maxSaidOnce = 10

// Without --once, heed prints at most one failure a minute.
func (o *command) tellTrouble(about origin.Origin, err error) {
	var unsaid int
	var now bool
	if o.once {
		now = o.noticeCount.Add(1) <= maxSaidOnce
	} else {
		unsaid, now = o.trouble.MayPrint(time.Now())
	}
	if !now {
		return
	}
	text := printable.Text(live.Failure(err))
	if !about.IsZero() {
		text = about.String() + ": " + text
	}
	if unsaid > 0 {
		text += fmt.Sprintf(" (and %s before)", printable.Counted(unsaid, "other failure"))
	}
	o.Term.Notice(text)
}
