package fetch

import (
	"bytes"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	tokenizer "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// saysNotFound reports whether a page with a status 5xx says "not found" in its title or headings (G-6). If the title
// or a heading mentions an outage, it returns false. For the statuses 502, 503 and 504, it always returns false.
// Examples:
//
//	500 <title>404 - Page not found | Shop</title>             true
//	500 Not Found                                              true
//	500 <title>Error</title><h1>Not found</h1>                 true
//	500 <title>Template error - not found</title>              false: not this page
//	500 <title>Not found</title><h1>Database is down</h1>      false: an outage
//	500 <title>Shop</title><p>Error 404: page not found</p>    false: no heading
//	503 <title>404 Not Found</title>                           false: the status
func saysNotFound(status int, page []byte) bool {
	switch {
	case status < 500, status > 599:
		return false
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return false
	}
	lines := headlines(page)
	return slices.ContainsFunc(lines, isNotFound) && !slices.ContainsFunc(lines, saysOutage().MatchString)
}

// isNotFound reports whether a headline, or a part with a word such as "page", says that this page is missing:
//
//	not found                       true: the whole headline
//	page not found | shop           true: the first part
//	template error - not found      false: no part has a word for the page
func isNotFound(headline string) bool {
	return saysThisIsMissing().MatchString(headline) ||
		slices.ContainsFunc(betweenParts().Split(headline, -1), func(part string) bool {
			return namesThisPage().MatchString(part) && saysThisIsMissing().MatchString(part)
		})
}

// lazyRegexp returns a function that compiles an expression at its first call. So programs that import fetch start faster.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	betweenParts = lazyRegexp(` [|–—·•»-] | :: |[.!?] `)

	saysOutage = lazyRegexp(`\b5[0-9][0-9]\b|temporar|unavailable|maintenance|try again|overload|timed?[ -]?out|gateway|` +
		`backend|upstream|database|session|circuit|too many|internal|fatal|crash|` +
		`exception|wrong|fail|offline|\bdown\b|memory|config|under construction|could not start|` + foreignOutage)

	namesThisPage = lazyRegexp(`404|page|robots\.txt|url`)

	saysThisIsMissing = lazyRegexp(`^(?:(?:oops|whoops|uh[ -]oh|hmm|we.re sorry|we are sorry|sorry|error)[^a-z0-9]+(?:but )?)*` +
		`(?:` + code + `(?:[^a-z0-9]*` + statement + `)?|` + statement + `(?:[^a-z0-9]*` + code + `)?)[^a-z0-9]*1?$`)
)

const (
	// foreignOutage matches words for an outage in the languages of most sites, except English.
	foreignOutage = `wartung|nicht (?:verf|erreichb)|serverfehler|mantenimiento|no disponible|manutenção|manutenzione|indispon|` +
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

func headlines(page []byte) (lines []string) {
	page = page[:min(len(page), 32<<10)]
	if !bytes.Contains(page, []byte("<")) {
		line, _, _ := bytes.Cut(bytes.TrimSpace(page), []byte("\n"))
		return []string{plain(string(line))}
	}
	var text strings.Builder
	open, hidden := false, 0
	end := func() {
		if open {
			lines = append(lines, plain(text.String()))
		}
		text.Reset()
		open = false
	}
	for tokens := tokenizer.NewTokenizer(bytes.NewReader(page)); ; {
		switch kind := tokens.Next(); kind {
		case tokenizer.ErrorToken:
			end()
			return lines
		case tokenizer.TextToken:
			if open && hidden == 0 {
				text.WriteString(html.UnescapeString(string(tokens.Raw()))) // not tokens.Text, which would make every program start more slowly
			}
		case tokenizer.StartTagToken, tokenizer.EndTagToken:
			tag, _ := tokens.TagName()
			text.WriteByte(' ')
			switch element := atom.Lookup(tag); {
			case hidingElements[element] && kind == tokenizer.StartTagToken:
				hidden++
			case hidingElements[element]:
				hidden = max(0, hidden-1)
			case headingElements[element] && hidden == 0:
				end()
				open = kind == tokenizer.StartTagToken
			}
		}
	}
}

var (
	headingElements = map[atom.Atom]bool{atom.Title: true, atom.H1: true, atom.H2: true}

	// hidingElements are elements whose text a browser does not show as a headline.
	hidingElements = map[atom.Atom]bool{
		atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Textarea: true,
		atom.Iframe: true, atom.Noframes: true, atom.Noembed: true, atom.Xmp: true,
	}
)

func plain(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text[:min(len(text), 500)]), "’", "'")
	return strings.Join(strings.Fields(text), " ")
}
