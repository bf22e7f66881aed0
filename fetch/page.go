package fetch

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page is what a body is instead of a robots.txt, such as a login form or a challenge for
// browsers. Its lines that are records are read all the same.
type Page string

// The kinds of pages.
const (
	NoPage Page = ""     // none of the others
	HTML   Page = "html" // an HTML page
	JSON   Page = "json" // one JSON value
)

// String returns the kind as words, such as "an HTML page"; "" for NoPage.
func (p Page) String() string {
	switch p {
	case HTML:
		return "an HTML page"
	case JSON:
		return "a JSON value"
	}
	return ""
}

// PageOf returns what kind of page a text is.
func PageOf(text []byte) Page {
	switch {
	case isHTML(text):
		return HTML
	case json.Valid(bytes.TrimPrefix(text, utf8Mark)):
		return JSON
	}
	return NoPage
}

// isHTML reports whether a text begins like an HTML page: with a doctype or an element of
// pageElements. White space, comments and an XML declaration may come before.
func isHTML(text []byte) bool {
	text = text[:min(len(text), 16<<10)]
	if begin := bytes.TrimLeftFunc(bytes.TrimPrefix(text, utf8Mark), unicode.IsSpace); len(begin) == 0 || begin[0] != '<' {
		return false // nearly always
	}
	page := html.NewTokenizer(bytes.NewReader(bytes.TrimPrefix(text, utf8Mark)))
	for {
		switch page.Next() {
		case html.CommentToken: // also "<?xml …?>"
		case html.TextToken:
			if len(bytes.TrimSpace(page.Raw())) > 0 {
				return false
			}
		case html.DoctypeToken:
			kind, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(string(page.Text()))), " ")
			return kind == "html"
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := page.TagName()
			return pageElements[atom.Lookup(name)]
		default:
			return false
		}
	}
}

// pageElements are the elements with which pages without a doctype begin. "<pre>" is not
// one: some servers put it around a robots.txt.
var pageElements = map[atom.Atom]bool{
	atom.Html: true, atom.Head: true, atom.Body: true, atom.Title: true, atom.Meta: true, atom.Link: true, atom.Base: true,
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Iframe: true, atom.Frameset: true, atom.Div: true, atom.P: true,
	atom.Span: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.Center: true, atom.Table: true, atom.Form: true, atom.A: true,
	atom.B: true, atom.Br: true, atom.Font: true, atom.Img: true, atom.Hr: true, atom.Strong: true, atom.Main: true,
	atom.Section: true, atom.Header: true, atom.Article: true, atom.Nav: true, atom.Figure: true,
}
