package verdicts

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(string), error](&writeFile{})
	register.Function1x2(emptyRow)
}

// write writes rows to files, and returns their names. A file without rows is written too, so that who
// reads them sees that none is missing.
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

// writeFile writes a file.
type writeFile struct {
	To, Extension string
	Shards        int // 0: there is one file, without a number in its name
}

func (w *writeFile) name(shard int) string {
	if w.Shards == 0 {
		return w.To + "." + w.Extension
	}
	return fmt.Sprintf("%s-%05d-of-%05d.%s", w.To, shard, w.Shards, w.Extension)
}

// ProcessElement writes the rows of a file.
func (w *writeFile) ProcessElement(ctx context.Context, shard int, rows func(*[]byte) bool, emit func(string)) error {
	to, err := createFile(ctx, w.name(shard))
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(to, 1<<20)
	for some := []byte(nil); rows(&some); {
		buffered.Write(some) // Flush returns its error
	}
	if err := errors.Join(buffered.Flush(), to.Close()); err != nil {
		return err
	}
	emit(w.name(shard))
	return nil
}

// extension returns the end of the names of the output files.
func extension(o stream.Output) string {
	switch o {
	case stream.JSONRows:
		return "jsonl"
	case stream.Rows:
		return "tsv"
	}
	return "txt"
}
