package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/servecmd"
)

// status asks the daemon with a header, and returns the status of the response.
func (d *servingProcess) status(t *testing.T, host, name, value string) int {
	t.Helper()
	r, err := http.NewRequest("GET", strings.Replace(d.url, "0.0.0.0", "127.0.0.1", 1)+"/v1/check?agent=a&url=http://"+host+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if name == "Host" {
		r.Host = value
	} else if name != "" {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// The flags reach the guards.
func TestServeGuards(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(token string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-0123456789")
	d := startServe(t, "--token-file", file, "--deny-host", "*.evil.example", "--server-name", "heed.example", "--cors", "https://app.example",
		"--trusted-proxy", "127.0.0.1", "--rate", "1000")
	const denied, allowed = "www.evil.example", "127.0.0.1:25"
	first, second := "Bearer first-0123456789", "Bearer second-0123456789"
	for _, c := range []struct {
		host, name, value string
		want              int
	}{
		{allowed, "Authorization", first, 200},
		{allowed, "Authorization", second, 401},
		{allowed, "", "", 401},
		{denied, "Authorization", first, 403},
		{allowed, "Host", "heed.example", 401},
		{allowed, "Host", "evil.example", 421},
		{allowed, "Origin", "https://app.example", 401},
		{allowed, "Origin", "https://evil.example", 403},
	} {
		if got := d.status(t, c.host, c.name, c.value); got != c.want {
			t.Errorf("%s, %s: %s: status %d, want %d", c.host, c.name, c.value, got, c.want)
		}
	}
	// After SIGHUP the new tokens count.
	write("second-0123456789")
	d.Process.Signal(syscall.SIGHUP)
	for deadline := time.Now().Add(time.Minute); d.status(t, allowed, "Authorization", second) != 200; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new token does not count")
		}
	}
	if got := d.status(t, allowed, "Authorization", first); got != 401 {
		t.Errorf("the old token: status %d", got)
	}
	logged := func(level, text string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); len(d.log.lines(level)) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		}
		if log := d.log.lines(level); len(log) != 1 || !strings.Contains(log[0], text) {
			t.Errorf("expected %s %s: %q", level, text, log)
		}
	}
	logged("level=INFO", `msg="the tokens were read again" file=`+file+" tokens=1")
	// A wrong file changes nothing.
	write("short")
	d.Process.Signal(syscall.SIGHUP)
	time.Sleep(100 * time.Millisecond)
	if got := d.status(t, allowed, "Authorization", second); got != 200 {
		t.Errorf("after a wrong file: status %d", got)
	}
	logged("level=ERROR", "the old tokens still apply")
}

// If other machines can reach the daemon, clients have a rate unless a flag changes it.
func TestServeRemoteRate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("token-0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, limited := range map[string]bool{"--grace=1s": true, "--rate=0": false} {
		d := startServe(t, "--listen", "0.0.0.0:0", "--token-file", file, flag)
		d.url = strings.Replace(d.url, "[::]", "127.0.0.1", 1)
		got429 := false
		for range 2 * servecmd.RemoteRate {
			got429 = got429 || d.status(t, "127.0.0.1:25", "Authorization", "Bearer wrong") == 429
		}
		if got429 != limited {
			t.Errorf("%s: limited: %t", flag, got429)
		}
	}
}
