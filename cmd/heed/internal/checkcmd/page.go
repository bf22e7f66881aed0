package checkcmd

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/loads"
	"github.com/heed-robots/heed/internal/printable"
)

// loadedURLs returns each page of --page, followed by what a browser loads for it.
func (o *check) loadedURLs() (urls []string, err error) {
	if len(o.pages) == 0 {
		return nil, nil
	}
	ctx, stop := term.Interruptible()
	defer stop()
	seen := map[string]bool{}
	add := func(url string) {
		if !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	for _, page := range o.pages {
		if !flags.IsURL(page) {
			return nil, fmt.Errorf("--page %s: expected the URL of a page, such as https://www.example.com/", printable.Quote(page))
		}
		response, err := o.Live.FetchPage(ctx, page)
		if ctx.Err() != nil {
			return nil, term.ErrInterrupted
		} else if err != nil {
			return nil, fmt.Errorf("--page %s: %w", printable.Short(page), err)
		}
		all, err := loads.Resources(response.Body, response.Request.URL)
		response.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("--page %s: %w", printable.Short(page), err)
		}
		add(page)
		for _, r := range all {
			add(r.URL)
		}
		o.Term.Notice(fmt.Sprintf("note: %s loads %s", page, countsOf(all)))
	}
	return urls, nil
}

func countsOf(all []loads.Resource) string {
	if len(all) == 0 {
		return "nothing"
	}
	var parts []string
	for _, kind := range []string{"script", "style", "image", "frame", "media", "other"} {
		n := 0
		for _, r := range all {
			if r.Kind == kind {
				n++
			}
		}
		switch {
		case n == 0:
		case kind == "media" || kind == "other":
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		default:
			parts = append(parts, printable.Counted(n, kind))
		}
	}
	return printable.Counted(len(all), "resource") + ": " + strings.Join(parts, ", ")
}
