package origin

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// G-2: the eight rows of the scope table.
func TestScope(t *testing.T) {
	for _, c := range []struct {
		robots     string
		valid, not []string
	}{
		{"https://example.com/robots.txt",
			[]string{"https://example.com/", "https://example.com/folder/file"},
			[]string{"https://other.example.com/", "http://example.com/", "https://example.com:8181/"}},
		{"https://www.example.com/robots.txt",
			[]string{"https://www.example.com/"},
			[]string{"https://example.com/", "https://shop.www.example.com/", "https://www.shop.example.com/"}},
		// A robots.txt is always in the root folder.
		{"https://example.com/folder/robots.txt", []string{"https://example.com/"}, nil},
		{"https://www.ex\u00e4mple.com/robots.txt",
			[]string{"https://www.ex\u00e4mple.com/", "https://www.xn--exmple-cua.com/"},
			[]string{"https://www.example.com/"}},
		{"ftp://example.com/robots.txt", []string{"ftp://example.com/"}, []string{"https://example.com/"}},
		{"https://212.96.82.21/robots.txt", []string{"https://212.96.82.21/"}, []string{"https://example.com/"}},
		{"https://example.com:443/robots.txt",
			[]string{"https://example.com:443/", "https://example.com/"},
			[]string{"https://example.com:444/"}},
		{"https://example.com:8181/robots.txt", []string{"https://example.com:8181/"}, []string{"https://example.com/"}},
	} {
		of := mustParse(t, c.robots)
		for _, url := range c.valid {
			if got := mustParse(t, url); got != of {
				t.Errorf("%s is %v, not of %s", url, got, c.robots)
			}
		}
		for _, url := range c.not {
			if got := mustParse(t, url); got == of {
				t.Errorf("%s is of %s", url, c.robots)
			}
		}
	}
	if got := mustParse(t, "https://example.com/folder/robots.txt").RobotsURL(); got != "https://example.com/robots.txt" {
		t.Errorf("the URL of the robots.txt is %s (S94-1, R-12)", got)
	}
}

