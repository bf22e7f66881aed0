// Package auditcmd has the command "heed audit".
package auditcmd

import (
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/accesslog"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/origin"
)

type command struct {
	term  *term.Terminal
	known sites.Known

	robots, proxies, failOn                      []string
	origin, fields, since, until, asOfDay, lists string
	evidence, format                             string
	resolve, isSample, addresses, onlyProved     bool
	asOf                                         time.Time
	loading                                      captures.Loading

	audit.Options
}

//go:embed audit.txt
var auditHelp string

func Command(a *term.Terminal) *cobra.Command {
	o := &command{term: a}
	c := flags.WithHelp(auditHelp, &cobra.Command{
		Use:   "audit LOG… --robots SOURCE",
		Short: "Find in access logs which crawlers disobeyed, and what proves it",
		RunE: func(c *cobra.Command, logs []string) error {
			if o.evidence != "" && !o.term.Tty && !c.Flags().Changed("format") {
				o.format = "jsonl"
			}
			return o.run(logs)
		},
	})
	f := c.Flags()
	f.StringArrayVar(&o.robots, "robots", nil, "`SOURCE` of the robots.txt and its versions; may be repeated")
	f.StringVar(&o.origin, "origin", "", "`SITE` of the log, such as https://www.example.com; requests to other hosts are left out")
	f.StringVar(&o.lists, "ranges", "", "`FOLDER` with the address ranges of crawlers, as their operators publish them: GPTBot.json, GPTBot@2026-01-31.json")
	f.BoolVar(&o.resolve, "resolve", false, "for crawlers without a list in --ranges: look up the host names of addresses, and the addresses of these host names")
	f.StringSliceVar(&o.proxies, "trusted-proxy", nil, "`ADDRESS` or range of a proxy in front of the server: use the X-Forwarded-For of its requests; may be repeated")
	f.StringVar(&o.evidence, "evidence", "", "show each forbidden request of this `CRAWLER`, as text on a terminal, or else as JSON lines; the word all means all crawlers")
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl", "csv", "html")
	f.BoolVar(&o.addresses, "addresses", false, "show whole addresses in the report")
	f.StringVar(&o.since, "since", "", "count only requests from this `TIME` on, such as 2026-05-03 or 2026-05-03T14:00:00Z")
	f.StringVar(&o.until, "until", "", "count only requests before this `TIME`, such as 2026-06-01")
	f.BoolVar(&o.onlyProved, "proved", false, "with --evidence: only requests that are proved")
	f.StringVar(&o.asOfDay, "as-of", "", "use the robots.txt of this `TIME` for all requests, such as 2026-05-03 (the end of this day in UTC)")
	f.BoolVar(&o.isSample, "sample", false, "lines are missing from the log: never conclude that a crawler did not fetch the robots.txt")
	f.StringVar(&o.fields, "fields", "", "names of members in JSON lines, such as time=ts,agent=headers.ua: `FIELDS` are "+strings.Join(accesslog.FieldNames(), ", "))
	f.StringSliceVar(&o.failOn, "fail-on", nil, "exit with status 1 if the report has one of these: "+strings.Join(failures, ", "))
	flags.Complete(c, "fail-on", failures)
	o.known.CrawlersFlag(a, c)
	return c
}

var failures = []string{"proved", "forbidden", "impostor"}

func (o *command) run(logs []string) error {
	if err := o.read(logs); err != nil {
		return err
	}
	ctx, stop := term.Interruptible()
	defer stop()
	closeRobots, err := o.openRobots(ctx)
	if err != nil {
		return err
	}
	defer closeRobots()
	o.startEvidence()
	stopShowing := o.term.ShowProgress(o.progress())
	report, err := audit.Run(ctx, &o.Options)
	stopShowing()
	if ctx.Err() != nil {
		return term.ErrInterrupted
	} else if err != nil {
		return err
	}
	if report.Coverage.Problem != "" && !o.asOf.IsZero() {
		report.Coverage.Problem += ", or from before the time of --as-of"
	}
	o.show(report)
	for _, text := range report.Coverage.Broken {
		o.term.Complain(errors.New(text))
	}
	if problem := report.Coverage.Problem; problem != "" {
		o.term.Complain(errors.New(problem))
	}
	o.raise(report)
	return nil
}

func (o *command) checkFlags(logs []string) error {
	switch {
	case len(logs) == 0:
		return errors.New(`no LOG is given: name the files of the access log, such as access.log, or "-" for standard input`)
	case len(o.robots) == 0:
		return errors.New("--robots SOURCE is missing: name the robots.txt of the site, or better its history, such as git:PATH, a folder with a file for each day, a store, or an archive that heed compile made")
	case slices.Contains(logs, "-") && slices.Contains(o.robots, "-"):
		return errors.New("standard input cannot be both the log and the robots.txt: give one of them as a file")
	case o.evidence == "" && (o.format == "jsonl" || o.format == "csv"):
		return fmt.Errorf("--format %s is only for the requests that --evidence shows: add --evidence CRAWLER or --evidence all; without --evidence, expected --format text, json or html", o.format)
	case o.onlyProved && o.evidence == "":
		return errors.New("--proved is only for the requests that --evidence shows: add --evidence CRAWLER or --evidence all")
	case o.evidence != "" && o.format == "json":
		return errors.New("--format json cannot be used with --evidence: expected --format text, jsonl, csv or html")
	}
	for _, name := range o.robots {
		if address.IsHTTP(name) {
			return fmt.Errorf(`--robots %s is a URL, but "heed audit" needs a file or a history; to save the file that the site sends now: "heed fetch --body %[1]s > robots.txt"`, name)
		}
	}
	for _, f := range o.failOn {
		if err := flags.OneOf("fail-on", f, failures...); err != nil {
			return err
		}
	}
	return nil
}

