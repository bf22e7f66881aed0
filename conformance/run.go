package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
)

// Options say how cases are decided. The zero Options are fine: what needs a function
// that is nil is then an error of the case.
type Options struct {
	// ReadFile returns a file that a case names by its path: a robots.txt, or the URLs of
	// "urls:".
	// nil: paths are relative to the folder of the case file, as Run and RunFS know it;
	// with RunReader such a case cannot be decided.
	ReadFile func(name string) ([]byte, error)
	// Decode translates the files that a case of the text form names to UTF-8, as a
	// crawler does, or says why they cannot be read; nil: the bytes are read as they are.
	// Those of the JSON form always are: it says which bytes a parser is given.
	Decode func(body []byte) ([]byte, error)
	// Site returns the live site of a URL, as read in a dialect.
	Site func(url string, d *robotstxt.Dialect) (Site, error)
	// ReadSitemap yields the URLs of a sitemap, by its path or its URL. Behind an error
	// others may follow.
	ReadSitemap func(name string) iter.Seq2[URL, error]
	// Crawlers returns the product tokens of the crawlers that "@NAME" stands for in the
	// text form, those of each from the most specific one on.
	Crawlers func(name string) ([][]string, error)
	// Origin returns the origin of a URL in a form that compares. nil: URLs of several
	// origins may be asked about in one robots.txt.
	Origin func(url string) (string, error)
	// Robots names the robots.txt that every case is asked about, whatever it names: a
	// path for ReadFile, or the URL of a live site. "": the case's own.
	Robots string
	// Dialect decides every case, whatever dialect it names. nil: the case's own.
	Dialect *robotstxt.Dialect
}

// A Site answers for the robots.txt of a live site.
type Site interface {
	// Check decides about a URL or a path for the crawler of the given product tokens.
	Check(agents []string, target string) (robotstxt.Decision, error)
	// File returns the robots.txt that holds.
	File() *robotstxt.File
}

// ErrUndetermined is the error of a case that has no answer now, since the live site is
// unreachable: nothing is known of its robots.txt, so the case neither passed nor failed
// by it.
var ErrUndetermined = errors.New("could not be determined")

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
	File *robotstxt.File // the robots.txt that was asked; nil: there was none
	Err  error           // the case could not be read or decided
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
	d := decider{options: o, byHand: true}
	readText(name, string(text), &o, func(c Case, err error) { report(d.decide(c, err)) })
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

// decider decides cases one after the other. It keeps the last robots.txt that was
// read, since cases of one file stand together.
type decider struct {
	options Options
	byHand  bool // the cases are of the text form

	name string // of what is kept
	line int    // where it begins, if it stands in the case file
	file *robotstxt.File
	site Site // nil: a file is kept
}

func (d *decider) decide(c Case, err error) Result {
	r := Result{Case: c, Err: err}
	if err != nil {
		return r
	}
	if d.options.Dialect != nil {
		r.Case.Dialect = d.options.Dialect
	}
	if d.options.Robots != "" {
		r.Case.RobotsFile, r.Case.Robots, r.Case.RobotsLine = d.options.Robots, nil, 0
	}
	if isURL(r.Case.RobotsFile) {
		d.askSite(&r)
	} else if r.File, err = d.parse(r.Case); err != nil {
		r.Err = fmt.Errorf("robots file: %w", err)
	} else {
		r.Got = r.File.Agent(c.Agents...).Check(c.URL)
	}
	if r.Err == nil {
		r.Err = d.unanswered(r.Got.Reason)
	}
	return r
}

// unanswered returns an error where a question has no answer: a case that was
// written by hand must not pass since it was asked wrongly.
func (d *decider) unanswered(r robotstxt.Reason) error {
	switch r {
	case robotstxt.Unreachable:
		return fmt.Errorf("%w: %s", ErrUndetermined, r)
	case robotstxt.OtherOrigin:
		return errors.New(r.String())
	case robotstxt.InvalidTarget:
		if d.byHand {
			return errors.New("expected an absolute URL, or a path that begins with \"/\"")
		}
	case robotstxt.InvalidAgent:
		if d.byHand {
			return errors.New("the crawler has no product token (letters, \"_\" and \"-\")")
		}
	}
	return nil
}

// askSite decides a case by a live site.
func (d *decider) askSite(r *Result) {
	c := &r.Case
	if d.options.Site == nil {
		r.Err = errors.New("live sites cannot be asked: Options.Site is nil")
		return
	}
	if d.site == nil || !d.holds(c) {
		site, err := d.options.Site(c.RobotsFile, c.Dialect)
		if err != nil {
			r.Err = err
			return
		}
		d.site = site
		d.keep(c, site.File())
	}
	r.File = d.file
	r.Got, r.Err = d.site.Check(c.Agents, c.URL)
}

func (d *decider) parse(c Case) (*robotstxt.File, error) {
	if c.RobotsFile == "" && c.RobotsLine == 0 {
		return robotstxt.Parse(c.Robots, c.Dialect), nil
	}
	if d.holds(&c) && d.site == nil {
		return d.file, nil
	}
	body := c.Robots
	if c.RobotsFile != "" {
		var err error
		if body, err = d.read(c.RobotsFile); err != nil {
			return nil, err
		}
	}
	d.site = nil
	d.keep(&c, robotstxt.Parse(body, c.Dialect))
	return d.file, nil
}

// holds reports whether the robots.txt of a case is the one that is kept.
func (d *decider) holds(c *Case) bool {
	return d.file != nil && d.name == c.RobotsFile && d.line == c.RobotsLine && d.file.Dialect().String() == c.Dialect.String()
}

// keep keeps the robots.txt of a case for the next.
func (d *decider) keep(c *Case, f *robotstxt.File) {
	d.name, d.line, d.file = c.RobotsFile, c.RobotsLine, f
}

// read reads a robots.txt.
func (d *decider) read(name string) ([]byte, error) {
	body, err := d.options.ReadFile(name)
	if err == nil && d.byHand && d.options.Decode != nil {
		return d.options.Decode(body)
	}
	return body, err
}
