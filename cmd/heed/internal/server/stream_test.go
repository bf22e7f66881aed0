package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// post sends a stream of questions, and returns the status and the lines of the answer.
func post(t *testing.T, url, body string, headers ...string) (response *http.Response, lines []string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err = http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		return response, nil
	}
	return response, strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

// A stream has the rows of "heed check --input jsonl", and their provenance and decisions. Files
// of the server are not read. The parameters of the request are for questions without them.
func TestStream(t *testing.T) {
	m := NewMetrics("v0")
	var log bytes.Buffer
	daemon := start(t, &Server{Metrics: m, Version: "v0", Decisions: slog.New(slog.NewTextHandler(&log, nil))})
	shop := site(t, "User-agent: *\nDisallow: /cart\n")
	response, rows := post(t, daemon+"/v1/check?agent=ExampleBot&dialect=google",
		`{"url":"`+shop+`/cart","id":7}`+"\n\n"+
			`{"url":"`+shop+`/","agent":["Other","Bot"],"dialect":"rfc9309"}`+"\n"+
			`{"url":"/x","robots":"User-agent: *\nDisallow: /x"}`+"\n"+
			`{"url":"/x","robots_file":"/etc/passwd"}`+"\n"+
			`{"url":"http://127.0.0.1:1/"}`+"\n"+
			`{"url":"/x"}`) // no line end
	id := response.Header.Get("Heed-Decision")
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/x-ndjson" || id == "" || len(rows) != 6 {
		t.Fatalf("%v %v", response, rows)
	}
	for i, want := range [][]string{
		{`"allowed":false,"reason":"rule"`, `"agent":"ExampleBot","dialect":"google"`, `"provenance":{"id":`, `"heed":"v0"`, `.1"`, `"id":7}`},
		{`"allowed":true`, `"agent":["Other","Bot"],"dialect":"rfc9309"`, `.3"}`},
		{`"allowed":false,"reason":"rule"`, `"provenance":{"sha256":`, `.4"}`},
		{`"error":"the body, line 5: \"robots_file\": heed reads no files here`, `.5"}`},
		{`"allowed":false,"reason":"unreachable"`, `.6"}`},
		{`"error":"the body, line 7: `, `.7"}`},
	} {
		for _, part := range append(want, `"decision":"`+id+`.`) {
			if !strings.Contains(rows[i], part) {
				t.Errorf("row %d: %s: %s is missing", i, rows[i], part)
			}
		}
	}
	_, text := read(t, daemon+"/metrics")
	for _, want := range []string{
		`heed_answers_total{verdict="allowed"} 1`,
		`heed_answers_total{verdict="disallowed"} 2`,
		`heed_answers_total{verdict="unreachable"} 1`,
		`heed_answers_total{verdict="error"} 2`,
		`heed_http_requests_total{method="POST /v1/check",status="200"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in the metrics", want)
		}
	}
	for _, line := range []int{1, 3, 5, 6, 7} {
		if want := fmt.Sprintf("decision=%s.%d ", id, line); strings.Count(log.String(), want) != 1 {
			t.Errorf("%s is missing in the log: %s", want, log.String())
		}
	}
	if strings.Count(log.String(), "decision=") != 5 {
		t.Errorf("the log has other decisions: %s", log.String())
	}
}

// Bodies that are empty, too long in one line, compressed, or of a known length.
func TestStreamBodies(t *testing.T) {
	daemon := start(t, &Server{})
	const question = `{"url":"/","agent":"Bot","robots":""}` + "\n"
	for name, c := range map[string]struct {
		body, encoding string
		status         int
		want           []string // parts of the rows
	}{
		"empty":           {"", "", 200, nil},
		"no line end":     {question + question[:len(question)-1], "", 200, []string{`"allowed":true`, `"allowed":true`}},
		"a line of 9 MiB": {question + strings.Repeat("x", 9<<20) + "\n" + question, "", 200, []string{`"allowed":true`, `line 2: the line is longer than 1048576 bytes; expected a shorter line`, `"allowed":true`}},
		"gzip":            {"\x1f\x8b", "gzip", 415, []string{`{"error":"the body has the Content-Encoding \"gzip\": send the body without compression"}`}},
		"not JSON":        {"hello\n\x00\xff\n", "", 200, []string{`"error":"the body, line 1:`, `"error":"the body, line 2:`}},
	} {
		t.Run(name, func(t *testing.T) {
			response, rows := post(t, daemon+"/v1/check", c.body, "Content-Encoding", c.encoding)
			if response.StatusCode != c.status || len(rows) != len(c.want) {
				t.Fatalf("%s, %d rows: %.300q", response.Status, len(rows), rows)
			}
			for i, want := range c.want {
				if !strings.Contains(rows[i], want) {
					t.Errorf("row %d: %.300s, want %s", i, rows[i], want)
				}
			}
		})
	}
	for query, want := range map[string]string{"?agents=x": "unknown", "?dialect=x": "unknown", "?max_wait=-1s": "max_wait"} {
		if status, answer := ask(t, "POST", daemon+"/v1/check"+query, question); status != 400 || !strings.Contains(fmt.Sprint(answer), want) {
			t.Errorf("%s: %d %v", query, status, answer)
		}
	}
}

// A client that waits for an answer before it sends the next question gets it at once, though
// the request has not ended. It has the headers before it sends the first one.
func TestStreamFullDuplex(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "User-agent: *\nDisallow: /1\n")
	for name, expect := range map[string]string{"": "", "Expect": "100-continue"} {
		questions, in := io.Pipe()
		r, _ := http.NewRequest("POST", daemon+"/v1/check", questions)
		if name != "" {
			r.Header.Set(name, expect)
		}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		response, err := http.DefaultClient.Do(r.WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(response.Body)
		for i := range 5 {
			for _, question := range []string{`"url":"` + shop + `"`, `"url":"/","robots":""`} {
				fmt.Fprintf(in, `{"agent":"Bot","id":%d,%s}`+"\n", i, question)
				if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, fmt.Sprintf(`"id":%d}`, i)) {
					t.Fatalf("%q: question %d: %s %v", name, i, line, err)
				}
			}
		}
		in.Close()
		if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
			t.Errorf("after the end: %q, %v", rest, err)
		}
		response.Body.Close()
	}
}

// hasty are limits that a test need not wait for.
func hasty() *streamLimits {
	l := defaultStreamLimits
	l.maxUnread, l.maxStuck, l.maxDrain = 1<<20, 400*time.Millisecond, 5*time.Second
	return &l
}

// many returns a body of n questions, each 100 bytes long.
func many(n int) string {
	question := `{"agent":"Bot","robots":"User-agent: *\nDisallow: /x\n","url":"/`
	question += strings.Repeat("p", 100-len(question)-3) + "\"}\n"
	return strings.Repeat(question, n)
}

