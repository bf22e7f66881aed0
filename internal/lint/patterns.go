package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

func (f *file) ruleLines(yield func(robotstxt.Line)) {
	for _, line := range f.textLines() {
		if isRule(line.Kind) && line.Value != "" {
			yield(line)
		}
	}
}

func pathStart(f *file, report func(Finding)) {
	f.ruleLines(func(line robotstxt.Line) {
		if !line.Notes.Has(robotstxt.NoteNoSlash) || line.Notes.Has(robotstxt.NoteOutsideGroup) {
			return
		}
		pattern, message := probablyMeant(line.Value), `matches nothing, because it does not begin with "/"`
		if strings.Contains(line.Value, "://") {
			message = "matches nothing, because a pattern is a path, without scheme and host"
		}
		found := findingAt(line, line.Value, message)
		if !looksLikeHost(line.Value) {
			found.Fix = f.newFix("write "+printable.Quote(pattern), replaceText(line, line.Value, pattern))
		}
		report(found)
	})
}

func looksLikeHost(pattern string) bool {
	first, _, ok := strings.Cut(pattern, "/")
	return ok && strings.LastIndexByte(first, '.') > 0 && !strings.Contains(pattern, "://")
}

// "tmp/" becomes "/tmp/", and ".pdf" becomes "/*.pdf".
func probablyMeant(pattern string) string {
	if _, rest, ok := strings.Cut(pattern, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		return "/" + path
	}
	if strings.HasPrefix(pattern, "?") || strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, "./") {
		return "/*" + pattern
	}
	return "/" + strings.TrimPrefix(pattern, "./")
}

func dollarNotLast(f *file, report func(Finding)) {
	f.ruleLines(func(line robotstxt.Line) {
		i := strings.IndexByte(line.Value, '$')
		if i < 0 || i == len(line.Value)-1 {
			return
		}
		found := findingAt(line, line.Value, `this "$" is an ordinary character; only the last character of a pattern can mean the end of the URL`)
		report(found.withPart(i, 1))
	})
}

func (f Finding) withPart(offset, length int) Finding {
	f.Column += offset
	f.Length = length
	return f
}

func percentEncoding(f *file, report func(Finding)) {
	f.ruleLines(func(line robotstxt.Line) {
		p, ok := findOddity(line.Value)
		if !ok || line.Notes.Has(robotstxt.NoteNotUTF8) || line.Notes.Has(robotstxt.NoteNoSlash) {
			return
		}
		found := findingAt(line, line.Value, p.message).withPart(p.at, p.length)
		found.reason = p.kind
		if escaped := normalEscapes(line.Value); escaped != line.Value && !isOdd(escaped) {
			found.Fix = &Fix{Title: "write " + printable.Quote(escaped), Edits: []Edit{replaceText(line, line.Value, escaped)}, Safe: hasSameEffect(line.Value, escaped)}
			found.reason += fmt.Sprint(" fix ", found.Fix.Safe)
		}
		report(found)
	})
}

func hasSameEffect(a, b string) bool {
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
		patterns := func(pattern string) []robotstxt.Pattern {
			return slices.Collect(robotstxt.ParseString("User-agent: *\nDisallow: "+pattern, d).Agent().Patterns())
		}
		if !slices.EqualFunc(patterns(a), patterns(b), sameForm) {
			return false
		}
	}
	return true
}

// An oddity is a part of a pattern that crawlers compare in different ways.
type oddity struct {
	at, length    int
	kind, message string
}

// notInURLs[c] is true if the ASCII character c must be escaped in a URL.
var notInURLs = func() (not [utf8.RuneSelf * 2]bool) {
	for c := range ' ' + 1 {
		not[c] = true
	}
	for _, c := range `"<>\^{|}` + "`" {
		not[c] = true
	}
	return not
}()

func isOdd(pattern string) bool {
	_, odd := findOddity(pattern)
	return odd
}

func findOddity(pattern string) (oddity, bool) {
	inQuery := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		inQuery = inQuery || c == '?'
		if c == '%' {
			if kind, message := oddEscape(pattern[i:], inQuery); message != "" {
				return oddity{i, min(3, len(pattern)-i), kind, message}, true
			}
			continue
		}
		if c >= utf8.RuneSelf {
			_, size := utf8.DecodeRuneInString(pattern[i:])
			return oddity{i, size, "not ASCII", "a URL has this character as an escape. RFC 9309 and Google's parser compare the two as equal, older crawlers do not"}, true
		}
		if notInURLs[c] {
			return oddity{i, 1, "not in URLs", fmt.Sprintf("URLs should have %%%02X in place of %q (RFC 3986). RFC 9309 compares the two as equal, Google's parser does not", c, c)}, true
		}
	}
	return oddity{}, false
}

