// Package redistest starts Redis servers for tests.
package redistest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

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

// A Server is a redis-server on this machine. It ends with its test.
type Server struct {
	Port    int
	Args    []string    // with the path of the program
	Process *os.Process // nil if the server does not run

	t   testing.TB
	run *exec.Cmd
}

// New does not start the server. The parameter args has the arguments of redis-server.
func New(t testing.TB, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, Port: FreePort(t)}
	s.Args = append([]string{program(t), "--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", t.TempDir()}, args...)
	t.Cleanup(s.Kill)
	return s
}

func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	s := New(t, args...)
	s.Start()
	return s
}

var usedPorts sync.Map

// FreePort never returns the same port twice. The system gives ports above 30,000 to other programs, so the port is
// lower.
func FreePort(t testing.TB) int {
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if _, again := usedPorts.LoadOrStore(port, true); again {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

func (s *Server) URL() string { return "redis://" + s.Addr() }

// Start waits until the server answers. It can be called again after Kill.
func (s *Server) Start() {
	s.t.Helper()
	s.run = exec.Command(s.Args[0], s.Args[1:]...)
	if err := s.run.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.Process = s.run.Process
	for begin := time.Now(); !s.isReady(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			s.t.Fatal("the server does not answer within 10 seconds")
		}
	}
}

// While the server reads its files, it answers each command with an error.
func (s *Server) isReady() bool {
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	io.WriteString(conn, "PING\r\n")
	answer, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && !strings.HasPrefix(answer, "-LOADING")
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() {
	if s.Process == nil {
		return
	}
	s.Process.Kill()
	s.run.Wait()
	s.Process = nil
}
