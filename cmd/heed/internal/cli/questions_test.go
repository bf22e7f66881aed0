package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/robotstxt"
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
	if got := <-status; got != exitDisallowed {
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
	if got := <-status; got != exitAllowed {
		t.Errorf("exit status %d", got)
	}
}

// If nobody reads the answers, heed stops reading questions at a limit.
func TestSlowReaderStopsQuestions(t *testing.T) {
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
	if waiting := maxWaiting / len(long); last < waiting || last > 3*waiting {
		t.Errorf("%d questions were read, want %d and some more", last, waiting)
	}
	expect(t, out, 0, count)
	if got := <-status; got != exitAllowed {
		t.Errorf("exit status %d", got)
	}
}

// A question that is too long gets an error with the number of its line, and the questions
// before and after it get answers. A robots.txt in a question may be longer than a URL.
func TestLongQuestionIsAnError(t *testing.T) {
	in, out, status := coprocess(t)
	go func() {
		io.WriteString(in, lineOf(0, "User-agent: *\nDisallow: /"))
		fmt.Fprintf(in, `{"url": "/%s"}`+"\n", strings.Repeat("x", 3*maxQuestion))
		io.WriteString(in, lineOf(1, strings.Repeat("#\n", maxQuestion/8)))
		in.Close()
	}()
	expect(t, out, 0, 1)
	if line, _ := out.ReadString('\n'); !strings.Contains(line, `"error":"standard input, line 2: longer than 8388608 bytes, skipped"`) {
		t.Error(line)
	}
	expect(t, out, 1, 1)
	if got := <-status; got != exitUsage {
		t.Errorf("exit status %d", got)
	}
}

// fileOf returns the robots.txt of a path.
func fileOf(t *testing.T, r *robotsFiles, path string, now time.Time) *robotsFile {
	t.Helper()
	return r.get(fileKey{kind: namedFile, text: path, dialect: robotstxt.RFC9309}, now)
}

func write(t *testing.T, path, body string, modified time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// A file is read once. After a second it is read again if it has changed, if it is gone, or if
// it was modified shortly before it was read.
func TestChangedFileIsReadAgain(t *testing.T) {
	var r robotsFiles
	path := filepath.Join(t.TempDir(), "robots.txt")
	now := time.Now()
	old := now.Add(-time.Hour)
	write(t, path, "# one", old)
	first := fileOf(t, &r, path, now)
	if first.err != nil || first != fileOf(t, &r, path, now.Add(statInterval-1)) || first != fileOf(t, &r, path, now.Add(statInterval)) {
		t.Errorf("a file that does not change is read twice: %v", first.err)
	}
	write(t, path, "# two!", old)
	if first != fileOf(t, &r, path, now.Add(2*statInterval-1)) {
		t.Error("a file is read twice within a second")
	}
	second := fileOf(t, &r, path, now.Add(2*statInterval))
	if second == first {
		t.Error("a file with another size is not read again")
	}
	write(t, path, "# tri!", time.Now())
	third := fileOf(t, &r, path, now.Add(3*statInterval))
	if third == second || fileOf(t, &r, path, now.Add(4*statInterval)) == third {
		t.Error("a file that was just modified is not read again")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if gone := fileOf(t, &r, path, now.Add(6*statInterval)); gone.err == nil || gone != fileOf(t, &r, path, now.Add(8*statInterval)) {
		t.Errorf("a file that is gone: %v", gone.err)
	}
	write(t, path, "# back", old)
	if back := fileOf(t, &r, path, now.Add(10*statInterval)); back.err != nil {
		t.Error(back.err)
	}
}

// The memory of robotsFiles has a limit. The most recently used file stays, even if it alone
// is larger.
func TestFilesAreEvicted(t *testing.T) {
	r := robotsFiles{maxBytes: 1 << 20}
	key := func(i int) fileKey {
		return fileKey{kind: inText, text: fmt.Sprintf(`"# %d %s"`, i, strings.Repeat("x", 50_000)), dialect: robotstxt.RFC9309}
	}
	now := time.Now()
	kept := r.get(key(0), now)
	for i := range 100 {
		r.get(key(i), now)
		if kept != r.get(key(0), now) {
			t.Fatalf("the most recently used file is gone after %d", i)
		}
	}
	if n := r.order.Len(); r.bytes > r.maxBytes || n < 5 || n > 20 || len(r.byKey) != n {
		t.Errorf("%d files of %d bytes, want at most %d", n, r.bytes, r.maxBytes)
	}
	for i := range 1000 {
		if _, err := r.crawler(kept, fmt.Sprintf(`"agent%s"`, strings.Repeat("a", i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept.crawlers) > 256 {
		t.Errorf("%d crawlers are kept", len(kept.crawlers))
	}
	r.get(fileKey{kind: inText, text: `"` + strings.Repeat("x", 2<<20) + `"`, dialect: robotstxt.RFC9309}, now)
	if r.order.Len() != 1 {
		t.Errorf("%d files next to one that is too large", r.order.Len()-1)
	}
}

// Several goroutines get the same file. It is parsed once.
func TestFileIsParsedOnce(t *testing.T) {
	var r robotsFiles
	var got [8]*robotsFile
	done := make(chan bool)
	for i := range got {
		go func() {
			got[i] = r.get(fileKey{kind: inText, text: `"User-agent: *\nDisallow: /"`, dialect: robotstxt.RFC9309}, time.Now())
			for range 100 {
				if c, err := r.crawler(got[i], `["a","b"]`); err != nil || c.policy.Check("/").Allowed {
					t.Errorf("%v", err)
				}
				runtime.Gosched()
			}
			done <- true
		}()
	}
	for range got {
		<-done
	}
	for _, f := range got {
		if f != got[0] {
			t.Error("parsed twice")
		}
	}
}

// hostFiles returns the file names for a host, and findByHost takes a host of any length.
func TestHostFiles(t *testing.T) {
	for _, c := range []struct {
		host string
		port uint16
		want string
	}{
		{"a.example", 0, "a.example a.example.txt a.example/robots.txt"},
		{"[::1]", 81, "[::1]:81 [::1]:81.txt [::1]:81/robots.txt [::1] [::1].txt [::1]/robots.txt"},
	} {
		if got := filepath.ToSlash(strings.Join(hostFiles(c.host, c.port), " ")); got != c.want {
			t.Errorf("%s %d: %s", c.host, c.port, got)
		}
	}
	long := strings.Repeat(strings.Repeat("a", 63)+".", 4)[:253]
	if _, err := findByHost(t.TempDir(), long, 0); err == nil || !strings.Contains(err.Error(), "no robots.txt of the host") {
		t.Errorf("a long host: %v", err)
	}
}
