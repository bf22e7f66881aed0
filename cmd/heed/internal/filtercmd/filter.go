// Package filtercmd has the commands "heed filter" and "heed compile".
package filtercmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/bulk"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

type filter struct {
	term  *term.Terminal
	known sites.Known
	live  sites.Live

	agents, robots, dialects, asOf []string
	input, format, missing         string
	allowed, disallowed, strict    bool
	memory                         int64 // the value of --max-memory, in MiB

	sourceColumns saved.Columns
	purposes      flags.Purposes
	responses     bool

	stream.Options
	columns   []bulk.Column
	isParquet bool
	wrong     captures.Places
	noMember  *bulk.Rejection // the first line of JSON without a value in the member that should have the URL; else nil

	sources   captures.Loading
	liveSites *liveArchive // nil without --robots live
}

//go:embed filter.txt
var filterHelp string

func Filter(a *term.Terminal) *cobra.Command {
	o := &filter{term: a}
	o.live.Term = a
	c := flags.WithHelp(filterHelp, &cobra.Command{
		Use:   "filter -a CRAWLER… --robots SOURCE… [INPUT…|-]",
		Short: "Check long lists of URLs with archived robots.txt files",
		RunE: func(c *cobra.Command, inputs []string) error {
			if err := o.checkPurposes(c); err != nil {
				return err
			}
			return o.run(inputs)
		},
	})
	o.flags(c)
	return c
}

func (o *filter) flags(c *cobra.Command) {
	f := c.Flags()
	o.known.CrawlerFlags(o.term, c, &o.agents)
	f.StringArrayVar(&o.robots, "robots", nil, "source of robots.txt files: a folder, a file, a URL of Redis, or live; may be repeated")
	f.StringSliceVar(&o.dialects, "dialect", []string{robotstxt.RFC9309.String()}, "dialects to read the files in: "+strings.Join(asked.DialectNames(), ", "))
	flags.Complete(c, "dialect", asked.DialectNames())
	f.StringSliceVar(&o.asOf, "as-of", nil, "use the robots.txt of this time, such as 2024-05-01 (the end of this day in UTC), 2024-05-01T12:00:00Z or now; may be repeated")
	flags.Complete(c, "as-of", []string{"now"})
	f.StringVar(&o.input, "input", "", "format of the inputs: "+strings.Join(printable.Words(stream.Formats), ", ")+" (default: heed recognizes the format by the first line)")
	flags.Choose(c, "input", printable.Words(stream.Formats))
	flags.ColumnsFlag(c, &o.sourceColumns, "of the sources of --robots, not of the INPUTs")
	f.StringVar(&o.Column, "column", "", "column with the URL in an INPUT of CSV, TSV or Parquet (default url)")
	f.StringVar(&o.Field, "field", "", "member with the URL in an INPUT of JSON lines, such as page.url for a member in an object (default url)")
	f.StringVar(&o.format, "format", "", "format of the output: tsv or jsonl; if the INPUTs are Parquet, only parquet (default: that of JSON lines or Parquet, else tsv)")
	flags.Choose(c, "format", []string{"tsv", "jsonl", "parquet"})
	f.StringVar(&o.Prefix, "prefix", "", "text to put before the names that heed adds to JSON lines and Parquet, for an input that has the same names already")
	f.BoolVar(&o.Header, "header", false, "begin the output with the names of its columns (only tsv)")
	f.BoolVar(&o.allowed, "allowed", false, "print only the input lines whose URL is allowed, without changes; to rows of Parquet, heed still adds the verdict")
	f.BoolVar(&o.disallowed, "disallowed", false, "print only the input lines whose URL is disallowed, as with --allowed")
	f.StringVar(&o.missing, "missing", bulk.Unknown.String(), "verdict if no source has the robots.txt: "+strings.Join(bulk.Words, ", "))
	flags.Choose(c, "missing", bulk.Words)
	f.StringVarP(&o.To, "output", "o", "", "file for the output, compressed if its name ends in .gz or .zst; for several inputs in Parquet, a folder")
	f.StringVar(&o.Rejects, "rejects", "", "file for the lines of the INPUTs that have no URL, as JSON lines")
	f.BoolVar(&o.Resume, "resume", false, "continue an interrupted run that had the same arguments")
	f.BoolVar(&o.strict, "strict", false, "exit with status 3 if a line was rejected or a verdict is unknown")
	f.Int64Var(&o.memory, "max-memory", 1024, "limit of the memory for parsed robots.txt files, in MiB")
	o.purposes.ListFlags(c)
	f.BoolVar(&o.responses, "responses", false, "only with --for: the INPUTs are WARC files; check each response in them, and use its own headers and HTML too")
	o.live.Flags(c)
}