func mustParse(t *testing.T, url string) Origin {
	t.Helper()
	o, err := Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// all spellings of an origin have the same normal form.
func TestNormalForm(t *testing.T) {
	for url, want := range map[string]string{
		"HTTP://Example.COM":                  "http://example.com",
		"http://example.com:80/%zz?#":         "http://example.com",
		"http://example.com:":                 "http://example.com",
		"https://user:pa@ss@example.com./x":   "https://example.com",
		"https://example.com?x":               "https://example.com",
		"https://example.com#x":               "https://example.com",
		`https://example.com\@evil.example/`:  "https://example.com",
		"ftp://ftp.example.com:2121/a":        "ftp://ftp.example.com:2121",
		"https://B\u00dcCHER.example":         "https://xn--bcher-kva.example",
		"https://\u65e5\u672c\u3002jp/":       "https://xn--wgv71a.jp",
		"https://stra\u00dfe.example":         "https://xn--strae-oqa.example",
		"https://a_b.example":                 "https://a_b.example",
		"https://[2001:DB8:0:0::1]:8443/":     "https://[2001:db8::1]:8443",
		"https://[::ffff:127.0.0.1]":          "https://[::ffff:127.0.0.1]",
		"https://127.0.0.1:0443":              "https://127.0.0.1",
		"https://127.0.0.1.":                  "https://127.0.0.1",
		"https://7.a1.0x7g":                   "https://7.a1.0x7g",
		"https://1.1a":                        "https://1.1a",
		"https://\uff11\uff12\uff17.0.0.1":    "https://127.0.0.1",
		"https://xn--exmple-cua.com.":         "https://xn--exmple-cua.com",
		"https://example.com:65535":           "https://example.com:65535",
		"https://x@[::1]@example.com:1/[::1]": "https://example.com:1",
	} {
		o, err := Parse(url)
		if err != nil || o.String() != want {
			t.Errorf("%s is %v, %v; want %s", url, o, err, want)
			continue
		}
		if again := mustParse(t, o.String()); again != o {
			t.Errorf("%v reads as %v", o, again)
		}
	}
}

func TestNoOrigin(t *testing.T) {
	for url, want := range map[string]string{
		"":                                "absolute URL",
		"example.com/x":                   "absolute URL",
		"/x":                              "absolute URL",
		"mailto:a@example.com":            "absolute URL",
		"gopher://example.com":            "scheme",
		"://example.com":                  "scheme",
		"http\u017f://example.com":        "scheme", // which Unicode folds to an s
		"https://":                        "host name",
		"https:///x":                      "host name",
		"https://a..example":              "host name",
		"https://.":                       "host name",
		"https://a b/":                    "host name",
		"https://a\x00b/":                 "host name",
		"https://a%41/":                   "host name",
		"https://\u202ea/":                "host name",
		"https://xn--a\u00fc/":            "host name",
		"https://shop.example.xn--/":      "host name",
		"https://shop.example.xn--./":     "host name",
		"https://shop.example.\uff58n--/": "host name",
		"https://[::1/":                   `found "[::1"`,
		"https://[::1%25eth0]/":           "IPv6",
		"https://[127.0.0.1]/":            "IPv6",
		"https://example.com:0":           "port",
		"https://example.com:65536":       "port",
		"https://example.com:+1":          "port",
		"https://::1/":                    "host name",
		"http://2130706433/":              "IPv4",
		"http://0x7f.1":                   "IPv4",
		"http://127.1":                    "IPv4",
		"http://127.0.0.01":               "IPv4",
		"http://127.0.0.256.":             "IPv4",
		"http://1.2.3.4.5":                "IPv4",
		"http://a.example.7":              "IPv4",
		"http://a.0X":                     "IPv4",
		"http://\uff10x1":                 "IPv4",
		"https://" + long(64):             "host name",
		"https://" + long(1<<20) + ".com": "host name",
	} {
		o, err := Parse(url)
		if err == nil || !strings.Contains(err.Error(), want) || !o.IsZero() {
			t.Errorf("%.60q is %v, %v; want an error about the %s", url, o, err, want)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%.60q: an error of %d bytes", url, len(err.Error()))
		}
	}
}

// plainLen finds exactly the plain host names.
func TestPlainHosts(t *testing.T) {
	plain := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*`)
	for _, host := range hosts(6) {
		want := len(plain.FindString(host))
		if want < len(host) && strings.IndexByte(".-", host[want]) >= 0 {
			want = 0 // the name is longer than its plain part
		}
		if got := plainLen(host); got != want {
			t.Errorf("%q begins with %d plain bytes, want %d", host, got, want)
		}
	}
	for length, want := range map[int]int{maxLabel: maxLabel, maxLabel + 1: 0} {
		label := long(length)
		for _, host := range []string{label, label + "/", label + ".a", "a." + label, label[:length-2] + "-a", label[:length-2] + "-a.a"} {
			if got := plainLen(host); (got > 0) != (want > 0) {
				t.Errorf("%q, with a label of %d, begins with %d plain bytes", host, length, got)
			}
		}
	}
	for length, want := range map[int]int{maxHost - 1: maxHost - 1, maxHost: 0} {
		if got := plainLen(strings.Repeat("a.", maxHost)[:length-1] + "a"); got != want {
			t.Errorf("of a host of %d, %d bytes are plain", length, got)
		}
	}
}

// hosts returns all strings of up to n characters, from a set of six.
func hosts(n int) []string {
	all := []string{""}
	for next := all; n > 0; n-- {
		var longer []string
		for _, host := range next {
			for _, c := range "a0.-_/" {
				longer = append(longer, host+string(c))
			}
		}
		all, next = append(all, longer...), longer
	}
	return all
}

func long(n int) string { return strings.Repeat("a", n) }

func TestText(t *testing.T) {
	o := mustParse(t, "https://example.com:8443/x")
	data, err := json.Marshal(map[Origin]Origin{o: {}})
	if err != nil || string(data) != `{"https://example.com:8443":""}` {
		t.Fatalf("%s, %v", data, err)
	}
	var back map[Origin]Origin
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if got, ok := back[o]; !ok || !got.IsZero() {
		t.Errorf("%v", back)
	}
	if o.Scheme() != "https" || o.Host() != "example.com" || o.Port() != 8443 {
		t.Errorf("%s %s %d", o.Scheme(), o.Host(), o.Port())
	}
}

// FuzzParse: Parse never panics, and the normal form of a normal form is the same.
func FuzzParse(f *testing.F) {
	for _, url := range []string{"https://example.com:8443/x", "ftp://u@[::1]:21", "http://\u00fc.\u3002/", "https://xn--a", "a-b.example", "a--b.-c", "xn--a"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		o, err := Parse(url)
		if host := url[:plainLen(url)]; host != "" { // ToASCII must not change a plain name
			if name, err := hostNames.ToASCII(host); err != nil || name != host || !isHostName(host) {
				t.Errorf("%q is not plain: its normal form is %q, %v", host, name, err)
			}
		}
		if err != nil {
			return
		}
		if again, err := Parse(o.String()); err != nil || again != o {
			t.Errorf("%q is %v, which reads as %v, %v", url, o, again, err)
		}
	})
}

// The authority has a port only if it is not the default.
func TestAuthority(t *testing.T) {
	for url, want := range map[string]string{
		"https://A.example./x": "a.example", "http://a.example:80": "a.example", "https://a.example:80": "a.example:80",
		"ftp://bücher.example:21": "xn--bcher-kva.example", "http://[0:0::1]:81/": "[::1]:81", "http://[::1]": "[::1]",
	} {
		o, err := Parse(url)
		if err != nil || o.Authority() != want {
			t.Errorf("%s: %s, %v; want %s", url, o.Authority(), err, want)
		}
	}
}