// A client that sends all its questions before it reads an answer gets its answers if there is
// room for them, and else the first of them, then an error. It never hangs.
func TestStreamSendsFirst(t *testing.T) {
	portion.Skip(t, 4)
	daemon := start(t, &Server{stream: hasty()})
	for _, c := range []struct {
		n     int
		whole bool
	}{{3_000, true}, {200_000, false}} {
		for _, isChunked := range []bool{false, true} {
			began := time.Now()
			lines := sendFirst(t, daemon, many(c.n), isChunked)
			last := lines[len(lines)-1]
			switch {
			case c.whole && (len(lines) != c.n || strings.Contains(last, "error")):
				t.Errorf("%d questions: %d answers, the last is %s", c.n, len(lines), last)
			case !c.whole && (len(lines) < 3_000 || len(lines) >= c.n || last != `{"error":"`+errUnread.Error()+`"}`):
				t.Errorf("%d questions: %d answers, the last is %s", c.n, len(lines), last)
			}
			for i, line := range lines[:len(lines)-1] {
				if !strings.HasPrefix(line, `{"url":"/ppp`) || !strings.Contains(line, fmt.Sprintf(`.%d"}`, i+1)) {
					t.Fatalf("answer %d: %s", i, line)
				}
			}
			t.Logf("%d questions: %d answers in %v", c.n, len(lines), time.Since(began))
		}
	}
}

