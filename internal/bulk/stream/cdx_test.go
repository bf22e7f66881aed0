package stream

import "testing"

func TestFromSURT(t *testing.T) {
	for key, want := range map[string]string{
		"com,example,www)/cart?id=1":            "https://www.example.com/cart?id=1",
		"http://(com,example,:8080)/":           "http://example.com:8080/",
		"com,example:8080)/":                    "https://example.com:8080/",
		"http://(com,example,:80@user:pass)/x)": "http://user:pass@example.com:80/x)",
		"com,xn--mnchen-3ya)/":                  "https://xn--mnchen-3ya.com/",
		"com,münchen)/":                         "https://münchen.com/",
		"192.0.2.7)/":                           "https://192.0.2.7/",
		"[2001:db8::1])/":                       "https://[2001:db8::1]/",
		"com,example":                           "",
		")/":                                    "",
		"com,example).evil.example/":            "", // these would be other hosts
		"com,example)8080/":                     "",
		"com,example@evil.example/)/":           "",
		"com,example/x)/":                       "",
	} {
		if got, ok := fromSURT(key); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t; want %q", key, got, ok, want)
		}
	}
}
