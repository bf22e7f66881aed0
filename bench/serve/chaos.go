package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// chaos asks three daemons, of which two share a Redis and one has a store in a folder, while the stores
// and the daemons are paused, killed, emptied and damaged.
func chaos(s settings) error {
	redis := &fragileRedis{}
	defer func() { redis.kill() }()
	return s.check(func(folder string) ([]*daemon, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
		if err != nil {
			return nil, err
		}
		redis.address, redis.folder = l.Addr().(*net.TCPAddr), folder
		l.Close()
		shared := "redis://" + redis.address.String()
		return []*daemon{{settings: s, store: filepath.Join(folder, "store"), handles: 30}, {settings: s, store: shared}, {settings: s, store: shared}}, redis.start()
	}, func(daemons []*daemon, folder string, end time.Time) {
		var disturbing sync.WaitGroup
		for _, d := range daemons {
			disturbing.Go(func() { d.disturb(end) })
		}
		disturbing.Go(func() { redis.disturb(end) })
		disturbing.Go(func() { disturbFolder(filepath.Join(folder, "store"), end) })
		disturbing.Wait()
	})
}

// A daemon is a "heed serve" that may be killed and started again.
type daemon struct {
	settings
	store    string
	handles  int // of files, 0: no limit
	running  atomic.Pointer[process]
	restarts atomic.Int64
}

func (d *daemon) start() error {
	command := fmt.Sprintf("exec %q serve --listen 127.0.0.1:0 --allow-private --timeout 5s --store %q", d.heed, d.store)
	if d.handles > 0 {
		command = fmt.Sprintf("ulimit -n %d; %s", d.handles, command)
	}
	p, err := startProcess(exec.Command("sh", "-c", command))
	if err == nil {
		d.running.Store(p)
	}
	return err
}

func (d *daemon) kill() {
	d.running.Load().Process.Kill()
	d.running.Load().Wait()
}

func (d *daemon) disturb(end time.Time) {
	for pauseUntil(end, 20*time.Second) {
		if rand.IntN(2) == 0 {
			d.kill()
		} else {
			d.running.Load().stop()
		}
		d.restarts.Add(1)
		for d.start() != nil { // its store may be damaged just now
			time.Sleep(time.Second)
		}
	}
}

// A fragileRedis is a redis-server that is paused, killed, emptied and filled.
type fragileRedis struct {
	address *net.TCPAddr
	folder  string
	run     *exec.Cmd
}

func (r *fragileRedis) start() error {
	r.run = exec.Command("redis-server", "--port", strconv.Itoa(r.address.Port), "--bind", "127.0.0.1", "--save", "", "--dir", r.folder)
	return r.run.Start()
}

func (r *fragileRedis) kill() {
	if r.run != nil && r.run.Process != nil {
		r.run.Process.Kill()
		r.run.Wait()
	}
}

// send sends a command without reading its reply.
func (r *fragileRedis) send(command string) {
	if c, err := net.Dial("tcp", r.address.String()); err == nil {
		fmt.Fprintf(c, "%s\r\n", command)
		time.Sleep(10 * time.Millisecond)
		c.Close()
	}
}

func (r *fragileRedis) disturb(end time.Time) {
	for pauseUntil(end, 6*time.Second) {
		switch rand.IntN(5) {
		case 0:
			r.run.Process.Signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
			r.run.Process.Signal(syscall.SIGCONT)
		case 1:
			r.kill()
			time.Sleep(time.Second)
			r.start()
		case 2:
			r.send("FLUSHALL")
		case 3:
			r.send("CONFIG SET maxmemory 1mb")
			time.Sleep(3 * time.Second)
			r.send("CONFIG SET maxmemory 0")
		case 4:
			r.send("CLIENT PAUSE 1500 ALL")
		}
	}
}

// disturbFolder removes, cuts, overwrites and replaces the files of a store.
func disturbFolder(folder string, end time.Time) {
	for pauseUntil(end, 8*time.Second) {
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(files) == 0 {
			continue
		}
		file := files[rand.IntN(len(files))]
		switch rand.IntN(5) {
		case 0:
			os.RemoveAll(folder)
		case 1:
			os.Truncate(file, rand.Int64N(1<<16))
		case 2:
			damage(file)
		case 3:
			os.Remove(file)
			os.WriteFile(file, []byte("this is no database"), 0o600)
		case 4:
			os.Rename(file, file+".away")
		}
	}
}

// damage overwrites 64 octets somewhere in a file.
func damage(file string) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		noise := make([]byte, 64)
		for i := range noise {
			noise[i] = byte(rand.IntN(256))
		}
		f.WriteAt(noise, rand.Int64N(info.Size()))
	}
}

// pauseUntil waits for a random part of d, and reports whether the end is not there yet.
func pauseUntil(end time.Time, d time.Duration) bool {
	time.Sleep(min(time.Duration(rand.Int64N(int64(d))), time.Until(end)))
	return time.Now().Before(end)
}
