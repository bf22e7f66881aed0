package sitemap

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/heed-robots/heed/internal/printable"
)

// Names of elements are without namespace prefix. Elements that are not named here are ignored.
type form struct {
	item    []string // the path from the root to an entry
	url     string   // the child with the URL: its text, or in Atom its attribute href
	isIndex bool     // the entries are sitemaps
}

var forms = map[string]form{
	"urlset":       {item: []string{"urlset", "url"}, url: "loc"},
	"sitemapindex": {item: []string{"sitemapindex", "sitemap"}, url: "loc", isIndex: true},
	"rss":          {item: []string{"rss", "channel", "item"}, url: "link"},
	"feed":         {item: []string{"feed", "entry"}, url: "link"},
}

type document struct {
	*file
	form         form
	space        string   // the namespace of the root element
	path         []string // the open elements, from the root on
	foreignDepth int      // the number of elements in path, from the first one with another namespace on

	entry  Entry
	hasURL bool
	text   strings.Builder // the text of the current element
}

func (f *file) readXML(in *bufio.Reader) error {
	source := &tokens{in: in}
	decoder := xml.NewDecoder(source)
	decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) { return translate(label, in, source) }
	d := document{file: f}
	for {
		f.line, _ = decoder.InputPos()
		source.left = maxToken
		token, err := decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.token(token)
		} else {
			f.line, _ = decoder.InputPos()
		}
		if err != nil {
			return describeXML(err)
		}
	}
}

// The XML decoder keeps a whole tag, text or comment in memory, so each of these tokens has at most maxToken bytes.
type tokens struct {
	in   *bufio.Reader
	left int // bytes that the current token may still have
}

func (t *tokens) ReadByte() (byte, error) {
	if t.left == 0 {
		return 0, limitError("more than %d bytes in one tag, text or comment", maxToken)
	}
	t.left--
	return t.in.ReadByte()
}

func (t *tokens) Read(p []byte) (int, error) { return t.in.Read(p) }

// A document in UTF-16 has a byte-order mark, and is already translated.
func translate(label string, in io.Reader, source *tokens) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return in, nil
	}
	from, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("the encoding %s of the sitemap is unknown; expected UTF-8", printable.Quote(label))
	}
	source.in = bufio.NewReader(transform.NewReader(source.in, from.NewDecoder()))
	return source, nil
}

func describeXML(err error) error {
	syntax, ok := errors.AsType[*xml.SyntaxError](err)
	if !ok {
		return describe(err)
	}
	hint := ""
	if strings.HasPrefix(syntax.Msg, "invalid character entity") {
		hint = `; only &amp; &lt; &gt; &quot; &apos; and numbers are known, and "&" is written as &amp;`
	}
	return fmt.Errorf("the sitemap is not correct XML: %s%s", syntax.Msg, hint)
}

func (d *document) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if strings.HasPrefix(strings.ToLower(string(t)), "doctype html") {
			return errHTML
		}
		return errors.New("the file has a document type declaration (<!DOCTYPE …>), which a sitemap must not have: remove it")
	case xml.StartElement:
		return d.start(t)
	case xml.EndElement:
		return d.end()
	case xml.CharData:
		if d.isChild(d.form.url) {
			return d.addText(t)
		}
	}
	return nil
}

// Comments and CDATA divide a text into parts.
func (d *document) addText(part []byte) error {
	if d.text.Len()+len(part) > maxToken {
		return limitError("more than %d bytes in one text", maxToken)
	}
	d.text.Write(part)
	return nil
}

var errHTML = errors.New("the file is an HTML page; expected a sitemap")

func (d *document) start(t xml.StartElement) error {
	if len(d.path) == maxDepth {
		return limitError("XML elements are nested more than %d levels deep", maxDepth)
	}
	if len(d.path) == 0 {
		if err := d.root(t.Name); err != nil {
			return err
		}
	}
	d.path = append(d.path, t.Name.Local)
	if d.foreignDepth > 0 || t.Name.Space != d.space {
		d.foreignDepth++
		return nil
	}
	switch {
	case d.isItem():
		d.entry, d.hasURL = Entry{Line: d.line, Index: d.form.isIndex}, false
	case d.isChild(d.form.url):
		d.text.Reset()
		if !d.hasURL {
			d.entry.Line = d.line
		}
		return d.href(t.Attr)
	}
	return nil
}

func (d *document) root(name xml.Name) error {
	var known bool
	d.form, known = forms[name.Local]
	d.space = name.Space
	switch {
	case strings.EqualFold(name.Local, "html"):
		return errHTML
	case !known:
		return fmt.Errorf("the root element of the sitemap is <%s>; expected <urlset>, <sitemapindex>, <rss> or <feed>", strings.Trim(printable.Quote(name.Local), `"`))
	}
	return nil
}

func (d *document) href(attributes []xml.Attr) error {
	if d.form.item[0] != "feed" {
		return nil
	}
	href := ""
	for _, a := range attributes {
		switch {
		case a.Name.Local == "rel" && a.Value != "alternate":
			return nil
		case a.Name.Local == "href":
			href = a.Value
		}
	}
	return d.setURL(href)
}

// A second URL is an error, except in Atom. In Atom, an entry may have one URL for each language.
func (d *document) setURL(url string) error {
	switch {
	case d.hasURL && d.form.item[0] == "feed":
		return nil
	case d.hasURL:
		return d.file.entry(Entry{Line: d.line}, fmt.Errorf("the sitemap has a second <%s> in one <%s>; expected one", d.form.url, d.form.item[len(d.form.item)-1]))
	}
	d.entry.URL, d.hasURL = url, true
	return nil
}

func (d *document) end() (err error) {
	switch {
	case d.foreignDepth > 0:
		d.foreignDepth--
	case d.isItem():
		err = d.finish()
	case d.isChild(d.form.url) && d.form.item[0] != "feed":
		err = d.setURL(strings.TrimSpace(d.text.String()))
	}
	d.path = d.path[:len(d.path)-1]
	return err
}

func (d *document) finish() error {
	if d.hasURL {
		return d.file.entry(d.entry, nil)
	}
	if d.form.url == "link" {
		return nil
	}
	return d.file.entry(d.entry, fmt.Errorf("the sitemap has a <%s> without a <%s>; expected one", d.path[len(d.path)-1], d.form.url))
}

func (d *document) isItem() bool {
	return d.foreignDepth == 0 && slices.Equal(d.path, d.form.item)
}

func (d *document) isChild(name string) bool {
	n := len(d.form.item)
	return d.foreignDepth == 0 && len(d.path) == n+1 && d.path[n] == name && slices.Equal(d.path[:n], d.form.item)
}
