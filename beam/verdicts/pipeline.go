package verdicts

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Options are the settings of a pipeline. Beam sends them to the workers as JSON.
type Options struct {
	Lists   []string // patterns of the names of files that have URLs, in any file system that Beam can read
	Sources []string // patterns of the names of sources of robots.txt files, in the formats of package bulk/source

	// A column is made for each combination of a crawler, a dialect and a time.
	Crawlers string // crawlers with commas between them, such as "CCBot,@Googlebot"
	Dialects []string
	Times    []string

	IfMissing        bulk.Word // the verdict about an origin whose robots.txt is in none of the sources
	PagesUnreachable bool      // if the body is an HTML page or a JSON value, the robots.txt counts as unreachable

	// The field For has names of purposes of use, such as "train-ai,search". "" means no purpose. The output says
	// whether sites allow these uses.
	For              string
	Profile          string // the name of a usage.Profile, which says which statements are read; "" means all
	UnknownDisallows bool   // the option Keep treats an unknown preference like one that disallows

	Format stream.Format // the format of all lists; if it is "", the first line of each list decides
	stream.Fields
	Keep bulk.Keep
	// Output is the format of the output. "" means Same if Keep is set. If Keep is not set, "" means JSONRows for
	// JSON lines, and Rows for other formats.
	Output stream.Output

	To     string // the start of the names of all output files, for example "results/may"
	Shards int    // the number of output files with verdicts; 0 means 16

	// MaxShare is how many lines about a host are checked together; 0 means 100,000. Only the first share of a host may
	// have more lines.
	MaxShare int
}

func (o Options) withDefaults() Options {
	if o.Shards == 0 {
		o.Shards = 16
	}
	if o.MaxShare == 0 {
		o.MaxShare = 100_000
	}
	switch {
	case o.Output != "":
	case o.Keep != bulk.All:
		o.Output = stream.Same
	case o.Format == stream.JSONLines:
		o.Output = stream.JSONRows
	default:
		o.Output = stream.Rows
	}
	return o
}

func (o *Options) check() error {
	switch {
	case len(o.Lists) == 0:
		return errors.New("Options.Lists is empty: name the files that have lists of URLs")
	case len(o.Sources) == 0:
		return errors.New("Options.Sources is empty: name the sources of robots.txt files")
	case o.Crawlers == "" || len(o.Dialects) == 0 || len(o.Times) == 0:
		return errors.New("expected at least one crawler, one dialect and one time in Options.Crawlers, Options.Dialects and Options.Times")
	case o.To == "":
		return errors.New("Options.To is empty: give the start of the names of the output files")
	case o.Shards < 1 || o.MaxShare < 1:
		return fmt.Errorf("Options.Shards (--shards) is %d, and Options.MaxShare (--max-share) is %d: expected at least 1 for each of them", o.Shards, o.MaxShare)
	}
	return nil
}

// Columns returns the columns for a Decider.
func (o *Options) Columns() ([]bulk.Column, error) {
	var dialects []*robotstxt.Dialect
	for _, name := range o.Dialects {
		d, err := robotstxt.DialectNamed(name)
		if err != nil {
			return nil, err
		}
		dialects = append(dialects, d)
	}
	statuses := func(d *robotstxt.Dialect) fetch.Statuses {
		statuses := fetch.StatusesOf(d)
		if o.PagesUnreachable {
			statuses.Pages = fetch.Unreachable
		}
		return statuses
	}
	crawlers := func(d *robotstxt.Dialect) (all [][]string, err error) {
		some, err := crawlernames.Crawlers(o.Crawlers, nil, d)
		for _, c := range some {
			all = append(all, c.Tokens)
		}
		return all, err
	}
	return bulk.Columns(crawlers, dialects, o.Times, statuses)
}

func (o *Options) writer() (*stream.Writer, []bulk.Column, error) {
	columns, err := o.Columns()
	if err != nil {
		return nil, nil, err
	}
	use, err := o.use()
	return stream.NewWriter(bulk.Names(columns), use, o.Keep, o.Output, ""), columns, err
}

func (o *Options) use() (*bulk.Use, error) {
	if o.For == "" {
		return nil, nil
	}
	purposes, err := usage.ParsePurposes(o.For)
	if err != nil {
		return nil, fmt.Errorf("--for: %w", err)
	}
	profile := usage.Profiles()[0]
	if o.Profile != "" {
		if profile, err = usage.ProfileNamed(o.Profile); err != nil {
			return nil, fmt.Errorf("--profile: %w", err)
		}
	}
	return bulk.NewUse(purposes, profile, o.UnknownDisallows), nil
}

func rejectsFile(o *Options) *writeFile { return &writeFile{To: o.To + "-rejects", Extension: "jsonl"} }

// Build adds the pipeline to a scope. The pipeline reads only the files that match the patterns when Build is called.
func Build(ctx context.Context, s beam.Scope, o Options) error {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return err
	}
	_, columns, err := o.writer()
	if err != nil {
		return err
	}
	if err := checkNew(ctx, o.To); err != nil {
		return err
	}
	files, err := filesOf(ctx, o.Lists)
	if err != nil {
		return err
	}
	sources, err := filesOf(ctx, o.Sources)
	if err != nil {
		return err
	}
	if err := tryToWrite(ctx, rejectsFile(&o).name(0)); err != nil {
		return err
	}
	captures, rejectedRecords, recordsTally := readSources(s, sources)
	lines, further, rejectedLines, rejectedRows, linesTally := readLists(s, files, &o)
	ofHosts := followRedirects(s, captures, roundsOf(columns))
	rows, verdictsTally := check(s, joinShares(s, ofHosts, lines, further), &o)
	written := beam.Flatten(s,
		write(s, beam.Flatten(s, rows, rejectedRows), &writeFile{To: o.To, Extension: extension(o.Output), Shards: o.Shards}),
		write(s, beam.Flatten(s, rejectedLines, rejectedRecords), rejectsFile(&o)))
	summarize(s, beam.Flatten(s, recordsTally, linesTally, verdictsTally), written, &o, bulk.Names(columns))
	return nil
}
