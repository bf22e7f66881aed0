package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A servingProcess is a running "heed serve".
type servingProcess struct {
	*exec.Cmd
	url  string
	told net.PacketConn // what it tells systemd
	log  *logged        // what follows on standard error after it is ready
}

// logged is a text that grows.
type logged struct {
	mu   sync.Mutex
	text []byte
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	return len(b), nil
}

// lines returns the lines that contain a text.
func (l *logged) lines(what string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(string(l.text)) {
		if strings.Contains(line, what) {
			found = append(found, line)
		}
	}
	return found
}

// startServe starts "heed serve" as systemd does with Type=notify, and waits until it is ready.
func startServe(t *testing.T, flags ...string) *servingProcess {
	t.Helper()
	return startServeWith(t, nil, flags...)
}

// startServeWith is startServe with a command that runs "heed serve", such as "nice"; nil: none.
// If that command cannot be used here, the test is skipped.
func startServeWith(t *testing.T, runner []string, flags ...string) *servingProcess {
	t.Helper()
	folder := t.TempDir()
	told, err := net.ListenPacket("unixgram", filepath.Join(folder, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { told.Close() })
	args := slices.Concat(runner, []string{"heed", "serve", "--listen", "127.0.0.1:0", "--allow-private", "--store", folder}, flags)
	d := &servingProcess{Cmd: exec.Command(args[0], args[1:]...), told: told} // heed is made by TestMain
	d.Env = append(os.Environ(), "NOTIFY_SOCKET="+told.LocalAddr().String())
	stderr, err := d.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Process.Kill(); d.Wait() })
	log := bufio.NewReader(stderr)
	d.log = &logged{}
	line, err := log.ReadString('\n')
	for err == nil && !strings.Contains(line, "ready at ") {
		d.log.Write([]byte(line))
		line, err = log.ReadString('\n')
	}
	_, url, ready := strings.Cut(strings.TrimRight(line, "\"}\n"), "ready at ") // with --log json, in an object
	if runner != nil && !ready {
		t.Skipf("%s: %s", runner[0], line)
	}
	if err != nil || !ready {
		t.Fatalf("expected that it is ready: %q, %v", append(d.log.lines(""), line), err)
	}
	go io.Copy(d.log, log)
	d.url = url
	d.hears(t, "READY=1")
	return d
}

// hears waits for what the daemon tells systemd.
func (d *servingProcess) hears(t *testing.T, want string) {
	t.Helper()
	d.told.SetReadDeadline(time.Now().Add(time.Minute))
	message := make([]byte, 100)
	n, _, err := d.told.ReadFrom(message)
	if err != nil || string(message[:n]) != want {
		t.Errorf("it told systemd %q, %v; expected %q", message[:n], err, want)
	}
}

// After SIGTERM the daemon answers the requests that it has, tells systemd that it stops, and ends
// with status 0. What it fetched is in the store: the next one answers without a retrieval.
func TestServeEndsInOrder(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan bool, 1), make(chan bool)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		<-answer
		io.WriteString(w, "User-agent: *\nDisallow: /cart\n")
	}))
	defer site.Close()
	d := startServe(t)
	got := make(chan string, 1)
	go func() {
		response, err := http.Get(d.url + "/v1/check?agent=ExampleBot&url=" + site.URL + "/cart")
		if err != nil {
			got <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		got <- string(body)
	}()
	<-asked
	d.Process.Signal(syscall.SIGTERM)
	d.hears(t, "STOPPING=1")
	close(answer)
	if body := <-got; !strings.Contains(body, `"allowed":false,"reason":"rule"`) {
		t.Errorf("a request that was open at SIGTERM got %s", body)
	}
	if err := d.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if log := d.log.lines("msg=stopped"); len(log) != 1 || !strings.Contains(log[0], "level=INFO") || !strings.Contains(log[0], " open_requests=1 waited=") {
		t.Errorf("the log has %q", log)
	}
	site.Close()
	folder := d.Args[6]
	out, err := exec.Command(d.Path, "check", "-a", "ExampleBot", "--offline", "--store", folder, site.URL+"/cart").CombinedOutput()
	if code := d.ProcessState.ExitCode(); code != 0 || !strings.Contains(string(out), "Disallow: /cart") {
		t.Errorf("status %d; the store has: %s %v", code, out, err)
	}
}

