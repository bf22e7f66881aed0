package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// An assetKind is how the URLs of scripts, styles or images look.
type assetKind struct {
	name       string
	extensions []string // of the names of its files, the most usual one first
	folders    []string // whose only use is to hold such files
}

// Folders with other meanings as well, such as /scripts/, /style/ and /media/, are in none.
var (
	scripts = assetKind{"scripts", []string{".js", ".mjs"}, slices.Concat([]string{"js", "javascript", "javascripts"}, programFolders)}
	styles  = assetKind{"styles", []string{".css"}, slices.Concat([]string{"css", "stylesheets"}, programFolders)}
	images  = assetKind{"images", []string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg"}, []string{"images", "img"}}
)

// programFolders are those in which common programs have the scripts and styles of pages.
var programFolders = []string{"assets", "static", "_next", "_nuxt", "wp-includes", "wp-content", "wp-content/plugins", "wp-content/themes"}

func blocksAssets(f *file, report func(Finding)) { f.blocks([]assetKind{scripts, styles}, report) }

func blocksImages(f *file, report func(Finding)) { f.blocks([]assetKind{images}, report) }

// blocks reports each rule that is clearly about some kinds of assets, and disallows them for
// search engines. A search engine with a crawler for images alone is left out.
func (f *file) blocks(kinds []assetKind, report func(Finding)) {
	reported := map[int]bool{}
	for _, p := range f.policies() {
		names := slices.DeleteFunc(slices.Clone(p.search), isForImages)
		if !p.everyone() && len(names) == 0 || p.blocksAll() {
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
			report(at(line, line.Value, fmt.Sprintf("search engines may not load %s such as %s", what, printable.Text(url))).about(names))
		}
	}
}

// isForImages reports whether a name is that of a crawler for images and videos, which loads no pages.
func isForImages(name string) bool {
	return ascii.ContainsFold(name, "image") || ascii.ContainsFold(name, "video")
}

// blockedAsset returns the first kind of which a rule disallows URLs, and one of them; "" if it is
// not about such a kind, or if other rules decide about some of the URLs.
func blockedAsset(p *policy, rule robotstxt.Rule, kinds []assetKind) (what, url string) {
	for _, kind := range kinds {
		urls := kind.urls(rule.Pattern)
		another := func(url string) bool { return p.Check("http://www.example.com"+url).Rule.Line != rule.Line }
		if len(urls) > 0 && !slices.ContainsFunc(urls, another) {
			return kind.name, urls[0]
		}
	}
	return "", ""
}

// urls returns URLs of the kind that a pattern matches if it is about a folder for it, such as
// /js/, or about names of files with any beginning, such as /*.js.
func (k assetKind) urls(pattern string) []string {
	path, query, hasQuery := strings.Cut(strings.TrimRight(pattern, "*$"), "?")
	folder, name := cutLast(path)
	if extension, any := strings.CutPrefix(name, "*"); any && slices.Contains(k.extensions, ascii.ToLower(extension)) {
		url := example(folder + "/main" + extension)
		if hasQuery {
			url += "?" + cmp.Or(strings.ReplaceAll(query, "*", "x"), "v=2")
		}
		return []string{url}
	}
	path = strings.TrimRight(path, "/*")
	isEnd := func(folder string) bool { return strings.HasSuffix("/"+ascii.ToLower(path), "/"+folder) }
	if hasQuery || !slices.ContainsFunc(k.folders, isEnd) {
		return nil
	}
	if isEnd("wp-content") {
		path += "/themes/theme"
	}
	extension := k.extensions[0]
	return []string{example(path + "/main" + extension), example(path + "/" + extension[1:] + "/main" + extension)}
}

// cutLast cuts a path at its last "/".
func cutLast(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// example returns a path that a pattern without "$" matches.
func example(pattern string) string {
	path := strings.ReplaceAll(pattern, "*", "x")
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}
