package filtercmd

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/printable"
)

type compile struct {
	term                 *term.Terminal
	output, rejects      string
	strict, info, verify bool
	resume               bool

	captures.Loading
	writer    *archive.Writer
	rejectsTo *os.File
	rejecting sync.Mutex
	rejectErr error
	isSaved   bool // an interrupted run can be continued with --resume
}

//go:embed compile.txt
var compileHelp string

func Compile(a *term.Terminal) *cobra.Command {
	o := &compile{term: a}
	c := flags.WithHelp(compileHelp, &cobra.Command{
		Use:   "compile SOURCE… -o ARCHIVE",
		Short: "Put archived robots.txt files into one file, for heed filter",
		RunE: func(_ *cobra.Command, names []string) error {
			if o.info || o.verify {
				return o.inspect(names)
			}
			return o.run(names)
		},
	})
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`ARCHIVE` to write")
	f.StringVar(&o.rejects, "rejects", "", "`FILE` for the records that cannot be used, as JSON lines")
	f.BoolVar(&o.resume, "resume", false, "continue an interrupted run that had the same arguments")
	flags.ColumnsFlag(c, &o.Columns, "of the sources")
	f.BoolVar(&o.strict, "strict", false, "exit with status 3 if a record was rejected")
	f.BoolVar(&o.info, "info", false, "show what an ARCHIVE contains")
	f.BoolVar(&o.verify, "verify", false, "show what an ARCHIVE contains, and read the whole ARCHIVE to find damage")
	return c
}

func (o *compile) run(sources []string) error {
	switch {
	case len(sources) == 0:
		return errors.New("no SOURCE is given: name one or more sources, each a folder, a store, an archive, or a file of WARC, JSON lines, CSV, TSV or Parquet")
	case o.output == "":
		return errors.New("--output ARCHIVE is missing: name the file to which heed should write the archive")
	case o.output == "-":
		return errors.New("--output -: an archive cannot be written to standard output: name a file")
	case o.rejects == "-":
		return errors.New("--rejects -: rejected records cannot be written to standard output: name a file")
	case o.rejects != "" && (o.output == o.rejects || isSameFile(o.output, o.rejects)):
		return fmt.Errorf("--output and --rejects name the same file, %s: give one of them another name", o.output)
	}
	if err := errors.Join(mayReplace(o.output), notWithin("output", o.output, filesAmong(sources)), notRead("rejects", o.rejects, filesAmong(sources))); err != nil {
		return err
	}
	if err := o.begin(); err != nil {
		return err
	}
	defer o.writer.Close()
	ctx, stop := term.Interruptible()
	defer stop()
	err := o.load(ctx, sources)
	if !errors.Is(err, bulksource.ErrOtherSources) { // with ErrOtherSources, the file of --rejects belongs to another run
		err = errors.Join(err, o.closeRejects())
	}
	err = errors.Join(err, o.rejectErr)
	switch {
	case errors.Is(err, bulksource.ErrOtherSources):
		return fmt.Errorf("--resume: %w, or delete %s to start again", err, archive.PartialOf(o.output))
	case err != nil && o.isSaved:
		o.term.Notice("to continue, run heed compile with the same arguments and --resume")
	}
	switch {
	case ctx.Err() != nil:
		return term.ErrInterrupted
	case err != nil:
		return err
	}
	return o.commit()
}

func mayReplace(name string) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	isArchive := false
	if info.Mode().IsRegular() {
		if isArchive, err = beginsAsArchive(name); err != nil {
			return err
		}
	}
	if !isArchive {
		return fmt.Errorf("--output %s: the file exists and is not an archive, so heed does not replace it: give another name, or delete the file", name)
	}
	return nil
}

func beginsAsArchive(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	var head [archive.HeadSize]byte
	n, err := file.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return archive.IsArchive(head[:n]), nil
}

func (o *compile) load(ctx context.Context, sources []string) error {
	o.Loader.Add, o.Loader.Rejected, o.Loader.Escaped = o.add, o.reject, o.AddEscaped
	o.OpenStore = sites.OpenStoreSource(o.term)
	defer o.term.ShowProgress(o.Line)()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stopSaving := o.saveOften(stop)
	err := o.Load(ctx, sources)
	stopSaving()
	if o.isSaved && (err == nil || errors.Is(err, context.Canceled)) {
		err = errors.Join(err, o.save())
	}
	return err
}

