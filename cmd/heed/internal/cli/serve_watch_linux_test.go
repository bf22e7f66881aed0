package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// heed serve --watch asks no site before it knows which hosts are denied, however long it takes to read its tokens.
func TestServeWatchBeginsWithItsLimits(t *testing.T) {
	site := newChangingSite(t, before)
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := syscall.Mkfifo(tokens, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(500 * time.Millisecond)
		os.WriteFile(tokens, []byte("0123456789abcdef0123456789abcdef\n"), 0o600)
	}()
	startServe(t, "--watch", site.URL, "--deny-host", "127.0.0.1", "--token-file", tokens)
	time.Sleep(200 * time.Millisecond)
	if site.requests > 0 {
		t.Errorf("%d requests to a host that is denied", site.requests)
	}
}

// With --log json, what heed serve says about a list of --watch is JSON too.
func TestServeWatchLogsJSON(t *testing.T) {
	list := filepath.Join(t.TempDir(), "sites.txt")
	if err := os.WriteFile(list, []byte(newChangingSite(t, before).URL+"\nnot a site\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startServe(t, "--watch", list, "--log", "json")
	for _, want := range []string{":2: ", "watching"} {
		if d.log.lines(want) == nil {
			t.Errorf("the log does not say %q: %s", want, d.log.lines(""))
		}
	}
	for _, line := range d.log.lines("") {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
}
