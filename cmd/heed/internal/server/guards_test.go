package server

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sendRaw sends bytes to a daemon over a connection of their own, which the caller closes.
func sendRaw(t *testing.T, url, request string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	return c
}

// raw sends bytes to a daemon, and returns the status of the response; 0: the connection was
// closed without one.
func raw(t *testing.T, url, request string) (status int, h http.Header) {
	t.Helper()
	c := sendRaw(t, url, request)
	defer c.Close()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, nil
	}
	defer r.Body.Close()
	return r.StatusCode, r.Header
}

// get sends GET for a path with headers, each as "Name: value", to a daemon.
func get(t *testing.T, url, path string, headers ...string) (status int, h http.Header) {
	t.Helper()
	return send(t, "GET", url, path, headers...)
}

func send(t *testing.T, method, url, path string, headers ...string) (status int, h http.Header) {
	t.Helper()
	host := "Host: " + strings.TrimPrefix(url, "http://")
	for _, header := range headers {
		if strings.HasPrefix(header, "Host:") {
			host = ""
		}
	}
	headers = append(headers, host)
	return raw(t, url, fmt.Sprintf("%s %s HTTP/1.1\r\n%s\r\n\r\n", method, path, strings.TrimSpace(strings.Join(headers, "\r\n"))))
}

// question is a path that a daemon answers with 200, without a request to a site.
const question = "/v1/check?agent=a&url=http://127.0.0.1:25/"

// With no settings, everyone may ask, and nobody may administrate.
func TestNoGuards(t *testing.T) {
	if status, _ := get(t, start(t, &Server{}), question); status != 200 {
		t.Errorf("status %d", status)
	}
}
