package lint

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/markup"
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
