package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Options say how cases are checked. If a case needs a nil function, its result is an error.
type Options struct {
	// ReadFile returns the content of a file that a case file names. If ReadFile is nil, Run reads such a file from the
	// folder of the case file, and RunReader reports an error.
	ReadFile func(name string) ([]byte, error)
	// Decode converts a file to UTF-8, as a crawler does. Cases in the JSON form are not decoded, because they test exact
	// bytes.
	Decode func(body []byte) ([]byte, error)
	// Site returns the live site of a URL. The robots.txt of this site is read in the dialect d.
	Site func(url string, d *robotstxt.Dialect) (Site, error)
	// ReadSitemap yields the URLs of a sitemap. The parameter name is the path or the URL of the sitemap. After an error,
	// more URLs may follow.
	ReadSitemap func(name string) iter.Seq2[URL, error]
	// Table has the crawlers that a case in the text form can refer to as "@NAME"; nil means crawlers.Known().
	Table *crawlers.Table
	// Obeys reports whether a crawler follows robots.txt. For a crawler that does not, a case with "disallow" fails, if the
	// case is a line of text and not JSON. If Obeys is nil, all crawlers follow robots.txt.
	Obeys func(agents []string) bool
	// Origin returns the origin of a URL as a text that can be compared. If Origin is nil, origins are not compared.
	Origin func(url string) (string, error)
	// Robots is the path of a robots.txt, or the URL of a live site. This robots.txt replaces the robots.txt of all
	// cases. "" means no replacement.
	Robots string
	// Dialect replaces the dialect of all cases. If Dialect is nil, each case has its own dialect.
	Dialect *robotstxt.Dialect
	// MaxCases limits the number of cases of a file in the text form. For example, 2 crawlers with 3 URLs are 6
	// cases. 0 means no limit.
	MaxCases int
}

type Site interface {
	Check(agents []string, target string) (robotstxt.Decision, error)
	File() *robotstxt.File
}

// ErrUndetermined is the error of a case whose live site is unreachable.
var ErrUndetermined = errors.New("heed cannot get the robots.txt of the site, which this test case needs")

// Under makes a function for Options.ReadFile. Its paths are relative to the folder root.
func Under(root string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readWhole(f, "a robots.txt")
	}
}

type Result struct {
	Case Case
	Got  robotstxt.Decision
	Uses []usage.Verdict // the preferences for the purposes of the case
	File *robotstxt.File // the robots.txt that decided; nil if there was none
	Err  error           // why the case could not be read, or got no result

	Ignored bool // the case fails, because it expects "disallow" for a crawler that does not follow robots.txt; see Options.Obeys
}

// Passed reports whether the decision and the line of the rule are as expected.
func (r Result) Passed() bool {
	return r.Err == nil && !r.Ignored && (r.Case.Any || r.Got.Allowed == r.Case.Allow) &&
		(r.Case.Line == nil || *r.Case.Line == r.Got.Rule.Line) && r.Case.Uses.passed(r.Uses)
}

// Run checks the cases of a file on all cores, and calls report with the results in order. An unreadable case is a
// Result with Err.
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

// RunReader is Run for a file that is read from r. The parameter name is for results and errors.
func RunReader(r io.Reader, name string, o Options, report func(Result)) error {
	if o.ReadFile == nil {
		o.ReadFile = func(string) ([]byte, error) {
			return nil, errors.New("heed cannot read files of robots.txt here: set Options.ReadFile")
		}
	}
	if err := run(r, name, o, report); err != nil {
		return fmt.Errorf("conformance: %s: %w", name, err)
	}
	return nil
}

func run(r io.Reader, name string, o Options, report func(Result)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		in = bufio.NewReaderSize(unzipped, 64<<10)
	}
	if mark, _ := in.Peek(len(lines.ByteOrderMark)); string(mark) == lines.ByteOrderMark {
		in.Discard(len(mark))
	}
	if head, _ := in.Peek(4 << 10); bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) {
		return runJSON(in, name, o, report)
	}
	return runText(in, name, o, report)
}

// maxText limits a file of cases in the text form, and each robots.txt that a case file names. It applies after
// decompression.
const maxText = 64 << 20

