// Package term is the terminal of a run: its streams, width and colours, notices and progress, and lists of JSON.
package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/saved"
)

// Terminal is one run of the command line.
type Terminal struct {
	In       io.Reader
	Out      *bufio.Writer
	Err      io.Writer
	Tty      bool   // standard output is a terminal
	Width    int    // of standard output, in cells
	Colour   bool   // of standard output: see SettleColour
	ErrTTY   bool   // standard error is a terminal that can erase a line: progress is shown there
	errWidth int    // of standard error, in cells
	Name     string // of the command, such as "heed check"
	Status   int
	Log      *slog.Logger // gets the texts of Notice and Complain instead of Err; nil: Err gets them

	noticeMu sync.Mutex // notices come from several goroutines
	Screen   *screen    // shows progress
	noticed  sync.Map   // what NoticeOnce has printed notices about
}

// New returns a terminal with the standard streams of a process.
func New(stdin io.Reader, stdout, stderr io.Writer) *Terminal {
	s := &screen{On: stderr}
	return &Terminal{
		In:       stdin,
		Out:      bufio.NewWriterSize(s.above(stdout), 64<<10),
		Err:      s.above(stderr),
		Screen:   s,
		Tty:      isTerminal(stdout),
		Width:    WidthOf(stdout),
		ErrTTY:   isTerminal(stderr) && os.Getenv("TERM") != "dumb",
		errWidth: WidthOf(stderr),
		Name:     "heed",
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// WidthOf returns the width of a line in cells: the value of COLUMNS, or the width of the
// terminal, or else 80.
func WidthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

// Complain prints an error of the usage or of an input, and sets the exit status. The run may continue
// with other inputs.
func (a *Terminal) Complain(err error) {
	status := exit.Usage
	if errors.Is(err, ErrInterrupted) || errors.Is(err, saved.ErrNoFile) {
		status = exit.Undetermined
	}
	a.Raise(status)
	a.notice(slog.LevelError, ErrorText(err))
}

// ErrorText returns the text of an error. A missing file has one wording in all commands, whatever call found that it is missing.
func ErrorText(err error) string {
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && errors.Is(missing, fs.ErrNotExist) {
		return strings.Replace(err.Error(), missing.Error(), missing.Path+": "+saved.NoSuchFile, 1)
	}
	return err.Error()
}

// ErrInterrupted means that the user interrupted a command before it had all answers.
var ErrInterrupted = errors.New("interrupted")

// Interruptible returns a context that ends at an interrupt (Ctrl-C) or SIGTERM. A second one
// kills the process.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Notice prints a text on standard error: on one line, or wrapped at words on a terminal. If there is a Log, it gets the text.
func (a *Terminal) Notice(text string) { a.notice(slog.LevelInfo, text) }

func (a *Terminal) notice(level slog.Level, text string) {
	a.noticeMu.Lock()
	defer a.noticeMu.Unlock()
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), " ")
	if a.Log != nil {
		a.Log.Log(context.Background(), level, printable.Text(text))
		return
	}
	text = fmt.Sprintf("%s: %s", a.Name, printable.Text(text))
	if a.ErrTTY {
		text = layout.Wrap(text, a.errWidth, 2)
	}
	fmt.Fprintln(a.Err, text)
}

// NoticeOnce prints a notice, unless a notice with the same value of about was printed before.
func (a *Terminal) NoticeOnce(about, text string) {
	if _, told := a.noticed.LoadOrStore(about, true); !told {
		a.Notice(text)
	}
}

// Raise makes the exit status at least as severe as status.
func (a *Terminal) Raise(status int) { a.Status = exit.Worse(a.Status, status) }

// OpenInput opens a file; "-" is standard input.
func (a *Terminal) OpenInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.In), nil
	}
	return os.Open(name)
}

const StandardInput = "standard input"

// InputName returns the name of an input in output.
func InputName(name string) string {
	if name == "-" {
		return StandardInput
	}
	return name
}

// Limits of the width of text, in cells: longer lines are hard to read, and shorter ones have too few
// words.
const (
	maxTextWidth = 100
	MinTextWidth = 30
)

// TextWidth returns the width at which text is wrapped.
func (a *Terminal) TextWidth() int { return min(max(a.Width, MinTextWidth), maxTextWidth) }

// FitAfter is Fit for the rest of a line, after before cells.
func (a *Terminal) FitAfter(text string, before int) string {
	return a.Fit(text, max(a.Width-before, MinCells))
}

// PrintAfter prints a prefix, and a text that is wrapped at words. Further lines of the text
// are indented by the width of the prefix and by more. With the prefix "GPTBot  " and more 2:
//
//	GPTBot  everything is
//	          disallowed
func (a *Terminal) PrintAfter(prefix, text string, more int) {
	fmt.Fprintf(a.Out, "%s%s\n", prefix, layout.Wrap(text, a.Width, layout.Width(prefix)+more))
}

// PrintPaintedAfter is PrintAfter for text in a colour. Each line sets and resets the colour,
// since a pager may begin at any line.
func (a *Terminal) PrintPaintedAfter(colour, prefix, text string, more int) {
	indent := layout.Width(prefix) + more
	for i, line := range strings.Split(layout.Wrap(text, a.Width, indent), "\n") {
		if i > 0 {
			prefix, line = strings.Repeat(" ", indent), line[indent:]
		}
		fmt.Fprintf(a.Out, "%s%s\n", prefix, a.Paint(colour, line))
	}
}

// MinCells is how many cells of a text are shown at least, however narrow the terminal is.
const MinCells = 10

// Flushed is a writer that flushes its buffer after each Write.
type Flushed struct{ *bufio.Writer }

func (f Flushed) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if err == nil {
		err = f.Flush()
	}
	return n, err
}

func (f Flushed) Close() error { return f.Flush() }

// TrimEnd returns a line without its line end.
func TrimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// PrintableLine returns a line of a file in a form that is safe on a terminal, without its
// line end. It keeps tabs.
func PrintableLine(s string) string { return printable.Line(TrimEnd(s)) }

// Together groups the elements of all by their keys. The sets are in the order of their first elements,
// and elements of a set stay in their order.
func Together[T any, K comparable](all []T, key func(T) K) (sets [][]T) {
	indexes := map[K]int{} // of the set with a key
	for _, each := range all {
		k := key(each)
		i, known := indexes[k]
		if !known {
			i = len(sets)
			indexes[k] = i
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], each)
	}
	return sets
}
