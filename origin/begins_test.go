package origin

import (
	"strings"
	"testing"
)

// Begins is true for the URLs that begin as the origin's own text does, and only for URLs of the origin.
func TestBegins(t *testing.T) {
	names := []string{"https://a.example", "http://a.example", "https://a.example:8443", "http://a.example:80", "https://a.exampl", "ftp://a.example", "https://[::1]", "https://[::1]:8", "https://192.0.2.1", "HTTPS://A.example"}
	ends := []string{"", "/", "/x", "?x", "#x", `\x`, ":443/", ":8443/", ":0443/", ":/", "e/", ".example/", "@b.example/", ":8443@b.example/", "/@b.example"}
	origins := []Origin{{}}
	for _, name := range names {
		o, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		origins = append(origins, o)
	}
	for _, o := range origins {
		for _, name := range names {
			for _, end := range ends {
				url := name + end
				of, err := Parse(url)
				same := err == nil && of == o
				own := same && strings.HasPrefix(url, o.String()) && len(Authority(url[len(o.String()):])) == 0
				if begins := o.Begins(url); begins && !same || own && !begins {
					t.Errorf("%s: Begins(%s) is %t, and its origin is %s", o, url, begins, of)
				}
			}
		}
	}
}
