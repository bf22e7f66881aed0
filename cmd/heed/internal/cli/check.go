package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// check is one run of "heed check".
type check struct {
	question

	policies []*robotstxt.Policy // of the crawlers
}

func (a *app) checkCommand() *cobra.Command {
	o := &check{question: question{app: a}}
	c := &cobra.Command{
		Use:   "check -a CRAWLER… URL…",
		Short: "Say of each URL whether a crawler may fetch it",
		Long: `Say of each URL whether a crawler may fetch it, and which line decides.

Each URL's site is asked for its robots.txt, once for as long as that holds:
what it answered is remembered in the user's cache folder, and the next heed
uses it too. With --robots FILE no site is asked, and a URL may also be a path
with its query that begins with "/". "-" reads URLs from standard input, one a
line. A site that is unreachable is disallowed and the exit status is 3. Where a
site's robots.txt is an HTML page, heed says so and reads the rules in it; with
--html-unreachable such a site is unreachable.

No connection is made to addresses that are not public unless --allow-private
is given. Sites are asked through a proxy where the environment names one, in
HTTP_PROXY, HTTPS_PROXY and NO_PROXY; sites of ftp are asked without it.

The crawler is given by its product token: letters, "_" and "-". In a whole
User-Agent header the token is found and named on standard error. With --dialect
google any string is an agent, as for Google's parser.

Exit status: 0 all allowed, 1 some disallowed, 2 wrong usage or input, 3 could
not be determined.`,
		Example: `  heed check -a ExampleBot https://www.example.com/
  heed check -a ExampleBot --offline --store /var/cache/heed --format jsonl - < urls.txt
  heed check -a ExampleBot --store redis://localhost:6379 https://www.example.com/
  heed check -a Googlebot --robots robots.txt https://shop.example/cart /products/
  heed check -a Googlebot-News:Googlebot --robots robots.txt /news/today
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
	if o.isLive() {
		return o.checkLive(urls)
	}
	l := list{w: o.out, array: o.format == "json"}
	defer l.close()
	file := robotstxt.Parse(o.body, o.dialect)
	for _, c := range o.crawlers {
		o.policies = append(o.policies, file.Agent(c.tokens...))
	}
	var given answers
	for _, url := range urls {
		if url != "-" {
			o.ask(&given, url)
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

// answer adds what there is to say about a crawler and a URL; site is nil where a file was asked.
func (o *check) answer(a *answers, c crawler, url string, d robotstxt.Decision, site *cache.Answer) {
	a.status = worse(a.status, statusOf(d))
	switch {
	case o.format == "text":
		a.out = o.appendVerdict(a.out, c, url, d)
		if site != nil {
			a.out = fmt.Appendf(a.out, "  (%s)", restsOn(site))
		}
		a.out = append(a.out, '\n')
	case site != nil:
		a.out = appendItem(a.out, live.AnswerOf(url, site), o.format == "json")
	default:
		a.out = appendItem(a.out, report.AnswerOf(url, d), o.format == "json")
	}
}

// ask adds what the file says about a URL.
func (o *check) ask(a *answers, url string) {
	for i, c := range o.crawlers {
		d := o.policies[i].Check(url)
		if d.Reason == robotstxt.InvalidTarget {
			o.refuse(a, url, errors.New(targetHelp(url)))
			return
		}
		o.answer(a, c, url, d, nil)
	}
}

func (o *check) appendVerdict(dst []byte, c crawler, url string, d robotstxt.Decision) []byte {
	dst = append(dst, o.verdict(d)...)
	dst = append(dst, ' ')
	if len(o.crawlers) > 1 {
		dst = append(dst, visible(c.String())...)
		dst = append(dst, "  "...)
	}
	dst = append(dst, visible(url)...)
	dst = append(dst, "  "...)
	return append(dst, d.Because()...)
}

// refuse adds that a URL cannot be asked about. Where programs read, each input
// has its record.
func (o *check) refuse(a *answers, url string, why error) {
	o.fail(a, url, robotstxt.Decision{Reason: robotstxt.InvalidTarget}, why)
}

// fail adds that there is no answer.
func (o *check) fail(a *answers, url string, d robotstxt.Decision, why error) {
	a.status = worse(a.status, exitUsage)
	a.notices = append(a.notices, why.Error())
	if o.format != "text" {
		j := report.AnswerOf(url, d)
		j.Error = why.Error()
		a.out = appendItem(a.out, j, o.format == "json")
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
					o.ask(&a, url)
				}
			}
			o.leftOut(&a, c.tooLong)
			return a
		}
	}
	ordered.Map(runtime.GOMAXPROCS(0), in.next, worker, func(a answers) {
		o.write(l, a)
		o.out.Flush() // whoever feeds us slowly wants to see answers
	})
	return in.failure()
}

// leftOut adds that a line of standard input was too long; 0: none was.
func (o *check) leftOut(a *answers, line int) {
	if line > 0 {
		o.refuse(a, "", fmt.Errorf("standard input, line %d: longer than %d bytes, left out", line, maxURL))
	}
}

// targetHelp says what is wrong with a target and what to do.
func targetHelp(url string) string {
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case strings.HasPrefix(rest, "//"):
		return fmt.Sprintf("URL %q: expected scheme://host/path", url)
	case rest != "" && rest[0] > '9' && !strings.Contains(scheme, "."):
		return fmt.Sprintf("URL %q: %s: addresses have no robots.txt; expected a URL of http, https or ftp", url, scheme)
	}
	return fmt.Sprintf("URL %q: expected an absolute URL, such as https://%s, or a path that begins with \"/\"", url, strings.TrimLeft(url, ":/"))
}

// needsURL says why a path cannot be asked about.
func needsURL(url string) error {
	if strings.HasPrefix(url, "/") {
		return fmt.Errorf("URL %q: which site? Expected an absolute URL, such as https://example.com%s, or --robots FILE", url, url)
	}
	return errors.New(targetHelp(url))
}
