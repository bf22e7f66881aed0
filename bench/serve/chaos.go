package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// chaos asks three daemons, of which two share a Redis and one has a store in a folder, while the
// stores and the daemons are paused, killed, emptied and damaged. A daemon that is down, or says that a
// site is unreachable, is no wrong answer. A wrong verdict is one.
func chaos(s settings) error {
	sites, err := newSites()
	if err != nil {
		return err
	}
	sites.failing.Store(true)
	folder, err := os.MkdirTemp("", "heed-chaos")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	redis := &fragileRedis{port: freePort(), folder: folder}
	if err := redis.start(); err != nil {
		return err
	}
	defer redis.kill()
	store := filepath.Join(folder, "store")
	daemons := []*fragileDaemon{{settings: s, store: store, handles: 30}, {settings: s, store: redis.url()}, {settings: s, store: redis.url()}}
	end := time.Now().Add(s.time)
	var working sync.WaitGroup
	for _, d := range daemons {
		if err := d.start(); err != nil {
			return err
		}
		defer d.kill()
		working.Go(func() { d.disturb(end) })
	}
	working.Go(func() { redis.disturb(end) })
	working.Go(func() { disturbFolder(store, end) })

	check := lenient{checker: checker{sites: sites, origins: max(s.origins, 2000)}}
	for n := range uint64(s.connections) {
		working.Go(func() { check.ask(n, daemons[int(n)%len(daemons)], end) })
	}
	for i := 0; time.Now().Before(end); i++ {
		fmt.Printf("%3d min: %s\n", i, &check)
		time.Sleep(min(time.Minute, time.Until(end)))
	}
	working.Wait()
	fmt.Printf("end: %s, %d retrievals, %d restarts\n", &check, sites.requests.Load(), restarts.Load())
	if n := check.wrong.Load(); n > 0 {
		return fmt.Errorf("%d wrong, the first: %v", n, check.first.Load())
	}
	return nil
}

var restarts atomic.Int64

// lenient is a checker that takes a failure of our own machine for no error.
type lenient struct {
	checker
	down, denied atomic.Int64 // questions without an answer; sites that could not be asked
}

func (l *lenient) String() string {
	return fmt.Sprintf("%d answers, %d wrong, %d without an answer, %d could not be asked", l.answers.Load(), l.wrong.Load(), l.down.Load(), l.denied.Load())
}

func (l *lenient) ask(seed uint64, d *fragileDaemon, end time.Time) {
	random := rand.New(rand.NewPCG(seed, 32))
	for time.Now().Before(end) {
		site, path, u := l.question(random)
		body, err := askOnce(*d.address.Load(), "/v1/check?agent=ExampleBot&url="+url.QueryEscape(u))
		if err != nil {
			l.down.Add(1)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		var a struct {
			Allowed bool
			Reason  string
		}
		if err := json.Unmarshal(body, &a); err == nil && !a.Allowed && a.Reason == "unreachable" && !l.sites.fails(site) {
			l.answers.Add(1)
			l.denied.Add(1)
			continue
		}
		l.judge(site, path, body)
	}
}

// A fragileDaemon is a "heed serve" that is killed and started again.
type fragileDaemon struct {
	settings
	store   string
	handles int // of files, 0: no limit
	address atomic.Pointer[string]
	running *process
}

func (d *fragileDaemon) start() error {
	command := fmt.Sprintf("exec %q serve --listen 127.0.0.1:0 --allow-private --timeout 5s --store %q", d.heed, d.store)
	if d.handles > 0 {
		command = fmt.Sprintf("ulimit -n %d; %s", d.handles, command)
	}
	p, err := startProcess(exec.Command("sh", "-c", command))
	if err != nil {
		return err
	}
	d.running = p
	d.address.Store(&p.address)
	return nil
}

func (d *fragileDaemon) kill() {
	d.running.Process.Kill()
	d.running.Wait()
}

func (d *fragileDaemon) disturb(end time.Time) {
	for pauseUntil(end, 20*time.Second) {
		if rand.IntN(2) == 0 {
			d.kill()
		} else {
			d.running.stop()
		}
		restarts.Add(1)
		for d.start() != nil { // its store may be damaged just now
			time.Sleep(time.Second)
		}
	}
}

// A fragileRedis is a redis-server that is paused, killed, emptied and filled.
type fragileRedis struct {
	port   int
	folder string
	run    *exec.Cmd
}

func (r *fragileRedis) url() string { return fmt.Sprintf("redis://127.0.0.1:%d", r.port) }

func (r *fragileRedis) start() error {
	r.run = exec.Command("redis-server", "--port", strconv.Itoa(r.port), "--bind", "127.0.0.1", "--save", "", "--dir", r.folder)
	return r.run.Start()
}

func (r *fragileRedis) kill() {
	r.run.Process.Kill()
	r.run.Wait()
}

// send sends a command without reading its reply.
func (r *fragileRedis) send(command string) {
	if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.port)); err == nil {
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

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(errors.New("no port is free"))
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
