package lint

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// responseIn reads an example: the responses of a server, one after the other, as on the wire.
func responseIn(t *testing.T, example string) Response {
	t.Helper()
	r := Response{URLs: []string{"https://www.example.com/robots.txt"}}
	in := bufio.NewReader(strings.NewReader(strings.ReplaceAll(example, "301 Moved Permanently\n", "301 Moved Permanently\nContent-Length: 0\n")))
	for {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Status, r.ContentType = response.StatusCode, response.Header.Get("Content-Type")
		r = typed(r)
		var seconds int
		fmt.Sscanf(response.Header.Get("Cache-Control"), "max-age=%d", &seconds)
		r.Lifetime = time.Duration(seconds) * time.Second
		if to := response.Header.Get("Location"); to != "" {
			r.URLs = append(r.URLs, to)
			continue
		}
		r.Body, err = io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// typed reads the Content-Type of a response, as callers do.
func typed(r Response) Response {
	media, parameters, _ := mime.ParseMediaType(r.ContentType)
	r.MediaType, r.Charset = media, parameters["charset"]
	return r
}

const (
	home = "https://www.example.com/robots.txt"
	wall = "<!DOCTYPE html><title>Just a moment...</title>"
)

func TestCheckResponse(t *testing.T) {
	text := func(r Response) Response {
		r.Status, r.ContentType = 200, "text/plain"
		return r
	}
	const everything, nothing = "crawlers take the site as one without robots.txt, and may fetch everything", "careful crawlers fetch nothing of the site"
	for _, c := range []struct {
		response Response
		want     []string
	}{
		{text(Response{URLs: []string{home}}), nil},
		{Response{URLs: []string{home}}, nil}, // no response
		{Response{Status: 404, Body: []byte(wall)}, nil},
		{Response{Status: 410}, nil},
		{Response{Status: 401}, []string{"http-status: status 401: " + everything}},
		{Response{Status: 400}, []string{"http-status: status 400: " + everything}},
		{Response{Status: 499}, []string{"http-status: status 499: " + everything}},
		{Response{Status: 199}, []string{"http-status: status 199: " + nothing}},
		{Response{Status: 399}, []string{"http-status: status 399: " + nothing}},
		{Response{Status: 500}, []string{"http-status: status 500: " + nothing}},
		{Response{Status: 299, ContentType: "text/plain"}, nil},
		{Response{Status: 300}, []string{"http-status: status 300: " + nothing}},
		{Response{Status: 404, ContentType: "text/html"}, nil},
		{Response{Status: 410, Body: []byte(wall)}, nil},
		{Response{Status: 429}, []string{"http-status: status 429: " + nothing}},
		{Response{Status: 503, ContentType: "text/html"}, []string{"http-status: status 503: " + nothing}},
		{Response{Status: 301, URLs: []string{home}}, []string{"http-status: status 301: " + nothing}},
		{Response{Status: 503, Body: []byte(wall)}, []string{"challenge-page: status 503 with a challenge that lets only browsers pass: " + nothing}},
		{Response{Status: 520, Body: []byte("<html><div id=cf-error-details>")}, []string{"http-status: status 520: " + nothing}},

		{Response{Status: 200, ContentType: "Text/Plain; charset=UTF-8"}, nil},
		{Response{Status: 200, ContentType: "text/plain; charset=us-ascii"}, nil},
		{Response{Status: 200, ContentType: "text/html", Body: []byte(wall)}, nil}, // html-body
		{Response{Status: 200}, []string{"content-type: no Content-Type: expected text/plain"}},
		{Response{Status: 200, ContentType: "application/octet-stream"}, []string{"content-type: the Content-Type is application/octet-stream: expected text/plain"}},
		{Response{Status: 200, ContentType: "text/plain; charset=latin1"}, []string{`content-type: the charset is "latin1": expected utf-8`}},
		{Response{Status: 200, ContentType: "text/plain; charset=UTF8"}, nil},
		{Response{Status: 200, ContentType: "text/plain; charset"}, nil},
		{Response{Status: 200, ContentType: "text/plain; charset=\"\""}, nil},
		{Response{Status: 200, ContentType: "text/\x1bhtml; charset=utf-8"}, []string{`content-type: cannot read the Content-Type "text/\x1bhtml; charset=utf-8": expected text/plain`}},
		{Response{Status: 200, ContentType: "text/html; charset"}, []string{"content-type: the Content-Type is text/html: expected text/plain"}},
		{Response{Status: 200, ContentType: "text/html; charset=latin1"}, []string{"content-type: the Content-Type is text/html: expected text/plain"}},
		{Response{Status: 200, ContentType: "\x1b/ /"}, []string{`content-type: cannot read the Content-Type "\x1b/ /": expected text/plain`}},

		{text(Response{URLs: []string{"http://example.com/robots.txt", "https://example.com/robots.txt", home, "https://www.example.com/a.txt"}}), nil},
		{text(Response{URLs: []string{home, "https://www.example.net/r"}}), []string{"redirected: redirected to another host, https://www.example.net/r: the rules of its file apply to this site"}},
		{text(Response{URLs: []string{home, "http://www.example.com/r"}}), []string{"redirected: redirected to http://www.example.com/r, without encryption: whoever is between can change the rules"}},
		{text(Response{URLs: slices.Repeat([]string{home}, 6)}), nil},
		{Response{Status: 300, URLs: slices.Repeat([]string{home}, 5)}, []string{"http-status: status 300: " + nothing}},
		{Response{Status: 399, URLs: slices.Repeat([]string{home}, 7)},
			[]string{"redirected: 6 redirects: crawlers need to follow only 5, and then may take the site as one without robots.txt"}},
		{Response{Status: 300, URLs: slices.Repeat([]string{home}, 6)}, []string{"http-status: status 300: " + nothing}},
		{Response{Status: 500, URLs: slices.Repeat([]string{home}, 7)}, []string{"http-status: status 500: " + nothing,
			"redirected: 6 redirects: crawlers need to follow only 5, and then may take the site as one without robots.txt"}},
		{Response{Status: 404, URLs: slices.Repeat([]string{home}, 7)},
			[]string{"redirected: 6 redirects: crawlers need to follow only 5, and then may take the site as one without robots.txt"}},
		{text(Response{URLs: []string{"https://Example.com/robots.txt", "https://WWW.example.COM:443/r"}}), nil},
		{text(Response{URLs: []string{"http://a.example/robots.txt", "http://a.example/r"}}), nil},
		{text(Response{URLs: []string{home, "https://\u202ea.example/"}}), []string{`redirected: redirected to another host, https://\u{202e}a.example/: the rules of its file apply to this site`}},
		{text(Response{URLs: []string{home, "http://www.example.com/\u202e"}}), []string{`redirected: redirected to http://www.example.com/\u{202e}, without encryption: whoever is between can change the rules`}},
		{text(Response{URLs: append(slices.Repeat([]string{home}, 7), "https://a.example/")}),
			[]string{"redirected: 7 redirects: crawlers need to follow only 5, and then may take the site as one without robots.txt"}},
		{text(Response{URLs: []string{home, "https:", home}}), nil},
		{text(Response{URLs: []string{home, "https://a.example/", home, "http://www.example.com/"}}), // one of two is enough
			[]string{"redirected: redirected to another host, https://a.example/: the rules of its file apply to this site"}},
		{text(Response{URLs: []string{home, "http://www.example.com/", "https://a.example/"}}),
			[]string{"redirected: redirected to http://www.example.com/, without encryption: whoever is between can change the rules"}},
		{Response{Status: 301, URLs: slices.Repeat([]string{home}, 7)},
			[]string{"redirected: 6 redirects: crawlers need to follow only 5, and then may take the site as one without robots.txt"}},

		{text(Response{Body: []byte("User-agent: *\nDisallow: /\n"), Truncated: true}),
			[]string{"too-large: the file has more than 26 bytes, and crawlers need only read 512000: after line 2 they may ignore everything"}},
		{text(Response{Truncated: true}),
			[]string{"too-large: the first line is longer than the 512000 bytes that crawlers need to read: they may ignore everything"}},
		{text(Response{Body: make([]byte, 512_001), Truncated: true}), nil}, // Check says which rules are lost
		{Response{Status: 404, Body: []byte("x"), Truncated: true}, nil},

		{text(Response{Lifetime: 24 * time.Hour}), nil},
		{text(Response{Lifetime: 36 * time.Hour}), []string{"cache-over-24h: the headers let crawlers keep the file for 36 hours: a change may have no effect for so long"}},
		{text(Response{Lifetime: 24*time.Hour + 1}), []string{"cache-over-24h: the headers let crawlers keep the file for 24 hours: a change may have no effect for so long"}},
		{text(Response{Lifetime: 48*time.Hour - 1}), []string{"cache-over-24h: the headers let crawlers keep the file for 47 hours: a change may have no effect for so long"}},
		{text(Response{Lifetime: 48 * time.Hour}), []string{"cache-over-24h: the headers let crawlers keep the file for 2 days: a change may have no effect for so long"}},
		{text(Response{Lifetime: 365 * 24 * time.Hour}), []string{"cache-over-24h: the headers let crawlers keep the file for 365 days: a change may have no effect for so long"}},
		{Response{Status: 404, Lifetime: 365 * 24 * time.Hour}, nil},
	} {
		var got []string
		for _, found := range CheckResponse(typed(c.response)) {
			got = append(got, found.Code+": "+found.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v:\n%q\nwant\n%q", c.response, got, c.want)
		}
	}
}
