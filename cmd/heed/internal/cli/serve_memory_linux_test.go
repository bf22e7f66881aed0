package cli

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// kibibytes returns a number that follows a name in a text, such as "VmHWM:  1234 kB".
func kibibytes(t *testing.T, file, name, unit string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `\s*(\d+)` + unit + `$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// Requests that hold as much memory as they can, from many connections of several clients that do
// not read answers, take less than the MemoryMax of packaging/heed.service, and another client is
// answered meanwhile. With HEED_WHOLE there are 200 connections of each kind.
func TestServeMemory(t *testing.T) {
	connections := 40
	if portion.Whole() {
		connections = 200
	}
	const unit = "../../../../packaging/heed.service"
	limit := kibibytes(t, unit, "MemoryMax=", "G") << 20
	t.Setenv("GOMEMLIMIT", strconv.Itoa(kibibytes(t, unit, "Environment=GOMEMLIMIT=", "MiB"))+"MiB")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "User-agent: *\n"+strings.Repeat("Allow:/\n", 500<<10/8))
	}))
	defer site.Close()
	d := startServe(t)
	address := strings.TrimPrefix(d.url, "http://")
	post := func(path, length, body string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\n" + length + "\r\n\r\n" + body
	}
	long := func(body string) string { return fmt.Sprintf("Content-Length: %d", len(body)) }
	url := "/" + strings.Repeat("%2f", 64<<10/3-1)
	robots := "User-agent: *\\n" + strings.Repeat(`Disallow: /*a*b\n`, 20_000)
	explain := `{"agent":"a","url":"` + url + `","robots":"` + robots + `"}`
	question := `{"agent":"a","url":"` + url + `","robots":"` + strings.Repeat("#", 900<<10) + `"}` + "\n"
	requests := []string{
		post("/v1/lint", "Content-Length: 8388608", `{"robots":"`+strings.Repeat("a", 8<<20-20)),
		post("/v1/explain", long(explain), explain),
		"GET /v1/robots?history=true&lines=true&url=" + site.URL + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n",
		post("/v1/check", "Content-Length: 99999999", strings.Repeat(question, 20)+question[:len(question)/2]),
	}
	var sent sync.WaitGroup
	for i := range connections {
		for _, request := range requests {
			sent.Go(func() {
				from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i%40+1))}}
				c, err := from.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { c.Close() })
				c.SetDeadline(time.Now().Add(10 * time.Second))
				io.WriteString(c, request) // an error: it was refused
			})
		}
	}
	done := make(chan bool)
	go func() { sent.Wait(); close(done) }()
	slowest := time.Duration(0)
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-time.After(500 * time.Millisecond):
		}
		began := time.Now()
		if got := d.check(site.URL); got != http.StatusOK {
			t.Errorf("check while others hold memory: %d", got)
		}
		slowest = max(slowest, time.Since(began))
	}
	most := kibibytes(t, fmt.Sprintf("/proc/%d/status", d.Process.Pid), "VmHWM:", " kB")
	t.Logf("%d connections of each kind: at most %d MiB of %d; the slowest check took %v", connections, most>>10, limit>>10, slowest)
	if most >= limit {
		t.Errorf("%d MiB, more than MemoryMax, %d MiB", most>>10, limit>>10)
	}
}

// check asks whether a site may be fetched, and returns the status of the answer; 0: there was none.
func (d *servingProcess) check(site string) int {
	r, err := http.NewRequest("GET", d.url+"/v1/check?agent=a&url="+site+"/", nil)
	if err != nil {
		return 0
	}
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(d.url, "http://"), 10*time.Second)
	if err != nil {
		return 0
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	r.Write(c)
	response, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		return 0
	}
	return response.StatusCode
}
