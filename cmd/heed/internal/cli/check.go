package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/robotstxt"
)

// check is one run of "heed check".
type check struct {
	question

	policy *robotstxt.Policy
	json   *list // nil: text
}

func (a *app) checkCommand() *cobra.Command {
	o := &check{question: question{app: a}}
	c := &cobra.Command{
		Use:   "check -a TOKEN[,TOKEN] --robots FILE URL…",
		Short: "Say of each URL whether a crawler may fetch it",
		Long: `Say of each URL whether a crawler may fetch it, and which line decides.

A URL is absolute, or a path with its query that begins with "/". "-" reads
URLs from standard input, one a line. The crawler is given by its product
token: letters, "_" and "-". In a whole User-Agent header the token is found
and named on standard error.

Exit status: 0 all allowed, 1 some disallowed, 2 wrong usage or input, 3 could
not be determined.`,
		Example: `  heed check -a Googlebot --robots robots.txt https://shop.example/cart /products/
  heed check -a googlebot-news,googlebot --robots robots.txt /news/today
  heed check -a ExampleBot --robots robots.txt --format jsonl - < urls.txt
  heed check -a '*' --robots - --dialect google / < robots.txt`,
		RunE: func(_ *cobra.Command, urls []string) error { return o.run(urls) },
	}
	o.flags(c, "text", "json", "jsonl")
	return c
}

func (o *check) run(urls []string) error {
	switch {
	case len(urls) == 0:
		return errors.New(`no URL is given; expected absolute URLs or paths, or "-" to read them from standard input`)
	case o.robots == "-" && slices.Contains(urls, "-"):
		return errors.New(`standard input cannot be both the robots.txt and the URLs; give one of them as a file`)
	}
	if err := o.read(); err != nil {
		return err
	}
	o.policy = robotstxt.Parse(o.body, o.dialect).Agent(o.agents...)
	if o.format != "text" {
		o.json = &list{w: o.out, array: o.format == "json"}
		defer o.json.close()
	}
	for _, url := range urls {
		if url == "-" {
			if err := o.checkLines(); err != nil {
				return err
			}
			continue
		}
		o.check(url)
	}
	return nil
}

// maxURL bounds a line of URLs; the URLs of crawlers are far shorter.
const maxURL = 1 << 20

// checkLines checks the URLs of standard input.
func (o *check) checkLines() error {
	in := bufio.NewReaderSize(o.in, maxURL)
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			o.complain(fmt.Errorf("standard input, line %d: longer than %d bytes, left out", number, maxURL))
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			line = nil
		}
		if url := strings.TrimSpace(string(line)); url != "" {
			o.check(url)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("standard input, line %d: %w", number, err)
		}
	}
}

func (o *check) check(url string) {
	d := o.policy.Check(url)
	o.decided(d)
	a := newAnswer(url, d)
	if d.Reason == robotstxt.InvalidTarget {
		a.Error = targetHelp(url)
		o.notice(a.Error)
	}
	switch {
	case o.json != nil:
		o.json.add(a)
	case a.Error == "":
		fmt.Fprintf(o.out, "%s  %s  %s\n", o.verdict(d.Allowed), visible(url), reasonText(d))
	}
}

// targetHelp says what is wrong with a target and what to do.
func targetHelp(url string) string {
	if strings.Contains(url, "://") {
		return fmt.Sprintf("URL %q: expected scheme://host/path", url)
	}
	return fmt.Sprintf("URL %q: expected an absolute URL, such as https://%s, or a path that begins with \"/\"", url, strings.TrimLeft(url, ":/"))
}
