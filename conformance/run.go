package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
)

// Options say how cases are decided. The zero Options are fine.
type Options struct {
	// ReadFile returns the robots.txt of a case that names one by its path.
	// nil: paths are relative to the folder of the case file, as Run and RunFS know it;
	// with RunReader such a case cannot be decided.
	ReadFile func(name string) ([]byte, error)
	// Decode translates the robots.txt that a case of the text form names to UTF-8,
	// as a crawler does; nil: the bytes are read as they are. Those of the JSON form
	// always are: it says which bytes a parser is given.
	Decode func(body []byte) []byte
	// Dialect decides every case, whatever dialect it names. nil: the case's own.
	Dialect *robotstxt.Dialect
}

// Under returns an Options.ReadFile that takes paths as relative to root.
func Under(root string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	}
}

// UnderFS returns an Options.ReadFile that takes paths as relative to the folder root
// of a file system, "." being all of it.
func UnderFS(fsys fs.FS, root string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return fs.ReadFile(fsys, path.Join(root, name))
	}
}

// A Result is a decided case.
type Result struct {
	Case Case
	Got  robotstxt.Decision
	Err  error // the case could not be read or decided
}

// Passed reports whether the case got the answer that it must get.
func (r Result) Passed() bool {
	return r.Err == nil && r.VerdictPassed() && (r.Case.Line == nil || *r.Case.Line == r.Got.Rule.Line)
}

// VerdictPassed is Passed without regard to the line.
func (r Result) VerdictPassed() bool {
	return r.Err == nil && r.Got.Allowed == r.Case.Allow
}

// Run decides the cases of a file on all cores and reports each result, in the
// order of the file and never two at once. A case that cannot be read is a
// Result with an Err; only a file that cannot be read is an error.
func Run(name string, o Options, report func(Result)) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("conformance: %w", err)
	}
	defer f.Close()
	if o.ReadFile == nil {
		o.ReadFile = Under(filepath.Dir(name))
	}
	return RunReader(f, name, o, report)
}

// RunFS is Run for a file of a file system, such as an embed.FS, where the robots.txt
// files lie, too.
func RunFS(fsys fs.FS, name string, o Options, report func(Result)) error {
	f, err := fsys.Open(name)
	if err != nil {
		return fmt.Errorf("conformance: %w", err)
	}
	defer f.Close()
	if o.ReadFile == nil {
		o.ReadFile = UnderFS(fsys, path.Dir(name))
	}
	return RunReader(f, name, o, report)
}

// RunReader is Run for cases that are read from r. The name stands for the case file in
// results and errors.
func RunReader(r io.Reader, name string, o Options, report func(Result)) error {
	if o.ReadFile == nil {
		o.ReadFile = func(string) ([]byte, error) { return nil, errNoFolder }
	}
	if err := run(r, name, o, report); err != nil {
		return fmt.Errorf("conformance: %s: %w", name, err)
	}
	return nil
}

var errNoFolder = errors.New("the cases are of no folder, and Options.ReadFile is nil")

func run(r io.Reader, name string, o Options, report func(Result)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		in = bufio.NewReaderSize(unzipped, 64<<10)
	}
	if mark, _ := in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		in.Discard(len(byteOrderMark)) // some editors write it
	}
	if !isJSON(in) {
		return runText(in, name, o, report)
	}
	return runJSON(in, name, o, report)
}

// byteOrderMark is that of UTF-8.
const byteOrderMark = "\ufeff"

// isJSON reports whether the first thing that is not white space is an object.
func isJSON(in *bufio.Reader) bool {
	head, _ := in.Peek(4 << 10)
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
}

func runText(in io.Reader, name string, o Options, report func(Result)) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	d := decider{options: o, decode: o.Decode}
	readText(name, string(text), func(c Case, err error) { report(d.decide(c, err)) })
	return nil
}

// batch is a run of lines that one worker reads and decides.
type batch struct {
	first int // number of the first line
	lines [][]byte
}

const batchLines = 512

// maxLine bounds a line of a case file: a robots.txt as base64 and more.
const maxLine = 64 << 20

func runJSON(in io.Reader, name string, o Options, report func(Result)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number := 0
	next := func() (batch, bool) {
		b := batch{first: number + 1}
		for len(b.lines) < batchLines && lines.Scan() {
			number++
			b.lines = append(b.lines, bytes.Clone(lines.Bytes()))
		}
		return b, len(b.lines) > 0
	}
	worker := func() func(batch) []Result {
		d := decider{options: o}
		return func(b batch) []Result { return b.decide(name, &d) }
	}
	ordered.Map(runtime.GOMAXPROCS(0), next, worker, func(results []Result) {
		for _, r := range results {
			report(r)
		}
	})
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes", number+1, maxLine)
	}
	return lines.Err()
}

func (b *batch) decide(name string, d *decider) (results []Result) {
	for i, line := range b.lines {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c, err := parseJSON(line)
		c.File, c.FileLine = name, b.first+i
		results = append(results, d.decide(c, err))
	}
	return results
}

// decider decides cases one after the other. It keeps the last file that was
// read, since cases of one file stand together.
type decider struct {
	options Options
	decode  func([]byte) []byte // nil: nothing is
	file    *robotstxt.File
	name    string
}

func (d *decider) decide(c Case, err error) Result {
	r := Result{Case: c, Err: err}
	if err != nil {
		return r
	}
	if d.options.Dialect != nil {
		r.Case.Dialect = d.options.Dialect
	}
	f, err := d.parse(r.Case)
	if err != nil {
		r.Err = fmt.Errorf("robots file: %w", err)
		return r
	}
	r.Got = f.Agent(c.Agents...).Check(c.URL)
	return r
}

func (d *decider) parse(c Case) (*robotstxt.File, error) {
	if c.RobotsFile == "" {
		return robotstxt.Parse(c.Robots, c.Dialect), nil
	}
	if d.file != nil && d.name == c.RobotsFile && d.file.Dialect().String() == c.Dialect.String() {
		return d.file, nil
	}
	body, err := d.options.ReadFile(c.RobotsFile)
	if err != nil {
		return nil, err
	}
	if d.decode != nil {
		body = d.decode(body)
	}
	d.file, d.name = robotstxt.Parse(body, c.Dialect), c.RobotsFile
	return d.file, nil
}
