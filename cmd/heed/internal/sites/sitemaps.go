package sites

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
)

// SitemapOpener returns a function that opens sitemaps. It opens the sitemap called name. If this sitemap is a
// sitemap index, it also opens the sitemaps of the index. If name is a URL, sitemaps are fetched. If name is a path,
// sitemaps are files.
func (l *Live) SitemapOpener(ctx context.Context, name, file string) func(name string) (io.ReadCloser, error) {
	if !flags.IsURL(name) {
		return openIndex(name, file)
	}
	return func(url string) (io.ReadCloser, error) { return l.OpenSitemap(ctx, url) }
}

// The sitemaps of an index may not be online yet. So openIndex opens https://www.example.com/a/1.xml as the file
// a/1.xml, or else as 1.xml.
func openIndex(index, file string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		if name == index {
			return os.Open(file)
		}
		u, err := url.Parse(name)
		if err != nil {
			return nil, err
		}
		folder, below := filepath.Dir(file), strings.TrimPrefix(path.Clean("/"+u.Path), "/")
		for _, file := range []string{below, path.Base(below)} {
			in, err := os.OpenInRoot(folder, file)
			if !errors.Is(err, fs.ErrNotExist) {
				return in, err
			}
		}
		return nil, fmt.Errorf("the index names a sitemap that is expected in the file %s, but there is no such file; to fetch the sitemaps instead, give the URL of the index", filepath.Join(folder, below))
	}
}
