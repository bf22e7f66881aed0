package verdicts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/usage"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(string), error](&writeFile{})
	register.Function1x2(emptyRow)
}

// Empty files are written too, so that no file seems to be missing.
func write(s beam.Scope, rows beam.PCollection, fn *writeFile) beam.PCollection {
	s = s.Scope("write")
	var shards []int
	for i := range max(1, fn.Shards) {
		shards = append(shards, i)
	}
	empty := beam.ParDo(s, emptyRow, beam.CreateList(s, shards))
	return beam.ParDo(s, fn, beam.GroupByKey(s, beam.Flatten(s, rows, empty)))
}

func emptyRow(shard int) (int, []byte) { return shard, nil }

type writeFile struct {
	To, Extension string
	Shards        int
}

func (w *writeFile) name(shard int) string {
	if w.Shards == 0 {
		return w.To + "." + w.Extension
	}
	return fmt.Sprintf("%s-%05d-of-%05d.%s", w.To, shard, w.Shards, w.Extension)
}

func (w *writeFile) ProcessElement(ctx context.Context, shard int, rows func(*[]byte) bool, emit func(string)) error {
	to, err := createFile(ctx, w.name(shard))
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(to, 1<<20)
	for some := []byte(nil); rows(&some); {
		buffered.Write(some) // Flush returns an error of Write too
	}
	if err := errors.Join(buffered.Flush(), to.Close()); err != nil {
		return err
	}
	emit(w.name(shard))
	return nil
}

func extension(o stream.Output) string {
	switch o {
	case stream.JSONRows:
		return "jsonl"
	case stream.Rows:
		return "tsv"
	}
	return "txt"
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[tally](), encodeTally, decodeTally)
	register.Combiner1[tally](&sum{})
	register.DoFn3x1[context.Context, tally, func(*string) bool, error](&writeSummary{})
}

type tally struct {
	bulk.Counts
	Broken  int64 // the number of damaged lists
	Records int64 // the number of parts of sources that cannot be used
}

func encodeTally(t tally) ([]byte, error) { return json.Marshal(t) }

func decodeTally(text []byte) (t tally, err error) { return t, json.Unmarshal(text, &t) }

type sum struct{}

func (*sum) CreateAccumulator() tally { return tally{} }

func (*sum) AddInput(a, b tally) tally {
	a.Add(&b.Counts)
	a.Broken += b.Broken
	a.Records += b.Records
	return a
}

func (s *sum) MergeAccumulators(a, b tally) tally { return s.AddInput(a, b) }

// A Summary has the numbers of a run. Its file is written last, so if it exists, the run is complete.
type Summary struct {
	URLs            int64            `json:"urls"`     // number of URLs with verdicts
	Rejected        int64            `json:"rejected"` // number of lines without a readable URL
	Columns         []ColumnCounts   `json:"columns"`
	Unknown         map[string]int64 `json:"unknown"`          // for each reason why nothing is known: the number of verdicts
	BrokenLists     int64            `json:"broken_lists"`     // number of damaged lists; the rest of such a list was not read
	RejectedRecords int64            `json:"rejected_records"` // number of parts of sources that cannot be used
	Files           int              `json:"files"`            // number of output files, without the file of this Summary
}

type ColumnCounts struct {
	Column     string `json:"column"`
	Allowed    int64  `json:"allowed"`
	Disallowed int64  `json:"disallowed"`
	Unknown    int64  `json:"unknown"`

	Use []UseCounts `json:"use,omitempty"` // the numbers for each purpose of use that the run asked for
}

type UseCounts struct {
	Purpose      string `json:"purpose"`
	Allowed      int64  `json:"allowed"`
	Disallowed   int64  `json:"disallowed"`
	Unknown      int64  `json:"unknown"`
	NotCrawlable int64  `json:"not_crawlable"`
}

func useCounts(use *bulk.Use, of *bulk.Preferences) (counts []UseCounts) {
	if use == nil {
		return nil
	}
	for _, p := range use.Purposes {
		n := &of[p]
		counts = append(counts, UseCounts{p.String(), n[usage.Allowed], n[usage.Disallowed], n[usage.Unknown], n[usage.NotCrawlable]})
	}
	return counts
}

func summarize(s beam.Scope, tallies, written beam.PCollection, o *Options, columns []string) {
	s = s.Scope("summary")
	beam.ParDo0(s, &writeSummary{*o, columns}, beam.Combine(s, &sum{}, tallies), beam.SideInput{Input: written})
}

// SummaryOf returns the name of the file with the Summary.
func SummaryOf(to string) string { return to + "-summary.json" }

// ReadSummary reads the Summary of a run. It returns an error if the run has not finished.
func ReadSummary(ctx context.Context, to string) (s Summary, text []byte, err error) {
	from, err := openFile(ctx, SummaryOf(to))
	if err != nil {
		return s, nil, err
	}
	text, err = io.ReadAll(from)
	if err = errors.Join(err, from.Close()); err != nil {
		return s, nil, err
	}
	err = json.Unmarshal(text, &s)
	return s, text, err
}

type writeSummary struct {
	Options
	Names []string // the names of the columns
}

// The tally t is the sum of all tallies. The function written yields the names of the output files.
func (w *writeSummary) ProcessElement(ctx context.Context, t tally, written func(*string) bool) error {
	sum := Summary{URLs: t.URLs, Rejected: t.Rejected, BrokenLists: t.Broken, RejectedRecords: t.Records, Unknown: map[string]int64{}}
	for name := ""; written(&name); {
		sum.Files++
	}
	use, err := w.use()
	if err != nil {
		return err
	}
	for i, name := range w.Names {
		c, preferences := ColumnCounts{Column: name}, bulk.Preferences{}
		if i < len(t.Columns) { // if no URL was checked, t.Columns is empty
			c.Allowed, c.Disallowed, c.Unknown = t.Columns[i][bulk.Allowed], t.Columns[i][bulk.Disallowed], t.Columns[i][bulk.Unknown]
		}
		if i < len(t.Preferences) {
			preferences = t.Preferences[i]
		}
		c.Use = useCounts(use, &preferences)
		sum.Columns = append(sum.Columns, c)
	}
	for why, n := range t.Unknown {
		if n > 0 {
			sum.Unknown[bulk.Missing(why).String()] = n
		}
	}
	text, err := json.MarshalIndent(sum, "", "  ")
	if err != nil {
		return err
	}
	to, err := createFile(ctx, SummaryOf(w.To))
	if err != nil {
		return err
	}
	_, err = to.Write(append(text, '\n'))
	return errors.Join(err, to.Close())
}
