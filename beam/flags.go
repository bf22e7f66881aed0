package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/beam/verdicts"
	"github.com/heed-robots/heed/bulk"
	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/bulk/stream"
	"github.com/heed-robots/heed/internal/crawlernames"
)

// usage prints the help, without the flags of Beam, of which there are many.
func usage() {
	fmt.Fprint(os.Stderr, `Judge lists of URLs with archived robots.txt files on a cluster, with Apache Beam.

  beam --agent CCBot --robots 'crawl/*.warc.gz' --urls 'lists/*.gz' --output out/verdicts
  beam --agent CCBot --robots 's3://B/crawl/*.warc.gz' --urls 's3://B/lists/*.gz' \
    --output s3://B/out/verdicts --runner flink --endpoint HOST:8099

These flags mean what they mean for heed filter:
  --agent, --dialect, --as-of, --robots, --input, --column, --field, --format,
  --allowed, --denied, --missing, --html-unreachable
Their values, and those of --urls, are separated by commas. --robots and --urls are patterns of
files on this machine, or of s3:// or gs://. Without --format the output is tsv, or jsonl with
--input jsonl.

  --output PREFIX   writes PREFIX-00000-of-00016.tsv and so on, PREFIX-rejects.jsonl,
                    and at the end PREFIX-summary.json, which is printed too
  --shards N        number of files with verdicts (default 16)
  --max-share N     lines about one host that are judged together (default 100000);
                    a host with more is divided

The other flags are those of Beam, such as --runner (default prism: this machine), --endpoint,
--environment_type, --project. See https://beam.apache.org/documentation/runners/capability-matrix/.
`)
}

// flags adds the flags, and returns what reads them after they are parsed.
func flags(f *flag.FlagSet) func() (verdicts.Options, error) {
	var o verdicts.Options
	agents := f.String("agent", "", "")
	dialects := f.String("dialect", "rfc9309", "")
	asOf := f.String("as-of", "now", "")
	urls := f.String("urls", "", "")
	robots := f.String("robots", "", "")
	missing := f.String("missing", "report", "")
	input := f.String("input", "", "")
	format := f.String("format", "", "")
	allowed := f.Bool("allowed", false, "")
	denied := f.Bool("denied", false, "")
	f.StringVar(&o.To, "output", "", "")
	f.IntVar(&o.Shards, "shards", 0, "")
	f.IntVar(&o.MaxShare, "max-share", 0, "")
	f.StringVar(&o.Column, "column", "", "")
	f.StringVar(&o.Field, "field", "", "")
	f.BoolVar(&o.HTMLUnreachable, "html-unreachable", false, "")
	return func() (verdicts.Options, error) {
		o.Lists, o.Sources = split(*urls), split(*robots)
		o.Format, o.Output = stream.Format(*input), stream.Output(*format)
		var known bool
		if o.IfMissing, known = ifMissing[*missing]; !known {
			return o, fmt.Errorf("--missing %q: expected allow, deny or report", *missing)
		}
		switch {
		case *allowed && *denied:
			return o, errors.New("--allowed and --denied: leave one of them out")
		case *input != "" && !slices.Contains(stream.Formats, o.Format):
			return o, fmt.Errorf("--input %q: expected one of %q", *input, stream.Formats)
		case *format != "" && o.Output != stream.Rows && o.Output != stream.JSONRows:
			return o, fmt.Errorf("--format %q: expected tsv or jsonl", *format)
		case *allowed:
			o.Keep = bulk.OnlyAllowed
		case *denied:
			o.Keep = bulk.OnlyDenied
		}
		var err error
		o.Columns, err = columns(*agents, split(*dialects), split(*asOf))
		return o, err
	}
}

var ifMissing = map[string]bulk.Word{"report": bulk.Unknown, "allow": bulk.Allow, "deny": bulk.Deny}

// split splits a value at its commas.
func split(value string) []string {
	return slices.DeleteFunc(strings.Split(value, ","), func(s string) bool { return s == "" })
}

// columns makes a column for each crawler, dialect and time, in this order, as heed filter does.
func columns(agents string, dialects, times []string) (columns []verdicts.Column, err error) {
	if agents == "" {
		return nil, errors.New("--agent CRAWLER is missing: expected a product token, such as --agent CCBot")
	}
	crawlers, err := crawlernames.Crawlers(agents, func(string) ([][]string, error) {
		return nil, errors.New("expected a product token; heed crawlers lists those of known crawlers")
	})
	if err != nil {
		return nil, err
	}
	for _, tokens := range crawlers {
		for _, d := range dialects {
			for _, text := range times {
				name := strings.Join(tokens, ":")
				if len(dialects) > 1 {
					name += " " + d
				}
				if len(times) > 1 {
					name += " " + text
				}
				var at time.Time // the last capture of all
				if text != "now" {
					if at, err = capture.ParseTime(text); err != nil {
						return nil, fmt.Errorf("--as-of %w", err)
					}
				}
				columns = append(columns, verdicts.Column{Name: name, Agents: tokens, Dialect: d, AsOf: at})
			}
		}
	}
	return columns, nil
}
