package fetch

import (
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
			if r.HTML != c.want || r.Outcome(nil) != Rules {
				t.Errorf("%s, %.60q: HTML %v, %s, %v", contentType, c.body, r.HTML, r.Outcome(nil), r.Err)
			}
		}
		plain := answerWith(t, 200, c.body)
		if strings.Contains("\n"+c.body, "\nUser-agent: *\nDisallow: /\n") == plain.File(nil).Agent("a").Check("/").Allowed {
			t.Errorf("%.60q: not read", c.body)
		}
	}
	if r := answerWith(t, 404, "<!DOCTYPE html>"); r.HTML || r.Outcome(nil) != Unavailable {
		t.Errorf("404: HTML %v, %s", r.HTML, r.Outcome(nil))
	}
	over := get(t, &Fetcher{}, ftpServer(t, ftpHello, ftpReplies(nil), "<!DOCTYPE html>"))
	if !over.HTML || over.Outcome(nil) != Rules {
		t.Errorf("over FTP: HTML %v, %s, %v", over.HTML, over.Outcome(nil), over.Err)
	}
}

// Statuses.HTMLPages can make HTML pages unreachable, and the zero Statuses do.
func TestHTMLPagesByStatuses(t *testing.T) {
	page := answerWith(t, 200, "<!DOCTYPE html>\nUser-agent: *\nAllow: /\n")
	file := answerWith(t, 200, "User-agent: *\nAllow: /\n", "Content-Type: text/html")
	for _, d := range robotstxt.Dialects() {
		strict := StatusesOf(d)
		strict.HTMLPages = Unreachable
		if page.Outcome(d) != Rules || page.OutcomeBy(strict) != Unreachable || page.FileBy(strict, d).Agent("a").Check("/").Allowed {
			t.Errorf("%s: a page is %s, or %s", d, page.Outcome(d), page.OutcomeBy(strict))
		}
		if file.OutcomeBy(strict) != Rules {
			t.Errorf("%s: a file is %s", d, file.OutcomeBy(strict))
		}
	}
	if page.OutcomeBy(Statuses{}) != Unreachable {
		t.Errorf("the zero Statuses: %s", page.OutcomeBy(Statuses{}))
	}
}
