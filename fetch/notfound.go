package fetch

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// saysNotFound reports whether an error page says that this page is not there, as
// one does that is sent with the wrong status (G-6). What counts is its title and
// headings, or its first line where it is no HTML: pages hold numbers and words of
// every kind elsewhere. Whatever speaks of an outage beside it, such as the statuses
// 502, 503 and 504 do, is an outage.
func saysNotFound(status int, page []byte) bool {
	switch {
	case status < 500, status > 599:
		return false
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return false
	}
	said := headlines(page)
	return slices.ContainsFunc(said, isNotFound) && !slices.ContainsFunc(said, saysOutage.MatchString)
}

// isNotFound reports whether a headline says that this page is not there and nothing
// else, or a part of it does, such as that before the name of the site. What "not found"
// alone means there, or a file, depends on the other parts: "template error - not found".
func isNotFound(headline string) bool {
	return saysThisIsMissing.MatchString(headline) ||
		slices.ContainsFunc(betweenParts.Split(headline, -1), func(part string) bool {
			return namesThePage.MatchString(part) && saysThisIsMissing.MatchString(part)
		})
}

var (
	betweenParts = regexp.MustCompile(` [|–—·•»-] | :: |[.!?] `)

	saysOutage = regexp.MustCompile(`\b5[0-9][0-9]\b|temporar|unavailable|maintenance|try again|overload|timed?[ -]?out|gateway|` +
		`backend|upstream|database|session|circuit|too many|internal|fatal|crash|` +
		`exception|wrong|fail|offline|\bdown\b|memory|config|under construction|could not start|` + outageElsewhere)

	namesThePage = regexp.MustCompile(`404|page|robots\.txt|url`)

	saysThisIsMissing = regexp.MustCompile(`^(?:(?:oops|whoops|uh[ -]oh|hmm|we.re sorry|we are sorry|sorry|error)[^a-z0-9]+(?:but )?)*` +
		`(?:` + code + `(?:[^a-z0-9]*` + statement + `)?|` + statement + `(?:[^a-z0-9]*` + code + `)?)[^a-z0-9]*1?$`)
)

const (
	// outageElsewhere are words for maintenance, for what is not available for now and for
	// a failing server, in the languages of most sites but English.
	outageElsewhere = `wartung|nicht (?:verf|erreichb)|serverfehler|mantenimiento|no disponible|manutenção|manutenzione|indispon|` +
		`erreur (?:du|interne)|обслуживани|недоступ|технически|ошибка сервера|メンテナンス|サーバーエラー|维护|維護|不可用|服务器错误|점검`

	code      = `(?:(?:http|status|error|code)[ :]*)*404(?:\.[0-9]+)?(?: error)?`
	statement = `(?:` +
		`not found|no such (?:page|file|document|url|resource)|` +
		`(?:` + thing + name + `?|` + name + `)` + wanted + ` ` + missing + `(?: on (?:this|the|our) (?:server|site|website))?|` +
		`(?:we|i) (?:cannot|can't|can not|could not|couldn't) find ` + thing + wanted + `)`
	thing   = `(?:(?:the|this|that|your|requested|web|html) )*(?:page|file or directory|file|document|url|resource|object)`
	name    = `(?: ?\S*robots\.txt\S*)`
	wanted  = `(?: (?:that )?you[a-z' ]{0,40})?`
	missing = `(?:(?:was |is )?not found|(?:could|can) ?not be found|(?:couldn't|can't) be found|(?:does not|doesn't) exist|no longer exists)`
)

// headlines returns what the title and the headings of a page say, or its first
// line where it is no HTML, in lower case and with single spaces.
func headlines(page []byte) (said []string) {
	const most = 32 << 10 // of the page; whoever has something to say, says it there
	page = page[:min(len(page), most)]
	if !bytes.Contains(page, []byte("<")) {
		line, _, _ := bytes.Cut(bytes.TrimSpace(page), []byte("\n"))
		return []string{plain(string(line))}
	}
	var text strings.Builder
	open, hidden := false, 0
	end := func() {
		if open {
			said = append(said, plain(text.String()))
		}
		text.Reset()
		open = false
	}
	for tokens := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			end()
			return said
		case html.TextToken:
			if open && hidden == 0 {
				text.Write(tokens.Text())
			}
		case html.StartTagToken, html.EndTagToken:
			tag, _ := tokens.TagName()
			text.WriteByte(' ')
			switch element := atom.Lookup(tag); {
			case hiding[element] && kind == html.StartTagToken:
				hidden++
			case hiding[element]:
				hidden = max(0, hidden-1)
			case headings[element] && hidden == 0:
				end()
				open = kind == html.StartTagToken
			}
		}
	}
}

var (
	headings = map[atom.Atom]bool{atom.Title: true, atom.H1: true, atom.H2: true}

	// hiding are elements whose text nobody reads, as a headline at least.
	hiding = map[atom.Atom]bool{
		atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Textarea: true,
		atom.Iframe: true, atom.Noframes: true, atom.Noembed: true, atom.Xmp: true,
	}
)

// plain returns the beginning of a text in lower case and with single spaces.
func plain(text string) string {
	const most = 500
	text = strings.ReplaceAll(strings.ToLower(text[:min(len(text), most)]), "’", "'")
	return strings.Join(strings.Fields(text), " ")
}
