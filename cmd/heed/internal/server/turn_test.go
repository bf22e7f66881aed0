package server

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/turns"
	"github.com/heed-robots/heed/origin"
)

// aTurn is the member "turn" of an answer.
type aTurn struct {
	id          string
	wait, valid float64
	at          time.Time
}

// turn asks for a turn, and returns it with the status; no turn: there is none in the answer.
func turn(t *testing.T, daemon, url string) (status int, answer map[string]any, got *aTurn) {
	t.Helper()
	return turnFor(t, daemon, fmt.Sprintf(`{"agent": "ExampleBot", "url": %q}`, url))
}

// turnFor asks for a turn with a question in JSON.
func turnFor(t *testing.T, daemon, question string) (status int, answer map[string]any, got *aTurn) {
	t.Helper()
	status, answer = ask(t, "POST", daemon+"/v1/turn", question)
	member, ok := answer["turn"].(map[string]any)
	if !ok {
		return status, answer, nil
	}
	got = &aTurn{}
	got.id, _ = member["id"].(string)
	got.wait, _ = member["wait_seconds"].(float64)
	got.valid, _ = member["valid_seconds"].(float64)
	var err error
	if got.at, err = time.Parse(time.RFC3339Nano, member["at"].(string)); err != nil {
		t.Error(err)
	}
	return status, answer, got
}

// expect reports an error if a turn does not begin so many seconds after the begin of a test. The
// machine may be slow, so there is room of a third of the delay.
func (got *aTurn) expect(t *testing.T, began time.Time, after float64) {
	t.Helper()
	if got == nil {
		t.Fatal("there is no turn")
	}
	if at := got.at.Sub(began).Seconds(); math.Abs(at-after) > 10 {
		t.Errorf("a turn after %.1f s, want %.1f", at, after)
	}
	if left := time.Until(got.at).Seconds(); got.wait < 0 || math.Abs(got.wait-max(0, left)) > 10 {
		t.Errorf("wait_seconds is %.1f, and it is %.1f until the turn", got.wait, left)
	}
}

// giveBack gives a turn back, and returns the status.
func giveBack(t *testing.T, daemon, id string) int {
	t.Helper()
	status, _ := ask(t, "DELETE", daemon+"/v1/turn?id="+url.QueryEscape(id), "")
	return status
}

const slowSite = "User-agent: *\nCrawl-delay: 30\nDisallow: /cart\n"

// The turns of an origin are one crawl delay apart, and another origin has its own. A turn that
// was given back is the next one.
func TestTurn(t *testing.T) {
	daemon, shop, other := start(t, &Server{}), site(t, slowSite), site(t, slowSite)
	began := time.Now()
	take := func(url string, after float64) *aTurn {
		t.Helper()
		status, answer, got := turn(t, daemon, url)
		if got.expect(t, began, after); status != 200 || answer["allowed"] != true || got.id == "" || got.valid != 0.75 {
			t.Errorf("%s: %d %v", url, status, answer)
		}
		return got
	}
	take(shop+"/1", 0)
	second := take(shop+"/2", 30)
	take(shop+"/3", 60)
	take(other+"/", 0)
	if status := giveBack(t, daemon, second.id); status != 200 {
		t.Errorf("giving a turn back: status %d", status)
	}
	take(shop+"/4", 30)
	if status := giveBack(t, daemon, second.id); status != 200 {
		t.Errorf("giving a turn back twice: status %d", status)
	}
	take(shop+"/5", 90)
}