// After SIGTERM the daemon still answers a request on a connection that it had accepted before. A client that sends no request, or only
// a part of one, does not delay the end for long.
func TestServeAnswersWhileItEnds(t *testing.T) {
	t.Parallel()
	d := startServe(t)
	late, silent, half := dialServe(t, d), dialServe(t, d), dialServe(t, d)
	io.WriteString(half, "GET /healthz HTTP/1.1\r\nHo")
	if response, err := http.Get(d.url + "/healthz"); err != nil || response.StatusCode != 200 { // so the daemon has accepted them
		t.Fatal(response, err)
	}
	d.Process.Signal(syscall.SIGTERM)
	began := time.Now()
	d.hears(t, "STOPPING=1")
	time.Sleep(100 * time.Millisecond)
	io.WriteString(late, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if response, err := http.ReadResponse(bufio.NewReader(late), nil); err != nil || response.StatusCode != 200 || !response.Close {
		t.Errorf("a request after SIGTERM got %v, %v", response, err)
	}
	for name, c := range map[string]net.Conn{"silent": silent, "half": half} {
		if n, err := c.Read(make([]byte, 100)); n > 0 || err == nil {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	if err := d.Wait(); err != nil || time.Since(began) > 4*time.Second || len(d.log.lines("cut off")) > 0 {
		t.Errorf("after %s: %v, %q", time.Since(began), err, d.log.lines("cut off"))
	}
}

// With a short --grace too, an open stream ends with a line that says why.
func TestServeEndsStreams(t *testing.T) {
	t.Parallel()
	d := startServe(t, "--grace", "500ms")
	c := dialServe(t, d)
	io.WriteString(c, "POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Process.Signal(syscall.SIGTERM)
	body, _ := io.ReadAll(response.Body)
	if !strings.Contains(string(body), `{"error":"the server is shutting down; try again later"}`) {
		t.Errorf("the stream ended with %q", body)
	}
	if err := d.Wait(); err != nil {
		t.Error(err)
	}
}

func dialServe(t *testing.T, d *servingProcess) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// The daemon says where it listens if systemd gives it a socket. If what it gets is no such socket, it says what it expected.
func TestServeSocketOfSystemd(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "heed.sock")
	fileOf := func(socket interface{ File() (*os.File, error) }, err error) *os.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		file, err := socket.File()
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	stream := fileOf(net.ListenUnix("unix", &net.UnixAddr{Name: path}))
	datagrams := fileOf(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path + "2"}))
	udp := fileOf(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(bound, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	const wrong = "systemd has passed no listening socket to heed serve: file descriptor 3 must be a TCP or Unix stream socket; write one ListenStream into the socket unit\n"
	for name, c := range map[string]struct {
		files []*os.File
		want  string
	}{
		"stream":    {[]*os.File{stream}, "ready at unix:" + path + "\n"},
		"nothing":   {[]*os.File{nil}, wrong},
		"file":      {[]*os.File{file}, wrong},
		"udp":       {[]*os.File{udp}, wrong},
		"bound":     {[]*os.File{os.NewFile(uintptr(bound), "bound")}, wrong},
		"datagrams": {[]*os.File{datagrams}, wrong},
		"two":       {[]*os.File{stream, udp}, "systemd has passed 2 sockets to heed serve: expected only one"},
	} {
		command := exec.Command("sh", "-c", `LISTEN_FDS=$1 LISTEN_PID=$$ exec heed serve --store "$2"`, "sh", strconv.Itoa(len(c.files)), folder)
		command.ExtraFiles = c.files
		stderr, err := command.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(stderr).ReadString('\n')
		status := 2
		if name == "stream" {
			status = 0
			command.Process.Signal(syscall.SIGTERM)
		}
		command.Wait()
		if code := command.ProcessState.ExitCode(); code != status || !strings.Contains(line, c.want) {
			t.Errorf("%s: status %d, %q", name, code, line)
		}
	}
}
