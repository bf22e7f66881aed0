package redis_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

const secret = "s3cr3t"

// TestMalformedURL: Open returns an error that never contains a password.
func TestMalformedURL(t *testing.T) {
	for _, url := range []string{
		"",
		"localhost:6379",
		"http://u:" + secret + "@localhost/0",
		"redis://",
		"redis://u:" + secret + "@localhost/zero",
		"redis://u:" + secret + "@localhost/0/1",
		"redis://u:" + secret + "@localhost:port/0",
		"redis://u:" + secret + "%zz@localhost",
		"redis://u:" + secret + " @localhost",
		"redis://u:" + secret + "/x@localhost",
		"redis://u:77/" + secret + "@localhost",
		"redis://:77?" + secret + "@localhost",
		"redis://:77#" + secret + "@localhost",
		"redis://" + secret + "\x00@localhost",
		"redis://h1:1,h2:2",
		"redis://localhost?timeout=1s",
		"unix:///a.sock?db=" + secret,
		"unix://host/a.sock",
	} {
		s, err := redis.Open(url, redis.Options{})
		if err == nil {
			s.Close()
			t.Errorf("%q: no error", url)
		} else if !strings.HasPrefix(err.Error(), "redis: malformed URL") || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := redis.Open("redis://localhost", redis.Options{Prefix: "a{b}"}); err == nil {
		t.Error("a prefix with braces: no error")
	}
}

// TestPassword: if the server refuses the password, the errors of calls name the reason.
func TestPassword(t *testing.T) {
	srv := startServer(t, "--requirepass", secret+"/?")
	at := func(user string) string { return "redis://" + user + srv.Addr() + "/3" }
	waitForStores(t, open(t, at(":"+secret+"%2F%3F@"), redis.Options{}))
	for url, want := range map[string]string{
		at(":wrong-" + secret + "@"):         "WRONGPASS",
		at("somebody:wrong-" + secret + "@"): "WRONGPASS",
		at(""):                               "NOAUTH",
		at(":"+secret+"@") + "?protocol=2":   "WRONGPASS",
	} {
		store := open(t, url, redis.Options{})
		_, err := store.Get(ctx, storetest.Origin(1))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), srv.Addr()) {
			t.Errorf("%s: error %v, want %s", url, err, want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// TestRepeatedPassword: if a server repeats an unknown command with its arguments, the error
// does not contain the password.
func TestRepeatedPassword(t *testing.T) {
	srv := startServer(t, "--rename-command", "HELLO", "OTHER", "--rename-command", "AUTH", "OTHER2")
	store := open(t, "redis://:"+secret+"@"+srv.Addr(), redis.Options{})
	_, err := store.Get(ctx, storetest.Origin(1))
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("error %v", err)
	}
}

func TestUnixSocket(t *testing.T) {
	socket := t.TempDir() + "/redis.sock"
	startServer(t, "--unixsocket", socket)
	waitForStores(t, open(t, "unix://"+socket+"?db=2", redis.Options{}))
}

// TestClose: after Close calls fail, and all connections and goroutines end.
func TestClose(t *testing.T) {
	srv := startServer(t)
	raw := srv.raw()
	runCommand(t, raw, "PING")
	before := runtime.NumGoroutine()
	for range 10 {
		store := open(t, srv.URL(), redis.Options{})
		waitForStores(t, store)
		stop := store.Notify(func(origin.Origin) {})
		store.Close()
		store.Close()
		if _, err := store.Get(ctx, storetest.Origin(1)); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("Get of a closed store: %v", err)
		}
		stop()
		store.Notify(func(origin.Origin) {})()
	}
	eventually(t, 10*time.Second, "connections end", func() bool {
		return strings.Contains(runCommand(t, raw, "INFO", "clients"), "connected_clients:1\r")
	})
	eventually(t, 10*time.Second, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}
