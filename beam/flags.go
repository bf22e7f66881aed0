package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/heed-robots/heed/beam/verdicts"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

func usage() {
	fmt.Fprint(os.Stderr, `Check lists of URLs with archived robots.txt files on a cluster, with Apache Beam.

  beam --agent CCBot --robots 'crawl/*.warc.gz' --urls 'lists/*.gz' --output out/verdicts
  beam --agent CCBot --robots 's3://B/crawl/*.warc.gz' --urls 's3://B/lists/*.gz' \
    --output s3://B/out/verdicts --runner flink --endpoint HOST:8099

These flags mean what they mean for heed filter:
  --agent, --dialect, --as-of, --robots, --input, --column, --field, --format,
  --allowed, --disallowed, --missing, --pages-unreachable, --for, --profile, --unknown
--agent, --dialect, --as-of, --robots and --urls take several values with commas, and may be
repeated. --robots and --urls are patterns of files on this machine, or of s3:// or gs://; put them
into quotation marks. Without --format the output is tsv, or jsonl with --input jsonl.

  --output PREFIX   writes PREFIX-00000-of-00016.tsv and so on, PREFIX-rejects.jsonl,
                    and at the end PREFIX-summary.json, which is printed too. Files
                    that another run left under this prefix are an error
  --shards N        number of files with verdicts (default 16)
  --max-share N     lines about one host that are checked together (default 100000);
                    a host with more is divided

Exit status: 0 done, whatever the verdicts; 1 or 2 wrong usage, a run that failed, or a list that is
damaged (the summary is written then). With --async nothing is known about the run.

The other flags are those of Beam, such as --runner (default prism: this machine), --endpoint,
--environment_type, --project. See https://beam.apache.org/documentation/runners/capability-matrix/.
`)
}

type joined string

func (j *joined) String() string { return string(*j) }

func (j *joined) Set(value string) error {
	if *j != "" {
		*j += ","
	}
	*j += joined(value)
	return nil
}

// The returned function gives the options, and must be called after f.Parse.
func flags(f *flag.FlagSet) func() (verdicts.Options, error) {
	var o verdicts.Options
	var agents, dialects, asOf, urls, robots joined
	f.Var(&agents, "agent", "")
	f.Var(&dialects, "dialect", "")
	f.Var(&asOf, "as-of", "")
	f.Var(&urls, "urls", "")
	f.Var(&robots, "robots", "")
	missing := f.String("missing", bulk.Unknown.String(), "")
	input := f.String("input", "", "")
	format := f.String("format", "", "")
	allowed := f.Bool("allowed", false, "")
	disallowed := f.Bool("disallowed", false, "")
	f.StringVar(&o.To, "output", "", "")
	f.IntVar(&o.Shards, "shards", 0, "")
	f.IntVar(&o.MaxShare, "max-share", 0, "")
	f.StringVar(&o.Column, "column", "", "")
	f.StringVar(&o.Field, "field", "", "")
	f.BoolVar(&o.PagesUnreachable, "pages-unreachable", false, "")
	f.StringVar(&o.For, "for", "", "")
	f.StringVar(&o.Profile, "profile", "", "")
	unknown := f.String("unknown", "", "")
	return func() (verdicts.Options, error) {
		o.Lists, o.Sources = split(urls), split(robots)
		o.Format, o.Output = stream.Format(*input), stream.Output(*format)
		word := slices.Index(bulk.Words, *missing)
		switch {
		case word < 0:
			return o, fmt.Errorf("--missing %q: expected one of %q", *missing, bulk.Words)
		case f.NArg() > 0: // the package flag reads no flags after an argument that is not a flag
			return o, fmt.Errorf("unexpected argument %q: expected only flags; put a pattern, such as 'lists/*.jsonl', into quotation marks", f.Arg(0))
		case len(o.Lists) == 0:
			return o, errors.New("--urls PATTERN is missing: name the files that have lists of URLs")
		case len(o.Sources) == 0:
			return o, errors.New("--robots PATTERN is missing: name the sources of robots.txt files")
		case agents == "":
			return o, errors.New("--agent CRAWLER is missing: expected a product token, such as --agent CCBot")
		case o.To == "" || strings.HasSuffix(o.To, "/"):
			return o, fmt.Errorf("--output %q: expected a prefix for the names of the output files, such as out/verdicts", o.To)
		case *allowed && *disallowed:
			return o, errors.New("--allowed and --disallowed cannot be used together: leave one of them out")
		case *input != "" && !slices.Contains(stream.Formats, o.Format):
			return o, fmt.Errorf("--input %q: expected one of %q", *input, stream.Formats)
		case *format != "" && o.Output != stream.Rows && o.Output != stream.JSONRows:
			return o, fmt.Errorf("--format %q: expected tsv or jsonl", *format)
		case *unknown != "" && *unknown != "allow" && *unknown != "disallow":
			return o, fmt.Errorf("--unknown %q: expected allow or disallow", *unknown)
		case o.For == "" && (*unknown != "" || o.Profile != ""):
			return o, errors.New("--profile and --unknown can only be used together with --for: add --for PURPOSE, or leave both flags out")
		case *allowed:
			o.Keep = bulk.OnlyAllowed
		case *disallowed:
			o.Keep = bulk.OnlyDisallowed
		}
		o.IfMissing, o.UnknownDisallows = bulk.Word(word), *unknown == "disallow"
		o.Dialects, o.Times = split(cmp.Or(dialects, "rfc9309")), split(cmp.Or(asOf, "now"))
		o.Crawlers = string(agents)
		_, err := o.Columns()
		return o, err
	}
}

func split(value joined) []string {
	return slices.DeleteFunc(strings.Split(string(value), ","), func(s string) bool { return s == "" })
}
