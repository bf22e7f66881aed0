package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// check is one run of "heed check".
type check struct {
	question

	jobs      int
	unordered bool
	input     string // "": the arguments are URLs

	names     []string            // of the crawlers, as they are shown
	longest   int                 // how many cells the longest takes
	policies  []*robotstxt.Policy // of the crawlers, where a file is asked
	asked     [][]byte            // of the crawlers: what report.Answer.AppendAsked appends
	files     robotsFiles         // with --robots-dir or --input
	inJSON    []string            // of the crawlers, as files knows them
	collects  bool                // all answers are shown together
	collected []verdict

	start time.Time
	total int // of the URLs; 0: unknown
	done  atomic.Int64
	shown int64 // of them, when progress was shown last
	sum   tally
	sites map[origin.Origin]bool // that were asked, where progress is shown
}

func (a *app) checkCommand() *cobra.Command {
	o := &check{question: question{app: a}}
	c := &cobra.Command{
		Use:   "check -a CRAWLER… URL… | --input jsonl [FILE…]",
		Short: "Say of each URL whether a crawler may fetch it",
		Long: `Say of each URL whether a crawler may fetch it, and which line decides.

Each URL's site is asked for its robots.txt, once for as long as that holds:
what it answered is remembered in the user's cache folder, and the next heed
uses it too. A URL without a scheme, such as example.com/cart, is read as https.
"-" reads URLs from standard input, one a line. A site that is unreachable is
disallowed and the exit status is 3. Where a site's robots.txt is an HTML page,
heed says so and reads the rules in it; with --html-unreachable such a site is
unreachable.

With --robots FILE no site is asked; with --robots URL that site is asked about
all URLs. A URL may then also be a path with its query that begins with "/".

-a names the crawlers. Each of them is asked about:

  GPTBot,Googlebot           two crawlers, by their product tokens
  Googlebot-Image:Googlebot  one crawler: where no group names Googlebot-Image,
                             the group of Googlebot applies
  @Googlebot-Image           a crawler of heed crawlers, with its known fallback
  @ai-training, @search, …   all of heed crawlers for that purpose
  @known                     all of heed crawlers
  '*'                        a crawler that no group names

A product token has letters, "_" and "-" only. A value with a space, "/", "(",
")" or ";" is a whole User-Agent header: the token is found in it and named on
standard error. With --dialect google any string is an agent, as for Google's
parser, but commas, colons and a leading "@" mean what they mean above.

Several crawlers and URLs print a grid: URLs down, crawlers across. Where it is
too wide, crawlers with the same answer stand together. With "-" each answer is
a line of its own. JSON has an object for each crawler and URL.

Where standard error is a terminal, it shows how a run goes on that takes longer
than a second, and text ends there with the number of answers of each kind.

With --robots-dir DIR no site is asked either: the robots.txt of a URL's host is
a file in the folder, for every scheme: HOST, HOST.txt or HOST/robots.txt,
whichever is there first, the host in lower case and punycode. Where a URL has a
port of its own, HOST:PORT, HOST:PORT.txt and HOST:PORT/robots.txt come before.
A host without a file could not be determined.

With --input jsonl the arguments are files of questions, "-" or none being
standard input. A question is a JSON object on a line, with the fields url (or
url_b64), agent (a product token, or a list of them, the most specific first),
dialect, and robots (the file as text) or robots_b64 or robots_file (a path).
All but url may be left out where a flag says them; without a robots.txt, the
site is asked. Each line has its answer as one line of JSON, in order and as soon
as it is there, with all other fields of the question, such as an id.

No connection is made to addresses that are not public unless --allow-private
is given. Sites are asked through a proxy where the environment names one, in
HTTP_PROXY, HTTPS_PROXY and NO_PROXY; sites of ftp are asked without it.

Exit status: 0 all allowed, 1 some disallowed, 2 wrong usage or input, 3 could
not be determined: a site is unreachable, or a URL is not of --origin.`,
		Example: `  heed check -a ExampleBot https://www.example.com/
  heed check -a GPTBot,Googlebot example.com/ example.com/blog/
  heed check -a @ai-training --robots robots.txt https://shop.example/
  heed check -a Googlebot --robots robots.txt https://shop.example/cart /products/
  heed check -a ExampleBot --robots https://staging.example.com/robots.txt /cart
  heed check -a ExampleBot --robots-dir files - < urls.txt
  heed check --input jsonl < questions.jsonl
  heed check -a ExampleBot --unordered --format jsonl - < urls.txt
  heed check -a ExampleBot --offline --store /var/cache/heed - < urls.txt
  heed check -a ExampleBot --store redis://localhost:6379 https://www.example.com/
  heed check -a '*' --robots - --dialect google / < robots.txt`,
		RunE: func(_ *cobra.Command, urls []string) error { return o.run(urls) },
	}
	o.flags(c, "text", "json", "jsonl")
	o.dataFlags(c)
	c.Flags().IntVar(&o.jobs, "jobs", defaultJobs, "how many URLs are asked about at the same time")
	c.Flags().BoolVar(&o.unordered, "unordered", false, "print each answer as soon as its site has answered, not in the order of the URLs")
	return c
}