// A turn that is valid for longer takes longer: the start of a request in it and the start of a request in the next turn
// are as far apart as without valid_seconds.
func TestTurnThatIsValidForLonger(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, slowSite)
	began := time.Now()
	const delay, usual = 30, 0.75
	want := 0.0
	var last *aTurn
	for _, longer := range []float64{0, 5, 10, 0.5, 0, 0} {
		status, answer, got := turnFor(t, daemon, fmt.Sprintf(`{"agent": "ExampleBot", "url": %q, "valid_seconds": %v}`, shop+"/", longer))
		if got.expect(t, began, want); status != 200 || math.Abs(got.valid-(longer+usual)) > 1e-6 {
			t.Errorf("valid_seconds %v: %d %v", longer, status, answer)
		}
		if last != nil && got.at.Sub(last.at).Seconds() < last.valid+delay-usual {
			t.Errorf("valid_seconds %v: the turn begins %v after the one before, which is valid for %v s", longer, got.at.Sub(last.at), last.valid)
		}
		last, want = got, want+delay+longer
	}
	for _, wrong := range []string{"-1", "10.1", `"1"`, "null"} {
		status, answer, _ := turnFor(t, daemon, fmt.Sprintf(`{"agent": "ExampleBot", "url": %q, "valid_seconds": %s}`, shop+"/", wrong))
		if text, _ := answer["error"].(string); status != 400 || !strings.Contains(text, "valid_seconds") {
			t.Errorf("valid_seconds %s: %d %v", wrong, status, answer)
		}
	}
}

// A URL that is not allowed has no turn, and takes none. Without a crawl delay there is nothing to
// wait for.
func TestNoTurn(t *testing.T) {
	daemon, shop, fast := start(t, &Server{}), site(t, slowSite), site(t, "User-agent: *\nDisallow: /cart\n")
	began := time.Now()
	for range 3 {
		if status, answer, got := turn(t, daemon, shop+"/cart"); status != 200 || answer["allowed"] != false || got != nil {
			t.Errorf("disallowed: %d %v", status, answer)
		}
		if status, answer, got := turn(t, daemon, "http://127.0.0.1:1/"); status != 200 || answer["reason"] != "unreachable" || got != nil {
			t.Errorf("unreachable: %d %v", status, answer)
		}
		status, answer, got := turn(t, daemon, fast+"/")
		if got.expect(t, began, 0); status != 200 || got.id != "" || got.wait != 0 {
			t.Errorf("no crawl delay: %d %v", status, answer)
		}
	}
	_, _, got := turn(t, daemon, shop+"/")
	got.expect(t, began, 0)
}

// A client that does not wait for the retrieval gets no permission, and so no turn. When the site is
// known, it gets both.
func TestTurnWithoutWaiting(t *testing.T) {
	answer := make(chan bool)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-answer
		io.WriteString(w, slowSite)
	}))
	defer slow.Close()
	daemon := start(t, &Server{})
	question := `{"agent": "a", "url": "` + slow.URL + `/", "max_wait": "0s"}`
	status, got := ask(t, "POST", daemon+"/v1/turn", question)
	if status != 200 || got["allowed"] != false || got["pending"] != true || got["turn"] != nil {
		t.Errorf("nothing is known yet: %d %v", status, got)
	}
	close(answer)
	ask(t, "POST", daemon+"/v1/turn", strings.Replace(question, "0s", "1m", 1))
	if status, got := ask(t, "POST", daemon+"/v1/turn", question); status != 200 || got["turn"] == nil {
		t.Errorf("the site is known: %d %v", status, got)
	}
}

// A question about a turn is as strict as the others.
func TestWrongTurn(t *testing.T) {
	daemon := start(t, &Server{})
	text := base64.RawURLEncoding.EncodeToString
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "", "", "the body: the text is empty; expected a JSON object"},
		{"POST", "", `{"agent": "a"}`, `"url" is missing; expected a URL of http, https or ftp`},
		{"POST", "", `{"url": "http://a.example/"}`, `"agent" is missing; expected the product token of a crawler, or "*" for one without a group`},
		{"POST", "", `{"agent": "a", "url": "http://a.example/", "delay": 0}`, `the body: the member "delay" is unknown; expected one of agent, dialect, url, url_b64, for, profile, max_wait, valid_seconds`},
		{"POST", "", `{"agent": "a", "url": "http://a.example/", "max_wait": "soon"}`, `"max_wait": "soon": expected a time with its unit, such as 200ms or 2s`},
		{"DELETE", "", "", errTurnID.Error()},
		{"DELETE", "?id=x", "", errTurnID.Error()},
		{"DELETE", "?id=" + text([]byte("http://a.example")), "", errTurnID.Error()},
		{"DELETE", "?id=" + text([]byte("http://a.example ")), "", errTurnID.Error()},
		{"DELETE", "?id=" + text([]byte("HTTP://a.example/x 1")), "", errTurnID.Error()},
		{"DELETE", "?id=" + text([]byte("file:///x 1")), "", errTurnID.Error()},
		{"DELETE", "?turn=x", "", `the parameter "turn" is unknown; expected one of id`},
	} {
		if status, answer := ask(t, c.method, daemon+"/v1/turn"+c.path, c.body); status != 400 || answer["error"] != c.want {
			t.Errorf("%s %s %s: %d %v, want %q", c.method, c.path, c.body, status, answer, c.want)
		}
	}
}

