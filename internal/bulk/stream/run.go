package stream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/report"
)

// An Output is the format of the output.
type Output string

// The zero Output means Same if only some URLs are kept. If all URLs are kept, the zero Output
// means JSONRows for JSON lines, and Rows for other inputs.
const (
	Rows     Output = "tsv"   // one row for each URL, with its verdicts
	JSONRows Output = "jsonl" // one object for each URL, with its verdicts; for JSON lines, also with the members of the input line
	Same     Output = "same"  // those lines of the input that are kept, without a change
)

type Options struct {
	Decider *bulk.Decider
	Columns []string // the names of the Decider's columns
	Keep    bulk.Keep
	Input   Format
	Fields
	Output Output
	// Prefix is put before the names of added JSON members. It has letters, digits and "_". A line that already has such a
	// member is rejected.
	Prefix string
	// Header adds a first line with the names of the columns, if the output is Rows.
	Header bool

	// Responses opens an input of captured responses. The counter bytesRead counts the bytes. If
	// Responses is nil, the inputs have lines.
	Responses func(name string, bytesRead *atomic.Int64) (Responses, error)

	Inputs []string  // the names of the input files; "-" is Stdin
	Stdin  io.Reader // is read for the input with the name "-"
	Stdout io.Writer // gets the output if To is ""
	// To is the name of the output file; "" means Stdout. A file whose name ends with .gz or .zst is compressed.
	To string
	// Rejects is the name of a file for the lines that cannot be used, as JSON; "" means none.
	Rejects string

	// Resume continues an interrupted run after its checkpoint. The text Settings must be the same in both runs. It has
	// the arguments, a space, and the state of the sources.
	Resume   bool
	Settings string
	// Every is the time between two checkpoints; 0 means 5 seconds.
	Every time.Duration

	Workers  int                  // the number of goroutines that check URLs; 0 means one for each processor
	Rejected func(bulk.Rejection) // is called for each line that cannot be used; may be nil
	Before   func(urls []string)  // is called with each batch of URLs, before the URLs are checked; may be nil

	// Read and Lines are the progress: bytes read, before decompression, and lines checked.
	Read, Lines atomic.Int64
}

type run struct {
	*Options
	writer          *Writer
	output, rejects *sink
	state           checkpoint
	synced          time.Time
	checkers        []*bulk.Checker
	failure         error
	isDurable       bool
	release         func() error

	first     *urlFinder // of the first input with a line; the lines of the other inputs must fit to its lines
	firstName string
}

// ErrInput means that an input could not be read to its end. The other inputs were checked.
var ErrInput = errors.New("heed could not read one of the inputs to its end: see the message about it")

// Run checks the URLs of all inputs. It continues after an input that cannot be read, and then returns ErrInput.
func Run(ctx context.Context, o *Options) (bulk.Counts, error) {
	r := &run{Options: o, writer: NewWriter(o.Columns, o.Decider.Use, o.Keep, o.Output, o.Prefix), release: func() error { return nil }}
	for range o.workers() {
		r.checkers = append(r.checkers, o.Decider.Checker())
	}
	if err := r.checkTogether(); err != nil {
		return bulk.Counts{}, err
	}
	if err := r.begin(); err != nil {
		return bulk.Counts{}, errors.Join(err, r.release())
	}
	err := r.checkInputs(ctx)
	err = errors.Join(err, r.end(err))
	return r.state.Counts, err
}

func (o *Options) workers() int { return cmp.Or(o.Workers, runtime.GOMAXPROCS(0)) }

func (r *run) begin() error {
	r.state = checkpoint{Version: checkpointVersion, Settings: r.Settings, Line: 1}
	r.state.Counts = r.Decider.Counts()
	if r.To == "" {
		r.output = toWriter(r.Stdout)
	} else if err := r.open(); err != nil {
		return err
	}
	if r.Rejects != "" {
		var err error
		if r.rejects, err = toFile(r.Rejects, r.state.Rejects); err != nil {
			return err
		}
	}
	r.synced = time.Now()
	return nil
}

