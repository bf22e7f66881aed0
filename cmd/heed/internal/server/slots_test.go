package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/internal/testing/hostile"
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
		s.Slots.Mu.Lock()
		defer s.Slots.Mu.Unlock()
		return s.Slots.Taken, len(s.Slots.Waiters)
	}
	var leave []func()
	for range s.Slots.Count + gate.SlotQueue/2 {
		leave = append(leave, leaver(t, "POST", daemon+"/v1/compare", question))
	}
	waitFor(t, func() bool {
		running, waiting := busy()
		return running == s.Slots.Count && waiting == gate.SlotQueue/2
	})
	start := time.Now()
	r, _ := http.NewRequest("POST", daemon+"/v1/lint", strings.NewReader(`{"robots":""}`))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if took := time.Since(start); response.StatusCode != 503 || response.Header.Get("Retry-After") != "2" || took >= gate.SlotWait {
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
