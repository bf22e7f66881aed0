// Package loads finds what a browser loads for an HTML page. It does not find what scripts and
// style sheets load.
package loads

import (
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

type Resource struct {
	URL  string // the absolute URL, without a fragment
	Kind string // "script", "style", "image", "frame", "media" or "other"
}

const (
	// MaxPage limits the bytes of a page that are read.
	MaxPage      = 8 << 20
	maxResources = 2000
)

// Resources returns each URL once. base is the URL of the page.
func Resources(page io.Reader, base *url.URL) (all []Resource, err error) {
	seen := map[string]bool{}
	hasBase := false
	add := func(kind, reference string) {
		u, err := base.Parse(strings.Trim(reference, " \t\n\f\r"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || reference == "" {
			return
		}
		u.Fragment, u.RawFragment = "", ""
		if text := u.String(); !seen[text] && len(all) < maxResources {
			seen[text] = true
			all = append(all, Resource{text, kind})
		}
	}
	tokens := html.NewTokenizer(io.LimitReader(page, MaxPage))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if err := tokens.Err(); err != io.EOF {
				return all, err
			}
			return all, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			element := atom.Lookup(name)
			attributes := attributesOf(tokens)
			if element == atom.Base && attributes["href"] != "" && !hasBase { // browsers use only the first base with a href
				if u, err := base.Parse(attributes["href"]); err == nil {
					base, hasBase = u, true
				}
				continue
			}
			references(element, attributes, add)
		}
	}
}

// Of two attributes with the same name, browsers use the first one.
func attributesOf(tokens *html.Tokenizer) map[string]string {
	all := map[string]string{}
	for {
		key, value, more := tokens.TagAttr()
		if _, ok := all[string(key)]; !ok && len(key) > 0 {
			all[string(key)] = string(value)
		}
		if !more {
			return all
		}
	}
}

func references(element atom.Atom, attributes map[string]string, add func(kind, reference string)) {
	switch element {
	case atom.Script:
		add("script", attributes["src"])
	case atom.Link:
		if kind := linkKind(attributes); kind != "" {
			add(kind, attributes["href"])
			addSet(attributes["imagesrcset"], add)
		}
	case atom.Img:
		add("image", attributes["src"])
		addSet(attributes["srcset"], add)
	case atom.Source:
		add("media", attributes["src"])
		addSet(attributes["srcset"], add)
	case atom.Input:
		if strings.EqualFold(attributes["type"], "image") {
			add("image", attributes["src"])
		}
	case atom.Video, atom.Audio, atom.Track:
		add("media", attributes["src"])
		add("image", attributes["poster"])
	case atom.Iframe, atom.Frame:
		add("frame", attributes["src"])
	case atom.Embed:
		add("other", attributes["src"])
	case atom.Object:
		add("other", attributes["data"])
	}
}

func linkKind(attributes map[string]string) string {
	for rel := range strings.FieldsSeq(strings.ToLower(attributes["rel"])) {
		switch rel {
		case "stylesheet":
			return "style"
		case "icon", "apple-touch-icon":
			return "image"
		case "modulepreload":
			return "script"
		case "preload":
			if kind, ok := map[string]string{"script": "script", "style": "style", "image": "image"}[strings.ToLower(attributes["as"])]; ok {
				return kind
			}
			return "other"
		case "manifest":
			return "other"
		}
	}
	return ""
}

// A srcset has URLs, each with a width or density, for example "a.png 1x, b.png 2x".
func addSet(set string, add func(kind, reference string)) {
	for set != "" {
		set = strings.TrimLeft(set, " \t\n\f\r,")
		end := strings.IndexAny(set, " \t\n\f\r")
		if end < 0 {
			end = len(set)
		}
		reference := set[:end]
		if trimmed := strings.TrimRight(reference, ","); trimmed != reference { // after a comma, no width follows
			add("image", trimmed)
			set = set[end:]
			continue
		}
		add("image", reference)
		comma := strings.IndexByte(set[end:], ',')
		if comma < 0 {
			return
		}
		set = set[end+comma:]
	}
}
