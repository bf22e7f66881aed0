package audit_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/origin"
)

// A nameServer answers questions about names and addresses over UDP, and counts them.
type nameServer struct {
	names     map[string]string // of addresses: "1.2.0.192.in-addr.arpa." to a name; "!" fails
	addresses map[string]string // of names
	mu        sync.Mutex
	asked     map[string]int
}

// resolver starts the server, and returns a resolver that asks it.
func (s *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s.asked = map[string]int{}
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := s.answer(buffer[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (s *nameServer) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.ToLower(q.Name.String())
	s.mu.Lock()
	s.asked[q.Type.String()+" "+name]++
	s.mu.Unlock()
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}
	found, ok := "", false
	switch q.Type {
	case dnsmessage.TypePTR:
		if found, ok = s.names[name]; ok && found != "!" {
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(found)}}}
		}
	case dnsmessage.TypeA:
		if found, ok = s.addresses[name]; ok && found != "!" {
			a := [4]byte(net.ParseIP(found).To4())
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: a}}}
		}
	default:
		_, ok = s.addresses[name]
	}
	switch {
	case found == "!":
		m.RCode = dnsmessage.RCodeServerFailure
	case !ok:
		m.RCode = dnsmessage.RCodeNameError
	}
	packed, _ := m.Pack()
	return packed
}

// TestResolve (AU-4): with a resolver, a name that is the operator's and leads back to the address verifies a crawler of which the
// table knows the names; another name is an impostor's; without a name, or if the resolver fails, nothing is known.
func TestResolve(t *testing.T) {
	s := &nameServer{
		names: map[string]string{
			"1.2.0.192.in-addr.arpa.": "crawl-1.googlebot.com.",
			"2.2.0.192.in-addr.arpa.": "crawl-2.googlebot.com.", // which leads to another address
			"3.2.0.192.in-addr.arpa.": "dsl.example.net.",
			"5.2.0.192.in-addr.arpa.": "!",
			"6.2.0.192.in-addr.arpa.": "evilgooglebot.com.",
			"7.2.0.192.in-addr.arpa.": "crawl-7.googlebot.com.", // of which the address cannot be found out
		},
		addresses: map[string]string{"crawl-1.googlebot.com.": "192.0.2.1", "crawl-2.googlebot.com.": "192.0.2.99", "dsl.example.net.": "192.0.2.3", "evilgooglebot.com.": "192.0.2.6", "crawl-7.googlebot.com.": "!"},
	}
	want := map[string]audit.Identity{
		"192.0.2.1": audit.Verified, "192.0.2.2": audit.Impostor, "192.0.2.3": audit.Impostor, "192.0.2.4": audit.NotCheckable, // without a name
		"192.0.2.5": audit.NotCheckable, "192.0.2.6": audit.Impostor, "192.0.2.7": audit.NotCheckable, "not-an-address": audit.NotCheckable,
	}
	var log strings.Builder
	for range 3 {
		for address := range want {
			fmt.Fprintf(&log, "%s - - [03/May/2026:12:00:00 +0000] \"GET /x HTTP/1.1\" 200 31 \"-\" \"Googlebot/2.1\"\n", address)
			fmt.Fprintf(&log, "%s - - [03/May/2026:12:00:00 +0000] \"GET /x HTTP/1.1\" 200 31 \"-\" \"GPTBot/1.0\"\n", address) // of which the table knows no names
		}
	}
	name := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(name, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := map[string]audit.Identity{}
	by := map[string]string{}
	o := &audit.Options{Logs: []string{name}, Table: crawlers.Known(), IsOneSite: true, Resolver: s.resolver(t),
		Versions: func(origin.Origin) ([]audit.Version, error) {
			return []audit.Version{{Text: "User-agent: *\nDisallow: /"}}, nil
		},
		Wants: func(string) bool { return true },
		Evidence: func(f *audit.Finding) error {
			if f.Crawler == "GPTBot" {
				if f.Identity != audit.NotCheckable {
					t.Errorf("GPTBot from %s: %s", f.Address, f.Identity)
				}
				return nil
			}
			got[f.Address] = f.Identity
			if f.By != nil {
				by[f.Address] = f.By.Name
			}
			return nil
		}}
	if _, err := audit.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for address, identity := range want {
		if got[address] != identity {
			t.Errorf("%s: %s, want %s", address, got[address], identity)
		}
	}
	if by["192.0.2.1"] != "crawl-1.googlebot.com" || by["192.0.2.3"] != "dsl.example.net" {
		t.Errorf("names: %q", by)
	}
	for question, n := range s.asked {
		if n > 1 && !strings.Contains(question, "PTR 5.2.") && !strings.Contains(question, "crawl-7") { // failures are asked again by the resolver
			t.Errorf("%s: asked %d times", question, n)
		}
	}
}
