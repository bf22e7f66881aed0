package lint

import (
	"iter"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/testing/portion"
)

func TestDocuments(t *testing.T) {
	for body, want := range map[string]string{
		"\ufeff <!-- a --> <!doctype HTML><title>Hello</title>":                       "an HTML page",
		"<html><head><title>404 Not Found</title>":                                    "an HTML page about an error",
		"<!DOCTYPE html><title>Just a moment...</title><script>window._cf_chl_opt={}": "an HTML page, a challenge of Cloudflare, which lets only browsers pass",
		"<HTML><TITLE>Access Denied</TITLE>Reference&#32;&#35;18.2":                   "an HTML page, a page of Akamai, which blocks the request",
		"<html><iframe src=\"/_Incapsula_Resource?x\">":                               "an HTML page, a challenge of Imperva, which lets only browsers pass",
		"<html><form><input name=p type=\"password\">":                                "an HTML page, a login page",
		"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>":           "an error message of a store such as Amazon S3: access denied",
		"{\"error\": \"Not Found\"}":                                                  "JSON, the answer of a program",
		"Not Found\x00\x00\n":                                                         "an error message: \"Not Found\"",
		"\x89PNG\r\n\x1a\n":                                                           "a PNG image",
		"<pre>\nUser-agent: *\n</pre>":                                                "XML, and no text of records",
		"User-agent: *\nDisallow: /error\n":                                           "",
		"Error: 1\nSitemap: https://www.example.com/\n":                               "",
	} {
		if got := newFile(body).document; got != want {
			t.Errorf("%q: %q, expected %q", body, got, want)
		}
	}
}

// TestWalls has, for each page that stands in front of sites, what is on it in the letter case of
// its author.
func TestWalls(t *testing.T) {
	for _, c := range []struct{ want, on string }{
		{"a challenge of Cloudflare, which lets only browsers pass", `<script>window._cf_chl_opt = {}`},
		{"a challenge of Cloudflare, which lets only browsers pass", `<script src="https://challenges.cloudflare.com/turnstile/v0/api.js">`},
		{"a challenge of Cloudflare, which lets only browsers pass", `<div class="cf-browser-verification">`},
		{"a page of Cloudflare, which blocks the request", "<title>Attention Required! | Cloudflare</title>"},
		{"a page of Cloudflare about an error", `<div id="cf-error-details">`},
		{"a page of Akamai, which blocks the request", "<title>Access Denied</title> https://errors.edgesuite.net/18.2"},
		{"a page of Akamai, which blocks the request", "<title>Access Denied</title> Reference&#32;&#35;18&#46;2"},
		{"a challenge of Imperva, which lets only browsers pass", `<iframe src="/_Incapsula_Resource?a=1">`},
		{"a page of Imperva, which blocks the request", "Incapsula incident ID: 1-2"},
		{"a challenge of DataDome, which lets only browsers pass", `<script src="https://ct.captcha-delivery.com/c.js">`},
		{"a challenge of DataDome, which lets only browsers pass", "DataDome CAPTCHA"},
		{"a challenge of HUMAN (PerimeterX), which lets only browsers pass", `<div id="px-captcha">`},
		{"a challenge of HUMAN (PerimeterX), which lets only browsers pass", "window._pxAppId = 1"},
		{"a challenge of AWS WAF, which lets only browsers pass", "AwsWafIntegration.getToken()"},
		{"a challenge of AWS WAF, which lets only browsers pass", "https://1.token.awswaf.com/challenge.js"},
		{"a challenge of Alibaba Cloud, which lets only browsers pass", "aliyunwaf"},
		{"a challenge of Alibaba Cloud, which lets only browsers pass", `<meta name="aliyun_waf_aa">`},
		{"a challenge of Kasada, which lets only browsers pass", "window.KPSDK = {}"},
		{"a page of F5, which blocks the request", "The requested URL was rejected. Your support ID is: 1"},
		{"a challenge of F5, which lets only browsers pass", `<title>Client Challenge</title><script src="/_fs-ch-1/">`},
		{"a page of Sucuri, which blocks the request", "<title>Sucuri WebSite Firewall</title>"},
		{"a challenge of Vercel, which lets only browsers pass", "<title>Vercel Security Checkpoint</title>"},
		{"a challenge of DDoS-Guard, which lets only browsers pass", "<title>DDoS-Guard</title>"},
		{"a challenge of Anubis, which lets only browsers pass", "<title>Making sure you're not a bot!</title>"},
		{"a challenge of Anubis, which lets only browsers pass", "<title>Making sure you&#39;re not a bot!</title>"},
		{"a challenge that lets only browsers pass", "<title>Just a moment...</title>"},
		{"a challenge that lets only browsers pass", "Checking your browser"},
		{"a challenge that lets only people pass", `<div class="g-recaptcha">`},
		{"a challenge that lets only people pass", `<div class="h-captcha">`},
		{"a login page", `<input type="password">`},
		{"a login page", "<input type='password'>"},
		{"a login page", "<input type=password>"},
		{"a login page", `<input name="SAMLRequest">`},
		{"a login page", "<title>Log in</title>"},
		{"a login page", "<title>Login</title>"},
		{"a login page", "<title>Sign in</title>"},
	} {
		if got, want := documentOf("<html>"+c.on), "an HTML page, "+c.want; got != want {
			t.Errorf("%q: %q, want %q", c.on, got, want)
		}
	}
	// A single text of two is not enough.
	for _, on := range []string{
		"Attention required!", "Hosted by Cloudflare", "Access denied by us", "edgesuite.net", "reference&#32;&#35;",
		"DataDome", "a captcha", "The requested URL was rejected", "Our support ID", "Client challenge", "_fs-ch-",
	} {
		if got := documentOf("<html>" + on); got != "an HTML page" {
			t.Errorf("%q: %q", on, got)
		}
	}
}

