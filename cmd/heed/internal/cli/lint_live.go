package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// readLive reads the robots.txt of a site, and checks how the site sends it. If there is none that
// can be linted, a notice says why.
func (o *lintRun) readLive(l *linting) error {
	o.live.latest.Store(nil)
	given := l.File
	if err := o.readSite(given, robotstxt.RFC9309); err != nil {
		return err
	}
	l.File, l.sent = o.name, lint.CheckResponse(o.response())
	if len(l.sent) > 0 && o.lacksPage() {
		if err := o.readAgain(given); err != nil {
			return err
		}
		l.sent = lint.CheckResponse(o.response())
	}
	isFile := o.site.Outcome == fetch.Rules || o.result != nil && o.result.Page != fetch.NoPage
	if l.noFile = !isFile || o.site.Outcome == fetch.Unreachable; !l.noFile {
		l.Body = o.result.Body
	}
	if o.truncated && !l.noFile && !o.live.offline {
		if err := o.readWhole(l, given); err != nil {
			return err
		}
	}
	if l.noFile || needsRemark(o.site) && o.site.Page == fetch.NoPage {
		o.notice(noticeOf(o.name, o.site))
	}
	return nil
}

// lacksPage reports whether the response is an error without its page. The cache keeps no such
// pages, but rules need them.
func (o *lintRun) lacksPage() bool {
	r := o.result
	return r != nil && r.Err == nil && r.Body == nil && r.Status >= 400 && o.live.latest.Load() == nil && !o.live.offline
}

// readAgain retrieves the robots.txt of a site again.
func (o *lintRun) readAgain(arg string) error {
	refresh := o.live.refresh
	defer func() { o.live.refresh = refresh }()
	o.live.refresh = true
	return o.readSite(arg, robotstxt.RFC9309)
}

// maxWhole limits a robots.txt that is retrieved to its end, although crawlers need not read it.
const maxWhole = 2 << 20

// readWhole retrieves a robots.txt again that is longer than what crawlers read, to see which rules
// they may lose. If that fails, the finding of how the site sends the file stays.
func (o *lintRun) readWhole(l *linting, given string) error {
	site, err := o.originOf(given)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	defer o.showRetrieving(site)()
	whole := fetch.Fetcher{UserAgent: o.live.fetcher.UserAgent, Timeout: o.live.fetcher.Timeout, AllowPrivate: o.live.fetcher.AllowPrivate, MaxBytes: maxWhole}
	switch r, err := whole.Fetch(ctx, site, fetch.Validators{}); {
	case ctx.Err() != nil:
		return errInterrupted
	case err == nil && r.Outcome(robotstxt.RFC9309) == fetch.Rules && !r.Truncated && len(r.Body) > len(l.Body):
		l.Body = r.Body
		l.sent = slices.DeleteFunc(l.sent, func(found lint.Finding) bool { return found.Code == "too-large" }) // Check says more
	}
	return nil
}

// noticeComments says how many findings a site turns off in vain.
func (o *lintRun) noticeComments(l report.Linted) {
	comments, n := lint.Comments(l.Body), 0
	for _, found := range l.Findings {
		if lint.Hidden(found, comments) {
			n++
		}
	}
	if n > 0 {
		o.notice(fmt.Sprintf("%s: its comments turn off %s, which heed shows: they count in files only, and --ignore turns rules off for sites too", l.File, printable.Counted(n, "finding")))
	}
}

// noticeOf says that a site has no robots.txt that can be linted, or that it is an old one.
func noticeOf(name string, a *cache.Answer) string {
	text := fmt.Sprintf("%s: %s, %s", name, a.Outcome, retrievalText(a))
	if what := meaningOf(a); what != "" {
		text += ": " + what
	}
	return text
}

// response returns how the site sends its robots.txt: the response to the request of this run, or
// else the one that is cached.
func (o *lintRun) response() lint.Response {
	r := o.live.latest.Load()
	if r == nil || r.NotModified() {
		r = o.result
	}
	return live.ResponseOf(r)
}

// maxSitemapFiles limits how many sitemaps are retrieved for one robots.txt.
const maxSitemapFiles = 1000

// checkSitemaps retrieves the sitemaps that a file lists, if that is asked for, and returns what
// is wrong with them.
func (o *lintRun) checkSitemaps(l report.Linted) ([]lint.Finding, error) {
	if !o.sitemaps {
		return nil, nil
	}
	ctx, stop := interruptible()
	defer stop()
	defer o.live.close()
	var files atomic.Int64
	defer o.showProgress(func(elapsed time.Duration) string {
		return fmt.Sprintf("retrieving sitemap %d, %s", files.Load(), seconds(elapsed))
	})()
	open := func(url string) (io.ReadCloser, error) {
		if files.Add(1) > maxSitemapFiles {
			return nil, fmt.Errorf("not retrieved: the file leads to more than %d sitemaps", maxSitemapFiles)
		}
		return o.live.openSitemap(ctx, url)
	}
	findings, n := lint.CheckSitemaps(l.Body, func(url string) iter.Seq2[string, error] { return o.offered(ctx, open, l.File, url) })
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case n == 0:
		o.notice(fmt.Sprintf("%s: it lists no sitemap, so --sitemaps has nothing to check", l.File))
	}
	return findings, nil
}

// offered yields the URLs of a sitemap to which the robots.txt applies: those of its site or, if
// it is a file, those of the site of the sitemap.
func (o *lintRun) offered(ctx context.Context, open func(string) (io.ReadCloser, error), file, address string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if !isURL(file) {
			file = address
		}
		site, err := origin.Parse(file)
		if err != nil {
			yield("", err)
			return
		}
		for e, err := range sitemap.All(open, address, sitemap.Limits{}) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				err = withoutName(err, address)
			} else if of, err := origin.Parse(e.URL); err != nil || of != site {
				continue // the sitemap package has checked it, so err is nil
			}
			if !yield(e.URL, err) {
				return
			}
		}
	}
}

// withoutName returns an error about a sitemap, without its name if that is in the line of the
// finding.
func withoutName(err error, name string) error {
	var of *sitemap.Error
	if errors.As(err, &of) && of.File == name && of.Line == 0 {
		return of.Err
	}
	return err
}
