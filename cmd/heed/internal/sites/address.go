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
	"github.com/heed-robots/heed/origin"
)

// OriginOf returns the origin of a URL. For a host without a scheme, it returns the https origin.
func OriginOf(a *term.Terminal, given string) (origin.Origin, error) {
	_, o, err := absolute(a, given, false)
	return o, err
}

// absolute returns an argument as an absolute URL, with its origin. A host without a scheme becomes
// a URL of https, and a notice reports the first such host. If a file has the same name, that is an
// error. All other arguments are errors, too; if paths is true, the error may suggest a path.
func absolute(a *term.Terminal, given string, paths bool) (url string, o origin.Origin, err error) {
	if o, err = origin.Parse(given); err == nil {
		return given, o, nil
	}
	if address.IsHost(given) {
		if isFile(given) {
			return "", o, fileOrHost(a, given)
		}
		a.NoticeOnce("a host without a scheme", fmt.Sprintf("note: %s has no scheme, so heed reads it as https://%s", given, given))
		url = "https://" + given
		o, err = origin.Parse(url)
		return url, o, err
	}
	return "", o, noURL(given, paths, err)
}

// noURL returns why an argument is no URL of a site. why is the error of origin.Parse.
func noURL(given string, paths bool, why error) error {
	scheme := schemeOf(given)
	switch {
	case strings.HasPrefix(given, "/"):
		return NeedsURL(given)
	case flags.IsURL(given):
		return fmt.Errorf("URL %q: %w", given, Bare(why))
	case slices.Contains([]string{"http", "https", "ftp"}, strings.ToLower(scheme)):
		return fmt.Errorf("URL %q: expected %s://%s", given, scheme, strings.TrimLeft(given[len(scheme)+1:], "/"))
	case scheme != "":
		return fmt.Errorf("URL %q: for URLs with the scheme %s there is no robots.txt; expected a URL with the scheme http, https or ftp", given, scheme)
	}
	if paths {
		return errors.New(TargetHelp(given))
	}
	return NeedsURL(given)
}

// fileOrHost is the error of an argument that may be a host, and is also the name of a file. heed does not guess: the user may not
// want it to fetch from that host.
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

// TargetHelp is the error text for an argument that is neither a URL nor a path.
func TargetHelp(url string) string {
	if flags.IsURL(url) {
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

// notInURLs are characters that a URL in an example must not have.
const notInURLs = " \t\"'<>#"

// NeedsURL is the error for an argument that names no site.
func NeedsURL(url string) error {
	if flags.IsURL(url) {
		return fmt.Errorf("URL %q: expected scheme://host/path", url)
	}
	if strings.HasPrefix(url, "/") {
		return fmt.Errorf("URL %q is only a path, and no site is named: give an absolute URL, such as https://example.com%s, or add --robots FILE", url, url)
	}
	if c, ok := crawlers.Known().Lookup(url); ok {
		return fmt.Errorf("URL %q is the name of a crawler: write -a %s (or -a CRAWLER,%s for several crawlers), and then an absolute URL", url, c.Token, c.Token)
	}
	example := strings.TrimLeft(url, ":/")
	if strings.ContainsAny(url, notInURLs) { // no host, so a bad example
		example = "example.com/cart"
	}
	return fmt.Errorf("URL %q: expected an absolute URL, such as https://%s", url, example)
}

// schemeOf returns the text before the first colon, which may be a scheme or a host. It returns ""
// if there is no colon.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(origin.Authority(s), ":")
	if !ok {
		return ""
	}
	return scheme
}

// Bare removes the URL from an error of package origin, and returns only the reason.
func Bare(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// Moved returns a URL with its origin replaced by another one. A path is returned unchanged.
func Moved(url string, to origin.Origin) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok || strings.HasPrefix(url, "/") {
		return url
	}
	return to.String() + rest[len(origin.Authority(rest)):]
}

// otherOrigins finds out whether URLs belong to several origins.
type otherOrigins struct {
	first atomic.Pointer[origin.Origin]
	noted atomic.Bool // a notice has reported that URLs have several origins
}

// isFirst quickly reports whether a URL belongs to the first origin. If it returns false, that is not yet known, and the
// URL must be parsed.
func (o *otherOrigins) isFirst(url string) bool {
	first := o.first.Load()
	return first != nil && first.Begins(url)
}

// add adds an origin and returns the one that was added first.
func (o *otherOrigins) add(another origin.Origin) origin.Origin {
	another = another.Clone()
	o.first.CompareAndSwap(nil, &another)
	return *o.first.Load()
}
