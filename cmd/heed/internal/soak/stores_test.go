package soak

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// A redisServer is a redis-server process, which the test disturbs.
type redisServer struct {
	t    *testing.T
	port int
	run  *exec.Cmd
}

func startRedis(t *testing.T) *redisServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &redisServer{t: t, port: l.Addr().(*net.TCPAddr).Port}
	l.Close()
	s.start()
	return s
}

func (s *redisServer) addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }
func (s *redisServer) url() string  { return "redis://" + s.addr() }

func (s *redisServer) start() {
	s.run = exec.Command("redis-server", "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--save", "", "--dir", s.t.TempDir())
	if err := s.run.Start(); err != nil {
		s.t.Errorf("redis-server: %v", err)
	}
}

func (s *redisServer) stop() {
	s.run.Process.Kill()
	s.run.Wait()
}

// send sends a command to the server and ignores errors.
func (s *redisServer) send(ctx context.Context, words ...string) {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.addr()}, DisableCache: true, DisableRetry: true, ForceSingleClient: true})
	if err != nil {
		return
	}
	defer c.Close()
	c.Do(ctx, c.B().Arbitrary(words...).Build())
}

// disturb pauses and kills the server, limits its memory, takes away rights, and stores large
// values for some of the origins.
func (s *redisServer) disturb(ctx context.Context, someOrigin func() string) {
	background := context.Background()
	for ctx.Err() == nil {
		pause(ctx, 3*time.Second)
		switch rand.IntN(6) {
		case 0:
			s.run.Process.Signal(syscall.SIGSTOP)
			pause(ctx, time.Duration(200+rand.IntN(3000))*time.Millisecond)
			s.run.Process.Signal(syscall.SIGCONT)
		case 1:
			s.stop()
			pause(ctx, time.Second)
			s.start()
		case 2:
			s.send(background, "CLIENT", "PAUSE", "500", "ALL")
		case 3:
			s.send(background, "CONFIG", "SET", "maxmemory", "1mb")
			pause(ctx, 5*time.Second)
			s.send(background, "CONFIG", "SET", "maxmemory", "0")
		case 4:
			s.send(background, "ACL", "SETUSER", "default", "-eval", "-evalsha")
			pause(ctx, 5*time.Second)
			s.send(background, "ACL", "SETUSER", "default", "+eval", "+evalsha")
		case 5:
			for range 3 {
				key := "heed:{" + someOrigin() + "}"
				s.send(background, "HSET", key, "body", strings.Repeat("x", 40<<20))
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// lock takes the write lock of the database again and again, for up to five seconds.
func lock(ctx context.Context, t *testing.T, database string) {
	db, err := sql.Open("sqlite", "file:"+database+"?_txlock=immediate&_busy_timeout=20000")
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	var once sync.Once
	for ctx.Err() == nil {
		pause(ctx, time.Duration(rand.IntN(3000))*time.Millisecond)
		tx, err := db.Begin()
		if err != nil {
			once.Do(func() { t.Errorf("lock: %v", err) })
			continue
		}
		pause(ctx, time.Duration(rand.IntN(5000))*time.Millisecond)
		tx.Rollback()
	}
}