func readWhole(in io.Reader, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err == nil && len(text) > maxText {
		return nil, fmt.Errorf("expected %s of at most %d MiB, found a larger file", what, maxText>>20)
	}
	return text, err
}

func runText(in io.Reader, name string, o Options, report func(Result)) error {
	text, err := readWhole(in, "a file of cases")
	if err != nil {
		return err
	}
	d := decider{options: o, isText: true}
	readText(name, string(text), &o, func(c Case, err error) { report(d.decide(c, err)) })
	return nil
}

// A line may have a large robots.txt in base64.
const maxLine = 64 << 20

func runJSON(in io.Reader, name string, o Options, report func(Result)) error {
	from := lines.New(in, "", maxLine)
	worker := func() func(lines.Block) []Result {
		d := decider{options: o}
		return func(b lines.Block) []Result { return d.decideAll(name, &b) }
	}
	ordered.Map(runtime.GOMAXPROCS(0), from.Next, worker, func(results []Result) {
		for _, r := range results {
			report(r)
		}
	})
	return from.Err()
}

// A decider keeps the robots.txt of a case, because the next case usually has the same.
type decider struct {
	options Options
	isText  bool

	name string          // the RobotsFile of the last case
	line int             // the RobotsLine of the last case
	file *robotstxt.File // nil: there was no case yet
	site Site            // nil: the robots.txt is not from a live site
}

func (d *decider) decideAll(name string, b *lines.Block) (results []Result) {
	for line := range b.All() {
		if line.IsBlank() {
			continue
		}
		c, err := Case{}, line.Wrong
		if err == nil {
			c, err = parseJSON([]byte(line.Text))
		}
		c.File, c.FileLine = name, line.Number
		results = append(results, d.decide(c, err))
	}
	return results
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
		d.checkSite(&r)
	} else if r.File, err = d.parse(r.Case); err != nil {
		r.Err = fmt.Errorf("heed cannot use the robots.txt of this test case: %w", err)
	} else {
		r.Got = r.File.Agent(c.Agents...).Check(c.URL)
	}
	if r.Err == nil {
		r.Err = d.errorOf(r.Got.Reason)
	}
	if r.Err == nil && len(c.Uses.Expected) > 0 {
		r.Uses = c.Uses.answer(usage.New(r.File, usage.Options{}, c.Agents...), c.URL, r.Got.Allowed)
	}
	r.Ignored = d.isText && !c.Allow && !c.Any && d.options.Obeys != nil && !d.options.Obeys(c.Agents)
	return r
}

// Reasons such as InvalidTarget say nothing about the rules. Without an error, "disallow" with a misspelt URL would
// pass.
func (d *decider) errorOf(r robotstxt.Reason) error {
	switch r {
	case robotstxt.Unreachable:
		return fmt.Errorf("%w: %s", ErrUndetermined, r)
	case robotstxt.OtherOrigin:
		return errors.New(r.String())
	case robotstxt.InvalidTarget:
		if d.isText {
			return errors.New("expected an absolute URL, or a path that begins with \"/\"")
		}
	case robotstxt.InvalidAgent:
		if d.isText {
			return errors.New("expected a crawler with a product token (letters, \"_\" and \"-\"), such as Googlebot")
		}
	}
	return nil
}

func (d *decider) checkSite(r *Result) {
	c := &r.Case
	if d.options.Site == nil {
		r.Err = errors.New("heed cannot test live sites here: set Options.Site")
		return
	}
	if d.site == nil || !d.isKept(c) {
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
	if d.site == nil && d.isKept(&c) {
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

func (d *decider) isKept(c *Case) bool {
	return d.file != nil && d.name == c.RobotsFile && d.line == c.RobotsLine && d.file.Dialect().String() == c.Dialect.String()
}

func (d *decider) keep(c *Case, f *robotstxt.File) {
	d.name, d.line, d.file = c.RobotsFile, c.RobotsLine, f
}

func (d *decider) read(name string) ([]byte, error) {
	body, err := d.options.ReadFile(name)
	if err == nil && d.isText && d.options.Decode != nil {
		return d.options.Decode(body)
	}
	return body, err
}
