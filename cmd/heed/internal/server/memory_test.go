package server

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A body, an answer, a history and a stream for which there is no memory get 503; a check, which
// holds nothing, is answered. What was refused is given back.
func TestMemoryIsFull(t *testing.T) {
	l := gate.DefaultLimits
	l.Memory = 1 << 20
	s := &Server{Gate: gate.Gate{Limits: &l}}
	daemon, shop := start(t, s), site(t, "User-agent: *\nDisallow: /cart\n")
	half := strings.Repeat("a", 200<<10) // four times that is too much for a client alone
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/lint", `{"robots":"` + half + `"}`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":{"robots":"` + half + `"}}}`},
		{"POST", "/v1/grid", `{"robots":"","agents":["a"],"urls":[""` + strings.Repeat(`,"/a"`, 900) + `]}`},
		{"GET", "/v1/robots?history=true&url=" + shop, ""},
		{"POST", "/v1/check?agent=a", `{"url":"` + shop + `"}`},
	} {
		response := askAsTool(t, c.method, daemon+c.path, c.body)
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		wantsAnswer := c.path == "/v1/grid" // its body and its answer are small enough
		if got := response.StatusCode == 200; got != wantsAnswer || !got && (response.StatusCode != 503 || response.Header.Get("Retry-After") != "2" || !strings.Contains(string(text), "use all the memory")) {
			t.Errorf("%s %s: %d %.200s", c.method, c.path, response.StatusCode, text)
		}
	}
	if status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&url="+shop+"/cart", ""); status != 200 || answer["allowed"] != false {
		t.Errorf("check: %d %v", status, answer)
	}
	waitFor(t, func() bool {
		s.Memory.Mu.Lock()
		defer s.Memory.Mu.Unlock()
		return s.Memory.Taken == 0
	})
}

// A body that is not finished holds what has come of it, until its time is over.
func TestUnfinishedBody(t *testing.T) {
	portion.Skip(t, 4)
	l := gate.DefaultLimits
	l.Memory, l.BodyTime = 1<<20, 3*time.Second
	s := &Server{Gate: gate.Gate{Limits: &l}}
	address := strings.TrimPrefix(start(t, s), "http://")
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/lint HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n{\"robots\":\"%s", address, strings.Repeat("a", 50_000))
	holds := func() int64 {
		s.Memory.Mu.Lock()
		defer s.Memory.Mu.Unlock()
		return s.Memory.Taken
	}
	waitFor(t, func() bool { return holds() == gate.PerBodyByte*50_011 })
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Log(err)
	}
	waitFor(t, func() bool { return holds() == 0 })
}

// A stream holds the memory of long questions if it has one, however it is cut into reads; many short ones
// are none.
func TestLongQuestionsOfStreams(t *testing.T) {
	short, long := strings.Repeat("a", 50)+"\n", strings.Repeat("a", longLine+1)+"\n"
	for name, c := range map[string]struct {
		text string
		long bool
	}{
		"short lines":                   {strings.Repeat(short, 100_000), false},
		"lines of the limit":            {strings.Repeat(long[1:], 10), false},
		"a longer line":                 {long + short, true},
		"much longer lines":             {strings.Repeat(long, 3) + strings.Repeat("a", 3*longLine), true},
		"a longer line between others":  {short + long + short, true},
		"a longer line without its end": {short + long[:longLine+1], true},
	} {
		for _, size := range []int{1000, 10_007, longLine, 256 << 10} {
			b := &streamBody{memory: &gate.HeldBytes{Of: gate.NewMemory(4 * longStreamRoom)}}
			for piece := range slices.Chunk([]byte(c.text), size) {
				if err := b.countLines(piece); err != nil {
					t.Error(err)
				}
			}
			want := int64(0)
			if c.long {
				want = longStreamRoom
			}
			if b.memory.N != want {
				t.Errorf("%s in reads of %d bytes: %d bytes are held, want %d", name, size, b.memory.N, want)
			}
		}
	}
}

// A stream takes more memory when a long question comes; if there is none, it ends with the error.
func TestLongQuestionWithoutMemory(t *testing.T) {
	l := gate.DefaultLimits
	l.Memory = longStreamRoom // a client alone may hold half of it
	daemon := start(t, &Server{Gate: gate.Gate{Limits: &l}})
	short := `{"url":"/x","agent":"a","robots":""}` + "\n"
	_, rows := post(t, daemon+"/v1/check", short+`{"url":"/x","agent":"a","robots":"`+strings.Repeat("#", 2*longLine)+`"}`+"\n"+short)
	last := len(rows) - 1
	if !strings.Contains(rows[last], "use all the memory") || strings.Count(strings.Join(rows, ""), `"allowed":true`) != 1 {
		t.Errorf("the answers are %q", rows)
	}
}