// Only a regular file has a checkpoint; /dev/null, for example, has none.
func (r *run) open() (err error) {
	info, err := os.Stat(r.To)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: expected the name of a file", r.To)
	}
	if r.isDurable = err != nil || info.Mode().IsRegular(); r.isDurable {
		release, err := Claim(r.To)
		if err != nil {
			return err
		}
		r.release = release
	}
	if r.Resume {
		if err := r.resume(); err != nil {
			return err
		}
	} else if _, err := os.Stat(CheckpointOf(r.To)); err == nil && r.isDurable {
		return fmt.Errorf("the file %s is from a run that was interrupted: continue that run with --resume, or delete the file to start again", CheckpointOf(r.To))
	}
	if r.isDurable {
		if err := r.state.write(r.To); err != nil { // written before the output is cut: a later run can then continue, even if this run is killed
			return err
		}
	}
	r.output, err = toFile(r.To, r.state.Output)
	return err
}

func (r *run) checkInputs(ctx context.Context) error {
	for r.state.Input < len(r.Inputs) {
		name := r.Inputs[r.state.Input]
		if len(r.state.States) == r.state.Input { // else the interrupted run has opened this input
			r.state.States = append(r.state.States, stateOf(name))
		}
		err := r.checkInput(ctx, name)
		switch {
		case r.failure != nil:
			return r.failure
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.state.Broken = true
			r.state.Counts.Rejected++
			r.reject(&bulk.Rejection{Input: input.NameOf(name), Place: fmt.Sprintf("from line %d on", r.state.Line), Err: err})
		}
		r.state.Input, r.state.Offset, r.state.Line = r.state.Input+1, 0, 1
		if err := r.checkpoint(false); err != nil {
			return err
		}
	}
	if r.state.Broken {
		return ErrInput
	}
	return nil
}

func (r *run) checkInput(ctx context.Context, name string) error {
	if r.Responses != nil {
		return r.checkResponses(ctx, name)
	}
	in, err := input.Open(name, r.Stdin, &r.Read)
	if err != nil {
		return err
	}
	finder, from, err := r.start(in)
	if from == nil {
		in.Close()
		return err
	}
	return r.checkLines(ctx, in, finder, from)
}

func (r *run) start(in *input.Input) (finder *urlFinder, from *lines.Reader, err error) {
	begin, err := readBeginning(in, r.Input, r.Fields)
	switch {
	case err != nil:
		return nil, nil, err
	case begin == nil: // the input is empty
		begin = &beginning{finder: &urlFinder{format: formatOf("", r.Input, r.Fields)}, line: 1}
		r.failure = r.skipHeader(begin)
		return nil, nil, r.failure
	}
	r.failure = r.fit(in.Name, begin.finder)
	switch {
	case r.failure != nil:
	case r.state.Offset > 0:
		r.failure = in.Skip(begin.text, r.state.Offset)
	default:
		r.failure = r.skipHeader(begin)
	}
	if r.failure != nil {
		return nil, nil, r.failure
	}
	return begin.finder, begin.finder.reader(begin.text, r.state.Offset, r.state.Line), nil
}

func (r *run) skipHeader(b *beginning) error {
	r.state.Offset, r.state.Line = int64(b.header), b.line
	if b.header > 0 {
		b.text.Discard(b.header) // cannot fail: readBeginning has already read these bytes
	}
	header := []byte(b.finder.header)
	switch {
	case r.state.Header:
		return nil
	case r.Header && r.writer.writesRows(b.finder.format):
		header = r.writer.header()
	case b.finder.header == "" || !r.writer.writesSame():
		return nil
	}
	r.state.Header = true
	return r.output.write(append(bytes.TrimSuffix(header, []byte("\n")), '\n'))
}

