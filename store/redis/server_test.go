package redis_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/store/redis"
)

// program returns the path of redis-server. If there is none, the test is skipped, or fails
// if the environment variable CI is set.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "/usr/sbin/redis-server", "/usr/local/bin/redis-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("redis-server is not installed")
	}
	t.Skip("redis-server is not installed: tests with a Redis are skipped")
	return ""
}

// A server is a redis-server of a test.
type server struct {
	t    testing.TB
	port int
	args []string
	run  *exec.Cmd // nil: the server is not running
	own  rueidis.Client
}

// newServer returns a server that is not running yet, with a free port.
func newServer(t testing.TB, args ...string) *server {
	s := &server{t: t, port: freePort(t)}
	s.args = append([]string{program(t), "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", t.TempDir()}, args...)
	t.Cleanup(func() {
		if s.run != nil {
			s.kill()
		}
	})
	return s
}

// startServer returns a server that is running.
func startServer(t testing.TB, args ...string) *server {
	s := newServer(t, args...)
	s.start()
	return s
}

// freePort returns a port below those that a system gives to a program that wants any port.
// So no other program gets the port before the server does.
func freePort(t testing.TB) int {
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func (s *server) addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }
func (s *server) url() string  { return "redis://" + s.addr() }

func (s *server) start() {
	s.t.Helper()
	s.run = exec.Command(s.args[0], s.args[1:]...)
	if err := s.run.Start(); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, 10*time.Second, "the server listens", func() bool {
		conn, err := net.Dial("tcp", s.addr())
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// kill ends the server at once (SIGKILL).
func (s *server) kill() {
	s.run.Process.Kill()
	s.run.Wait()
	s.run = nil
}

// hang stops the server (SIGSTOP); its connections remain open. resume continues it.
func (s *server) hang()   { s.signal(syscall.SIGSTOP) }
func (s *server) resume() { s.signal(syscall.SIGCONT) }

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.run.Process.Signal(sig); err != nil {
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
	option.InitAddress, option.DisableCache, option.PipelineMultiplex = []string{s.addr()}, true, -1
	c, err := rueidis.NewClient(option)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// do runs a command, and returns the reply as a text. The second word is the key.
func do(t testing.TB, c rueidis.Client, words ...string) string {
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
