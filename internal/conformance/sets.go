package conformance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/lines"
)

type URL struct {
	Text string // an absolute URL, or a path
	From string // the place of the URL, such as "important.txt:3"
}

const (
	urls = iota
	sitemap
)

var setNames = [...]string{urls: "urls", sitemap: "sitemap"}

// A set has the URLs of a "urls:" or "sitemap:" line. It is read when the first case needs it.
type set struct {
	name   string
	line   int  // the index of its line in textReader.lines
	isUsed bool // at least one case uses the set; a case with an error counts, too
	isRead bool
	urls   []URL
}

func (t *textReader) setSet(kind int, name string) error {
	t.leaveSet(kind)
	t.sets[kind] = nil
	switch {
	case name == "" && kind == urls:
		return errors.New(`expected a file after "urls:"`)
	case name == "":
		return errors.New(`expected a file or a URL after "sitemap:"`)
	case kind == urls && isURL(name):
		return fmt.Errorf(`"urls: %s": expected a file with one URL on each line; for a sitemap use "sitemap:"`, name)
	}
	t.sets[kind] = &set{name: name, line: t.lineIndex}
	return nil
}

// leaveSet is called where a "urls:" or "sitemap:" line stops being valid. If no case has used its URLs, this is an
// error.
func (t *textReader) leaveSet(kind int) {
	s := t.sets[kind]
	if s == nil || s.isUsed {
		return
	}
	c := t.here()
	c.FileLine = s.line + 1
	t.emit(c, fmt.Errorf(`no case uses "%s: %s"; expected a line "allow CRAWLER %[1]s" or "disallow CRAWLER %[1]s" below it`, setNames[kind], s.name))
}

func (t *textReader) useSet(kind int) []URL {
	s := t.sets[kind]
	if s == nil {
		t.fail(fmt.Errorf(`no line above says what "%s" is; expected a line "%[1]s: FILE" above this line`, setNames[kind]))
		return nil
	}
	ok := true
	if !s.isRead {
		s.isRead = true
		ok = t.readSet(kind, s)
	}
	if ok && len(s.urls) == 0 {
		t.fail(fmt.Errorf(`the file %[2]s of the line "%[1]s: %[2]s" has no URL; expected at least one`, setNames[kind], s.name))
	}
	return s.urls
}

func (t *textReader) readSet(kind int, s *set) (ok bool) {
	if kind == urls {
		list, err := t.readList(s.name)
		s.urls = list
		t.fail(err)
		return err == nil
	}
	if t.options.ReadSitemap == nil {
		t.fail(errors.New("heed cannot read sitemaps here: set Options.ReadSitemap"))
		return false
	}
	ok = true
	for url, err := range t.options.ReadSitemap(s.name) {
		if err != nil {
			t.fail(fmt.Errorf("sitemap: %w", err))
			ok = false
			continue
		}
		s.urls = append(s.urls, url)
	}
	return ok
}

func (t *textReader) readList(name string) ([]URL, error) {
	body, err := t.options.ReadFile(name)
	if err == nil && t.options.Decode != nil {
		body, err = t.options.Decode(body)
	}
	if err != nil {
		return nil, fmt.Errorf("urls: %w", err)
	}
	var list []URL
	number := 0
	for line := range bytes.Lines(body) {
		number++
		if url := address.WithScheme(lines.Text(lines.Trim(string(line)))); url != "" {
			list = append(list, URL{Text: url, From: fmt.Sprintf("%s:%d", name, number)})
		}
	}
	return list, nil
}

const anyOrigin = "*"

// origins finds URLs to which the current robots.txt does not apply.
type origins struct {
	setting  string // "*" allows all origins
	live     string // the origin of the live site; "": the robots.txt is a file
	first    string // the origin of the first URL; "": all targets so far were paths
	reported bool
}

func (o *origins) set(url string, options *Options) (err error) {
	o.setting = url
	switch {
	case url == anyOrigin:
		return nil
	case options.Origin == nil:
		return errors.New(`heed cannot use "origin:" here: set Options.Origin`)
	}
	o.setting, err = options.Origin(url)
	return err
}

func (o *origins) reset(name string, options *Options) (err error) {
	*o = origins{setting: o.setting}
	if isURL(name) && options.Origin != nil {
		o.live, err = options.Origin(name)
	}
	return err
}

func (o *origins) check(target string, options *Options) error {
	if options.Origin == nil || o.setting == anyOrigin || !isURL(target) {
		return nil
	}
	of, err := options.Origin(target)
	if err != nil {
		return err
	}
	switch expected := cmp.Or(o.live, o.setting); {
	case expected != "" && of != expected:
		return fmt.Errorf("%s is not a URL of %s, to which the robots.txt belongs: expected a URL of that origin", target, expected)
	case expected != "" || o.reported || o.first == of: // the URL has the right origin, or the error was reported
	case o.first == "":
		o.first = of
	default:
		o.reported = true
		return fmt.Errorf(`the URLs belong to %s and to %s, but a robots.txt applies to only one origin: add a line such as "origin: %s" before the URLs`, o.first, of, o.first)
	}
	return nil
}

func isURL(s string) bool { return strings.Contains(s, "://") && !strings.HasPrefix(s, "/") }