func (o *compile) add(c *capture.Capture) error {
	err := o.writer.Add(c)
	if errors.Is(err, archive.ErrCapture) {
		o.reject(bulksource.Rejection{Source: c.URL, Err: err})
		return nil
	}
	return err
}

func (o *compile) reject(r bulksource.Rejection) {
	o.Loading.Reject(r)
	o.rejecting.Lock()
	defer o.rejecting.Unlock()
	if o.rejectErr == nil {
		to := json.NewEncoder(o.rejectsTo)
		to.SetEscapeHTML(false)
		o.rejectErr = to.Encode(struct {
			Source string `json:"source"`
			Place  string `json:"place,omitempty"`
			Error  string `json:"error"`
		}{r.Source, r.Place, r.Err.Error()})
	}
}

func (o *compile) commit() error {
	if o.Progress().Captures == 0 {
		o.summarizeRejected()
		o.writer.Discard()
		return errors.New("the sources have no robots.txt, so heed writes no archive: expected captures of URLs such as https://example.com/robots.txt")
	}
	stop := o.term.ShowProgress(func(elapsed time.Duration) string { return "sorting the captures, " + term.Seconds(elapsed) })
	info, err := o.writer.Commit()
	stop()
	if err != nil {
		return err
	}
	for _, line := range linesOf(info) {
		o.term.Notice(line)
	}
	if n := info.NoOriginal; n > 0 {
		o.term.Notice(fmt.Sprintf("the robots.txt of %s is that of an earlier capture, which heed cannot find in the archive, so it is unknown: add the WARC files of the earlier crawl to the sources", printable.Counted(int(n), "capture")))
	}
	o.summarizeRejected()
	return nil
}

func (o *compile) summarizeRejected() {
	o.Loading.Summarize(o.term)
	if o.strict && o.Rejections.Count > 0 {
		o.term.Raise(exit.Undetermined)
	}
}

func linesOf(i archive.Info) []string {
	lines := []string{fmt.Sprintf("%s of %s", printable.Counted(int(i.Captures), "capture"), printable.Counted(int(i.URLs), "URL"))}
	if !i.First.IsZero() {
		lines[0] += fmt.Sprintf(", from %s to %s", i.First.Format(time.DateOnly), i.Last.Format(time.DateOnly))
	}
	with := printable.Counted(int(i.WithBody), "capture") + " with a robots.txt that is not empty"
	if i.WithBody > 0 {
		with += fmt.Sprintf("; %s (%d %% of these captures), %s", printable.Counted(int(i.Bodies), "distinct text"), (200*i.Bodies+i.WithBody)/(2*i.WithBody), sizeInWords(i.BodyBytes))
	}
	return append(lines, with, "the archive has "+sizeInWords(i.FileBytes))
}

func sizeInWords(n int64) string {
	const units = "KMGTPE"
	if n < 10<<10 {
		return printable.Counted(int(n), "byte")
	}
	unit := -1
	for n >= 10<<10 {
		n >>= 10
		unit++
	}
	return fmt.Sprintf("%d %ciB", n, units[unit])
}

func (o *compile) inspect(names []string) error {
	if len(names) == 0 {
		return errors.New("no ARCHIVE is given: name a file that heed compile made")
	}
	if o.output != "" || o.rejects != "" || o.strict {
		return errors.New("--info and --verify write no archive: leave out --output, --rejects and --strict")
	}
	for _, name := range names {
		if err := o.inspectOne(name); err != nil {
			o.term.Complain(err) // continue, because the other archives can still be shown
		}
	}
	return nil
}

func (o *compile) inspectOne(name string) error {
	a, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer a.Close()
	info := a.Info()
	show := func(line string) { fmt.Fprintln(o.term.Out, o.term.Fold(term.PrintableLine(name)+": "+line, 2)) }
	for _, line := range linesOf(info) {
		show(line)
	}
	if !o.verify {
		return nil
	}
	stop := o.term.ShowProgress(func(elapsed time.Duration) string { return "reading " + name + ", " + term.Seconds(elapsed) })
	lost, err := a.Verify()
	stop()
	if err != nil {
		return fmt.Errorf("%w; %d of the %s in the archive cannot be read", err, lost, printable.Counted(int(info.Captures), "capture"))
	}
	show("no damage")
	return nil
}
