package stream

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/saved"
)

// checkTogether compares the first lines of all files, before anything is written. Those of pipes are compared later.
func (r *run) checkTogether() error {
	if len(r.Inputs) < 2 || r.Responses != nil {
		return nil
	}
	for _, name := range r.Inputs {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, err := input.Open(name, nil, new(atomic.Int64))
		if err != nil {
			continue // checkInput returns the errors of inputs
		}
		begin, _ := readBeginning(in, r.Input, r.Fields)
		in.Close()
		if begin == nil {
			continue
		}
		if err := r.fit(name, begin.finder); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) fit(name string, in *urlFinder) error {
	switch {
	case r.first == nil:
		r.first, r.firstName = in, name
	case !r.writer.writesTogether(r.first, in):
		return fmt.Errorf("%s has the format %s, and %s has the format %s, so their lines do not fit into one output: check these inputs in separate runs, or choose one format for all with --format tsv or --format jsonl",
			r.firstName, r.first, name, in)
	}
	return nil
}

// The same columns may have different quotation marks in the two headers.
func (w *Writer) writesTogether(a, b *urlFinder) bool {
	if w.writesSame() {
		return a.format == b.format && a.column == b.column && slices.Equal(a.names, b.names)
	}
	return w.writesRows(a.format) == w.writesRows(b.format) || w.output != ""
}

func (r *urlFinder) String() string {
	switch r.format {
	case CSV, TSV:
		return fmt.Sprintf("%s with the columns %s", r.format, saved.Quoted(r.names))
	case CDX:
		return fmt.Sprintf("%s with the URL in field %d", r.format, r.column+1)
	}
	return string(r.format)
}
