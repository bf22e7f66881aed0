package lint

import (
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

var signatures = []struct{ start, kind string }{
	{"\x89PNG", "a PNG image"},
	{"GIF8", "a GIF image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"%PDF-", "a PDF"},
	{"PK\x03\x04", "a ZIP archive"},
	{"\x1f\x8b", "data compressed with gzip"},
	{"\x28\xb5\x2f\xfd", "data compressed with zstd"},
}

// signs has alternatives: a page is of this kind if it contains all texts of one of the lists.
var blockingPages = []struct {
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

var objectStores = []struct{ text, what string }{
	{"<code>accessdenied</code>", "an error message of a store such as Amazon S3: access denied"},
	{"<code>nosuchkey</code>", "an error message of a store such as Amazon S3: no such file"},
	{"<code>nosuchbucket</code>", "an error message of a store such as Amazon S3: no such bucket"},
}

const maxErrorText = 1 << 10

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
	for _, page := range blockingPages {
		if slices.ContainsFunc(page.signs, func(texts []string) bool { return containsAll(text, texts) }) {
			return "an HTML page, " + page.what
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

func isJSON(text string) bool {
	first, rest := nextNonSpace(text)
	second, rest := nextNonSpace(rest)
	switch {
	case first == '[':
		return second == '{' || second == '"' || second == ']'
	case first == '{' && second == '"':
		_, after, _ := strings.Cut(rest, `"`)
		colon, _ := nextNonSpace(after)
		return colon == ':'
	}
	return first == '{' && second == '}'
}

func nextNonSpace(text string) (next byte, rest string) {
	text = strings.TrimLeft(text, markup.Space)
	if text == "" {
		return 0, ""
	}
	return text[0], text[1:]
}

func isErrorPage(text string) bool {
	for title := range titles(text) {
		if isErrorTitle(title) {
			return true
		}
	}
	return false
}

// The text must be in lower case. titles reads the text only once, because a hostile file can be long.
func titles(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for found := true; found; {
			_, text, found = strings.Cut(text, "<")
			if !strings.HasPrefix(text, "title") && !strings.HasPrefix(text, "h1") {
				continue
			}
			_, text, found = strings.Cut(text, ">")
			if title, _, _ := strings.Cut(text, "<"); !yield(title) {
				return
			}
		}
	}
}

func isErrorTitle(title string) bool {
	for _, part := range []string{"not found", "forbidden", "denied", "rejected", "unavailable"} {
		if strings.Contains(title, part) {
			return true
		}
	}
	return slices.ContainsFunc(words(title), func(word string) bool {
		return word == "error" || isErrorStatus(word) && (word[0] == '5' || word[1] == '0')
	})
}

var errorPhrases = []string{
	"not found", "notfound", "not_found", "not _found", "no such file", "no such page",
	"does not exist", "doesnot exist", "does n't exist", "doesn't exist", "does n’t exist", "doesn’t exist",
	"forbidden", "denied", "unauthorized", "unavailable", "rejected", "error", "too many requests",
}

func isErrorText(text string) bool {
	return slices.ContainsFunc(words(text), isErrorStatus) ||
		slices.ContainsFunc(errorPhrases, func(phrase string) bool { return containsWholeWords(text, phrase) })
}

func containsWholeWords(text, phrase string) bool {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(phrase)
		if (from == 0 || !markup.IsWord(rune(text[from-1]))) && (end == len(text) || !markup.IsWord(rune(text[end]))) {
			return true
		}
	}
}

func isErrorStatus(word string) bool {
	return len(word) == 3 && (word[0] == '4' || word[0] == '5') && ascii.IsDigit(word[1]) && ascii.IsDigit(word[2])
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !markup.IsWord(r) })
}
