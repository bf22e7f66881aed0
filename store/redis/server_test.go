package redis_test

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/internal/testing/redistest"
	"github.com/heed-robots/heed/store/redis"
)

// A server is a redis-server of a test.
type server struct {
	*redistest.Server
	t   testing.TB
	own rueidis.Client
}

// newServer returns a server that is not running yet.
func newServer(t testing.TB, args ...string) *server {
	return &server{Server: redistest.New(t, args...), t: t}
}

// startServer returns a server that is running.
func startServer(t testing.TB, args ...string) *server {
	s := newServer(t, args...)
	s.Start()
	return s
}

// hang stops the server (SIGSTOP); its connections remain open. resume continues it.
func (s *server) hang()   { s.signal(syscall.SIGSTOP) }
func (s *server) resume() { s.signal(syscall.SIGCONT) }

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// raw returns a client of the server, or of its cluster, without a store.
func (s *server) raw() rueidis.Client { return s.client(rueidis.ClientOption{}) }

// single returns a client of this server only, not of its cluster.
func (s *server) single() rueidis.Client {
	if s.own == nil {
		s.own = s.client(rueidis.ClientOption{ForceSingleClient: true})
	}
	return s.own
}

func (s *server) client(option rueidis.ClientOption) rueidis.Client {
	s.t.Helper()
	option.InitAddress, option.DisableCache, option.PipelineMultiplex = []string{s.Addr()}, true, -1
	c, err := rueidis.NewClient(option)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// runCommand runs a command, and returns the reply as a text. The second word is the key.
func runCommand(t testing.TB, c rueidis.Client, words ...string) string {
	t.Helper()
	command := c.B().Arbitrary(words[0])
	if len(words) > 1 {
		command = command.Keys(words[1]).Args(words[2:]...)
	}
	answer := c.Do(context.Background(), command.Build())
	if err := answer.Error(); err != nil && !rueidis.IsRedisNil(err) {
		t.Fatalf("%q: %v", words, err)
	}
	message, _ := answer.ToMessage()
	if n, err := message.AsInt64(); err == nil {
		return strconv.FormatInt(n, 10)
	}
	text, _ := message.ToString()
	return text
}

func open(t testing.TB, url string, o redis.Options) *redis.Store {
	t.Helper()
	s, err := redis.Open(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func eventually(t testing.TB, within time.Duration, what string, done func() bool) {
	t.Helper()
	for begin := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
	}
}
