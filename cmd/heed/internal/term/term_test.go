package term

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// The exit status is the most severe one of all answers. From the least to the most severe
// they are 0, 1, 3, 2.
func TestStatusIsMostSevere(t *testing.T) {
	allow := robotstxt.Decision{Allowed: true, Reason: robotstxt.NoGroup}
	deny := robotstxt.Decision{Reason: robotstxt.ByRule}
	down := robotstxt.Decision{Reason: robotstxt.Unreachable}
	bad := robotstxt.Decision{Reason: robotstxt.InvalidTarget}
	for _, c := range []struct {
		decisions []robotstxt.Decision
		want      int
	}{
		{nil, exit.Allowed},
		{[]robotstxt.Decision{allow, allow}, exit.Allowed},
		{[]robotstxt.Decision{allow, deny, allow}, exit.Disallowed},
		{[]robotstxt.Decision{deny, down, deny}, exit.Undetermined},
		{[]robotstxt.Decision{bad, down, allow}, exit.Usage},
		{[]robotstxt.Decision{{}}, exit.Undetermined},
	} {
		a := &Terminal{}
		for _, d := range c.decisions {
			a.Raise(exit.ForDecision(d))
		}
		if a.Status != c.want {
			t.Errorf("%+v: exit status %d, want %d", c.decisions, a.Status, c.want)
		}
	}
}

// JSON contains no bytes of a remote file that could steer a terminal.
// A mistyped URL of a store is taken for the name of a file.
func TestErrorsHidePasswords(t *testing.T) {
	for text, want := range map[string]string{
		"redis:/u:secret@127.0.0.1:1: no file": "redis:/u:***@127.0.0.1:1: no file",
		" valkey://:secret@h":                  " valkey://:***@h",
		"valkey://u:two:parts@h":               "valkey://u:***@h",
		"redis:secret@h":                       "redis:***@h",
		"a/shop.example@2019-07.txt: 5:6":      "a/shop.example@2019-07.txt: 5:6",
		`C:\Users\me@work\robots.txt`:          `C:\Users\me@work\robots.txt`,
	} {
		if got := ErrorText(errors.New(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestJSONIsPrintable(t *testing.T) {
	got := string(Marshal(report.AnswerOf("/\x1b\u009b\u202e\U000e0041<\xff", robotstxt.Decision{})))
	want := `{"url":"/\u001b\u009b\u202e\udb40\udc41<` + "\ufffd" + `","url_b64":"LxvCm+KArvOggYE8/w==","allowed":false,"reason":"undecided"}`
	if got != want {
		t.Errorf("JSON\n got %s\nwant %s", got, want)
	}
}

// Each line of a remark sets and resets its colour, because a pager can begin at any line.
func TestColourEndsWithTheLine(t *testing.T) {
	var out bytes.Buffer
	a := &Terminal{Out: bufio.NewWriter(&out), Width: 30, Colour: true}
	a.PrintPaintedAfter(Faint, "  ", "^ one two three four five six seven", 2)
	a.Out.Flush()
	if got, want := out.String(), "  \x1b[2m^ one two three four five\x1b[0m\n    \x1b[2msix seven\x1b[0m\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A narrow terminal shows a long pattern without its middle. A pipe gets the whole pattern.
func TestLongPatternsLoseTheirMiddle(t *testing.T) {
	a := &Terminal{Out: nil, Err: io.Discard, Width: 40}
	const long = "/products/shoes/and/other/things/of/all/sizes.html"
	if got := a.FitAfter(long, 21); got != long {
		t.Errorf("in a pipe: %s", got)
	}
	a.Tty = true
	if got := a.FitAfter(long, 21); got != "/products…izes.html" {
		t.Errorf("on a terminal: %s", got)
	}
	if got := a.FitAfter(long, 40); got != "/prod…html" {
		t.Errorf("on one without room: %s", got)
	}
}

// The line of progress is erased before output is written to the terminal. It is not drawn
// while the output ends in the middle of a line.
func TestProgressIsErasedBeforeOutput(t *testing.T) {
	t.Setenv("COLUMNS", "30")
	const erased = "\x1b[2K\r"
	var tty bytes.Buffer
	s := &screen{On: &tty}
	rows := &aboveLine{screen: s, w: &tty, tty: true}
	s.draw("checks https://www.example.com/, 3 s\x1b[31m")
	drawn := tty.String()
	if !strings.Contains(drawn, "checks https:… 3 s") || strings.Contains(drawn, "\x1b[31m") || strings.Contains(drawn, "\n") {
		t.Errorf("drew %q", drawn)
	}
	tty.Reset()
	rows.Write([]byte("half a "))
	s.draw("no")
	rows.Write([]byte("line\n"))
	if got := tty.String(); got != erased+"half a line\n" {
		t.Errorf("wrote %q", got)
	}
	tty.Reset()
	s.draw("yes")
	s.draw("")
	s.draw("")
	if got := tty.String(); !strings.Contains(got, "yes") || !strings.HasSuffix(got, erased) || strings.Count(got, erased) != 1 {
		t.Errorf("drew and erased %q", got)
	}
}

// A blank line is between messages and the first output, but not between later ones.
func TestOutputIsApartFromMessages(t *testing.T) {
	var tty bytes.Buffer
	s := &screen{On: &tty}
	rows, messages := &aboveLine{s, &tty, true, false}, &aboveLine{s, &tty, true, true}
	for _, w := range []io.Writer{messages, messages, rows, rows, messages, rows} {
		io.WriteString(w, "x\n")
	}
	if got := tty.String(); got != "x\nx\n\nx\nx\nx\nx\n" {
		t.Errorf("wrote %q", got)
	}
}

// A short run shows no progress. A long run shows it, and erases it at the end.
func TestProgressIsShownForLongRun(t *testing.T) {
	portion.Skip(t, 4)
	var tty bytes.Buffer
	a := &Terminal{ErrTTY: true, Screen: &screen{On: &tty}}
	a.ShowProgress(func(time.Duration) string { return "too early" })()
	if tty.Len() > 0 {
		t.Errorf("drew %q", tty.String())
	}
	stop := a.ShowProgress(func(elapsed time.Duration) string { return "waiting " + Seconds(elapsed) })
	time.Sleep(progressDelay + 3*progressInterval/2)
	stop()
	if got := tty.String(); !strings.Contains(got, "waiting 1 s") || !strings.HasSuffix(got, "\x1b[2K\r") {
		t.Errorf("drew %q", got)
	}
	a.ErrTTY = false
	a.ShowProgress(func(time.Duration) string { t.Error("progress without a terminal"); return "" })()
}