type part struct {
	lines.Block
	out      []byte
	rejected []bulk.Rejection
	counts   bulk.Counts
}

// The goroutine that reads the input closes it, because it may still wait for data when checkLines returns.
func (r *run) checkLines(ctx context.Context, in *input.Input, finder *urlFinder, from *lines.Reader) error {
	all := func(yield func(lines.Block) bool) {
		defer in.Close()
		from.Blocks(yield)
	}
	worker := func(c *workerState) func(lines.Block) *part {
		c.finder = finder
		return c.block
	}
	if !checkAll(ctx, r, in.Name, all, worker) {
		return nil
	}
	return from.Err()
}

// The results are written in the order of the items. done is false if not all items were checked.
func checkAll[Item any](ctx context.Context, r *run, name string, all iter.Seq[Item], worker func(*workerState) func(Item) *part) (done bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var started atomic.Int64 // atomic, because the workers call start at the same time
	start := func() func(Item) *part {
		return worker(&workerState{Options: r.Options, writer: r.writer, checker: r.checkers[started.Add(1)-1]})
	}
	ordered.Map(r.workers(), ordered.Until(ctx, all), start, func(p *part) {
		if r.failure == nil && ctx.Err() == nil { // after the end of ctx, the part may be wrong, because the robots.txt files may not have been readable
			r.failure = r.write(name, p)
		}
		if r.failure != nil {
			stop()
		}
		p.Recycle()
	})
	return ctx.Err() == nil
}

func (r *run) write(name string, p *part) error {
	if err := r.output.write(p.out); err != nil {
		return err
	}
	lines.Recycle(p.out)
	for i := range p.rejected {
		p.rejected[i].Input = name
		if err := r.reject(&p.rejected[i]); err != nil {
			return err
		}
	}
	r.state.Counts.Add(&p.counts)
	r.Lines.Add(int64(p.Block.Lines))
	r.state.Offset, r.state.Line = p.Offset, p.First+p.Block.Lines
	return r.checkpoint(false)
}

func (r *run) reject(rejection *bulk.Rejection) error {
	if r.Rejected != nil {
		r.Rejected(*rejection)
	}
	if r.rejects == nil {
		return nil
	}
	return r.rejects.write(AppendRejection(nil, rejection))
}

// AppendRejection appends a rejection as a line of the file Options.Rejects.
func AppendRejection(dst []byte, r *bulk.Rejection) []byte {
	for _, member := range [...]struct{ begin, name, value string }{{"{", "input", r.Input}, {",", "place", r.Place}, {",", "error", r.Err.Error()}, {",", "text", r.Text}} {
		dst = report.AppendMember(append(dst, member.begin...), member.name, member.value)
	}
	return append(dst, "}\n"...)
}

// After a failed sync no checkpoint is written, because output may be lost.
func (r *run) checkpoint(now bool) (err error) {
	defer func() { r.failure = cmp.Or(r.failure, err) }()
	if !r.isDurable || !now && time.Since(r.synced) < cmp.Or(r.Every, 5*time.Second) {
		return nil
	}
	if r.state.Output, err = r.output.sync(); err != nil {
		return err
	}
	if r.rejects != nil {
		if r.state.Rejects, err = r.rejects.sync(); err != nil {
			return err
		}
	}
	r.synced = time.Now()
	return r.state.write(r.To)
}

// After a failure, the checkpoint file stays for a later run.
func (r *run) end(failure error) error {
	done := failure == nil || errors.Is(failure, ErrInput)
	var err error
	if r.failure == nil {
		err = r.checkpoint(true)
	}
	err = errors.Join(err, r.output.close())
	if r.rejects != nil {
		err = errors.Join(err, r.rejects.close())
	}
	if err == nil && done && r.isDurable {
		err = os.Remove(CheckpointOf(r.To))
	}
	return errors.Join(err, r.release())
}
