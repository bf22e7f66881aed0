package ranges

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/heed-robots/heed/crawlers"
)

// AU-16: files of ranges: JSON, plain lists and CSV; an object with both or neither prefix is ignored, and the most specific prefix wins.
func TestForms(t *testing.T) {
	for text, want := range map[string]struct{ prefixes, ignored int }{
		`{"creationTime":"2026-05-02T10:00:00.000000","prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}`:            {2, 0},
		`{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv4Prefix":"0.0.0.0/0","ipv6Prefix":"::/0"},{},{"service":"x"}]}`:                     {1, 3},
		`{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv4Prefix":"2001:db8::/32"},{"ipv6Prefix":"0.0.0.0/0"},{"ipv4Prefix":"everywhere"}]}`: {1, 3},
		"192.0.2.0/24\n2001:db8::/32\n\n# all of them\n":              {2, 0},
		"192.0.2.0/24\r\n192.0.2.7\r\n":                               {2, 0},
		"prefix,place\n192.0.2.0/24,Ohio\n\"2001:db8::/32\",Dublin\n": {2, 1},
	} {
		l, err := parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if l.Prefixes != want.prefixes || l.Ignored != want.ignored {
			t.Errorf("%s: %d prefixes, %d ignored; want %+v", text, l.Prefixes, l.Ignored, want)
		}
		if _, _, ok := l.Find(netip.MustParsePrefix("192.0.2.7/32")); !ok {
			t.Errorf("%s: 192.0.2.7 is not in it", text)
		}
		if _, ok, _ := l.Find(netip.MustParsePrefix("198.51.100.7/32")); ok {
			t.Errorf("%s: 198.51.100.7 is in it", text)
		}
	}
	for _, text := range []string{"", "{}", `{"prefixes":[]}`, `{"prefixes":[{}]}`, "<html>", `{"creationTime":"soon","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: a list", text)
		}
	}
	l, err := parse(`{"creationTime":"2026-05-02T10:00:00.000000","prefixes":[{"ipv4Prefix":"192.0.2.0/24","service":"wide"},{"ipv4Prefix":"192.0.2.64/26","service":"near"},
		{"ipv4Prefix":"192.0.2.70/32","service":"one"},{"ipv4Prefix":"192.0.2.0/25","service":"half"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC); !l.Dated.Equal(want) {
		t.Errorf("dated %v", l.Dated)
	}
	for address, service := range map[string]string{"192.0.2.0": "half", "192.0.2.63": "half", "192.0.2.64": "near", "192.0.2.69": "near", "192.0.2.70": "one", "192.0.2.71": "near",
		"192.0.2.127": "near", "192.0.2.128": "wide", "192.0.2.255": "wide"} {
		if m, _, ok := l.Find(netip.MustParsePrefix(address + "/32")); !ok || m.Service != service {
			t.Errorf("%s: %+v, %t, want %s", address, m, ok, service)
		}
	}
}

// A list has all addresses of a network, some, or none. Find agrees with a look at each address.
func TestFindNetworks(t *testing.T) {
	l, err := parse("192.0.2.0/28\n192.0.2.16/29\n192.0.2.24/29\n192.0.2.48/28\n192.0.2.255\n192.0.3.0/24\n198.51.100.9\n2001:db8::/48\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []string{"192.0.2.0/24", "192.0.2.0/27", "192.0.2.0/26", "192.0.2.32/28", "192.0.2.240/28", "192.0.2.254/31", "192.0.2.0/23", "192.0.3.0/24", "192.0.3.0/25",
		"192.0.0.0/22", "198.51.100.0/24", "198.51.100.9/32", "198.51.100.10/32", "203.0.113.0/24", "0.0.0.0/16"} {
		p := netip.MustParsePrefix(network)
		some, all := false, true
		for a := p.Addr(); p.Contains(a); a = a.Next() {
			_, in, _ := l.Find(netip.PrefixFrom(a, 32))
			some, all = some || in, all && in
		}
		if _, hasSome, hasAll := l.Find(p); hasSome != some || hasAll != all {
			t.Errorf("%s: %t, %t; want %t, %t", network, hasSome, hasAll, some, all)
		}
	}
	for network, want := range map[string][2]bool{"2001:db8::/48": {true, true}, "2001:db8::/47": {true, false}, "2001:db8:0:7::/64": {true, true}, "2001:db9::/48": {false, false}, "::/0": {true, false}} {
		if _, hasSome, hasAll := l.Find(netip.MustParsePrefix(network)); [2]bool{hasSome, hasAll} != want {
			t.Errorf("%s: %t, %t; want %v", network, hasSome, hasAll, want)
		}
	}
}

// AU-16, AU-4: the list that was the latest before a time, and lists that crawlers share.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"GPTBot.txt", "GPTBot@2026-05-03.txt", "gptbot@2026-05-01T12:00:00Z.csv", "common-crawlers@2026-05-02.txt", "Nobody.txt", "README.md"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("192.0.2.0/24\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	table := crawlers.Known()
	f, err := Read(folder, table)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Strange) != 1 || f.Strange[0] != "Nobody" {
		t.Errorf("strange: %q", f.Strange)
	}
	at := func(crawler, when string) string {
		c, _ := table.Lookup(crawler)
		day, err := time.Parse(time.RFC3339, when)
		if err != nil {
			t.Fatal(err)
		}
		l, isLater := f.ListsFor(c, table).At(day)
		switch {
		case l == nil:
			return "none"
		case isLater:
			return l.Name + ", later"
		}
		return l.Name
	}
	for _, test := range []struct{ crawler, when, want string }{
		{"GPTBot", "2026-04-01T00:00:00Z", "GPTBot.txt"},
		{"GPTBot", "2026-05-01T12:00:01Z", "gptbot@2026-05-01T12:00:00Z.csv"},
		{"GPTBot", "2026-05-02T23:59:59Z", "gptbot@2026-05-01T12:00:00Z.csv"},
		{"GPTBot", "2026-05-03T00:00:01Z", "GPTBot@2026-05-03.txt"},
		{"Googlebot", "2026-05-02T00:00:01Z", "common-crawlers@2026-05-02.txt"},
		{"Googlebot-Image", "2026-05-01T00:00:00Z", "common-crawlers@2026-05-02.txt, later"},
		{"ClaudeBot", "2026-05-03T00:00:00Z", "none"},
	} {
		if got := at(test.crawler, test.when); got != test.want {
			t.Errorf("%s at %s: %s, want %s", test.crawler, test.when, got, test.want)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "ClaudeBot.txt"), []byte("<html>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(folder, table); err == nil {
		t.Error("a list that cannot be read is left out")
	}
}