func (o *filter) checkPurposes(c *cobra.Command) error {
	if c.Flags().Changed("unknown") && o.purposes.IsAsked() && !o.allowed && !o.disallowed {
		return errors.New("--unknown says which URLs --allowed or --disallowed keeps if a preference is unknown: add one of these two flags, or leave --unknown out")
	}
	if err := o.purposes.Check(c); err != nil || !o.responses {
		return err
	}
	switch {
	case !o.purposes.IsAsked():
		return errors.New("--responses can only be used together with --for: add --for PURPOSE, or leave --responses out")
	case o.input != "" || o.Column != "" || o.Field != "":
		return errors.New("with --responses, every INPUT is a WARC file: leave --input, --column and --field out")
	case slices.Contains(o.robots, liveSource):
		return errors.New("--responses is for captures of the past: instead of --robots live, name a source that has the robots.txt files of that time")
	}
	return nil
}

func (o *filter) run(inputs []string) error {
	if err := o.read(inputs); err != nil {
		return err
	}
	ctx, stop := term.Interruptible()
	defer stop()
	sources, err := o.openSources(ctx)
	if err != nil {
		return o.withoutCancel(err)
	}
	defer sources.Close()
	o.Decider = bulk.NewDecider(sources.Archives, o.columns, bulk.Word(slices.Index(bulk.Words, o.missing)), o.memory<<20)
	if o.purposes.IsAsked() {
		o.Decider.Use = bulk.NewUse(o.purposes.For, o.purposes.Profile.Profile, o.purposes.Unknown == exit.UnknownDisallows)
	}
	if o.responses {
		o.Decider.AtCapture = len(o.asOf) == 0
		o.Responses = bulksource.OpenResponses
	}
	o.Before = sources.beforeBatch
	o.Decider.Requests = sources.beforeBatch != nil // with live sites, verdicts are about requests; see Decider.Requests
	stopShowing := o.term.ShowProgress(o.progress())
	run := func(ctx context.Context) (bulk.Counts, error) { return stream.Run(ctx, &o.Options) }
	if o.isParquet {
		run = o.tables
	}
	counts, err := run(ctx)
	stopShowing()
	o.term.Out.Flush()
	if err == nil || counts.URLs > 0 || o.wrong.Count > 0 { // if heed read no URL and there is an error, the error says enough
		o.summarize(counts, err == nil)
	}
	return o.withoutCancel(err)
}

// If the user interrupted the run, the error is ErrInterrupted, and heed prints how to continue.
func (o *filter) withoutCancel(err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	if o.To != "" {
		o.term.Notice(`to continue, run "heed filter" with the same arguments and --resume`)
	}
	return term.ErrInterrupted
}

