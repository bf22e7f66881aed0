package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A process is a server that is measured.
type process struct {
	*exec.Cmd
	address string // host and port
}

// withHeed runs a measurement of "heed serve", beside sites that it can retrieve from. The folder is
// for files of the measurement.
func (s settings) withHeed(measure func(heed *process, sites *crowdOfSites, folder string) error) error {
	sites, err := newSites()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "heed-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	heed, err := startProcess(exec.Command(s.heed, "serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(folder, "store"), "--allow-private"))
	if err != nil {
		return err
	}
	defer heed.stop()
	return measure(heed, sites, folder)
}

// startConstant starts the handler that answers with a constant.
func startConstant(body string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startProcess(exec.Command(self, "-constant", body))
}

// startProcess waits until a server says "ready at http://…" on standard error.
func startProcess(c *exec.Cmd) (*process, error) {
	stderr, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "ready at http://"); ok {
			go func() {
				for lines.Scan() {
					fmt.Fprintln(os.Stderr, lines.Text())
				}
			}()
			return &process{c, strings.TrimSpace(address)}, nil
		}
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	c.Process.Kill()
	return nil, fmt.Errorf("%s does not become ready: %v", c.Path, c.Wait())
}

func (p *process) stop() {
	p.Process.Signal(os.Interrupt)
	p.Wait()
}

// memory returns the memory of a process in MiB (VmRSS, or VmHWM for the most).
func (p *process) memory(field string) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return kib >> 10
		}
	}
	return 0
}

func serveConstant(body string) {
	answer := []byte(body)
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Write(answer)
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "ready at http://%s\n", l.Addr())
	server.Serve(l)
}