// TestPages has the starts of pages, of other documents, and of files that may be a robots.txt.
func TestPages(t *testing.T) {
	const store = "an error message of a store such as Amazon S3: "
	for body, want := range map[string]string{
		"GIF89a":                  "a GIF image",
		"\xff\xd8\xff\xe0":        "a JPEG image",
		"%PDF-1.7":                "a PDF",
		"PK\x03\x04":              "a ZIP archive",
		"\x1f\x8b\x08":            "data compressed with gzip",
		"\x28\xb5\x2f\xfd\x04":    "data compressed with zstd",
		"# GIF8\nUser-agent: *\n": "",

		"\t\n<?xml version=\"1.0\"?>\n<!-- a\nb --><HTML lang=en>": "an HTML page",
		"<!DOCTYPE\nhtml>":     "an HTML page",
		"<br/>hello":           "an HTML page",
		"<h2>News</h2>":        "an HTML page",
		"<b>Warning</b>":       "an HTML page",
		"<title>Home":          "an HTML page",
		"<a href=/>x</a>":      "an HTML page",
		"<title>404":           "an HTML page about an error",
		"<H1 class=a>An ERROR": "an HTML page about an error",
		"<html><title>Year 1404</title><h1>Order 4044</h1> 404 not found":     "an HTML page",
		"<html>" + strings.Repeat(" ", markup.MaxLength) + "<title>Log in":    "an HTML page",
		"<html>" + strings.Repeat(" ", markup.MaxLength-19) + "<title>Log in": "an HTML page, a login page",

		"<Error><Code>NoSuchKey</Code></Error>":    store + "no such file",
		"<Error><Code>NoSuchBucket</Code></Error>": store + "no such bucket",
		"<bogus>":        "XML, and no text of records",
		"{}":             "JSON, the answer of a program",
		"[ {\"a\": 1} ]": "JSON, the answer of a program",
		"[]":             "JSON, the answer of a program",

		"{our rules}\nUser-agent: *\n": "",
		"[rules]\nUser-agent: *\n":     "",
		"<<<<<<< HEAD\n":               "",
		"User-agent: * <html>\n":       "",
		"\ufeff":                       "",
		" ":                            "",
	} {
		if got := documentOf(body); got != want {
			t.Errorf("%.80q: %q, want %q", body, got, want)
		}
	}
}