func (o *filter) read(inputs []string) error {
	if o.To == "-" { // "-" is standard output
		o.To = ""
	}
	switch {
	case len(o.robots) == 0:
		return errors.New("--robots SOURCE is missing: name a folder, a store, an archive that heed compile made, a file of WARC, JSON lines, CSV, TSV or Parquet, or the word live")
	case o.allowed && o.disallowed:
		return errors.New("--allowed and --disallowed cannot be used together: leave one of them out")
	case o.Header && (o.allowed || o.disallowed || o.format != "" && o.format != "tsv"):
		return errors.New("--header writes the names of columns, but only the TSV output with all URLs has columns: leave --header out")
	case strings.ContainsFunc(o.Prefix, func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) || c >= utf8.RuneSelf
	}):
		return fmt.Errorf("--prefix %q: expected only the letters a to z and A to Z, digits and \"_\"", o.Prefix)
	case o.memory < 1:
		return fmt.Errorf("--max-memory %d: expected a number of MiB, at least 1", o.memory)
	case o.Rejects == "-":
		return errors.New("--rejects -: standard output is for the verdicts: name a file")
	case o.Resume && o.To == "":
		return errors.New("--resume can only continue a run that wrote to a file: name that file with --output")
	}
	if o.allowed {
		o.Keep = bulk.OnlyAllowed
	}
	if o.disallowed {
		o.Keep = bulk.OnlyDisallowed
	}
	// The output is flushed after each write. A program may send one line, and wait for the answer before it sends
	// the next line.
	o.Input, o.Output, o.Stdin, o.Stdout = stream.Format(o.input), stream.Output(o.format), o.term.In, term.FlushingWriter{Writer: o.term.Out}
	if o.term.Tty {
		o.Stdout = printableLines{o.Stdout}
	}
	o.Options.Rejected = o.reject
	for _, name := range o.robots {
		if address.IsHTTP(name) {
			return fmt.Errorf("--robots %s is a URL: expected a file, a folder, or the word live, with which heed fetches the robots.txt of each site", printable.Quote(name))
		}
	}
	var err error
	if o.Inputs, err = filesOf(inputs); err != nil {
		return err
	}
	if o.responses && slices.Contains(o.Inputs, "-") {
		return errors.New("--responses cannot read standard input: name one or more WARC files")
	}
	if err := o.checkOverwrites(); err != nil {
		return err
	}
	if err := o.checkLive(); err != nil {
		return err
	}
	if err := o.checkTables(); err != nil {
		return err
	}
	if err := o.readColumns(); err != nil {
		return err
	}
	o.Settings = o.settings()
	return nil
}

func (o *filter) checkLive() error {
	if slices.Contains(o.robots, liveSource) {
		return o.live.Check()
	}
	if flag := o.live.ChangedFlag(); flag != "" && flag != flags.PagesFlag {
		return fmt.Errorf("--%s can only be used together with --robots live: leave --%[1]s out", flag)
	}
	return nil
}

func filesOf(names []string) (files []string, err error) {
	if len(names) == 0 {
		return []string{"-"}, nil
	}
	return input.Expand(names, func(name string, why error) error {
		if flags.IsURL(name) {
			return fmt.Errorf(`INPUT %s is a URL: expected a file with one URL in each line; to check a single URL, use "heed check"`, printable.Quote(name))
		}
		return why
	})
}

func (o *filter) readColumns() error {
	var dialects []*robotstxt.Dialect
	for _, name := range o.dialects {
		d, err := flags.DialectNamed(name)
		if err != nil {
			return err
		}
		if !slices.Contains(dialects, d) {
			dialects = append(dialects, d)
		}
	}
	times := o.asOf
	if len(times) == 0 {
		times = []string{"now"}
	}
	crawlers, err := o.known.ReadCrawlers(o.agents, dialects...)
	if err != nil {
		return err
	}
	o.known.NoteMisspelt(crawlers...)
	inDialect := func(d *robotstxt.Dialect) ([][]string, error) { return o.known.InDialect(o.agents, d) }
	if o.columns, err = bulk.Columns(inDialect, dialects, times, o.live.Statuses); err != nil {
		return err
	}
	o.Columns = bulk.Names(o.columns)
	return nil
}

// settings returns a hash of the arguments, a space, and a hash of the files of the sources. stream.Options.Settings
// needs this form.
func (o *filter) settings() string {
	sum, files := sha256.New(), sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %q %q %q\n", o.Columns, o.robots, o.Inputs, o.input, o.format, o.missing, o.Fields, o.Rejects)
	fmt.Fprintln(sum, o.Keep, o.Header, o.Prefix, o.live.Pages, o.known.Chains, o.known.File, &o.sourceColumns)
	for _, c := range o.columns {
		fmt.Fprintf(sum, "%q %s %v\n", c.Agents, c.Dialect, c.AsOf)
	}
	if o.purposes.IsAsked() {
		fmt.Fprintln(sum, o.purposes.For, cmp.Or(o.purposes.Profile.Profile, usage.Profiles()[0]).Name, o.purposes.Unknown == exit.UnknownDisallows, o.responses, o.asOf)
	}
	for _, name := range filesAmong(o.robots) {
		if info, err := os.Stat(name); err == nil { // the time of a folder changes when a file is added or removed
			fmt.Fprintf(files, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return fmt.Sprintf("%x %x", sum.Sum(nil), files.Sum(nil))
}
