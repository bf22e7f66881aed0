package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

// The line of progress is erased before output is written to the terminal. It is not drawn
// while the output ends in the middle of a line.
func TestProgressIsErasedBeforeOutput(t *testing.T) {
	t.Setenv("COLUMNS", "30")
	const erased = "\x1b[2K\r"
	var tty bytes.Buffer
	s := &screen{on: &tty}
	rows := &aboveLine{s, &tty, true}
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

// A short run shows no progress. A long run shows it, and erases it at the end.
func TestProgressIsShownForLongRun(t *testing.T) {
	var tty bytes.Buffer
	a := &app{errTTY: true, screen: &screen{on: &tty}}
	a.showProgress(func(time.Duration) string { return "too early" })()
	if tty.Len() > 0 {
		t.Errorf("drew %q", tty.String())
	}
	stop := a.showProgress(func(elapsed time.Duration) string { return "waiting " + seconds(elapsed) })
	time.Sleep(progressDelay + 3*progressInterval/2)
	stop()
	if got := tty.String(); !strings.Contains(got, "waiting 1 s") || !strings.HasSuffix(got, "\x1b[2K\r") {
		t.Errorf("drew %q", got)
	}
	a.errTTY = false
	a.showProgress(func(time.Duration) string { t.Error("progress without a terminal"); return "" })()
}

// While heed check waits for input, it shows no progress. While it waits for one site, it
// shows that site, and otherwise how many URLs and sites are done.
func TestProgressOfCheck(t *testing.T) {
	o := &check{total: 3}
	if got := o.progress(2 * time.Second); got != "" {
		t.Errorf("waiting for input: %q", got)
	}
	first, _ := origin.Parse("https://a.example/x")
	second, _ := origin.Parse("https://b.example/")
	end := o.live.waits.begin(first)
	endSecond := o.live.waits.begin(first)
	if got := o.progress(3 * time.Second); got != "retrieving from https://a.example, 3 s" {
		t.Errorf("waiting for one site: %q", got)
	}
	end()
	o.live.waits.begin(second)
	o.live.retrieved.Add(7)
	o.live.failing.Add(2)
	o.done.Add(2)
	if got := o.progress(time.Second); got != "2 of 3 URLs answered, 2/s, 7 sites retrieved, 2 failing, 1 s" {
		t.Errorf("waiting for several sites: %q", got)
	}
	endSecond()
	if got := o.progress(10 * time.Second); got != "2 of 3 URLs answered, retrieving from https://b.example, 10 s" {
		t.Errorf("waiting for the last site: %q", got)
	}
	o.robots, o.total = "robots.txt", 0
	o.done.Add(1998)
	if got := o.progress(4 * time.Second); got != "2000 URLs answered, 500/s, 4 s" {
		t.Errorf("checking with a file: %q", got)
	}
}
