package lint

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
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

// walls has what pages in front of sites are, each with its signs: texts of which all are on the
// page, in any letter case. The first one with a sign counts.
var walls = []struct {
	what  string
	signs [][]string
}{
	{"a challenge of Cloudflare, which lets only browsers pass", [][]string{{"cf_chl_"}, {"challenges.cloudflare.com"}, {"cf-browser-verification"}}},
	{"a page of Cloudflare, which blocks the request", [][]string{{"attention required!", "cloudflare"}}},
	{"a page of Cloudflare about an error", [][]string{{"cf-error-details"}}},
	{"a page of Akamai, which blocks the request", [][]string{{"access denied", "edgesuite.net"}, {"access denied", "reference&#32;&#35;"}}},
	{"a challenge of Imperva, which lets only browsers pass", [][]string{{"_incapsula_resource"}}},
	{"a page of Imperva, which blocks the request", [][]string{{"incapsula incident id"}}},
	{"a challenge of DataDome, which lets only browsers pass", [][]string{{"captcha-delivery.com"}, {"datadome", "captcha"}}},
	{"a challenge of HUMAN (PerimeterX), which lets only browsers pass", [][]string{{"px-captcha"}, {"_pxappid"}}},
	{"a challenge of AWS WAF, which lets only browsers pass", [][]string{{"awswafintegration"}, {"awswaf.com"}}},
	{"a challenge of Alibaba Cloud, which lets only browsers pass", [][]string{{"aliyunwaf"}, {"aliyun_waf"}}},
	{"a challenge of Kasada, which lets only browsers pass", [][]string{{"kpsdk"}}},
	{"a page of F5, which blocks the request", [][]string{{"the requested url was rejected", "support id"}}},
	{"a challenge of F5, which lets only browsers pass", [][]string{{"client challenge", "_fs-ch-"}}},
	{"a page of Sucuri, which blocks the request", [][]string{{"sucuri website firewall"}}},
	{"a challenge of Vercel, which lets only browsers pass", [][]string{{"vercel security checkpoint"}}},
	{"a challenge of DDoS-Guard, which lets only browsers pass", [][]string{{"ddos-guard"}}},
	{"a challenge of Anubis, which lets only browsers pass", [][]string{{"making sure you're not a bot"}, {"making sure you&#39;re not a bot"}}},
	{"a challenge that lets only browsers pass", [][]string{{"<title>just a moment"}, {"checking your browser"}}},
	{"a challenge that lets only people pass", [][]string{{"g-recaptcha"}, {"h-captcha"}}},
	{"a login page", [][]string{{`type="password"`}, {`type='password'`}, {`type=password`},
		{"samlrequest"}, {"<title>log in"}, {"<title>login"}, {"<title>sign in"}}},
}

// objectStores have a form of error messages of their own.
var objectStores = []struct{ text, what string }{
	{"<code>accessdenied</code>", "an error message of a store such as Amazon S3: access denied"},
	{"<code>nosuchkey</code>", "an error message of a store such as Amazon S3: no such file"},
	{"<code>nosuchbucket</code>", "an error message of a store such as Amazon S3: no such bucket"},
}

// maxErrorText is the length of the longest error message in plain text.
const maxErrorText = 1 << 10

// errorTextIn says if a file without any record and comment is an error message.
func errorTextIn(body string, lines []robotstxt.Line) string {
	if len(body) > maxErrorText || !isErrorText(ascii.ToLower(body)) {
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

// documentOf says what a file is that is no robots.txt, such as "an HTML page"; "" if it may be
// one.
func documentOf(body string) string {
	for _, s := range signatures {
		if strings.HasPrefix(body, s.start) {
			return s.kind
		}
	}
	text := markup.Begin(body)
	if text == "" || !strings.ContainsRune("<{[", rune(text[0])) {
		return ""
	}
	text = ascii.ToLower(text)
	switch {
	case markup.IsHTML(text):
		return describedPage(text)
	case markup.IsXML(text):
		return describedXML(text)
	case isJSON(text):
		return "JSON, the answer of a program"
	}
	return ""
}

func describedPage(text string) string {
	for _, wall := range walls {
		if slices.ContainsFunc(wall.signs, func(texts []string) bool { return containsAll(text, texts) }) {
			return "an HTML page, " + wall.what
		}
	}
	if isErrorPage(text) {
		return "an HTML page about an error"
	}
	return "an HTML page"
}

func describedXML(text string) string {
	for _, store := range objectStores {
		if strings.Contains(text, store.text) {
			return store.what
		}
	}
	return "XML, and no text of records"
}

func containsAll(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}
