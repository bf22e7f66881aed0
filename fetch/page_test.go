package fetch

import (
	"errors"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// the beginning of a body shows whether it is an HTML page; the Content-Type does
// not matter. The lines of a page that can be read are used.
func TestHTMLPages(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{"<!DOCTYPE html><html lang=en><head><title>Just a moment...</title></head>", true},
		{"<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", true},
		{"\n\r\n \t<html>", true},
		{"\xef\xbb\xbf<!DOCTYPE html>", true},
		{"\xef\xbb\xbf\n<HEAD>", true},
		{"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\">", true},
		{"<!-- build 7 -->\n<!-- more -->\n<!DOCTYPE html>", true},
		{"<script>location.href='/login'</script>", true},
		{"<meta http-equiv=refresh content='0; url=/login'>", true},
		{"<div id=root></div>", true},
		{"<br />\n<b>Warning</b>: Undefined variable", true},
		{"<!DOCTYPE html>\nUser-agent: *\nDisallow: /\n", true},
		{"\xff\xfe" + toUTF16LE("<!DOCTYPE html>"), true},

		{"", false},
		{" \n", false},
		{"Hello", false},
		{"User-agent: *\nDisallow: /\n", false},
		{"User-agent: *\nDisallow: /<html>\n<!DOCTYPE html>", false},
		{"# <html>\nUser-agent: *\n", false},
		{"<!-- a comment of HTML -->\nUser-agent: *\nDisallow: /\n", false},
		{"<!-- it never ends", false},
		{"<User-agent: *>\nDisallow: /", false},
		{"<sitemap>", false},
		{"<pre>\nUser-agent: *\nDisallow: /\n</pre>", false},
		{"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", false},
		{"<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg>", false},
		{"{\"error\": \"<html>\"}", false},
		{"< html>", false},
		{"</html>", false},
		{strings.Repeat("\n", 1<<20), false},
	} {
		for _, contentType := range []string{"text/html", "text/plain"} {
			r := answerWith(t, 200, c.body, "Content-Type: "+contentType)
			if (r.Page == HTML) != c.want || r.Outcome(nil) != Rules {
				t.Errorf("%s, %.60q: page %q, %s, %v", contentType, c.body, r.Page, r.Outcome(nil), r.Err)
			}
		}
		plain := answerWith(t, 200, c.body)
		if strings.Contains("\n"+c.body, "\nUser-agent: *\nDisallow: /\n") == plain.File(nil).Agent("a").Check("/").Allowed {
			t.Errorf("%.60q: not read", c.body)
		}
	}
	if r := answerWith(t, 404, "<!DOCTYPE html>"); r.Page != NoPage || r.Outcome(nil) != Unavailable {
		t.Errorf("404: page %q, %s", r.Page, r.Outcome(nil))
	}
	over := get(t, &Fetcher{}, ftpServer(t, ftpHello, ftpReplies(nil), "<!DOCTYPE html>"))
	if over.Page != HTML || over.Outcome(nil) != Rules {
		t.Errorf("over FTP: page %q, %s, %v", over.Page, over.Outcome(nil), over.Err)
	}
}

// Statuses.Pages can make pages unreachable, and the zero Statuses do.
func TestPagesByStatuses(t *testing.T) {
	value := answerWith(t, 200, "{\"appId\": \"PX1\", \"blockScript\": \"/x.js\"}")
	page := answerWith(t, 200, "<!DOCTYPE html>\nUser-agent: *\nAllow: /\n")
	file := answerWith(t, 200, "User-agent: *\nAllow: /\n", "Content-Type: text/html")
	for _, d := range robotstxt.Dialects() {
		strict := StatusesOf(d)
		strict.Pages = Unreachable
		if page.Outcome(d) != Rules || page.OutcomeBy(strict) != Unreachable || page.FileBy(strict, d).Agent("a").Check("/").Allowed {
			t.Errorf("%s: a page is %s, or %s", d, page.Outcome(d), page.OutcomeBy(strict))
		}
		if value.Outcome(d) != Rules || value.OutcomeBy(strict) != Unreachable {
			t.Errorf("%s: a JSON value is %s, or %s", d, value.Outcome(d), value.OutcomeBy(strict))
		}
		if file.OutcomeBy(strict) != Rules {
			t.Errorf("%s: a file is %s", d, file.OutcomeBy(strict))
		}
	}
	if page.OutcomeBy(Statuses{}) != Unreachable {
		t.Errorf("the zero Statuses: %s", page.OutcomeBy(Statuses{}))
	}
}

