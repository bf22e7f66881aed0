package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// No connection is made to a port of another service, for any scheme, even with
// AllowPrivate. Port 21 is allowed for ftp.
func TestBadPortsAreRefused(t *testing.T) {
	f := &Fetcher{AllowPrivate: true, Timeout: 5 * time.Second}
	for _, port := range badPorts[1:] { // no origin has port 0
		for _, scheme := range []string{"http", "https", "ftp"} {
			o := parse(t, fmt.Sprintf("%s://127.0.0.1:%d", scheme, port))
			if scheme == "ftp" && port == 21 {
				continue
			}
			r := get(t, f, o)
			if !errors.Is(r.Err, PortRefused) || !strings.Contains(r.Err.Error(), fmt.Sprintf("port %d ", port)) || r.Outcome(nil) != Unreachable {
				t.Errorf("%s: %s, %v", o, r.Outcome(nil), r.Err)
			}
		}
	}
	for _, text := range []string{"ftp://127.0.0.1:21", "http://127.0.0.1", "https://127.0.0.1:443", "http://127.0.0.1:8080"} {
		u, err := url.Parse(parse(t, text).RobotsURL())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.checkTarget(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
}

// A redirect to a port of another service is not followed.
func TestRedirectToBadPort(t *testing.T) {
	for _, authority := range []string{"127.0.0.1:25", "127.0.0.1:00025", "[::1]:6667", "localhost:21", "127.0.0.1:0"} {
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+authority+"/robots.txt", http.StatusFound)
		})
		r := get(t, &Fetcher{Timeout: 5 * time.Second}, o)
		if !errors.Is(r.Err, PortRefused) || len(r.Hops) != 2 || r.Hops[1].Status != 0 || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %s, %v, %v", authority, r.Outcome(nil), r.Err, r.Hops)
		}
	}
}

// A data connection is not made to a port of another service.
func TestFTPDataPorts(t *testing.T) {
	for port, allowed := range map[string]bool{"20": false, "22": false, "25": false, "80": false, "1023": false, "6667": false, "1024": true, "40000": true} {
		if err := checkDataPort(port); (err == nil) != allowed {
			t.Errorf("%s: %v", port, err)
		}
	}
	o := ftpServer(t, "220 hello\r\n", map[string]string{
		"USER": "331 password\r\n", "PASS": "230 in\r\n", "FEAT": "211 no\r\n", "TYPE": "200 ok\r\n",
		"EPSV": "229 Entering Extended Passive Mode (|||25|)\r\n", "PASV": "227 Entering Passive Mode (127,0,0,1,0,25)\r\n",
	}, "")
	if r := get(t, &Fetcher{Timeout: 5 * time.Second}, o); !errors.Is(r.Err, PortRefused) || r.Outcome(nil) != Unreachable {
		t.Errorf("%s, %v", r.Outcome(nil), r.Err)
	}
}

// Only the first addresses of a host with very many are tried.
func TestFewAddressesOfAName(t *testing.T) {
	control, tried := (&Fetcher{}).control(false), 0
	for i := range 1000 {
		if err := control(context.Background(), "tcp4", fmt.Sprintf("8.8.%d.%d:80", i>>8, i&0xff), nil); err == nil {
			tried++
		}
	}
	if tried != maxAddresses {
		t.Errorf("%d addresses are tried", tried)
	}
}
