package filtercmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetfile"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

func (o *filter) checkTables() error {
	n := 0
	for _, name := range o.Inputs {
		if o.responses { // the inputs must be WARC files; the function that opens them refuses all others
			break
		}
		if kind, err := bulksource.KindOf(name); name != "-" && err == nil && kind == bulksource.Parquet {
			n++
		}
	}
	o.isParquet = n > 0
	switch {
	case n == 0 && o.format == "parquet":
		return errors.New("--format parquet: heed writes Parquet only if the inputs are Parquet: expected --format tsv or jsonl")
	case n == 0 && strings.HasSuffix(o.To, ".parquet"):
		return fmt.Errorf("--output %s: heed writes Parquet only if the inputs are Parquet: give a name with another ending", o.To)
	case n == 0:
		return nil
	case n < len(o.Inputs):
		return errors.New("some inputs are Parquet and others are not: check the two kinds in separate runs")
	case o.format != "" && o.format != "parquet" || o.input != "" || o.Field != "" || o.Header:
		return errors.New("the inputs are Parquet, so heed writes Parquet: leave --format, --input, --field and --header out")
	case len(o.Inputs) == 1 && hasTextEnding(o.To):
		return fmt.Errorf("--output %s: the input is Parquet, so heed writes Parquet: give a name that ends in .parquet", o.To)
	case o.To == "" && (len(o.Inputs) > 1 || o.term.Tty):
		return errors.New("the inputs are Parquet, so the output must be a file: name it with --output; for several inputs, name a folder")
	}
	return nil
}

func hasTextEnding(name string) bool {
	name = strings.ToLower(name)
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	return slices.Contains([]string{".tsv", ".csv", ".txt", ".json", ".jsonl", ".ndjson"}, filepath.Ext(name))
}

func (o *filter) tables(ctx context.Context) (sum bulk.Counts, err error) {
	sum = o.Decider.Counts()
	several := len(o.Inputs) > 1
	if o.To != "" && !isDevice(o.To) {
		release, err := stream.Claim(filepath.Clean(o.To))
		if err != nil {
			return sum, err
		}
		defer func() { err = errors.Join(err, release()) }()
	}
	outputs, err := o.outputs(several)
	if err != nil {
		return sum, err
	}
	rejects, err := o.openRejects(outputs)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, rejects.close()) }()
	failed := 0
	for i, name := range o.Inputs {
		if o.Resume && exists(outputs[i]) {
			continue
		}
		counts, err := o.filterTable(ctx, name, outputs[i], rejects)
		sum.Add(&counts)
		switch {
		case ctx.Err() != nil:
			return sum, ctx.Err()
		case err != nil && several:
			o.term.Complain(err) // continue, because the other inputs can still be checked
			failed++
		case err != nil:
			return sum, err
		}
	}
	switch {
	case failed > 0:
		o.term.Notice(fmt.Sprintf(`heed wrote no output for %s; to check them again, run "heed filter" with the same arguments and --resume`, printable.Counted(failed, "input")))
	case several:
		err = os.Remove(o.marker())
	}
	return sum, err
}

// The marker exists during a run with several outputs. It contains o.Settings, which --resume compares.
func (o *filter) marker() string { return stream.CheckpointOf(filepath.Clean(o.To)) }