func (o *check) run(urls []string) error {
	switch {
	case o.jobs < 1 || o.jobs > maxJobs:
		return fmt.Errorf("--jobs %d: expected a number from 1 to %d", o.jobs, maxJobs)
	case o.live.command.Flags().Changed("input"):
		return o.checkQuestions(urls)
	case len(urls) == 0:
		return errors.New(`no URL is given; expected absolute URLs or paths, or "-" to read them from standard input`)
	case o.robots == "-" && slices.Contains(urls, "-"):
		return errors.New(`standard input cannot be both the robots.txt and the URLs; give one of them as a file`)
	}
	if err := o.read(); err != nil {
		return err
	}
	o.nameCrawlers()
	o.start, o.sites = time.Now(), map[origin.Origin]bool{}
	if !slices.Contains(urls, "-") {
		o.total = len(urls)
		o.collects = o.format == "text" && len(o.crawlers) > 1
	}
	err := o.checkAll(urls)
	if len(o.collected) > 0 {
		o.show(o.collected)
	}
	o.out.Flush()
	o.suggestChains()
	if footer := o.footer(); footer != "" {
		fmt.Fprintln(o.err, footer)
	}
	return err
}

// checkAll answers about all URLs, and shows meanwhile how that goes on.
func (o *check) checkAll(urls []string) error {
	defer o.during(o.progress)()
	if o.isLive() {
		return o.checkLive(urls)
	}
	return o.checkFile(urls)
}

// list returns the list that answers are written to.
func (o *check) list() *list { return &list{w: o.out, array: o.format == "json"} }

// checkFile checks URLs against a file.
func (o *check) checkFile(urls []string) error {
	l := o.list()
	defer l.close()
	file := robotstxt.Parse(o.body, o.dialect)
	o.files = robotsFiles{dir: o.robotsDir, notice: o.notice}
	for i, c := range o.crawlers {
		o.policies = append(o.policies, file.Agent(c.tokens...))
		o.inJSON = append(o.inJSON, nameOf(c))
		row := o.row(verdict{crawler: i})
		o.asked = append(o.asked, row.AppendAsked(nil))
		o.seeChain(i, file)
	}
	var given answers
	for _, url := range urls {
		if url != "-" {
			o.ask(&given, url)
			continue
		}
		o.write(l, given)
		given = answers{}
		if err := o.checkLines(l); err != nil {
			return err
		}
	}
	o.write(l, given)
	return nil
}

// verdict is what is answered about a crawler and a URL.
type verdict struct {
	crawler int // its number
	url     string
	robotstxt.Decision
	site  *cache.Answer // nil: a file was asked
	asked []byte        // who, and which file of --robots-dir; nil: the one file
}

// answers is what there is to say about some URLs.
type answers struct {
	out      []byte
	verdicts []verdict // those that are shown together: of each URL one for each crawler
	notices  []string
	status   int
	tally
	origin origin.Origin // of the site that was asked
}

// answer adds what there is to say about a crawler and a URL.
func (o *check) answer(a *answers, v verdict) {
	a.status = worse(a.status, statusOf(v.Decision))
	a.count(v.Decision)
	switch {
	case o.collects:
		a.verdicts = append(a.verdicts, v)
	case o.format == "text":
		a.out = o.appendLine(a.out, v)
	case v.site != nil:
		row := live.Answer{Answer: o.row(v), Site: live.SiteOf(v.site)}
		a.out = appendItem(a.out, &row, o.format == "json")
	default:
		row := report.AnswerOf(v.url, v.Decision)
		asked := v.asked
		if asked == nil {
			asked = o.asked[v.crawler]
		}
		a.out = appendAnswer(a.out, &row, asked, o.format == "json")
	}
}

// row returns a verdict as data.
func (o *check) row(v verdict) report.Answer {
	row := report.AnswerOf(v.url, v.Decision)
	row.Agent, row.Dialect, row.Source = o.agents[v.crawler], o.dialect.String(), o.source()
	if v.site != nil {
		row.Source = v.site.Origin.RobotsURL()
	}
	return row
}

// ask adds what the file says about a URL.
func (o *check) ask(a *answers, given string) {
	url, err := o.target(given)
	if err != nil {
		o.refuse(a, given, err)
		return
	}
	if o.robotsDir != "" {
		o.askByHost(a, url)
		return
	}
	other := o.isOfOther(url)
	for i := range o.crawlers {
		d := o.policies[i].Check(url)
		switch {
		case d.Reason == robotstxt.InvalidTarget:
			o.refuse(a, url, errors.New(targetHelp(url)))
			return
		case other:
			d = otherOrigin
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: d})
	}
	a.urls++
}

// refuse adds that a URL cannot be asked about.
func (o *check) refuse(a *answers, url string, why error) {
	o.fail(a, url, robotstxt.Decision{Reason: robotstxt.InvalidTarget}, why)
}

// fail adds that there is no answer. Where programs read, each crawler and input
// has its record.
func (o *check) fail(a *answers, url string, d robotstxt.Decision, why error) {
	o.failAs(a, exitUsage, url, d, why)
}

// failAs is fail with an exit status.
func (o *check) failAs(a *answers, status int, url string, d robotstxt.Decision, why error) {
	a.status = worse(a.status, status)
	a.notices = append(a.notices, why.Error())
	a.wrong++
	if o.format == "text" {
		return
	}
	for i := range o.crawlers {
		row := o.row(verdict{crawler: i, url: url, Decision: d})
		row.Error = why.Error()
		a.out = appendItem(a.out, &row, o.format == "json")
	}
}

// write passes answers on, in the order of their URLs.
func (o *check) write(l *list, a answers) {
	l.add(a.out)
	o.collected = append(o.collected, a.verdicts...)
	for _, notice := range a.notices {
		o.notice(notice)
	}
	o.raise(a.status)
	o.sum.add(a.tally)
	o.done.Add(int64(a.urls + a.wrong))
	if o.shows && !a.origin.IsZero() {
		o.sites[a.origin.Clone()] = true
	}
}

// checkLines checks the URLs of standard input on all cores.
func (o *check) checkLines(l *list) error {
	in := lineReader{in: o.in, number: 1}
	worker := func() func(chunk) answers {
		return func(c chunk) (a answers) {
			a.out = newBuffer()
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
		recycle(a.out)
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