// An answer takes memory too, with a byte of a result of a tool more than others. What is known of a
// site is read with room for its history, which is given back.
func TestMemoryOfAnswers(t *testing.T) {
	const question = `{"robots":"","agent":"a","url":"/x"}`
	shop := site(t, "User-agent: *\nDisallow: /cart\n")
	tool := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":` + question + `}}`
	for _, c := range []struct {
		method, path, body string
		perByte            int // of the answer
	}{
		{"POST", "/v1/explain", question, gate.PerAnswerByte},
		{"POST", "/mcp", tool, gate.PerAnswerByte + gate.PerToolByte},
		{"GET", "/v1/robots?url=" + shop, "", gate.PerAnswerByte},
		{"GET", "/v1/robots?history=true&url=" + shop, "", gate.PerAnswerByte},
	} {
		room := 0
		if strings.Contains(c.path, "history") {
			room = historyRoom
		}
		ask := func(memory int) (status int, text string) {
			l := gate.DefaultLimits
			l.Memory = int64(memory)
			s := &Server{Gate: gate.Gate{Limits: &l}}
			response := askAsTool(t, c.method, start(t, s)+c.path, c.body)
			defer response.Body.Close()
			all, _ := io.ReadAll(response.Body)
			waitFor(t, func() bool {
				s.Memory.Mu.Lock()
				defer s.Memory.Mu.Unlock()
				return s.Memory.Taken == 0
			})
			return response.StatusCode, string(all)
		}
		_, text := ask(1 << 30)
		size := len(text) // about that of the answer; JSON in JSON is longer
		enough := max(room, 2*gate.PerBodyByte*len(c.body)+2*c.perByte*size)
		if status, text := ask(enough); status != 200 || strings.Contains(text, "use all the memory") {
			t.Errorf("%s %s with %d bytes: %d %s", c.method, c.path, enough, status, text)
		}
		little := max(room-1, 2*gate.PerBodyByte*len(c.body)+(c.perByte-1)*size/2)
		if status, text := ask(little); !strings.Contains(text, "use all the memory") {
			t.Errorf("%s %s with %d bytes: %d %s", c.method, c.path, little, status, text)
		}
	}
}

// A URL of more than 64 KiB is an error, however it comes.
func TestLongURLs(t *testing.T) {
	daemon := start(t, &Server{})
	long := "http://127.0.0.1:1/" + strings.Repeat("a", asked.MaxURL)
	const want = "the URL has 65555 bytes; expected at most 65536"
	for path, question := range map[string]string{
		"/v1/explain": `{"agent":"a","robots":"","url":"` + long + `"}`,
		"/v1/turn":    `{"agent":"a","url":"` + long + `"}`,
		"/v1/lint":    `{"url":"` + long + `"}`,
		"/v1/compare": `{"old":{"url":"` + long + `"},"new":{"robots":""}}`,
		"/v1/preview": `{"agent":"a","robots":"","url":"http://127.0.0.1:1/","urls":["` + long + `"]}`,
		"/v1/grid":    `{"agents":["a"],"robots":"","urls":["` + long + `"]}`,
	} {
		if status, answer := ask(t, "POST", daemon+path, question); status != 400 || answer["error"] != want {
			t.Errorf("%s: %d %.200v", path, status, answer["error"])
		}
	}
	b64 := base64.StdEncoding.EncodeToString([]byte(long))
	for _, question := range []string{`{"robots":"","url":"` + long + `"}`, `{"url":"` + long + `"}`, `{"url_b64":"` + b64 + `"}`} {
		response, err := http.Post(daemon+"/v1/check?agent=a", "application/x-ndjson", strings.NewReader(question))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if !strings.Contains(string(text), want) {
			t.Errorf("a stream: %.200s", text)
		}
	}
	if status, answer := ask(t, "POST", daemon+"/v1/explain", `{"agent":"a","robots":"","url":"/`+long[:asked.MaxURL-1]+`"}`); status != 200 {
		t.Errorf("a URL of 64 KiB: %d %.200v", status, answer["error"])
	}
}

// A question of a stream takes little time however slow its robots.txt, its crawler and its URL are, so
// a stream needs no slot.
func TestSlowestQuestion(t *testing.T) {
	daemon := start(t, &Server{})
	crawler := make([]string, 16)
	for i := range crawler {
		crawler[i] = strings.Repeat("a", 500) + strings.Repeat(string(rune('b'+i)), 12)
	}
	files := map[string]string{
		"tokens":  strings.Repeat("User-agent: "+strings.Repeat("a", 200)+"z\n", 500<<10/214) + "Disallow: /\n",
		"letters": strings.Repeat("User-agent: z\n", 500<<10/14) + "Disallow: /\n",
		"stars":   "User-agent: *\nDisallow: /" + strings.Repeat("*a", 250<<10) + "b\n",
		"rules":   "User-agent: *\n" + strings.Repeat("Disallow: /*a*a*b\n", 28_000),
	}
	url := "/" + strings.Repeat("a", asked.MaxURL-1)
	for name, file := range files {
		for _, dialect := range []string{"standard1994", "rfc9309"} {
			question := body(t, map[string]any{"agent": crawler, "dialect": dialect, "url": url, "robots": file})
			began := time.Now()
			response, err := http.Post(daemon+"/v1/check", "application/x-ndjson", strings.NewReader(question+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(response.Body)
			response.Body.Close()
			took := time.Since(began)
			t.Logf("%s, %s: %v", name, dialect, took)
			if took > 10*time.Second || !strings.Contains(string(answer), `"allowed":`) {
				t.Errorf("%s, %s: %v, %.200s", name, dialect, took, answer)
			}
		}
	}
}

// Answers of a stream that its client does not read are part of the one budget.
func TestUnreadAnswersHoldMemory(t *testing.T) {
	l := gate.DefaultLimits
	l.Memory = 8 << 20 // a client alone may hold half of it, and what it takes last
	s := &Server{Gate: gate.Gate{Limits: &l}}
	taken := func() int64 {
		s.Memory.Mu.Lock()
		defer s.Memory.Mu.Unlock()
		return s.Memory.Taken
	}
	c := dial(t, start(t, s))
	body := many(200_000)
	fmt.Fprintf(c, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(body))
	go io.WriteString(c, body)
	waitFor(t, func() bool { return taken() > streamRoom+1<<20 })
	if n := taken(); n > l.Memory*3/4 {
		t.Errorf("one client holds %d bytes of %d", n, l.Memory)
	}
	c.Close()
	waitFor(t, func() bool { return taken() == 0 })
}

// askAsTool sends a request with the headers that POST /mcp needs.
func askAsTool(t *testing.T, method, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}