func (o *filter) outputs(several bool) (names []string, err error) {
	if !several {
		if o.Resume && isDevice(o.To) {
			return nil, fmt.Errorf("--resume: the output %s is not a regular file, so heed cannot continue the run: leave --resume out", o.To)
		}
		if o.Resume && exists(o.To) {
			return nil, stream.ErrEnded(filepath.Clean(o.To))
		}
		return []string{o.To}, nil
	}
	seen := map[string]bool{}
	for _, input := range o.Inputs {
		name := filepath.Join(o.To, filepath.Base(input))
		if seen[name] {
			return nil, fmt.Errorf("two inputs have the name %s, so both outputs would have this name: check the inputs in separate runs", filepath.Base(input))
		}
		if isSameFile(name, input) {
			return nil, fmt.Errorf("--output %s is the folder of the input %s, so the output would replace the input: name another folder", o.To, input)
		}
		seen[name] = true
		names = append(names, name)
	}
	before, err := os.ReadFile(o.marker())
	switch {
	case !o.Resume && err == nil:
		return nil, fmt.Errorf("the file %s is from a run that was interrupted: continue that run with --resume, or delete the file to start again", o.marker())
	case o.Resume && err == nil:
		err := stream.CheckSettings(strings.TrimSpace(string(before)), o.Settings, o.marker()+" and the outputs")
		if err != nil {
			return nil, err
		}
	case o.Resume && errors.Is(err, fs.ErrNotExist) && slices.ContainsFunc(names, exists):
		return nil, stream.ErrEnded(filepath.Clean(o.To))
	}
	if err := os.MkdirAll(o.To, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(o.marker()+".new", []byte(o.Settings+"\n"), 0o666); err != nil {
		return nil, err
	}
	return names, os.Rename(o.marker()+".new", o.marker()) // after the rename, the marker is always complete
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// heed writes to a device such as /dev/null without a temporary file.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// With its usual name, the output of a damaged input would look complete.
const damagedSuffix = ".damaged"

func (o *filter) filterTable(ctx context.Context, name, output string, rejects *rejectsFile) (counts bulk.Counts, err error) {
	in, err := os.Open(name)
	if err != nil {
		return counts, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return counts, err
	}
	to, partial := io.Writer(o.term.Out), output
	isFile := output != "" && !isDevice(output)
	if isFile {
		partial += ".partial"
		defer os.Remove(partial) // does nothing if the file was renamed
	}
	if output != "" {
		f, err := os.Create(partial)
		if err != nil {
			return counts, err
		}
		defer f.Close()
		to = f
	}
	buffered := bufio.NewWriterSize(to, 1<<20)
	counts, err = parquetfile.Filter(ctx, in, info.Size(), name, buffered, &parquetfile.Options{
		Column: o.Column, Prefix: o.Prefix, Keep: o.Keep, Columns: o.columns, Decider: o.Decider,
		Rejected: func(r bulk.Rejection) {
			o.reject(r)
			rejects.Write(stream.AppendRejection(nil, &r))
		},
		Done: func(rows int64) { o.Lines.Add(rows) },
	})
	damaged := (*parquetfile.DamagedError)(nil)
	whole := err == nil || errors.As(err, &damaged)
	if err = errors.Join(err, buffered.Flush()); !whole || !isFile {
		return counts, err
	}
	f := to.(*os.File)
	if damaged != nil {
		output += damagedSuffix
		err = fmt.Errorf("%w; the verdicts of the other rows are in %s", err, output)
	}
	if wrong := errors.Join(f.Sync(), f.Close(), rejects.sync()); wrong != nil {
		return counts, errors.Join(err, wrong)
	}
	err = errors.Join(err, os.Rename(partial, output))
	if err == nil {
		os.Remove(output + damagedSuffix)
	}
	return counts, err
}

// A rejectsFile is synced to the disk before an output gets its final name. So --resume finds the lines about this
// output.
type rejectsFile struct {
	*bufio.Writer
	file *os.File
}

func (r *rejectsFile) sync() error {
	if err := r.Flush(); err != nil || isDevice(r.file.Name()) {
		return err
	}
	return r.file.Sync()
}

func (r *rejectsFile) close() error {
	return errors.Join(r.sync(), r.file.Close())
}

func (o *filter) openRejects(outputs []string) (*rejectsFile, error) {
	name, keep := cmp.Or(o.Rejects, os.DevNull), int64(0)
	if o.Resume && exists(name) && !isDevice(name) {
		var err error
		if keep, err = o.keptRejects(outputs); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err == nil && !isDevice(name) {
		err = f.Truncate(keep)
	}
	return &rejectsFile{bufio.NewWriter(f), f}, err
}

// With --resume, some inputs have a finished output. keptRejects finds the last line in the file of --rejects about
// such an input. --resume keeps the lines up to this line.
func (o *filter) keptRejects(outputs []string) (kept int64, err error) {
	f, err := os.Open(o.Rejects)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	done := map[string]bool{}
	for i, name := range o.Inputs {
		done[report.TextOf(name).Text] = exists(outputs[i])
	}
	lines := bufio.NewReader(f)
	for offset := int64(0); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return kept, nil // the last line has no line end, so it is incomplete
		}
		if err != nil {
			return 0, err
		}
		offset += int64(len(line))
		var rejected struct {
			Input string `json:"input"`
		}
		if json.Unmarshal(line, &rejected) == nil && done[rejected.Input] {
			kept = offset
		}
	}
}
