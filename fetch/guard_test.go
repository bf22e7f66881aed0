package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

// Public are the addresses that the internet gives to its servers, and those that
// stand for such an address of IPv4.
func TestPublicAddresses(t *testing.T) {
	for public, addresses := range map[bool][]string{
		true: {
			"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.3.1", "223.255.255.255",
			"2606:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2400::1", "2a00:1450::1", "2c0f:fb50::1", "3ffd::1", "3fff:1000::1",
			"::ffff:8.8.8.8",                 // mapped
			"::8.8.8.8",                      // compatible
			"::ffff:0:8.8.8.8",               // SIIT
			"64:ff9b::808:808",               // NAT64
			"2002:808:808::1",                // 6to4
			"2606:4700::5efe:8.8.8.8",        // ISATAP
			"2606:4700::200:5efe:8.8.8.8",    // ISATAP, unique
			"2606:4700::5eff:10.0.0.1",       // and not
			"2001:0:808:808:0:0:f7f7:f7f7",   // Teredo
			"2002:808:808::200:5efe:8.8.8.8", // ISATAP in 6to4
			"64:ff9b::8.8.4.4", "64:ff9b::1.2.3.4",
		},
		false: {
			"127.0.0.1", "127.255.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
			"0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1", "240.0.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
			"192.0.0.8", "192.0.2.1", "192.88.99.1",
			"::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "ff0e::1",
			"4000::1", "5f00::1", "6000::1", "7fff::1", "8000::1", "a000::1", "c000::1", "e000::1", "f000::1", "f800::1", // given to nobody
			"100::1", "1fff:ffff::1", "200::1", "400::1", "800::1", "1000::1", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "64:ff9b:0:1::808:808",
			"2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff::1", "2001:db8::1", "3ffe::1", "3fff::1", "3fff:fff::1",
			"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
			"::127.0.0.1", "::10.0.0.1",
			"::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "::ffff:0:169.254.169.254",
			"64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
			"2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::1",
			"2606:4700::5efe:127.0.0.1", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1", "2606:4700::200:5efe:169.254.169.254",
			"fe80::5efe:8.8.8.8", "fe80::200:5efe:10.0.0.1", "4000::5efe:8.8.8.8", "fd00::5efe:8.8.8.8",
			"2001::1", "2001:0:a00:1:0:0:f7f7:f7f7", "2001:0:808:808:0:0:f5ff:fffe", "2001:0:808:808:0:0:80ff:fffe", // Teredo of 10.0.0.1, 127.0.0.1
			"2002:808:808::5efe:10.0.0.1",
		},
	} {
		for _, address := range addresses {
			if got := isPublic(netip.MustParseAddr(address)); got != public {
				t.Errorf("%s is public: %v", address, got)
			}
		}
	}
}

// Ports of other services are not asked, whatever the scheme and whether private
// addresses are allowed or not: nothing is dialled. 21 is FTP's own.
func TestBadPortsAreNotAsked(t *testing.T) {
	f := &Fetcher{AllowPrivate: true, Timeout: 5 * time.Second}
	for _, port := range badPorts[1:] { // no origin has 0
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
	for _, o := range []origin.Origin{parse(t, "ftp://127.0.0.1"), parse(t, "http://127.0.0.1"), parse(t, "https://127.0.0.1:443"), parse(t, "http://127.0.0.1:8080")} {
		if err := checkPort(o.Scheme(), fmt.Sprint(o.Port())); err != nil {
			t.Errorf("%s: %v", o, err)
		}
	}
}

// A redirect to a port of another service ends in front of it.
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

// An FTP server does not send anybody to a port of another service of its own.
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

// A name with very many addresses makes nobody connect to all of them.
func TestFewAddressesOfAName(t *testing.T) {
	control, tried := (&Fetcher{}).control(), 0
	for i := range 1000 {
		if err := control(context.Background(), "tcp4", fmt.Sprintf("8.8.%d.%d:80", i>>8, i&0xff), nil); err == nil {
			tried++
		}
	}
	if tried != maxAddresses {
		t.Errorf("%d addresses are tried", tried)
	}
}