func (o *command) read(logs []string) (err error) {
	if err := o.checkFlags(logs); err != nil {
		return err
	}
	if o.Logs, err = expand(logs); err != nil {
		return err
	}
	o.Stdin, o.IsSample, o.Table = o.term.In, o.isSample, o.known.KnownTable()
	if o.fields != "" {
		if o.Fields, err = accesslog.ParseFields(o.fields); err != nil {
			return fmt.Errorf("--fields: %w", err)
		}
	}
	if o.origin != "" {
		if o.Origin, err = originOf(o.origin); err != nil {
			return fmt.Errorf("--origin %s: %w", printable.Quote(o.origin), err)
		}
	}
	if o.asOfDay != "" {
		if o.asOf, err = capture.ParseTime(o.asOfDay); err != nil {
			return fmt.Errorf("--as-of %w", err)
		}
	}
	if o.Since, err = startOf("since", o.since); err != nil {
		return err
	}
	if o.Until, err = startOf("until", o.until); err != nil {
		return err
	}
	if !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return fmt.Errorf("--until %s must be later than --since %s", o.until, o.since)
	}
	if err := o.readAddresses(); err != nil {
		return err
	}
	o.readEvidence()
	return nil
}

func (o *command) readAddresses() (err error) {
	if o.Proxies, err = ranges.ReadProxies(o.proxies); err != nil {
		return err
	}
	if o.resolve {
		o.Resolver = net.DefaultResolver
	}
	if o.lists == "" {
		return nil
	}
	if o.Ranges, err = ranges.Read(o.lists, o.Table); err != nil {
		return fmt.Errorf("--ranges: %w", err)
	}
	for _, name := range o.Ranges.Strange {
		o.term.Notice(fmt.Sprintf("note: no known crawler has the name %s, but %s has a list with this name: heed uses the list for requests whose User-Agent header contains the name", printable.Quote(name), o.lists))
	}
	return nil
}

func (o *command) readEvidence() {
	switch {
	case o.evidence == "" && o.format == "html", ascii.EqualFold(o.evidence, "all"):
		o.Wants = func(string) bool { return true }
	case o.evidence != "":
		names := o.namesOf(o.evidence)
		o.Wants = func(crawler string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return ascii.EqualFold(crawler, name) })
		}
	}
}

func (o *command) namesOf(given string) []string {
	if c, ok := o.Table.Named(given); ok {
		return []string{c.Token}
	}
	if name, ok := strings.CutPrefix(given, "@"); ok {
		if all, err := crawlernames.Known(o.Table, name); err == nil {
			return crawlernames.TokensOf(slices.Values(all))
		}
	}
	hint := ""
	if meant := spelling.Closest(given, crawlernames.TokensOf(o.Table.All())); meant != "" {
		hint = "; did you mean " + meant + "?"
	}
	o.term.Notice(fmt.Sprintf("note: no known crawler has the name %s, so heed looks for this name in the User-agent lines of the robots.txt%s", printable.Quote(given), hint))
	return []string{given}
}

// Some shells do not expand a pattern such as access.log*.
func expand(names []string) ([]string, error) {
	all, err := input.Expand(names, func(_ string, why error) error { return why })
	for i, name := range all {
		info, wrong := os.Stat(name)
		if wrong == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it, such as %s", name, filepath.Join(name, "access.log*"))
		}
		if slices.Contains(all[:i], name) {
			return nil, fmt.Errorf("the log %s is given twice, so its requests would be counted twice: give this log only once", name)
		}
	}
	return all, err
}

func originOf(text string) (origin.Origin, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	return origin.Parse(text)
}

// A day, such as 2026-05-03, means its first second in UTC.
func startOf(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := capture.ParseStart(text)
	if err != nil {
		err = fmt.Errorf("--%s %w", flag, err)
	}
	return t, err
}

func (o *command) progress() func(time.Duration) string {
	total := captures.SizeOf(o.Logs)
	return func(elapsed time.Duration) string {
		return captures.Pace(int(o.Lines.Load()), "line", o.Read.Load(), total, elapsed)
	}
}

func (o *command) raise(r *audit.Report) {
	for _, row := range r.Crawlers {
		if slices.Contains(o.failOn, "proved") && row.Proved > 0 ||
			slices.Contains(o.failOn, "forbidden") && row.Forbidden > 0 ||
			slices.Contains(o.failOn, "impostor") && row.Identity == audit.Impostor {
			o.term.Raise(exit.Disallowed)
		}
	}
}
