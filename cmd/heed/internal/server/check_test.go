package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// A timeline of a slow site. A client that does not wait gets what is known, and never a
// permission if nothing is; its question begins a retrieval, which goes on after it.
func TestMaxWait(t *testing.T) {
	var requests atomic.Int32
	answer := make(chan string)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Cache-Control", "max-age=600")
		select {
		case text := <-answer:
			io.WriteString(w, text)
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	var later atomic.Int64 // how far the clock is set forward
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	caches := NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Dialect: d, Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }}
	})
	defer caches.Close()
	daemon := start(t, &Server{Caches: caches})
	state := func(a map[string]any) string {
		site := a["site"].(map[string]any)
		return fmt.Sprint(a["allowed"], " ", a["reason"], " stale=", site["stale"], " pending=", a["pending"], " ", site["error"])
	}
	check := func(wait string) string {
		_, a := ask(t, "GET", daemon+"/v1/check?agent=Bot&url="+slow.URL+"/x"+wait, "")
		return state(a)
	}
	row := func(wait string) string {
		_, rows := post(t, daemon+"/v1/check?agent=Bot"+wait, `{"url":"`+slow.URL+`/x"}`)
		var a map[string]any
		if err := json.Unmarshal([]byte(rows[0]), &a); err != nil {
			t.Fatal(err)
		}
		return state(a)
	}
	expect := func(when, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	const unknown = "false unreachable stale=false pending=true nothing is cached for this site"
	expect("nothing is known", check("&max_wait=0s"), unknown)
	expect("nothing is known, in a stream", row("&max_wait=20ms"), unknown)
	answer <- "User-agent: *\nAllow: /x\n" // the site answers, though nobody waits any more
	const fresh = "true rule stale=false pending=<nil> <nil>"
	expect("the retrieval goes on", check(""), fresh)
	expect("it is fresh", check("&max_wait=0s"), fresh)
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests, want one for all", n)
	}
	later.Store(int64(11 * time.Minute))
	const stale = "true rule stale=true pending=true <nil>"
	expect("it is stale", check("&max_wait=20ms"), stale)
	expect("it is stale, in a stream", row("&max_wait=0s"), stale)
	go func() { answer <- "User-agent: *\nDisallow: /x\n" }()
	expect("the site answers in time", check("&max_wait=10s"), "false rule stale=false pending=<nil> <nil>")
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests, want one more", n)
	}
}

// Each answer has its provenance, with the same id until the file is fetched again.
func TestCheckProvenance(t *testing.T) {
	daemon, shop := start(t, &Server{Version: "v1"}), site(t, "User-agent: *\nDisallow: /cart\n")
	id := ""
	for range 2 {
		_, a := ask(t, "GET", daemon+"/v1/check?agent=Bot&url="+shop, "")
		p, _ := a["provenance"].(map[string]any)
		if p == nil || p["origin"] != shop || len(fmt.Sprint(p["sha256"])) != 64 || p["heed"] != "v1" || p["dialect"] != "rfc9309" || id != "" && p["id"] != id {
			t.Errorf("%v", a)
		}
		id = fmt.Sprint(p["id"])
	}
	_, rows := post(t, daemon+"/v1/check", `{"url":"`+shop+`","agent":"Bot"}`)
	if !strings.Contains(rows[0], `"provenance_id":"`+id+`"`) {
		t.Errorf("a stream has another provenance than %s: %s", id, rows[0])
	}
}

// Many origins of one stream are asked at the same time.
func TestStreamManyOrigins(t *testing.T) {
	const n = 20
	var asked atomic.Int32
	together := make(chan bool) // closed when half of them are asked
	var lines strings.Builder
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", 2+i)) // a Fetcher sends few requests to one address at a time
		if err != nil {
			t.Skip(err) // some systems have 127.0.0.1 only
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if asked.Add(1) == n/2 {
				close(together)
			}
			select {
			case <-together:
			case <-time.After(5 * time.Second):
				t.Error("a request waits for others in vain")
			}
		}))
		s.Listener.Close()
		s.Listener = l
		s.Start()
		defer s.Close()
		fmt.Fprintf(&lines, `{"url":"%s","agent":"Bot"}`+"\n", s.URL)
	}
	_, rows := post(t, start(t, &Server{})+"/v1/check", lines.String())
	if len(rows) != n {
		t.Errorf("%d answers", len(rows))
	}
}