// sendFirst sends a request, and then reads the response.
func sendFirst(t *testing.T, daemon, body string, isChunked bool) (lines []string) {
	t.Helper()
	c := dial(t, daemon)
	if isChunked {
		fmt.Fprintf(c, "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
		for rest := body; rest != ""; {
			piece := rest[:min(len(rest), 50_000)]
			rest = rest[len(piece):]
			if _, err := fmt.Fprintf(c, "%x\r\n%s\r\n", len(piece), piece); err != nil {
				t.Fatal(err)
			}
		}
		io.WriteString(c, "0\r\n\r\n")
	} else {
		fmt.Fprintf(c, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(body))
		if _, err := io.WriteString(c, body); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("after %d bytes: %v", len(all), err)
	}
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

// streamsEnd waits until no stream is running: nothing of it is left.
func streamsEnd(t *testing.T, daemon string, streams int) {
	t.Helper()
	want := fmt.Sprintf(`heed_http_request_seconds_count{method="POST /v1/check"} %d`+"\n", streams)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, text := read(t, daemon+"/metrics")
		if strings.Contains(text, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not %d streams have ended", streams)
		}
	}
}

// A client that sends without an end and never reads, one that only stops reading, and one that
// dies: their streams end.
func TestStreamBrokenClients(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	l := hasty()
	l.maxDrain, l.maxIdle = 500*time.Millisecond, 2*time.Second
	daemon := start(t, &Server{stream: l})
	var sending sync.WaitGroup
	forever := dial(t, daemon)
	io.WriteString(forever, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n")
	sending.Go(func() {
		for questions, err := many(1000), error(nil); err == nil; {
			_, err = io.WriteString(forever, questions)
		}
	})
	stops := dial(t, daemon)
	body := many(40_000)
	fmt.Fprintf(stops, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2])
	dies := dial(t, daemon)
	fmt.Fprintf(dies, "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n%s\r\n64\r\n{", many(1))
	dies.Close()
	streamsEnd(t, daemon, 3)
	sending.Wait()
}

// Beyond the number of streams, another one gets status 503; when one has ended, it is answered.
func TestStreamsAtATime(t *testing.T) {
	l := defaultStreamLimits
	l.streams = 1
	daemon := start(t, &Server{stream: &l})
	questions, in := io.Pipe()
	first, err := http.Post(daemon+"/v1/check", "", questions)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Body.Close()
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		response, err := http.Post(daemon+"/v1/check", "", strings.NewReader(many(1)))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("status %d, expected %d", response.StatusCode, want)
		}
		in.Close()
		io.Copy(io.Discard, first.Body) // the first stream ends
		time.Sleep(100 * time.Millisecond)
	}
}

// A client that reads slowly is served for longer than any limit of time.
func TestStreamSlowClient(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	l := hasty()
	l.maxStuck = 2 * time.Second // the machine may be busy for some time
	daemon := start(t, &Server{stream: l})
	const n = 30_000
	r, _ := http.NewRequest("POST", daemon+"/v1/check", strings.NewReader(many(n)))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	began, size := time.Now(), 0
	for part, rest := make([]byte, 300<<10), error(nil); rest == nil; {
		time.Sleep(250 * time.Millisecond)
		var m int
		m, rest = io.ReadFull(response.Body, part)
		size += m
		if rest != nil && bytes.Contains(part[:m], []byte(`"error"`)) {
			t.Fatalf("%s, %v", part[:m], rest)
		}
	}
	if took := time.Since(began); size < n*200 || took < 2*l.maxStuck {
		t.Errorf("%d bytes in %v", size, took)
	}
}

// A client that sends nothing for long gets an error, and so does one whose server shuts down.
// All answers come before the error. A question that was not read to its end has no answer.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	l := new(defaultStreamLimits) // a busy machine must not end the stream before the limit that is tested
	l.maxIdle = 3 * time.Second
	for name, c := range map[string]struct {
		server *Server
		leaves bool
		want   string
	}{
		"idle":   {&Server{stream: l}, false, "the client sent no question for 3s: send the next questions in a new request"},
		"leaves": {&Server{}, true, "the server is shutting down; try again later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			daemon := start(t, c.server)
			questions, in := io.Pipe()
			response, err := http.Post(daemon+"/v1/check", "", questions)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			answers := bufio.NewReader(response.Body)
			io.WriteString(in, many(2))
			for range 2 {
				if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"allowed"`) {
					t.Fatal(line, err)
				}
			}
			io.WriteString(in, `{"url":"/half`)
			if c.leaves {
				c.server.Leave(time.Second)
			}
			var last asked.ErrorBody
			if line, err := answers.ReadBytes('\n'); err != nil || json.Unmarshal(line, &last) != nil || last.Error != c.want {
				t.Errorf("%s %v, want %s", line, err, c.want)
			}
			streamsEnd(t, daemon, 1)
		})
	}
}