// Nobody can give back the turn of another client: its id cannot be guessed.
func TestTurnOfOther(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, slowSite)
	began := time.Now()
	turn(t, daemon, shop+"/")
	_, _, second := turn(t, daemon, shop+"/")
	raw, err := base64.RawURLEncoding.DecodeString(second.id)
	if err != nil {
		t.Fatal(err)
	}
	if about, own, _ := strings.Cut(string(raw), " "); about != shop || len(own) < 26 {
		t.Fatalf("the id is of %q", raw)
	}
	raw[len(raw)-1] ^= 1
	for _, id := range []string{string(raw), shop + " 1", shop + " *", shop + " " + strings.Repeat("A", 26)} {
		if status := giveBack(t, daemon, base64.RawURLEncoding.EncodeToString([]byte(id))); status != 200 {
			t.Errorf("%q: status %d", id, status)
		}
	}
	_, _, third := turn(t, daemon, shop+"/")
	third.expect(t, began, 60)
}

// A crawl delay of years does not keep clients away for years, and turns are not reserved for later
// than an hour: the error says when to come again.
func TestTurnLimits(t *testing.T) {
	noShares := func(context.Context) any { return nil }
	s := &Server{MaxDelay: 25 * time.Minute, Turns: &turns.Turns{Max: 4, Client: noShares}}
	daemon, shop := start(t, s), site(t, "User-agent: *\nCrawl-delay: 99999999\n")
	began := time.Now()
	for i := range 3 {
		_, _, got := turn(t, daemon, shop+"/")
		got.expect(t, began, float64(i)*25*60)
	}
	comeAgain := func(url string, least, most int) {
		t.Helper()
		response, err := http.Post(daemon+"/v1/turn", "application/json", strings.NewReader(`{"agent": "a", "url": "`+url+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		var after int
		fmt.Sscan(response.Header.Get("Retry-After"), &after)
		if response.StatusCode != http.StatusTooManyRequests || after < least || after > most {
			t.Errorf("status %d, Retry-After %d", response.StatusCode, after)
		}
	}
	comeAgain(shop, 15*60-30, 15*60) // the next one is in 75 minutes
	if _, _, got := turn(t, daemon, site(t, slowSite)+"/"); got == nil {
		t.Error("no turn at another origin")
	}
	comeAgain(site(t, slowSite), 1, 1) // there is no room
	if _, text := read(t, daemon+"/metrics"); !strings.Contains(text, `heed_turns_total{result="busy"} 2`) || !strings.Contains(text, `heed_turns_total{result="reserved"} 4`) {
		t.Errorf("the metrics have other counts: %s", text)
	}
}

// The id of a turn has what another daemon needs.
func TestTurnID(t *testing.T) {
	for _, o := range []string{"http://a.example", "https://[2001:db8::1]:8443", "ftp://xn--bcher-kva.example"} {
		about, err := origin.Parse(o)
		if err != nil {
			t.Fatal(err)
		}
		want := cache.Turn{Origin: about, ID: "10000000 ABC"}
		if got, err := parseTurnID(turnID(want)); err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}
