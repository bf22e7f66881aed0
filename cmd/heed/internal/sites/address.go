package sites

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/origin"
)

// OriginOf returns the origin of a URL or of a host. For a host such as "www.example.com", the scheme is https.
func OriginOf(a *term.Terminal, given string) (origin.Origin, error) {
	_, o, err := absoluteURL(a, given, false)
	return o, err
}

// absoluteURL returns a URL unchanged, and a host as an https URL. A host that is also the name of a file is an error.
func absoluteURL(a *term.Terminal, given string, paths bool) (url string, o origin.Origin, err error) {
	if o, err = origin.Parse(given); err == nil {
		return given, o, nil
	}
	if !strings.HasPrefix(given, "/") && isFile(given) {
		return "", o, fileOrHost(a, given)
	}
	if address.IsHost(given) {
		a.NoticeOnce("a host without a scheme", fmt.Sprintf("note: %s has no scheme, so heed reads it as https://%s", given, given))
		url = "https://" + given
		o, err = origin.Parse(url)
		return url, o, err
	}
	return "", o, noURL(given, paths, err)
}

func noURL(given string, paths bool, parseErr error) error {
	switch {
	case strings.HasPrefix(given, "/"):
		return NeedsURL(given)
	case flags.IsURL(given):
		return fmt.Errorf("URL %q: %w", given, WithoutURL(parseErr))
	case paths:
		return errors.New(TargetHelp(given))
	}
	return NeedsURL(given)
}

// A name can be that of a file and that of a host. For such a name, fileOrHost returns an error. heed does not guess,
// because heed must not ask a wrong host.
func fileOrHost(a *term.Terminal, given string) error {
	file := ""
	switch a.Name {
	case "heed check":
		file = fmt.Sprintf(`; for the file, --robots %s (rules) or "- < %s" (URLs)`, given, given)
	case "heed explain":
		file = "; for the file, --robots " + given
	}
	return fmt.Errorf("%q is the name of a file in this folder, and can also be a host: for the host, write https://%s%s", given, given, file)
}

// TargetHelp returns an error text. It is for an argument that is not a URL and not a path.
func TargetHelp(url string) string {
	if flags.IsURL(url) || schemeOf(url) != "" {
		return NeedsURL(url).Error()
	}
	if isLikePath(url) {
		return fmt.Sprintf(`URL %q: expected a path that begins with "/", such as /%s, or an absolute URL`, url, url)
	}
	return NeedsURL(url).Error() + `, or a path that begins with "/"`
}

// isLikePath reports whether an argument looks like a path whose first "/" is missing, such as "products/shoes".
func isLikePath(given string) bool {
	first, _, hasSlash := strings.Cut(given, "/")
	return hasSlash && first != "" && !strings.ContainsAny(first, ".:") && !strings.ContainsAny(given, notInURLs)
}

// Error messages never suggest a URL with one of these characters.
const notInURLs = " \t\"'<>#"

// NeedsURL returns the error for an argument that does not name a site.
func NeedsURL(url string) error {
	if flags.IsURL(url) {
		return fmt.Errorf("URL %q: the scheme or the host is not correct; expected a URL such as https://example.com/cart", url)
	}
	if strings.HasPrefix(url, "/") {
		return fmt.Errorf("URL %q is only a path, and no site is named: give an absolute URL, such as https://example.com%s, or add --robots FILE", url, url)
	}
	if c, ok := crawlers.Known().Lookup(url); ok {
		return fmt.Errorf("URL %q is the name of a crawler: write -a %s (or -a CRAWLER,%s for several crawlers), and then an absolute URL", url, c.Token, c.Token)
	}
	scheme := schemeOf(url)
	switch {
	case address.IsHost(url):
		return fmt.Errorf("URL %q: expected an absolute URL, such as https://%s", url, url)
	case slices.Contains([]string{"http", "https", "ftp"}, strings.ToLower(scheme)):
		return fmt.Errorf("URL %q: expected %s://%s", url, scheme, strings.TrimLeft(url[len(scheme)+1:], "/"))
	case scheme != "":
		return fmt.Errorf("URL %q: for URLs with the scheme %s there is no robots.txt; expected a URL with the scheme http, https or ftp", url, scheme)
	}
	return fmt.Errorf("URL %q: expected an absolute URL, such as https://example.com/cart", url)
}

func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(origin.Authority(s), ":")
	if !ok {
		return ""
	}
	return scheme
}

// WithoutURL returns an error of package origin without the URL in its text.
func WithoutURL(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// WithOrigin replaces the origin of a URL by another one. It returns a path unchanged.
func WithOrigin(url string, to origin.Origin) string {
	if after := authority.After(url); len(after) < len(url) {
		return to.String() + after
	}
	return url
}

type otherOrigins struct {
	first   atomic.Pointer[origin.Origin]
	isNoted atomic.Bool
}

// If isFirst returns false, the URL may still have the first origin. Then the caller must parse it.
func (o *otherOrigins) isFirst(url string) bool {
	first := o.first.Load()
	return first != nil && first.Begins(url)
}

func (o *otherOrigins) add(another origin.Origin) origin.Origin {
	another = another.Clone()
	o.first.CompareAndSwap(nil, &another)
	return *o.first.Load()
}