// TestErrorTexts has error messages in plain text, and files that only look like one.
func TestErrorTexts(t *testing.T) {
	for _, message := range []string{
		"404", "503 Service", "not found", "Not_Found", "NotFound", "Forbidden", "Access denied.", "unauthorized", "Unavailable",
		"Request rejected", "an error", "No such file", "No such page", "it doesn't exist", "it doesn\u2019t exist", "it does not exist", "Too many requests",
		"Message: not found",
		"error" + strings.Repeat(".", maxErrorText-len("error")),
	} {
		findings := findingsOf(message, "html-body")
		if want := "the file is no robots.txt: it is an error message: "; len(findings) != 1 || !strings.HasPrefix(findings[0].Message, want) || findings[0].Line != 0 {
			t.Errorf("%.80q: %v", message, findings)
		}
	}
	for _, file := range []string{
		"4044", "errors", "hello", "not found\nHost: a\n", "not found\nDisalow: /\n", "not found\nDisallow: /\n", "# not found\n",
		"error" + strings.Repeat(".", maxErrorText-len("error")+1),
	} {
		if findings := findingsOf(file, "html-body"); len(findings) != 0 {
			t.Errorf("%.80q: %v", file, findings)
		}
	}
}

// recognizers are the functions of markup.go, each with a regular expression for the same.
// Package regexp is not used outside of tests, because it is large.
var recognizers = []struct {
	name       string
	is         func(string) bool
	expression *regexp.Regexp
}{
	{"isJSON", isJSON, regexp.MustCompile(`^\s*(?:\{\s*(?:"[^"]*"\s*:|\})|\[\s*[{"\]])`)},
	{"isErrorPage", isErrorPage, regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>[^<]*(?:\b40[0-9]\b|\b5[0-9][0-9]\b|not found|forbidden|denied|rejected|unavailable|\berror\b)`)},
	{"isErrorText", isErrorText, regexp.MustCompile(`(?i)\b(?:[45][0-9][0-9]|not ?_?found|forbidden|denied|unauthorized|unavailable|rejected|error|no such (?:file|page)|does ?n[o'’]t exist|too many requests)\b`)},
}

// otherLetters are two letters that regular expressions take for "s" and "k" if letter case is
// ignored. In HTML they are not, so the expressions get other letters of the same length.
var otherLetters = strings.NewReplacer("\u017f", "\u00e9", "\u212a", "\u2019")

// compareRecognizers compares the functions with the expressions, and adds to the counts of their
// answers.
func compareRecognizers(t *testing.T, text string, yes, no []int) {
	t.Helper()
	for i, r := range recognizers {
		got := r.is(ascii.ToLower(text))
		if want := r.expression.MatchString(otherLetters.Replace(text)); got != want {
			t.Errorf("%s: %v, want %v: %.2000q", r.name, got, want, text)
		}
		if got {
			yes[i]++
		} else {
			no[i]++
		}
	}
}

// The pieces of the texts that TestRecognizers makes: how they begin, and what is in them.
var (
	beginnings = []string{
		"", " ", "\n", "\v", "\f", "\x00", "\ufeff", "\u00a0", "<!--", "-->", "<!-->", "--", "-->-->", "<?", "?>", "<?xml version=\"1.0\"?>", "<?php a>1 ?>", ">",
		"<!-- a -->", "<!-- > -->", "<!", "<!doctype html>", "<!DOCTYPE\r\nHTML", "<!doctype", "<!doctypehtml>", "<html>", "<hTmL ", "<html", "<h1>", "<h4>", "<p/>", "<pre>",
		"<a:b.c-d_1 ", "<1>", "<\u017fcript>", "<script>", "<lin\u212a>", "<link>", "<\xff>", "<a\xff>", "<\u00e9>", "</a>", "<title", "<TITLE>", "<titles>", "<h1 class='a'>", "<<", "<",
		"{", "}", "[", "]", "\"", "\"a\"", ":", "{}", "[]", "[{", "{\"a\": 1}", "{\"\xff\":",
	}
	insides = []string{
		"404", "405", "410", "500", "5000", "599", "40\u0660", "error", "ERROR", "errors", "_", "a", "-", " ", "  ", "\t", ".", "<b>", ">", "<", "\x00", "\xff", "\u2019",
		"not", "found", "not found", "Not_Found", "not _found", "notfound", "forbidden", "denied", "Rejected", "unavailable", "unauthorized",
		"no such file", "no such page", "No such", "file", "does not exist", "doesnot exist", "doesn't exist", "doesn\u2019t exist", "does n't exist", "does n\u2019t exist", "doesn", "t exist", "doe\u017f not exist",
		"too many requests", "too many request\u017f", "<title>", "</title>", "<h1", "\u212a",
	}
)

// anyText returns a text of random pieces, of which some bytes are changed.
func anyText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteString(beginnings[random.IntN(len(beginnings))])
	}
	for range random.IntN(5) {
		b.WriteString(insides[random.IntN(len(insides))])
	}
	text := []byte(b.String())
	for range random.IntN(3) {
		if len(text) > 0 {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
	}
	return string(text)
}

func TestRecognizers(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	yes, no := make([]int, len(recognizers)), make([]int, len(recognizers))
	const texts = 100_000
	for range texts {
		compareRecognizers(t, anyText(random), yes, no)
	}
	for _, r := range recognizers { // the names of all elements, and parts of what is looked for
		for _, part := range regexp.MustCompile(`[a-z]+[1-3]?`).FindAllString(r.expression.String()+" h1 h2 h3", -1) {
			compareRecognizers(t, "<"+part+">"+part, yes, no)
		}
	}
	for i, r := range recognizers {
		if yes[i] < texts/100 || no[i] < texts/100 {
			t.Errorf("%s: %d times yes and %d times no: too few to compare", r.name, yes[i], no[i])
		}
	}
}

func FuzzRecognizers(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		f.Add(anyText(random))
	}
	count := make([]int, len(recognizers))
	f.Fuzz(func(t *testing.T, text string) { compareRecognizers(t, text, count, count) })
}

// The long s is no letter of HTML, and the Kelvin sign no letter of ASCII.
func TestRecognizersFoldASCIIOnly(t *testing.T) {
	for body, want := range map[string]string{
		"<SCRIPT>":                                "an HTML page",
		"<\u017fcript>":                           "",
		"<html>KPSDK":                             "an HTML page, a challenge of Kasada, which lets only browsers pass",
		"<html>\u212aPSD\u212a":                   "an HTML page",
		"<Error><Code>NoSuchKey":                  "XML, and no text of records",
		"<Error><Code>NoSuchKey</Code>":           "an error message of a store such as Amazon S3: no such file",
		"<Error><Code>No\u017fuch\u212aey</Code>": "XML, and no text of records",
	} {
		if got := documentOf(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// hostileMarkup are texts that take a time quadratic in their size if some parts are read again
// and again.
var hostileMarkup = []string{
	"<!--", "-->", "<!-->", "<!-- -->", "<!---->", "<?", "<? >", "<?>", "<!--<?", "--><?", "<!-- <!--", "<a", "<a:", "<a>", "<", ">", "\n", " \v",
	"<title", "<title>", "<h1", "<title><", "<title>4", "<title>not ", "</title>", "{", "{\"", "[", "error_", "not ", "not_", "404_", "no such ", "\xff", "\u017f",
}

// Each part of a text is read once, so the time is linear in its size: the texts of titles do not
// overlap.
func TestMarkupIsReadOnce(t *testing.T) {
	t.Parallel()
	for _, part := range hostileMarkup {
		for _, before := range []string{"", "<!-- ", "<? ", "<title>"} {
			if !portion.Of(4) {
				continue
			}
			text := before + strings.Repeat(part, 10_000)
			compareRecognizers(t, text, make([]int, len(recognizers)), make([]int, len(recognizers)))
			if n := bytesIn(titles(text)); n > len(text) {
				t.Errorf("%q and many %q: the titles have %d bytes, the text %d", before, part, n, len(text))
			}
		}
	}
}

func bytesIn(texts iter.Seq[string]) (n int) {
	for text := range texts {
		n += len(text)
	}
	return n
}
