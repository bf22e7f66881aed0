package questions

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// sites are the sites of a test: each has the same robots.txt.
type sites struct {
	cache *cache.Cache
	asked []time.Duration // the MaxWait of each question
}

func (s *sites) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n"), End: time.Now()}, nil
}

func (s *sites) Target(url string) (site origin.Origin, target string, err error) {
	site, err = origin.Parse(url)
	return site, url, err
}

func (s *sites) Site(ctx context.Context, a *Ask) (*cache.Site, bool, error) {
	s.asked = append(s.asked, a.MaxWait)
	if strings.Contains(a.Site.Host(), "denied") {
		return nil, false, errors.New("this host may not be asked about")
	}
	site, err := s.cache.Site(ctx, a.Site)
	return site, strings.Contains(a.Site.Host(), "slow"), err
}

// served returns Settings as a server has them.
func served(t *testing.T) (*Settings, *sites) {
	t.Helper()
	s := &sites{}
	s.cache = &cache.Cache{Fetcher: s}
	t.Cleanup(func() { s.cache.Close() })
	return &Settings{
		Dialect: robotstxt.RFC9309,
		Files:   &robotsfiles.Files{Heed: "v1.2.3"},
		Sites:   s,
		Jobs:    1,
		NoFiles: true,
		MaxWait: true,
		Request: "r\"1",
		Words:   PlainWords,
	}, s
}

func answersTo(t *testing.T, s *Settings, lines ...string) ([]string, Summary) {
	t.Helper()
	var out bytes.Buffer
	sum, err := s.Answer(context.Background(), strings.NewReader(strings.Join(lines, "\n")), "the body", bufio.NewWriter(&out))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), sum
}

// Each answer about a site names a provenance, and the first answer that does so has it. An
// answer about a robots.txt in a question has its own. Each answer has the id of its decision.
func TestProvenance(t *testing.T) {
	s, _ := served(t)
	const robots = `"robots":"User-agent: *\nDisallow: /x\n"`
	rows, sum := answersTo(t, s,
		`{"url":"https://a.example/x","agent":"Bot","id":1}`, ``,
		`{"url":"https://b.example/y","agent":"Bot","id":2}`,
		`{"url":"/x","agent":"Bot",`+robots+`,"id":3}`,
		`{"url":"https://a.example/y","agent":"Bot","provenance":"old","provenance_id":"old","decision":"old","id":4}`,
		`{"url":"nowhere","agent":"Bot","id":5}`)
	type row struct {
		ID, Number   any
		Allowed      bool
		Decision     string
		ProvenanceID string `json:"provenance_id"`
		Provenance   *live.Provenance
		Error        string
	}
	var got []row
	for _, text := range rows {
		var r row
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		got = append(got, r)
	}
	if len(got) != 5 || sum.Failed != 1 {
		t.Fatalf("%d rows, %d failed: %s", len(got), sum.Failed, rows)
	}
	first, second, file, again, wrong := got[0], got[1], got[2], got[3], got[4]
	switch p := first.Provenance; {
	case p == nil || p.ID != first.ProvenanceID || len(p.ID) != 22 || p.Origin != "https://a.example" || p.Fetched.IsZero() || p.Dialect != "rfc9309" || p.Heed != "v1.2.3":
		t.Errorf("the first row: %s", rows[0])
	case second.Provenance == nil || second.Provenance.SHA256 != p.SHA256 || second.ProvenanceID == p.ID:
		t.Errorf("another site: %s", rows[1])
	case file.Provenance == nil || file.ProvenanceID != "" || *file.Provenance != live.Provenance{SHA256: p.SHA256, Dialect: "rfc9309", Heed: "v1.2.3"}:
		t.Errorf("a file: %s", rows[2])
	case again.Provenance != nil || again.ProvenanceID != p.ID || strings.Contains(rows[3], "old"):
		t.Errorf("the first site again: %s", rows[3])
	case wrong.Provenance != nil || wrong.ProvenanceID != "" || wrong.Error == "":
		t.Errorf("an error: %s", rows[4])
	}
	for i, line := range []int{1, 3, 4, 5, 6} {
		if want := fmt.Sprintf(`r"1.%d`, line); got[i].Decision != want {
			t.Errorf("row %d has the decision %q, want %q", i, got[i].Decision, want)
		}
	}
}

// The ids that a stream remembers are limited. Then a provenance comes again.
func TestProvenanceComesAgain(t *testing.T) {
	s, _ := served(t)
	st := &stream{Settings: s, writtenIDs: map[string]bool{}}
	for i := range maxSent {
		if !st.isNew(fmt.Sprint(i)) || st.isNew(fmt.Sprint(i)) {
			t.Fatalf("id %d", i)
		}
	}
	if !st.isNew("more") || !st.isNew("0") || len(st.writtenIDs) != 2 {
		t.Errorf("%d ids are remembered", len(st.writtenIDs))
	}
}

