package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
)

// check is one run of "heed check".
type check struct {
	question

	policy *robotstxt.Policy
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
	l := list{w: o.out, array: o.format == "json"}
	defer l.close()
	var given answers
	for _, url := range urls {
		if url != "-" {
			o.answer(&given, url)
			continue
		}
		o.write(&l, given)
		given = answers{}
		if err := o.checkLines(&l); err != nil {
			return err
		}
	}
	o.write(&l, given)
	return nil
}

// answers is what there is to say about some URLs.
type answers struct {
	out     []byte
	notices []string
	status  int
}

// answer adds what there is to say about a URL.
func (o *check) answer(a *answers, url string) {
	d := o.policy.Check(url)
	a.status = worse(a.status, statusOf(d))
	help := ""
	if d.Reason == robotstxt.InvalidTarget {
		help = targetHelp(url)
		a.notices = append(a.notices, help)
	}
	switch {
	case o.format != "text":
		j := newAnswer(url, d)
		j.Error = help
		a.out = appendItem(a.out, j, o.format == "json")
	case help == "":
		a.out = append(a.out, o.verdict(d.Allowed)...)
		a.out = append(a.out, "  "...)
		a.out = append(a.out, visible(url)...)
		a.out = append(a.out, "  "...)
		a.out = appendReason(a.out, d)
		a.out = append(a.out, '\n')
	}
}

// write passes answers on, in the order of their URLs.
func (o *check) write(l *list, a answers) {
	l.add(a.out)
	for _, notice := range a.notices {
		o.notice(notice)
	}
	o.raise(a.status)
}

// checkLines checks the URLs of standard input on all cores.
func (o *check) checkLines(l *list) error {
	in := lineReader{in: o.in, number: 1}
	worker := func() func(chunk) answers {
		return func(c chunk) (a answers) {
			for line := range strings.Lines(c.lines) {
				if url := strings.TrimSpace(line); url != "" {
					o.answer(&a, url)
				}
			}
			if c.tooLong > 0 {
				a.status = exitUsage
				a.notices = append(a.notices, fmt.Sprintf("standard input, line %d: longer than %d bytes, left out", c.tooLong, maxURL))
			}
			return a
		}
	}
	ordered.Map(in.next, worker, func(a answers) {
		o.write(l, a)
		o.out.Flush() // whoever feeds us slowly wants to see answers
	})
	if in.err != nil {
		return fmt.Errorf("standard input, line %d: %w", in.number, in.err)
	}
	return nil
}

// targetHelp says what is wrong with a target and what to do.
func targetHelp(url string) string {
	if strings.Contains(url, "://") {
		return fmt.Sprintf("URL %q: expected scheme://host/path", url)
	}
	return fmt.Sprintf("URL %q: expected an absolute URL, such as https://%s, or a path that begins with \"/\"", url, strings.TrimLeft(url, ":/"))
}
