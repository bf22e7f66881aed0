package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// coprocess runs heed check --input jsonl in the background. It returns its standard input, its
// standard output, and a channel for its exit status.
func coprocess(t *testing.T, args ...string) (in io.WriteCloser, out *bufio.Reader, status chan int) {
	t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	end := func() { stdin.Close(); in.Close(); answers.Close(); stdout.Close() }
	t.Cleanup(end)
	stuck := time.AfterFunc(time.Minute, end) // heed and the test may wait for each other
	t.Cleanup(func() { stuck.Stop() })
	status = make(chan int, 1)
	go func() {
		status <- Run(append([]string{"check", "--input", "jsonl"}, args...), stdin, stdout, io.Discard)
		stdout.Close()
	}()
	return in, bufio.NewReader(answers), status
}

func lineOf(id int, robots string) string {
	return fmt.Sprintf(`{"url": "/x", "agent": "a", "robots": %q, "id": %d}`+"\n", robots, id)
}

// expect reads count answers and checks their ids, which begin with first.
func expect(t *testing.T, out *bufio.Reader, first, count int) {
	t.Helper()
	for id := first; id < first+count; id++ {
		line, err := out.ReadString('\n')
		if err != nil || !strings.HasSuffix(line, fmt.Sprintf(`"id":%d}`+"\n", id)) {
			t.Fatalf("answer %d: %v: %s", id, err, line)
		}
	}
}

// heed answers a question before it reads the next one. And a program can write thousands of
// questions, more than the pipes hold, before it reads the first answer.
func TestCoprocessAnswersAtOnce(t *testing.T) {
	in, out, status := coprocess(t)
	next := 0
	for range 50 {
		io.WriteString(in, lineOf(next, "User-agent: *\nDisallow: /"))
		expect(t, out, next, 1)
		next++
	}
	const batch = 20_000
	for range 3 {
		var all strings.Builder
		for i := range batch {
			all.WriteString(lineOf(next+i, fmt.Sprint("# ", i%7)))
		}
		if _, err := io.WriteString(in, all.String()); err != nil {
			t.Fatal(err)
		}
		expect(t, out, next, batch)
		next += batch
	}
	in.Close()
	if got := <-status; got != exit.Disallowed {
		t.Errorf("exit status %d", got)
	}
}

// An answer that is known is printed at once, also if many later questions wait for slow
// sites.
func TestSlowSitesDelayNoEarlierAnswer(t *testing.T) {
	release := make(chan bool)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer slow.Close()
	fast := httptest.NewServer(http.NotFoundHandler())
	defer fast.Close()
	in, out, status := coprocess(t, "-a", "a", "--allow-private", "--store", t.TempDir())
	const waiting = 200
	all := lineOf(0, "") + fmt.Sprintf(`{"url": "%s/", "id": 1}`+"\n", fast.URL)
	for i := range waiting {
		all += fmt.Sprintf(`{"url": "%s/", "id": %d}`+"\n", slow.URL, 2+i)
	}
	io.WriteString(in, all+lineOf(2+waiting, ""))
	in.Close()
	expect(t, out, 0, 2)
	close(release)
	expect(t, out, 2, waiting+1)
	if got := <-status; got != exit.Allowed {
		t.Errorf("exit status %d", got)
	}
}

// If nobody reads the answers, heed stops reading questions at a limit.
func TestSlowReaderStopsQuestions(t *testing.T) {
	portion.Skip(t, 4)
	in, out, status := coprocess(t)
	written := make(chan int, 1000)
	const count = 400
	long := strings.Repeat("x", 200_000)
	go func() {
		for i := range count {
			fmt.Fprintf(in, `{"url": "/x", "agent": "a", "robots": "", "more": %q, "id": %d}`+"\n", long, i)
			written <- i
		}
		in.Close()
	}()
	last := -1
	for stopped := false; !stopped; {
		select {
		case last = <-written:
		case <-time.After(500 * time.Millisecond):
			stopped = true
		}
	}
	const maxUnread = 16 << 20
	if waiting := maxUnread / len(long); last < waiting || last > 3*waiting {
		t.Errorf("%d questions were read, want %d and some more", last, waiting)
	}
	expect(t, out, 0, count)
	if got := <-status; got != exit.Allowed {
		t.Errorf("exit status %d", got)
	}
}

// A question that is too long gets an error with the number of its line, and the questions
// before and after it get answers. A robots.txt in a question may be longer than a URL.
func TestLongQuestionIsAnError(t *testing.T) {
	portion.Skip(t, 4)
	in, out, status := coprocess(t)
	go func() {
		io.WriteString(in, lineOf(0, "User-agent: *\nDisallow: /"))
		fmt.Fprintf(in, `{"url": "/%s"}`+"\n", strings.Repeat("x", saved.MaxLine))
		io.WriteString(in, lineOf(1, strings.Repeat("#\n", 1<<20)))
		in.Close()
	}()
	expect(t, out, 0, 1)
	if line, _ := out.ReadString('\n'); !strings.Contains(line, `"error":"standard input, line 2: the line is longer than 67108864 bytes; expected a shorter line"`) {
		t.Error(line)
	}
	expect(t, out, 1, 1)
	if got := <-status; got != exit.Usage {
		t.Errorf("exit status %d", got)
	}
}