// A server reads no files for its clients. It gets max_wait, and its errors become answers.
func TestServerSettings(t *testing.T) {
	s, asked := served(t)
	rows, _ := answersTo(t, s,
		`{"url":"/x","agent":"Bot","robots_file":"/etc/passwd"}`,
		`{"url":"https://denied.example/","agent":"Bot"}`,
		`{"url":"https://a.example/","agent":"Bot","max_wait":"200ms"}`,
		`{"url":"https://a.example/","agent":"Bot","max_wait":"0s"}`,
		`{"url":"https://a.example/","agent":"Bot","max_wait":"-1s"}`,
		`{"url":"https://a.example/","agent":"Bot","max_wait":5}`,
		`{"url":"https://a.example/"}`,
		`{"url":"https://a.example/","agent":"Bot","max_wait":"1s","max_wait":"1s"}`)
	for i, want := range []string{
		`"error":"the body, line 1: \"robots_file\": heed reads no files here: give the text of the robots.txt as \"robots\" or \"robots_b64\""`,
		`"error":"the body, line 2: this host may not be asked about"`,
		`"allowed":true`,
		`"allowed":true`,
		`"error":"the body, line 5: \"max_wait\": \"-1s\": expected a time with its unit, such as 200ms or 2s"`,
		`"error":"the body, line 6: \"max_wait\": expected a JSON string, in quotation marks"`,
		`"error":"the body, line 7: \"agent\" is missing; expected the product token of a crawler, or \"*\" for one without a group"`,
		`"error":"the body, line 8: \"max_wait\" is given twice; give it only once"`,
	} {
		if !strings.Contains(rows[i], want) || strings.Contains(rows[i], `"max_wait":`) {
			t.Errorf("%s, want %s", rows[i], want)
		}
	}
	if got := fmt.Sprint(asked.asked); got != "[0s 200ms 1ns]" {
		t.Errorf("MaxWait: %s", got)
	}
	s.Sites = nil
	if rows, _ = answersTo(t, s, `{"url":"/","agent":"Bot"}`); !strings.Contains(rows[0], `"allowed":false,"reason":"undecided","error":"the body, line 1: \"robots\" is missing; expected the text of a robots.txt"`) {
		t.Errorf("no robots.txt at all: %s", rows[0])
	}
}

// MaxLine limits a question. MaxUnread limits the answers that wait: a slow reader stops the
// reading of questions.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := served(t)
		s.Sites, s.MaxLine, s.MaxUnread = nil, 1000, 10_000
		question := func(more int) string {
			return fmt.Sprintf(`{"url":"/","agent":"Bot","robots":"","more":"%s"}`, strings.Repeat("x", more))
		}
		rows, _ := answersTo(t, s, question(900), question(1000), question(0))
		if !strings.Contains(rows[0], `"allowed":true`) || !strings.Contains(rows[1], "line 2: the line is longer than 1000 bytes; expected a shorter line") || !strings.Contains(rows[2], `"allowed":true`) {
			t.Errorf("%q", rows)
		}
		var read int
		in := readerFunc(func(p []byte) (int, error) {
			read += len(p)
			return copy(p, strings.Repeat(question(900)+"\n", 1+len(p)/900)), nil
		})
		out := &stuckWriter{stuck: make(chan struct{})}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := s.Answer(ctx, in, "the body", out)
			done <- err
		}()
		synctest.Wait() // the answers wait for their reader
		stop()
		close(out.stuck)
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if read > 200_000 {
			t.Errorf("%d bytes of questions were read, although nobody reads the answers", read)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// stuckWriter is a reader of answers that does not read until stuck is closed.
type stuckWriter struct {
	stuck chan struct{}
	err   error
}

func (w *stuckWriter) Write(p []byte) (int, error) { <-w.stuck; return len(p), w.err }
func (w *stuckWriter) Flush() error                { return nil }

// If nobody takes the answers any more, the stream ends with that error.
func TestBrokenOutput(t *testing.T) {
	s, _ := served(t)
	in, questions := io.Pipe()
	defer in.Close()
	go func() {
		for {
			if _, err := io.WriteString(questions, `{"url":"https://a.example/","agent":"Bot"}`+"\n"); err != nil {
				return
			}
		}
	}()
	broken := errors.New("the client is gone")
	if _, err := s.Answer(context.Background(), in, "the body", brokenWriter{broken}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A write that fails while the answers wait for room ends the stream, too.
func TestBrokenOutputOfFullBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the client is gone")
		out := &stuckWriter{stuck: make(chan struct{}), err: broken}
		b := newOutbox(out, 1, nil)
		b.add([]byte("a")) // is being written, or will be
		added := make(chan error)
		go func() {
			for {
				if err := b.add([]byte("b")); err != nil {
					added <- err
					return
				}
			}
		}()
		synctest.Wait() // now add waits
		close(out.stuck)
		if err := <-added; !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}

// A room is a Room with a limit.
type room struct {
	mu        sync.Mutex
	max, used int
}

func (r *room) Take(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used+n > r.max {
		return false
	}
	r.used += n
	return true
}

func (r *room) GiveBack(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

func (r *room) taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// Streams whose clients read nothing share a Room: together they keep no more than it has, and a
// little of each. The others go on, and nothing is lost when the clients read.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streams, answers, piece, most = 10, 60, 32 << 10, 1 << 20
		shared := &room{max: most}
		out := &stuckWriter{stuck: make(chan struct{})}
		var kept atomic.Int64
		ended := make(chan *outbox)
		for range streams {
			b := newOutbox(out, 1<<30, shared)
			go func() {
				for range answers {
					b.add(make([]byte, piece))
					kept.Add(piece)
				}
				b.close()
				ended <- b
			}()
		}
		synctest.Wait() // all streams wait for room
		if n := kept.Load(); n < most || n > most+streams*(2*ownRoom+piece) {
			t.Errorf("%d streams keep %d bytes; want about %d", streams, n, most)
		}
		var read bytes.Buffer
		another := newOutbox(bufio.NewWriter(&read), 1<<30, shared)
		for range answers {
			another.add(make([]byte, piece))
		}
		if another.close(); read.Len() != answers*piece {
			t.Errorf("a client that reads got %d bytes; want %d", read.Len(), answers*piece)
		}
		close(out.stuck)
		for range streams {
			<-ended
		}
		if n := kept.Load(); n != streams*answers*piece {
			t.Errorf("%d bytes were added; want %d", n, streams*answers*piece)
		}
		if n := shared.taken(); n != 0 {
			t.Errorf("%d bytes are still counted", n)
		}
	})
}