// When the server shuts down, a client that continues to send questions does not delay this for long, also after an error.
func TestStreamLeavesSoon(t *testing.T) {
	little := gate.DefaultLimits
	little.Memory = streamRoom + longStreamRoom
	for want, s := range map[string]*Server{`{"url":"/pp`: {}, "use all the memory": {Gate: gate.Gate{Limits: &little}}} {
		first := "64\r\n" + many(1) + "\r\n"
		if s.Gate.Limits != nil {
			first = fmt.Sprintf("%x\r\n%s\r\n", 2*longLine, strings.Repeat("#", 2*longLine))
		}
		c := dial(t, start(t, s))
		io.WriteString(c, "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
		go func() {
			for chunk := first; ; chunk = "64\r\n" + many(1) + "\r\n" {
				if _, err := io.WriteString(c, chunk); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		}()
		from := bufio.NewReader(c)
		for line := ""; !strings.Contains(line, want); {
			var err error
			if line, err = from.ReadString('\n'); err != nil {
				t.Fatal(want, err)
			}
		}
		s.Leave(time.Second)
		began := time.Now()
		if io.Copy(io.Discard, from); time.Since(began) > 10*time.Second {
			t.Errorf("%s: the stream ended after %s", want, time.Since(began))
		}
	}
}

// A stream may last much longer than the limits of time, and be larger than that of bodies, as
// long as both sides make progress.
func TestLongStream(t *testing.T) {
	portion.Skip(t, 4)
	short, l := gate.DefaultLimits, hasty()
	short.Body, short.BodyTime, short.WriteTime, l.maxIdle = 10, 2*time.Second, 2*time.Second, 2*time.Second
	daemon := start(t, &Server{stream: l, Gate: gate.Gate{Limits: &short}})
	c := dial(t, daemon)
	io.WriteString(c, "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
	from := bufio.NewReader(c)
	for i := range 15 {
		time.Sleep(300 * time.Millisecond)
		io.WriteString(c, "64\r\n"+many(1)+"\r\n")
		for { // headers, sizes of chunks, and lines
			line, err := from.ReadString('\n')
			if err != nil {
				t.Fatalf("line %d: %v", i, err)
			}
			if strings.HasPrefix(line, `{"url":"/pp`) {
				break
			}
		}
	}
	// Without progress it ends.
	began := time.Now()
	if io.Copy(io.Discard, from); time.Since(began) > 20*time.Second {
		t.Errorf("it lasted %s", time.Since(began))
	}
}

// Other programs: curl sends a file, and Python sends everything before it reads.
func TestStreamOtherClients(t *testing.T) {
	daemon := start(t, &Server{})
	const n = 20_000
	for name, args := range map[string][]string{
		"curl -T -":          {"curl", "-sS", "-T", "-", "-X", "POST", daemon + "/v1/check"},
		"curl --data-binary": {"curl", "-sS", "--data-binary", "@-", daemon + "/v1/check"},
		"Python": {"python3", "-c", `
import http.client, sys
c = http.client.HTTPConnection(sys.argv[1])
c.request("POST", "/v1/check", sys.stdin.buffer.read())
sys.stdout.buffer.write(c.getresponse().read())`, strings.TrimPrefix(daemon, "http://")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skip(err)
			}
			command := exec.Command(args[0], args[1:]...)
			command.Stdin = strings.NewReader(many(n))
			out, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(out, []byte("\n")); lines != n || bytes.Contains(out, []byte(`"error"`)) {
				t.Errorf("%d answers, want %d: %.200s", lines, n, out)
			}
		})
	}
}
