package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/origin"
)

// originOf returns the origin of a URL. The URL may lack its scheme.
func (a *app) originOf(given string) (origin.Origin, error) {
	_, o, err := a.absolute(given, false)
	return o, err
}

// absolute returns an argument as an absolute URL, with its origin. A host without a scheme
// becomes a URL of https, and a notice reports the first such host. Any other argument is an
// error; if paths is true, the error may suggest a path.
func (a *app) absolute(given string, paths bool) (url string, o origin.Origin, err error) {
	if o, err = origin.Parse(given); err == nil {
		return given, o, nil
	}
	if origin.IsHost(given) {
		a.bareHostNotice.Do(func() { a.noticeBare(given) })
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
		return needsURL(given)
	case isURL(given):
		return fmt.Errorf("URL %q: %w", given, bare(why))
	case slices.Contains([]string{"http", "https", "ftp"}, strings.ToLower(scheme)):
		return fmt.Errorf("URL %q: expected %s://%s", given, scheme, strings.TrimLeft(given[len(scheme)+1:], "/"))
	case scheme != "":
		return fmt.Errorf("URL %q: %s: addresses have no robots.txt; expected a URL of http, https or ftp", given, scheme)
	}
	if paths {
		return errors.New(targetHelp(given))
	}
	return needsURL(given)
}

// noticeBare reports that a host without a scheme is read as https. If a file of that name
// exists, the user may have meant the file.
func (a *app) noticeBare(given string) {
	note := fmt.Sprintf("note: %s has no scheme; read as https://%s", given, given)
	if _, err := os.Stat(given); err == nil && a.name == "heed check" {
		note += fmt.Sprintf(`; for the file of that name write --robots %s (rules) or "- < %s" (URLs)`, given, given)
	}
	a.notice(note)
}

// targetHelp is the error text for an argument that is neither a URL nor a path.
func targetHelp(url string) string {
	if isURL(url) {
		return needsURL(url).Error()
	}
	return needsURL(url).Error() + `, or a path that begins with "/"`
}

// needsURL is the error for an argument that names no site.
func needsURL(url string) error {
	if isURL(url) {
		return fmt.Errorf("URL %q: expected scheme://host/path", url)
	}
	if strings.HasPrefix(url, "/") {
		return fmt.Errorf("URL %q: which site? Expected an absolute URL, such as https://example.com%s, or --robots FILE", url, url)
	}
	if c, ok := crawlers.Known().Lookup(url); ok {
		return fmt.Errorf("URL %q: this is a crawler; write -a %s, or -a CRAWLER,%s for several; expected an absolute URL", url, c.Token, c.Token)
	}
	example := strings.TrimLeft(url, ":/")
	if strings.ContainsAny(url, " \t\"'<>#") { // no host, so a bad example
		example = "example.com/cart"
	}
	return fmt.Errorf("URL %q: expected an absolute URL, such as https://%s", url, example)
}

// schemeOf returns the text before the first colon, which may be a scheme or a host; "":
// there is no colon.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(origin.Authority(s), ":")
	if !ok {
		return ""
	}
	return scheme
}

// bare returns the reason in an error of package origin, without the URL.
func bare(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// moved returns a URL with another origin. It returns a path as it is.
func moved(url string, to origin.Origin) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok || strings.HasPrefix(url, "/") {
		return url
	}
	return to.String() + rest[len(origin.Authority(rest)):]
}

// otherOrigins finds out whether URLs belong to several origins.
type otherOrigins struct {
	first atomic.Pointer[origin.Origin]
	noted atomic.Bool // a notice has reported that they do
}

// isFirst is a fast test that a URL belongs to the first origin. False means: not known.
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
