package server

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/internal/hostile"
)

// leaver sends a request whose client goes away when leave is called.
func leaver(t *testing.T, method, url, body string) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	go func() {
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
		}
	}()
	return cancel
}

// slow returns the body of a comparison that takes seconds.
func slow(t *testing.T) string {
	t.Helper()
	for _, f := range hostile.Families() {
		if f.Name == "queries twice" {
			return body(t, map[string]any{"old": map[string]any{"robots": f.Body}, "new": map[string]any{"robots": strings.ReplaceAll(f.Body, "1", "2")}})
		}
	}
	t.Fatal("no such family")
	return ""
}

// While all slots are taken and as much waits as may wait, more is refused at once; a check is
// answered. Clients that go give their slots back.
func TestSlots(t *testing.T) {
	s := &Server{}
	daemon, shop, question := start(t, s), site(t, ""), slow(t)
	busy := func() (running, waiting int) {
		s.slots.mu.Lock()
		defer s.slots.mu.Unlock()
		return s.slots.taken, len(s.slots.waiting)
	}
	var leave []func()
	for range s.slots.all + slotQueue/2 {
		leave = append(leave, leaver(t, "POST", daemon+"/v1/compare", question))
	}
	waitFor(t, func() bool { running, waiting := busy(); return running == s.slots.all && waiting == slotQueue/2 })
	start := time.Now()
	r, _ := http.NewRequest("POST", daemon+"/v1/lint", strings.NewReader(`{"robots":""}`))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if took := time.Since(start); response.StatusCode != 503 || response.Header.Get("Retry-After") != "2" || took >= slotWait {
		t.Errorf("%d, Retry-After %s, after %v", response.StatusCode, response.Header.Get("Retry-After"), took)
	}
	if status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&url="+shop, ""); status != 200 {
		t.Errorf("check: %d %v", status, answer)
	}
	for _, each := range leave {
		each()
	}
	gone := time.Now()
	waitFor(t, func() bool { running, waiting := busy(); return running+waiting == 0 })
	t.Logf("the slots were free %v after the clients had gone", time.Since(gone))
	if status, answer := ask(t, "POST", daemon+"/v1/lint", `{"robots":""}`); status != 200 {
		t.Errorf("lint: %d %v", status, answer)
	}
}

// Work that waits in vain gets 503 after a while; one whose client goes waits no longer; work that
// takes too long is ended.
func TestSlotQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.all = 1
		who, _ := clientIn(t.Context())
		if err := s.take(t.Context(), who); err != nil {
			t.Fatal(err)
		}
		never := func(context.Context) (any, error) { panic("it ran") }
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := s.json(ctx, never); err != errGone {
			t.Error(err)
		}
		if _, err := s.json(t.Context(), never); err != errBusy {
			t.Error(err)
		}
		s.leave(who)
		if len(s.waiting)+len(s.running)+len(s.last)+s.taken != 0 {
			t.Errorf("%+v", s)
		}
		if got, err := s.json(t.Context(), func(context.Context) (any, error) { return 1, nil }); err != nil || fmt.Sprint(string(got)) != "1" {
			t.Error(string(got), err)
		}
		began := time.Now()
		if _, err := s.json(t.Context(), func(ctx context.Context) (any, error) { <-ctx.Done(); return 1, nil }); err != errLong || time.Since(began) != slotTime {
			t.Error(err, time.Since(began))
		}
	})
}

// asClient returns a context of a request of a client.
func asClient(t *testing.T, address string) context.Context {
	return context.WithValue(t.Context(), peerKey{}, netip.MustParseAddr(address))
}

// A client that keeps 20 works waiting, from several addresses of its network, does not deny
// anything to another: that waits for the work that runs, and no other.
func TestSlotsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.all = 1
		second := func(context.Context) (any, error) { time.Sleep(time.Second); return 1, nil }
		stop := make(chan struct{})
		greedy := asClient(t, "2001:db8::1")
		var running sync.WaitGroup
		for range 20 {
			running.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						s.json(greedy, second)
					}
				}
			})
		}
		synctest.Wait()
		for i := range 30 {
			began := time.Now()
			other := asClient(t, []string{"2001:db8:1::1", "192.0.2.1"}[i%2])
			if _, err := s.json(other, second); err != nil || time.Since(began) > 2*time.Second {
				t.Errorf("answer %d: %v after %v", i, err, time.Since(began))
			}
		}
		who, _ := clientIn(asClient(t, "2001:db8::2")) // of the network of the greedy one
		s.mu.Lock()
		if s.running[who] != 1 {
			t.Errorf("another address of the network is another client: %v", s.running)
		}
		s.mu.Unlock()
		close(stop)
		running.Wait()
	})
}

// However much a client has in the queue, there is room for others.
func TestSlotQueueShares(t *testing.T) {
	s := newSlots()
	s.all = 0
	for i, want := range []int{32, 16, 8, 4} {
		who, _ := clientIn(asClient(t, fmt.Sprintf("192.0.2.%d", i+1)))
		got := 0
		for ; ; got++ {
			if _, err := s.enter(who); err != nil {
				break
			}
		}
		if got != want {
			t.Errorf("client %d: %d waiters, want %d", i, got, want)
		}
	}
}
