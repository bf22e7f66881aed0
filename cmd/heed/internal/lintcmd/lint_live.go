package lintcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

func (o *lintRun) readLive(l *lintedInput) error {
	o.source.Live.Latest.Store(nil)
	given := l.File
	if err := o.source.ReadSite(given, robotstxt.RFC9309); err != nil {
		return err
	}
	l.File, l.responseFindings = o.source.Name, lint.CheckResponse(o.response())
	if len(l.responseFindings) > 0 && o.lacksPage() {
		if err := o.readAgain(given); err != nil {
			return err
		}
		l.responseFindings = lint.CheckResponse(o.response())
	}
	isFile := o.source.Site.Outcome == fetch.Rules || o.source.Result != nil && o.source.Result.Page != fetch.NoPage
	if l.noFile = !isFile || o.source.Site.Outcome == fetch.Unreachable; !l.noFile {
		l.Body = o.source.Result.Body
	}
	if o.source.Truncated && !l.noFile && !o.source.Live.Offline {
		if err := o.readWhole(l, given); err != nil {
			return err
		}
	}
	if l.noFile || sites.NeedsRemark(o.source.Site) && o.source.Site.Page == fetch.NoPage {
		text := retrievalOf(o.source.Site)
		o.source.Term.Notice(o.source.Name + ": " + text)
		l.remark = strings.ToUpper(text[:1]) + text[1:]
	}
	return nil
}

// The cache has no bodies of error responses, but some lint rules need the body.
func (o *lintRun) lacksPage() bool {
	r := o.source.Result
	return r != nil && r.Err == nil && r.Body == nil && r.Status >= 400 && o.source.Live.Latest.Load() == nil && !o.source.Live.Offline
}

func (o *lintRun) readAgain(arg string) error {
	refresh := o.source.Live.Refresh
	defer func() { o.source.Live.Refresh = refresh }()
	o.source.Live.Refresh = true
	return o.source.ReadSite(arg, robotstxt.RFC9309)
}

const maxWhole = 2 << 20

// Crawlers may ignore the end of a long robots.txt. readWhole fetches the robots.txt again with this part. So heed
// can name the ignored rules.
func (o *lintRun) readWhole(l *lintedInput, given string) error {
	site, err := sites.OriginOf(o.source.Term, given)
	if err != nil {
		return err
	}
	ctx, stop := term.Interruptible()
	defer stop()
	defer sites.ShowFetching(o.source.Term, site)()
	whole := fetch.Fetcher{UserAgent: o.source.Live.Fetcher.UserAgent, Timeout: o.source.Live.Fetcher.Timeout, AllowPrivate: o.source.Live.Fetcher.AllowPrivate, MaxBytes: maxWhole}
	switch r, err := whole.Fetch(ctx, site, fetch.Validators{}); {
	case ctx.Err() != nil:
		return term.ErrInterrupted
	case err == nil && r.Outcome(robotstxt.RFC9309) == fetch.Rules && !r.Truncated && len(r.Body) > len(l.Body):
		l.Body = r.Body
		l.responseFindings = slices.DeleteFunc(l.responseFindings, func(found lint.Finding) bool { return found.Code == "too-large" }) // lint.Check finds this too, with more details
	}
	return nil
}

// A comment in a robots.txt can turn a lint rule off. heed obeys such a comment only in a local file. In the
// robots.txt of a site, heed does not obey it, and noticeComments prints a notice.
func (o *lintRun) noticeComments(l report.Linted) {
	comments, n := lint.Comments(l.Body), 0
	for _, found := range l.Findings {
		if lint.Hidden(found, comments) {
			n++
		}
	}
	if n > 0 {
		o.source.Term.Notice(fmt.Sprintf("%s: comments in this robots.txt turn off %s, but heed shows these findings: it obeys such comments only in a local file; use --ignore instead", l.File, printable.Counted(n, "finding")))
	}
}

func retrievalOf(a *cache.Answer) string {
	text := fmt.Sprintf("%s, %s", a.Outcome, sites.RetrievalText(a))
	if what := sites.MeaningOf(a); what != "" {
		text += ". " + what
	}
	return text
}

// response returns the HTTP response with the robots.txt. If this run got no such response, response returns the
// cached one.
func (o *lintRun) response() lint.Response {
	r := o.source.Live.Latest.Load()
	if r == nil || r.NotModified() {
		r = o.source.Result
	}
	return live.ResponseOf(r)
}

const maxSitemapFiles = 1000

func (o *lintRun) checkSitemaps(l report.Linted) ([]lint.Finding, error) {
	if !o.sitemaps {
		return nil, nil
	}
	ctx, stop := term.Interruptible()
	defer stop()
	defer o.source.Live.Close()
	var files atomic.Int64
	defer o.source.Term.ShowProgress(func(elapsed time.Duration) string {
		return fmt.Sprintf("fetching sitemap %d, %s", files.Load(), term.Seconds(elapsed))
	})()
	open := func(url string) (io.ReadCloser, error) {
		if files.Add(1) > maxSitemapFiles {
			return nil, fmt.Errorf("heed fetches at most %d sitemaps in one run, and this robots.txt leads to more, so this sitemap is not checked", maxSitemapFiles)
		}
		return o.source.Live.OpenSitemap(ctx, url)
	}
	findings, n := lint.CheckSitemaps(l.Body, func(url string) iter.Seq2[string, error] { return o.sitemapURLs(ctx, open, l.File, url) })
	switch {
	case ctx.Err() != nil:
		return nil, term.ErrInterrupted
	case n == 0:
		o.source.Term.Notice(fmt.Sprintf("%s lists no sitemap, so --sitemaps has nothing to check", l.File))
	}
	return findings, nil
}

// The settings may leave out the finding that a sitemap cannot be read. In this case, noticeUnreadSitemaps prints the
// finding as a notice. Without the notice, the sitemap would look right, because lint finds nothing about its URLs.
func (o *lintRun) noticeUnreadSitemaps(l *lintedInput, findings []lint.Finding) {
	for _, found := range findings {
		if found.Code == "sitemap-unreadable" && !l.settings.selects(found) {
			o.source.Term.Notice(fmt.Sprintf("%s:%d: the sitemap %s", l.File, found.Line, found.Message))
		}
	}
}

func (o *lintRun) sitemapURLs(ctx context.Context, open func(string) (io.ReadCloser, error), file, address string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if !flags.IsURL(file) {
			file = address
		}
		site, err := origin.Parse(file)
		if err != nil {
			yield("", err)
			return
		}
		for e, err := range sitemap.All(open, address) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				err = withoutName(err, address)
			} else if of, err := origin.Parse(e.URL); err != nil || of != site {
				continue // another site; an error cannot happen, because package sitemap has checked the URL
			}
			if !yield(e.URL, err) {
				return
			}
		}
	}
}

// The line of the finding already has the name of the sitemap.
func withoutName(err error, name string) error {
	var of *sitemap.Error
	if errors.As(err, &of) && of.File == name && of.Line == 0 {
		return of.Err
	}
	return err
}
