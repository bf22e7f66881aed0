package lint

import (
	"regexp"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// page recognizes an HTML page: white space, comments and an XML declaration, then a doctype or
// an element with which pages begin. "<pre>" is not one: some servers put it around a robots.txt.
var page = regexp.MustCompile(`(?is)^(?:\s|<!--.*?-->|<\?.*?>)*<(?:!doctype\s+html|` +
	`(?:html|head|body|title|meta|link|base|script|style|noscript|iframe|frameset|div|p|span|h[1-3]|center|table|form|a|b|br|font|img|hr|strong|main|section|header|article|nav|figure)[\s/>])`)

// errorXML and errorJSON recognize messages of programs.
var (
	errorXML  = regexp.MustCompile(`(?is)^(?:\s|<!--.*?-->|<\?.*?>)*<[a-z][\w:.-]*[\s/>]`)
	errorJSON = regexp.MustCompile(`^\s*(?:\{\s*(?:"[^"]*"\s*:|\})|\[\s*[{"\]])`)
)

// signatures are the first octets of other kinds of files.
var signatures = []struct{ start, kind string }{
	{"\x89PNG", "a PNG image"},
	{"GIF8", "a GIF image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"%PDF-", "a PDF"},
	{"PK\x03\x04", "a ZIP archive"},
	{"\x1f\x8b", "data compressed with gzip"},
	{"\x28\xb5\x2f\xfd", "data compressed with zstd"},
}

// walls has texts of pages that stand in front of sites, and what such a page is. The first one
// counts whose texts are all on the page, in any letter case.
var walls = []struct {
	what  string
	texts []string
}{
	{"a challenge of Cloudflare, which lets only browsers pass", []string{"cf_chl_"}},
	{"a challenge of Cloudflare, which lets only browsers pass", []string{"challenges.cloudflare.com"}},
	{"a challenge of Cloudflare, which lets only browsers pass", []string{"cf-browser-verification"}},
	{"a page of Cloudflare, which blocks the request", []string{"attention required!", "cloudflare"}},
	{"a page of Cloudflare about an error", []string{"cf-error-details"}},
	{"a page of Akamai, which blocks the request", []string{"access denied", "edgesuite.net"}},
	{"a page of Akamai, which blocks the request", []string{"access denied", "reference&#32;&#35;"}},
	{"a challenge of Imperva, which lets only browsers pass", []string{"_incapsula_resource"}},
	{"a page of Imperva, which blocks the request", []string{"incapsula incident id"}},
	{"a challenge of DataDome, which lets only browsers pass", []string{"captcha-delivery.com"}},
	{"a challenge of DataDome, which lets only browsers pass", []string{"datadome", "captcha"}},
	{"a challenge of HUMAN (PerimeterX), which lets only browsers pass", []string{"px-captcha"}},
	{"a challenge of HUMAN (PerimeterX), which lets only browsers pass", []string{"_pxappid"}},
	{"a challenge of AWS WAF, which lets only browsers pass", []string{"awswafintegration"}},
	{"a challenge of AWS WAF, which lets only browsers pass", []string{"awswaf.com"}},
	{"a challenge of Alibaba Cloud, which lets only browsers pass", []string{"aliyunwaf"}},
	{"a challenge of Alibaba Cloud, which lets only browsers pass", []string{"aliyun_waf"}},
	{"a challenge of Kasada, which lets only browsers pass", []string{"kpsdk"}},
	{"a page of F5, which blocks the request", []string{"the requested url was rejected", "support id"}},
	{"a challenge of F5, which lets only browsers pass", []string{"client challenge", "_fs-ch-"}},
	{"a page of Sucuri, which blocks the request", []string{"sucuri website firewall"}},
	{"a challenge of Vercel, which lets only browsers pass", []string{"vercel security checkpoint"}},
	{"a challenge of DDoS-Guard, which lets only browsers pass", []string{"ddos-guard"}},
	{"a challenge of Anubis, which lets only browsers pass", []string{"making sure you're not a bot"}},
	{"a challenge of Anubis, which lets only browsers pass", []string{"making sure you&#39;re not a bot"}},
	{"a challenge that lets only browsers pass", []string{"<title>just a moment"}},
	{"a challenge that lets only browsers pass", []string{"checking your browser"}},
	{"a challenge that lets only people pass", []string{"g-recaptcha"}},
	{"a challenge that lets only people pass", []string{"h-captcha"}},
	{"a login page", []string{`type="password"`}},
	{"a login page", []string{`type='password'`}},
	{"a login page", []string{`type=password`}},
	{"a login page", []string{"samlrequest"}},
	{"a login page", []string{"<title>log in"}},
	{"a login page", []string{"<title>login"}},
	{"a login page", []string{"<title>sign in"}},
}

// objectStores have a form of error messages of their own.
var objectStores = []struct{ text, what string }{
	{"<code>accessdenied</code>", "an error message of a store such as Amazon S3: access denied"},
	{"<code>nosuchkey</code>", "an error message of a store such as Amazon S3: no such file"},
	{"<code>nosuchbucket</code>", "an error message of a store such as Amazon S3: no such bucket"},
}

// missingPage recognizes the title of a page about a missing page or a refused request.
var missingPage = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>[^<]*(?:\b40[0-9]\b|\b5[0-9][0-9]\b|not found|forbidden|denied|rejected|unavailable|\berror\b)`)

// errorText recognizes an error message in plain text, such as "404 Not Found".
var errorText = regexp.MustCompile(`(?i)\b(?:[45][0-9][0-9]|not ?_?found|forbidden|denied|unauthorized|unavailable|rejected|error|no such (?:file|page)|does ?n[o'’]t exist|too many requests)\b`)

// maxErrorText is the length of the longest error message in plain text.
const maxErrorText = 1 << 10

// errorTextIn says if a file without any record and comment is an error message.
func errorTextIn(body string, lines []robotstxt.Line) string {
	if len(body) > maxErrorText || !errorText.MatchString(body) {
		return ""
	}
	for _, line := range lines {
		if k := line.Kind; k != robotstxt.KindBlank && k != robotstxt.KindOther && k != robotstxt.KindInvalid {
			return ""
		}
		if _, known := record.Lookup(line.Key); known || rightKey(line.Key) != "" {
			return ""
		}
	}
	return "an error message: " + printable.Quote(strings.Trim(body, ascii.Space+"\x00"))
}

// maxPage is how much of a page is searched.
const maxPage = 64 << 10

// documentOf says what a file is that is no robots.txt, such as "an HTML page"; "" if it may be
// one.
func documentOf(body string) string {
	for _, s := range signatures {
		if strings.HasPrefix(body, s.start) {
			return s.kind
		}
	}
	text := strings.TrimLeft(strings.TrimPrefix(body, "\ufeff"), ascii.Space)
	if text == "" || !strings.ContainsRune("<{[", rune(text[0])) {
		return ""
	}
	text = text[:min(len(text), maxPage)]
	switch {
	case page.MatchString(text):
		return describedPage(text)
	case errorXML.MatchString(text):
		return describedXML(text)
	case errorJSON.MatchString(text):
		return "JSON, the answer of a program"
	}
	return ""
}

func describedPage(text string) string {
	lower := strings.ToLower(text)
	for _, wall := range walls {
		if containsAll(lower, wall.texts) {
			return "an HTML page, " + wall.what
		}
	}
	if missingPage.MatchString(text) {
		return "an HTML page about an error"
	}
	return "an HTML page"
}

func describedXML(text string) string {
	lower := strings.ToLower(text)
	for _, store := range objectStores {
		if strings.Contains(lower, store.text) {
			return store.what
		}
	}
	return "XML, and no text of records"
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
