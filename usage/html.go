package usage

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads the meta elements of a page (AI-13, AI-14), wherever they are: a page whose head is broken means them too.
func (r *Response) readHTML(page []byte) {
	if mayHaveMeta(page) {
		r.tokenize(page)
	}
}

func (r *Response) tokenize(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, more := z.TagName(); more && atom.Lookup(name) == atom.Meta {
				r.readMeta(attributes(z))
			}
		}
	}
}

// attributes returns the name and the content of a meta element.
func attributes(z *html.Tokenizer) (name, content string) {
	hasName, hasContent := false, false
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch { // of an attribute that is given twice, HTML reads the first
		case string(key) == "name" && !hasName:
			name, hasName = string(bytes.TrimSpace(value)), true
		case string(key) == "content" && !hasContent:
			content, hasContent = string(value), true
		}
	}
	return name, content
}

func (r *Response) readMeta(name, content string) {
	switch name = lower(name); name {
	case "":
	case tdmReservation, tdmPolicy:
		r.tdm = append(r.tdm, tdmFieldOf(Statement{Carrier: TDMRep, Meta: name, Text: content}, name, content))
	default:
		// "description" has the form of directives for a crawler with that name.
		r.readDirectives(Statement{Carrier: MetaRobots, Meta: name, Text: content}, content, readName(name))
	}
}
