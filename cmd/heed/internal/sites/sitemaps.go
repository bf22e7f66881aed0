package sites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/pages"
)

// OpenSitemap retrieves a sitemap, with the settings for live sites.
func (l *Live) OpenSitemap(ctx context.Context, address string) (io.ReadCloser, error) {
	if l.Offline {
		return nil, errors.New("--offline retrieves nothing, and sitemaps are not cached")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, errors.New("expected a URL of http or https")
	}
	request.Header.Set("User-Agent", cmp.Or(l.Fetcher.UserAgent, build.UserAgent()))
	if l.sitemaps == nil {
		l.sitemaps = &http.Client{
			Transport: pages.New(http.ProxyFromEnvironment, l.Fetcher.AllowPrivate),
			Timeout:   l.Fetcher.Timeout,
		}
	}
	response, err := l.sitemaps.Do(request)
	var failed *url.Error
	var private *guard.PrivateError
	switch {
	case errors.As(err, &private):
		return nil, fmt.Errorf("%w, see --allow-private", private)
	case errors.As(err, &failed):
		return nil, failed.Err
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		response.Body.Close()
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return response.Body, nil
}
