// Package term is for the output of commands. It has the streams, widths, colours, notices, the progress line, and
// JSON.
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
	"regexp"
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

// Terminal has the streams and the state of one run of a command.
type Terminal struct {
	In       io.Reader
	Out      *bufio.Writer
	Err      io.Writer
	Tty      bool   // standard output is a terminal
	Width    int    // of standard output, in cells
	Colour   bool   // standard output may have colours; see SettleColour
	ErrTTY   bool   // standard error is a terminal that can erase a line, so progress can be shown
	errWidth int    // of standard error, in cells
	Name     string // the name of the command, such as "heed check"
	Status   int
	Log      *slog.Logger // gets the texts of Notice and Complain; nil: Err gets them

	noticeMu    sync.Mutex // needed because several goroutines print notices
	Screen      *screen
	noticedKeys sync.Map
}

func New(stdin io.Reader, stdout, stderr io.Writer) *Terminal {
	s := &screen{On: stderr}
	return &Terminal{
		In:       stdin,
		Out:      bufio.NewWriterSize(s.writerAbove(stdout, false), 64<<10),
		Err:      s.writerAbove(stderr, true),
		Screen:   s,
		Tty:      isTerminal(stdout),
		Width:    WidthOf(stdout),
		ErrTTY:   isTerminal(stderr) && os.Getenv("TERM") != "dumb",
		errWidth: WidthOf(stderr),
		Name:     "heed",
	}
}

// Flush writes the text in Out.
func (t *Terminal) Flush() error {
	if err := t.Out.Flush(); err != nil {
		return fmt.Errorf("cannot write to standard output: %w", err)
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// WidthOf returns the cells of a line: $COLUMNS, or the width of the terminal, or 80.
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

// Complain prints an error about one input and sets the exit status. The run may continue with other inputs.
func (a *Terminal) Complain(err error) {
	status := exit.Usage
	if errors.Is(err, ErrInterrupted) || errors.Is(err, saved.ErrNoFile) {
		status = exit.Undetermined
	}
	a.Raise(status)
	a.notice(slog.LevelError, ErrorText(err))
}

// If a file is missing, ErrorText returns the same text in all commands. ErrorText hides passwords in URLs. A
// mistyped URL of a store looks like the name of a file, and may have a password.
func ErrorText(err error) string {
	text := err.Error()
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && errors.Is(missing, fs.ErrNotExist) {
		text = strings.Replace(text, missing.Error(), missing.Path+": "+saved.NoSuchFile, 1)
	}
	if strings.Contains(text, "@") {
		text = password().ReplaceAllStringFunc(text, func(found string) string {
			if strings.HasSuffix(found, ":password@") { // an example
				return found
			}
			return found[:strings.IndexByte(found, ':')+1] + "***@"
		})
	}
	return text
}

var password = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(/[^\s/@:]*:|rediss?:)[^\s/@]+@`) })

// ErrInterrupted means that the user stopped the command.
var ErrInterrupted = errors.New("heed was interrupted before the end of its work: run it again")

// The context ends at Ctrl-C or SIGTERM. After that, a second signal ends the process immediately.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Notice prints a text to standard error, or to a.Log if it is not nil.
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
		text = layout.Wrap(text, min(a.errWidth, maxTextWidth), 2)
	}
	fmt.Fprintln(a.Err, text)
}

// NoticeSamples prints what was found, for example "9 lines rejected; the first 5:". Then it prints the samples. If
// count is 0, NoticeSamples prints nothing.
func (a *Terminal) NoticeSamples(found string, count int64, samples []string) {
	switch {
	case count == 0:
		return
	case int64(len(samples)) < count:
		found += fmt.Sprintf("; the first %d", len(samples))
	}
	a.Notice(found + ":")
	for _, sample := range samples {
		a.Notice("  " + sample)
	}
}

func (a *Terminal) NoticeOnce(key, text string) {
	if _, told := a.noticedKeys.LoadOrStore(key, true); !told {
		a.Notice(text)
	}
}

// Raise sets the exit status, unless the current one is more severe.
func (a *Terminal) Raise(status int) { a.Status = exit.Worse(a.Status, status) }

// OpenInput opens a file, or standard input for "-".
func (a *Terminal) OpenInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.In), nil
	}
	return os.Open(name)
}

// A line of text has at most maxTextWidth cells, because longer lines are hard to read. Tables and lines of files may
// be as wide as the terminal. On a very narrow terminal, a line of text may still have MinTextWidth cells.
const (
	maxTextWidth = 100
	MinTextWidth = 30
)

func (a *Terminal) TextWidth() int { return min(max(a.Width, MinTextWidth), maxTextWidth) }

// FitAfter is Fit for a text after another text. The parameter used is the number of cells that the other text takes.
func (a *Terminal) FitAfter(text string, used int) string {
	return a.Fit(text, max(a.Width-used, MinCells))
}

// In PrintAfter, all lines after the first are indented by the width of the prefix plus extraIndent.
func (a *Terminal) PrintAfter(prefix, text string, extraIndent int) {
	fmt.Fprintf(a.Out, "%s%s\n", prefix, layout.Wrap(text, a.TextWidth(), layout.Width(prefix)+extraIndent))
}

// In PrintPaintedAfter, each line has its own escape sequences, because a pager may begin at any line.
func (a *Terminal) PrintPaintedAfter(colour, prefix, text string, extraIndent int) {
	indent := layout.Width(prefix) + extraIndent
	for i, line := range strings.Split(layout.Wrap(text, a.TextWidth(), indent), "\n") {
		if i > 0 {
			prefix, line = strings.Repeat(" ", indent), line[indent:]
		}
		fmt.Fprintf(a.Out, "%s%s\n", prefix, a.Paint(colour, line))
	}
}

// MinCells is how many cells of a text are shown even on a very narrow terminal.
const MinCells = 10

// FlushingWriter is a writer that flushes its buffer after each Write.
type FlushingWriter struct{ *bufio.Writer }

func (f FlushingWriter) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if err == nil {
		err = f.Flush()
	}
	return n, err
}

func (f FlushingWriter) Close() error { return f.Flush() }

func TrimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// PrintableLine removes the line end and characters that could control a terminal. It keeps tabs.
func PrintableLine(s string) string { return printable.Line(TrimEnd(s)) }

// GroupBy puts elements with the same key into one set, in the order of the list.
func GroupBy[T any, K comparable](list []T, key func(T) K) (sets [][]T) {
	indexes := map[K]int{}
	for _, each := range list {
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
