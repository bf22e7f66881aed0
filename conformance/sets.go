package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A URL is one of a set.
type URL struct {
	Text string // absolute, or a path
	From string // where it stands, such as "important.txt:3"
}

// The kinds of sets, and the words for them in case files.
const (
	urls = iota
	sitemap
)

var setNames = [...]string{urls: "urls", sitemap: "sitemap"}

// set is a set of URLs that a case file names. It is read when it is first tested.
type set struct {
	name  string
	line  int  // of the setting, from 0
	named bool // in an expectation, which may be wrong otherwise
	read  bool
	urls  []URL
}

// setSet takes the name of a set.
func (t *textReader) setSet(kind int, name string) error {
	t.leaveSet(kind)
	t.sets[kind] = nil
	switch {
	case name == "" && kind == urls:
		return errors.New(`expected a file behind "urls:"`)
	case name == "":
		return errors.New(`expected a file or a URL behind "sitemap:"`)
	case kind == urls && isURL(name):
		return fmt.Errorf(`"urls: %s": expected a file with one URL on each line; a sitemap is named by "sitemap:"`, name)
	}
	t.sets[kind] = &set{name: name, line: t.at}
	return nil
}

// leaveSet tells of a set that no expectation names: whoever wrote it expects that it is
// tested.
func (t *textReader) leaveSet(kind int) {
	s := t.sets[kind]
	if s == nil || s.named {
		return
	}
	c := t.here()
	c.FileLine = s.line + 1
	t.emit(c, fmt.Errorf(`"%s: %s" is not tested; expected "allow CRAWLER %[1]s" or "disallow CRAWLER %[1]s" below`, setNames[kind], s.name))
}

// useSet returns the URLs of a set, and tells what is wrong with it.
func (t *textReader) useSet(kind int) []URL {
	s := t.sets[kind]
	if s == nil {
		t.fail(fmt.Errorf(`which %s? Expected "%[1]s: FILE" above`, setNames[kind]))
		return nil
	}
	whole := true
	if !s.read {
		s.read = true
		whole = t.readSet(kind, s)
	}
	if whole && len(s.urls) == 0 {
		t.fail(fmt.Errorf(`"%s: %s" has no URL`, setNames[kind], s.name))
	}
	return s.urls
}

// readSet reads a set, tells what is wrong with it, and reports whether nothing is.
func (t *textReader) readSet(kind int, s *set) (whole bool) {
	if kind == urls {
		list, err := t.readList(s.name)
		s.urls = list
		t.fail(err)
		return err == nil
	}
	if t.options.ReadSitemap == nil {
		t.fail(errors.New("sitemaps cannot be read: Options.ReadSitemap is nil"))
		return false
	}
	whole = true
	for url, err := range t.options.ReadSitemap(s.name) {
		if err != nil {
			t.fail(fmt.Errorf("sitemap: %w", err))
			whole = false
			continue
		}
		s.urls = append(s.urls, url)
	}
	return whole
}

// readList reads a file with one URL or path on each line.
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
	for line := range bytes.Lines(bytes.TrimPrefix(body, []byte(byteOrderMark))) {
		number++
		if url := strings.TrimSpace(withoutComment(string(line))); url != "" {
			list = append(list, URL{Text: url, From: fmt.Sprintf("%s:%d", name, number)})
		}
	}
	return list, nil
}

// anyOrigin is the value of "origin:" with which URLs are not compared.
const anyOrigin = "*"

// origins holds which site a robots.txt speaks for.
type origins struct {
	setting string // "origin:"
	live    string // that of the live site; "": the robots.txt is a file
	first   string // that of the first URL; "": there was only paths
	told    bool   // that there are several
}

// set takes the value of "origin:".
func (o *origins) set(url string, options *Options) (err error) {
	o.setting = url
	switch {
	case url == anyOrigin:
		return nil
	case options.Origin == nil:
		return errors.New(`"origin:" cannot be used: Options.Origin is nil`)
	}
	o.setting, err = options.Origin(url)
	return err
}

// reset begins with another robots.txt, whose name may be a URL.
func (o *origins) reset(name string, options *Options) (err error) {
	*o = origins{setting: o.setting}
	if isURL(name) && options.Origin != nil {
		o.live, err = options.Origin(name)
	}
	return err
}

// check returns an error for a URL that the robots.txt does not speak for.
func (o *origins) check(target string, options *Options) error {
	if options.Origin == nil || o.setting == anyOrigin || !isURL(target) {
		return nil
	}
	of, err := options.Origin(target)
	if err != nil {
		return err
	}
	expected := o.live
	if expected == "" {
		expected = o.setting
	}
	switch {
	case expected != "" && of != expected:
		return fmt.Errorf("%s: the robots.txt is that of %s, and does not apply to other origins", target, expected)
	case expected != "" || o.told || o.first == of:
	case o.first == "":
		o.first = of
	default:
		o.told = true
		return fmt.Errorf(`URLs of %s and of %s: a robots.txt applies to one origin; name it with "origin: %s" above`, o.first, of, o.first)
	}
	return nil
}

// isURL reports whether a name or a target is a URL and no path.
func isURL(s string) bool { return strings.Contains(s, "://") && !strings.HasPrefix(s, "/") }
