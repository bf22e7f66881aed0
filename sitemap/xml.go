package sitemap

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// form says where the entries stand in a kind of XML, by the local names of the
// elements from the root on. What stands elsewhere, such as the images of a
// page, is left out.
type form struct {
	item    []string // an entry
	url     string   // below it: the URL, as text or in the attribute href
	lastMod string   // below it
	isIndex bool
}

// forms by the name of the root.
var forms = map[string]form{
	"urlset":       {item: []string{"urlset", "url"}, url: "loc", lastMod: "lastmod"},
	"sitemapindex": {item: []string{"sitemapindex", "sitemap"}, url: "loc", lastMod: "lastmod", isIndex: true},
	"rss":          {item: []string{"rss", "channel", "item"}, url: "link", lastMod: "pubDate"},
	"feed":         {item: []string{"feed", "entry"}, url: "link", lastMod: "updated"},
}

// document is a file of XML that is read.
type document struct {
	*file
	form  form
	space string // the namespace of the root
	path  []string
	off   int // how many elements at the end of path are of another namespace, or below one

	entry Entry
	begun bool            // the entry has an element with its URL
	text  strings.Builder // of the current element
}

func (f *file) readXML(in *bufio.Reader) error {
	source := &tokens{in: in}
	decoder := xml.NewDecoder(source)
	decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) { return translated(label, in, source) }
	d := document{file: f}
	for {
		f.line, _ = decoder.InputPos()
		source.left = maxToken
		token, err := decoder.Token()
		if err == io.EOF {
			return nil // an element that is still open would be a syntax error
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

// tokens is what the decoder reads: so many octets are left for a token.
type tokens struct {
	in   *bufio.Reader
	left int
}

func (t *tokens) ReadByte() (byte, error) {
	if t.left == 0 {
		return 0, limitError("more than %d bytes in one tag, text or comment", maxToken)
	}
	t.left--
	return t.in.ReadByte()
}

func (t *tokens) Read(p []byte) (int, error) { return t.in.Read(p) }

// translated returns the text of a document as UTF-8, by the encoding that its
// XML declaration names. UTF-16 is translated already, by its byte-order mark.
func translated(label string, in io.Reader, source *tokens) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return in, nil
	}
	from, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %s; a sitemap is in UTF-8", short(label))
	}
	source.in = bufio.NewReader(transform.NewReader(source.in, from.NewDecoder()))
	return source, nil
}

// describeXML says what is wrong with a document; its line is known.
func describeXML(err error) error {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) {
		return describe(err)
	}
	hint := ""
	if strings.HasPrefix(syntax.Msg, "invalid character entity") {
		hint = `; only &amp; &lt; &gt; &quot; &apos; and numbers are known, and "&" is written as &amp;`
	}
	return fmt.Errorf("malformed XML: %s%s", syntax.Msg, hint)
}

func (d *document) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if strings.HasPrefix(strings.ToLower(string(t)), "doctype html") {
			return errHTML
		}
		return errors.New("a document type declaration (<!DOCTYPE …>), which no sitemap has")
	case xml.StartElement:
		return d.start(t)
	case xml.EndElement:
		return d.end()
	case xml.CharData:
		if d.isAt(d.form.url) || d.isAt(d.form.lastMod) {
			return d.addText(t)
		}
	}
	return nil
}

// addText adds a part of the text of an element: comments and CDATA cut it into many.
func (d *document) addText(part []byte) error {
	if d.text.Len()+len(part) > maxToken {
		return limitError("more than %d bytes in one text", maxToken)
	}
	d.text.Write(part)
	return nil
}

var errHTML = errors.New("an HTML page, and no sitemap")

func (d *document) start(t xml.StartElement) error {
	if len(d.path) == maxDepth {
		return limitError("more than %d elements inside of each other", maxDepth)
	}
	if len(d.path) == 0 {
		if err := d.root(t.Name); err != nil {
			return err
		}
	}
	d.path = append(d.path, t.Name.Local)
	if d.off > 0 || t.Name.Space != d.space {
		d.off++
		return nil
	}
	switch {
	case d.isItem():
		d.entry, d.begun = Entry{Line: d.line, Index: d.form.isIndex}, false
	case d.isAt(d.form.url):
		d.text.Reset()
		if !d.begun {
			d.entry.Line = d.line
		}
		return d.href(t.Attr)
	case d.isAt(d.form.lastMod):
		d.text.Reset()
	}
	return nil
}

// root checks the first element, which says what the file is.
func (d *document) root(name xml.Name) error {
	var known bool
	d.form, known = forms[name.Local]
	d.space = name.Space
	switch {
	case strings.EqualFold(name.Local, "html"):
		return errHTML
	case !known:
		return fmt.Errorf("the root element is <%s>; expected <urlset>, <sitemapindex>, <rss> or <feed>", strings.Trim(short(name.Local), `"`))
	}
	return nil
}

// href takes the URL of Atom, which stands in an attribute.
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

// setURL takes the URL of an entry, which must have one. In Atom there may be one
// for each language: the first counts.
func (d *document) setURL(url string) error {
	switch {
	case d.begun && d.form.item[0] == "feed":
		return nil
	case d.begun:
		return d.file.entry(Entry{Line: d.line}, fmt.Errorf("a second <%s> in one <%s>", d.form.url, d.form.item[len(d.form.item)-1]))
	}
	d.entry.URL, d.begun = url, true
	return nil
}

func (d *document) end() (err error) {
	switch {
	case d.off > 0:
		d.off--
	case d.isItem():
		err = d.finish()
	case d.isAt(d.form.url) && d.form.item[0] != "feed":
		err = d.setURL(strings.TrimSpace(d.text.String()))
	case d.isAt(d.form.lastMod):
		d.entry.LastMod = strings.TrimSpace(d.text.String())
	}
	d.path = d.path[:len(d.path)-1]
	return err
}

// finish yields an entry. A feed may have items without a link.
func (d *document) finish() error {
	if d.begun {
		return d.file.entry(d.entry, nil)
	}
	if d.form.url == "link" {
		return nil
	}
	return d.file.entry(d.entry, fmt.Errorf("a <%s> without a <%s>", d.path[len(d.path)-1], d.form.url))
}

// isItem reports whether the current element is an entry.
func (d *document) isItem() bool { return d.off == 0 && len(d.path) == len(d.form.item) && d.isBelow() }

// isAt reports whether the current element is the one of that name in an entry.
func (d *document) isAt(name string) bool {
	n := len(d.form.item)
	return d.off == 0 && len(d.path) == n+1 && d.path[n] == name && d.isBelow()
}

// isBelow reports whether the path begins as that of an entry does.
func (d *document) isBelow() bool {
	for i, name := range d.form.item {
		if d.path[i] != name {
			return false
		}
	}
	return len(d.form.item) > 0
}
