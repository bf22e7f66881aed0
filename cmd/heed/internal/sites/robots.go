package sites

import (
	"bytes"
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// If the file cannot be a robots.txt, ReadRobots returns its text and an error of the kind fetch.NoRobotsTxt.
func ReadRobots(a *term.Terminal, name string, d *robotstxt.Dialect) ([]byte, error) {
	body, err := ReadRaw(a, name)
	if err != nil {
		return nil, err
	}
	body, err = Decode(a, body, name)
	if d == robotstxt.Google && report.InputOf(name, robotstxt.Parse(body, nil)).Truncated {
		a.Notice(fmt.Sprintf("note: %s is longer than 500 KiB: with --dialect google, heed reads all of it, as Google's parser does, but Google's crawlers use only the first 500 KiB", name))
	}
	if err == nil {
		NoteContent(a, name, body)
	}
	return body, err
}

// NoteContent prints a notice if the robots.txt in a file is a page or empty. name is the argument, or a path.
func NoteContent(a *term.Terminal, name string, body []byte) {
	if text := noteOfFile(body); text != "" {
		text = fmt.Sprintf("note: %s %s", input.NameOf(name), text)
		a.NoticeOnce(text, text)
	}
}

func noteOfFile(body []byte) string { return contentNote(fetch.Page(markup.PageOf(body)), body) }

func contentNote(page fetch.Page, body []byte) string {
	switch {
	case page != fetch.NoPage:
		return fmt.Sprintf("is %s; heed reads only the lines in it that look like lines of a robots.txt", page)
	case len(bytes.TrimSpace(body)) == 0:
		return "is empty: everything is allowed"
	}
	return ""
}

func Decode(a *term.Terminal, body []byte, name string) ([]byte, error) {
	text, encoding, err := robotsfiles.Decode(body, name)
	if encoding != "" {
		a.Notice(robotsfiles.EncodingNotice(name, encoding))
	}
	return text, err
}

// The argument name may be the path of a file or a pipe, git:REV:PATH, or "-" for standard input.
func ReadRaw(a *term.Terminal, name string) ([]byte, error) {
	if IsGit(name) {
		return gitFile(name)
	}
	var body []byte
	var err error
	if name == "-" {
		body, err = saved.Read(a.In, name)
	} else {
		body, err = saved.ReadOpened(name)
	}
	if err != nil {
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	return body, nil
}

func gitFile(name string) ([]byte, error) {
	ctx, stop := term.Interruptible()
	defer stop()
	body, err := readGit(ctx, name)
	if ctx.Err() != nil {
		return nil, term.ErrInterrupted
	}
	return body, err
}

// RestIgnored is printed if heed reads only a part of a robots.txt.
const RestIgnored = "The file is longer than 500 KiB: the rest is ignored."

// MeaningOf says what crawlers may do on a site without rules.
func MeaningOf(a *cache.Answer) string {
	switch {
	case a.Err == cache.ErrNotCached:
		return "Without --offline, heed fetches the robots.txt."
	case a.Outcome == fetch.Unreachable && a.Err != nil && live.Refused(a.Err):
		return "heed did not ask the site for its robots.txt."
	case a.Outcome == fetch.Unreachable:
		return "No crawler may fetch anything until the site answers."
	case a.Outcome == fetch.Unavailable && a.Stale:
		return "The site has been unreachable for so long that every crawler may fetch everything."
	case a.Outcome == fetch.Unavailable:
		return "The site has no robots.txt: every crawler may fetch everything."
	case a.Outcome == fetch.Restricted:
		return "The site lets nobody read its robots.txt: no crawler may fetch anything."
	}
	return ""
}

func ShowFetching(a *term.Terminal, site origin.Origin) (stop func()) {
	return a.ShowProgress(func(elapsed time.Duration) string {
		return fmt.Sprintf("fetching from %s, %s", site, term.Seconds(elapsed))
	})
}