// a body that is one JSON value is a fact, as an HTML page is.
func TestJSONPages(t *testing.T) {
	for body, want := range map[string]Page{
		"{}": JSON, " [1, 2]\n": JSON, "\"x\"": JSON, "404": JSON, "null": JSON, "\xef\xbb\xbf{\"a\": 1}": JSON,
		"\xff\xfe{\x00}\x00": JSON, "{\"a\": \"User-agent: *\"}": JSON,
		"": NoPage, "\n": NoPage, "{}{}": NoPage, "{\"a\": ": NoPage, "# {}": NoPage, "{}\nUser-agent: *\nDisallow: /\n": NoPage,
	} {
		r := answerWith(t, 200, body, "Content-Type: application/json")
		if r.Page != want || r.Outcome(nil) != Rules || r.Err != nil {
			t.Errorf("%q: page %q, %s, %v", body, r.Page, r.Outcome(nil), r.Err)
		}
	}
	for page, want := range map[Page]string{NoPage: "", HTML: "an HTML page", JSON: "a JSON value"} {
		if page.String() != want {
			t.Errorf("%q: %s", string(page), page)
		}
	}
}

// status 202 is unreachable, unless a group of the body has a record.
func TestAccepted(t *testing.T) {
	for body, want := range map[string]Outcome{
		"": Unreachable, "# wait\n": Unreachable, "{}": Unreachable, "<!DOCTYPE html>": Unreachable, "User-agent: *\n": Unreachable,
		"Disallow: /\n": Unreachable, "Sitemap: https://a.example/s.xml\n": Unreachable, "User-agent: *\nunknown: 1\n": Unreachable,
		"User-agent: *\nSitemap: https://a.example/s.xml\n": Unreachable,
		disallowAll: Rules, "User-agent: *\nDisallow:\n": Rules, "User-agent: *\nCrawl-delay: 1\n": Rules,
	} {
		r := answerWith(t, 202, body, "Retry-After: 120", "X-Amzn-Waf-Action: challenge")
		if r.Outcome(nil) != want || errors.Is(r.Err, NoRobotsTxt) != (want == Unreachable) || r.Header.Get("Retry-After") != "120" {
			t.Errorf("%q: %s, %v, %v", body, r.Outcome(nil), r.Err, r.Header)
		}
	}
}

// a body whose first bytes are not text is unreachable, unless a group of it has a record and no
// rule is before it.
func TestBodiesThatBeginAsNoText(t *testing.T) {
	for body, want := range map[string]Outcome{
		"\x0b\x0e\x80Sitemap: https://a.example/s.xml\n":        Unreachable,
		"\x8b\x0e\x80User-agent: *\nDisallow: /\n\x03":          Unreachable,
		"\xfeabc\nDisallow: /\nUser-agent: b\nDisallow: /b\n":   Unreachable,
		"\xfeabc\nUser-agent: b\n":                              Unreachable,
		"\xfeabc\nUser-agent: b\nunknown: 1\n":                  Unreachable,
		"\xfeabc\nUser-agent: b\nDisallow: /b\n":                Rules,
		"abc: \xfe\nSitemap: https://a.example/s.xml\n":         Rules,
		"\x00 \t\x00\nSitemap: https://a.example/s.xml\n":       Rules,
		"\xef\xbb\xbf\x1b[0mSitemap: https://a.example/s.xml\n": Rules,
	} {
		if r := answerWith(t, 200, body); r.Outcome(nil) != want || errors.Is(r.Err, NoRobotsTxt) != (want == Unreachable) {
			t.Errorf("%q: %s, %v", body, r.Outcome(nil), r.Err)
		}
	}
}