// A stream that ends with a broken client gives its room back.
func TestRoomOfBrokenOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &room{max: 1 << 20}
		out := &stuckWriter{stuck: make(chan struct{}), err: errors.New("the client is gone")}
		b := newOutbox(out, 1<<20, shared)
		b.add(make([]byte, ownRoom))
		synctest.Wait()           // the bytes are being written
		b.add(make([]byte, 3000)) // waits
		if n := shared.taken(); n != 3000 {
			t.Errorf("%d bytes are counted; want 3000", n)
		}
		close(out.stuck)
		b.close()
		b.add(make([]byte, 1000))
		if n := shared.taken(); n != 0 {
			t.Errorf("%d bytes are still counted", n)
		}
	})
}

type brokenWriter struct{ error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.error }
func (w brokenWriter) Flush() error              { return nil }

// A member that differs in one letter from a known one is misspelt. Other members are free.
func TestMisspelt(t *testing.T) {
	for key, want := range map[string]string{
		"robot": "robots", "ROBOTS": "robots", "robtos": "robots", "obots": "robots", "robots_flie": "robots_file", "robotsb64": "robots_b64",
		"agents": "agent", "Agent": "agent", "gaent": "agent", "dialekt": "dialect", "url_b46": "url_b64",
		"": "", "id": "", "url2": "", "uri": "", "form": "", "parent": "", "event": "", "http": "", "rooms": "", "é": "", "age": "", "header": "", "htm": "",
	} {
		if want != "" {
			want = `"` + want + `"`
		}
		if got := closestMember(`"` + key + `"`); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// The place of a robots.txt is not its text.
func TestPlaceIsNoText(t *testing.T) {
	for robots, wrong := range map[string]bool{
		`"https://shop.example/robots.txt"`: true, `"/srv/robots.txt\n"`: true, `""`: false, `"Disallow:/robots.txt"`: false,
		`"https:\/\/x.example\/robots.txt"`: true, `"\n https://x.example/robots.txt\r\n"`: true, `"C:\\new\\robots.txt"`: true, `"https://x.example/robots.txt\nUser-agent:*\nDisallow:/"`: false,
	} {
		_, err := (&Settings{}).read(`{"url":"/","agent":"a","robots":` + robots + `}`)
		if (err != nil) != wrong || wrong && !strings.HasPrefix(err.Error(), `"robots": found a URL or a path; expected the text`) {
			t.Errorf("%s: %v", robots, err)
		}
	}
}

// A member that seems to be misspelt is an error only if the question does not have the member that is meant.
func TestMisspeltWithMeant(t *testing.T) {
	for line, want := range map[string]string{
		`{"url":"/","agent":"a","robot":"x"}`:               `unknown member "robot": did you mean "robots"`,
		`{"url":"/","agent":"a","robot":"x","robots":"y"}`:  "",
		`{"robots_b64":"","url":"/","agent":"a","robot":1}`: "",
		`{"url":"/","agents":["a"],"robots":""}`:            `unknown member "agents": did you mean "agent"`,
		`{"url":"/","agents":["a"],"agent":"a"}`:            "",
		`{"url":"/","dialekt":"google"}`:                    `unknown member "dialekt": did you mean "dialect"`,
		`{"url":"/","dialekt":"x","dialect":"google"}`:      "",
		`{"url_b46":"eA=="}`:                                `unknown member "url_b46": did you mean "url_b64"`,
		`{"url_b46":"eA==","url":"/"}`:                      "",
	} {
		_, err := (&Settings{}).read(line)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