// In a query, "%2F" is not odd, because crawlers compare it and "/" as equal.
func oddEscape(text string, inQuery bool) (kind, message string) {
	c, ok := ascii.Unescape(text)
	switch {
	case !ok:
		return "no escape", `this "%" begins no escape, and is read as an ordinary character; in URLs it is "%25"`
	case c == '/' && !inQuery:
		return "slash", fmt.Sprintf(`%s is not "/" in a path: there, the pattern matches only URLs that have the escape`, text[:3])
	case isUnreserved(c):
		return "needs no escape", fmt.Sprintf("%s is %q: RFC 9309 compares the two as equal, Google's parser does not", text[:3], c)
	}
	return "", ""
}

func isUnreserved(c byte) bool {
	return ascii.IsLetter(c) || ascii.IsDigit(c) || strings.IndexByte("-._~", c) >= 0
}

// "/a%7e%2f b" becomes "/a~%2F%20b".
func normalEscapes(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		e, ok := ascii.Unescape(pattern[i:])
		switch {
		case ok && isUnreserved(e):
			b.WriteByte(e)
			i += 2
		case ok:
			fmt.Fprintf(&b, "%%%02X", e)
			i += 2
		case c == '%' || c >= 0x7f || notInURLs[c]:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func blocksAllQueries(f *file, report func(Finding)) {
	f.ruleLines(func(line robotstxt.Line) {
		if line.Kind != robotstxt.KindDisallow || !isAnyQuery(line.Value) {
			return
		}
		for _, p := range f.policiesOf(line.Group) {
			if p.forSearch() && p.Check("/page").Allowed && p.Check("/page?name=value").Rule.Line == line.Number {
				report(findingAt(line, line.Value, "disallows every URL with a query, such as /page?name=value").withCrawlers(p.search))
				return
			}
		}
	})
}

// isAnyQuery is true for "/*?", "/*=" and "/*?*=".
func isAnyQuery(pattern string) bool {
	rest := strings.TrimPrefix(pattern, "/")
	if !strings.HasPrefix(rest, "*") || strings.Contains(rest, "?=") {
		return false
	}
	return slices.Contains([]string{"?", "=", "?="}, strings.ReplaceAll(rest, "*", ""))
}

var privateWords = map[string]bool{
	"admin": true, "backup": true, "backups": true, "confidential": true, "config": true, "credentials": true, "database": true,
	"db": true, "dump": true, "env": true, "git": true, "hidden": true, "htaccess": true, "htpasswd": true, "intern": true,
	"internal": true, "intranet": true, "passwd": true, "password": true, "passwords": true, "phpmyadmin": true, "private": true,
	"secret": true, "secrets": true, "secure": true, "staging": true, "svn": true,
	"bak": true, "old": true, "sql": true,
}

func pathsDisclosed(f *file, report func(Finding)) {
	reported := map[string]bool{} // by pattern, because other groups may repeat a pattern
	f.ruleLines(func(line robotstxt.Line) {
		if line.Kind != robotstxt.KindDisallow || strings.Contains(line.Value, "wp-admin") { // wp-admin is a well-known path of WordPress, so it discloses nothing
			return
		}
		if word := privateWord(line.Value); word != "" && !reported[line.Value] {
			reported[line.Value] = true
			found := findingAt(line, line.Value, fmt.Sprintf("everybody can read this, and %s sounds private", printable.Quote(word)))
			found.reason = "private"
			report(found)
		}
	})
}

func privateWord(pattern string) string {
	path, _, _ := strings.Cut(pattern, "?")
	for word := range strings.FieldsFuncSeq(path, func(r rune) bool { return r >= 0x80 || !ascii.IsLetter(byte(r)) }) {
		if privateWords[ascii.ToLower(word)] {
			return word
		}
	}
	return ""
}

type assetKind struct {
	name       string
	extensions []string // the most common one first
	folders    []string // names of folders that have only files of this kind
}

// These lists have no folders that may also contain pages, such as /scripts/, /style/ and /media/.
var (
	scripts = assetKind{"scripts", []string{".js", ".mjs"}, slices.Concat([]string{"js", "javascript", "javascripts"}, programFolders)}
	styles  = assetKind{"styles", []string{".css"}, slices.Concat([]string{"css", "stylesheets"}, programFolders)}
	images  = assetKind{"images", []string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg"}, []string{"images", "img"}}
)

// programFolders are folders in which common programs, such as WordPress, have scripts and styles.
var programFolders = []string{"assets", "static", "_next", "_nuxt", "wp-includes", "wp-content", "wp-content/plugins", "wp-content/themes"}

func blocksAssets(f *file, report func(Finding)) {
	f.reportBlocked([]assetKind{scripts, styles}, report)
}

func blocksImages(f *file, report func(Finding)) {
	f.reportBlocked([]assetKind{images}, func(found Finding) { report(found.withCrawlers(f.withFollowers(found.Crawlers))) })
}

// withFollowers adds search engines that have no group of their own. They follow the groups of these crawlers. For example,
// Googlebot-Image follows the group of Googlebot.
func (f *file) withFollowers(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	groups := f.policyFor(names[0]).GroupsThatApply()
	for _, c := range searchCrawlers() {
		isNamed := f.policyFor(c.ReadAs()) != nil
		if !isNamed && slices.Equal(f.parsed.Agent(c.Agents()...).GroupsThatApply(), groups) {
			names = append(names, c.Token)
		}
	}
	return names
}

// Crawlers that fetch only images or videos do not count as search engines here.
func (f *file) reportBlocked(kinds []assetKind, report func(Finding)) {
	reported := map[int]bool{}
	for _, p := range f.policies() {
		names := slices.DeleteFunc(slices.Clone(p.search), isForImages)
		if !p.everyone() && len(names) == 0 || f.blocksAll(p.Policy) {
			continue
		}
		for rule := range p.Rules() {
			if rule.Allow || reported[rule.Line] {
				continue
			}
			what, url := blockedAsset(p, rule, kinds)
			if what == "" {
				continue
			}
			reported[rule.Line] = true
			line := f.line(rule.Line)
			who := "search engines"
			if p.everyone() && slices.ContainsFunc(f.policies()[1:], (*policy).forSearch) {
				who += " without a group"
			}
			report(findingAt(line, line.Value, fmt.Sprintf("%s may not load %s such as %s", who, what, printable.Text(url))).withCrawlers(names))
		}
	}
}

func isForImages(name string) bool {
	return ascii.ContainsFold(name, "image") || ascii.ContainsFold(name, "video")
}

func blockedAsset(p *policy, rule robotstxt.Rule, kinds []assetKind) (what, url string) {
	for _, kind := range kinds {
		urls := kind.exampleURLs(rule.Pattern)
		another := func(url string) bool { return p.Check(urlWithPath(url)).Rule.Line != rule.Line }
		if len(urls) > 0 && !slices.ContainsFunc(urls, another) {
			return kind.name, urls[0]
		}
	}
	return "", ""
}

// exampleURLs returns nil unless the pattern is clearly about files of this kind, such as /js/ for scripts.
func (k assetKind) exampleURLs(pattern string) []string {
	path, query, hasQuery := strings.Cut(strings.TrimRight(pattern, "*$"), "?")
	folder, name := cutLast(path)
	if extension, any := strings.CutPrefix(name, "*"); any && slices.Contains(k.extensions, ascii.ToLower(extension)) {
		url := matchingPath(folder + "/main" + extension)
		if hasQuery {
			url += "?" + cmp.Or(strings.ReplaceAll(query, "*", "x"), "v=2")
		}
		return []string{url}
	}
	path = strings.TrimRight(path, "/*")
	lower := ascii.ToLower(path)
	isEnd := func(folder string) bool {
		before, ok := strings.CutSuffix(lower, folder)
		return ok && (before == "" || strings.HasSuffix(before, "/"))
	}
	if hasQuery || !slices.ContainsFunc(k.folders, isEnd) {
		return nil
	}
	if isEnd("wp-content") {
		path += "/themes/theme"
	}
	extension := k.extensions[0]
	return []string{matchingPath(path + "/main" + extension), matchingPath(path + "/" + extension[1:] + "/main" + extension)}
}

func cutLast(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// matchingPath returns a path that matches the pattern. The pattern must have no "$" at its end.
func matchingPath(pattern string) string {
	path := strings.ReplaceAll(pattern, "*", "x")
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}
