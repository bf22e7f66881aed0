package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// explain is one run of "heed explain".
type explain struct {
	question

	file *robotstxt.File   // in the dialect asked for
	main robotstxt.Trace   // the same
	all  []robotstxt.Trace // in every dialect

	site   *cache.Answer // of a live site; nil: a file is asked
	result *fetch.Result // the retrieval that it rests on
}

func (a *app) explainCommand() *cobra.Command {
	o := &explain{question: question{app: a}}
	c := &cobra.Command{
		Use:   "explain -a TOKEN[,TOKEN] URL",
		Short: "Say why a crawler may or may not fetch a URL, in all five dialects",
		Long: `Say why a crawler may or may not fetch a URL: the verdict of all five dialects
side by side with the line that decides each, that part of the file, the rules
that match in the order in which they decide, and why dialects differ.

The URL's site is asked for its robots.txt, or what is remembered of it (see heed
help check); with --robots FILE no site is asked.

--dialect chooses the one that is explained in full and sets the exit status:
0 allowed, 1 disallowed, 2 wrong usage or input, 3 could not be determined.`,
		Example: `  heed explain -a ExampleBot https://www.example.com/cart
  heed explain -a Googlebot --robots robots.txt https://shop.example/cart
  heed explain -a GPTBot --robots robots.txt --dialect google --format json /cart`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("expected one URL, absolute or a path; heed check takes many")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.flags(c, "text", "json")
	return c
}

func (o *explain) run(url string) error {
	if err := o.read(); err != nil {
		return err
	}
	read := func(d *robotstxt.Dialect) *robotstxt.File { return robotstxt.Parse(o.body, d) }
	if o.isLive() {
		if err := o.ask(url); err != nil {
			return err
		}
		read = func(d *robotstxt.Dialect) *robotstxt.File { return o.result.FileBy(o.live.pages.statuses(d), d) }
	}
	for _, each := range robotstxt.Dialects() {
		file := read(each)
		trace := file.Agent(o.agents...).Explain(url)
		if o.site != nil {
			trace.Decision = o.asOfNow(each, trace.Decision, url)
		}
		if each == o.dialect {
			o.file, o.main = file, trace
		}
		o.all = append(o.all, trace)
	}
	if o.dialect != robotstxt.Google {
		for _, agent := range o.agents {
			o.noticeRaw(agent)
		}
	}
	if o.main.Decision.Reason == robotstxt.InvalidTarget {
		return errors.New(targetHelp(url))
	}
	o.raise(statusOf(o.main.Decision))
	if o.format == "json" {
		o.out.Write(append(marshal(o.json()), '\n'))
		return nil
	}
	o.text(url)
	return nil
}

// asOfNow returns the decision of a dialect at this time, given the one that follows
// from the retrieval: a site that has been unreachable for a long time is allowed, and
// some dialects always allow /robots.txt itself.
func (o *explain) asOfNow(d *robotstxt.Dialect, was robotstxt.Decision, url string) robotstxt.Decision {
	outcome := func(d *robotstxt.Dialect) fetch.Outcome { return o.result.OutcomeBy(o.live.pages.statuses(d)) }
	itself := robotstxt.Parse(nil, d).Agent().Check(url)
	switch {
	case d == o.dialect:
		return o.site.Decision
	case outcome(d) == fetch.Unreachable && outcome(o.dialect) == fetch.Unreachable && o.site.Outcome == fetch.Unavailable:
		return robotstxt.Decision{Allowed: true, Reason: robotstxt.Unavailable}
	case outcome(d) != fetch.Rules && !was.Allowed && itself.Reason == robotstxt.RobotsTxtItself:
		return itself
	}
	return was
}

// ask sets the answer about a URL, and the retrieval that it rests on.
func (o *explain) ask(url string) error {
	ctx, stop := interruptible()
	defer stop()
	closeAll, err := o.live.open(o.dialect)
	if err != nil {
		return err
	}
	defer closeAll()
	answer, err := o.live.ask(ctx, o.agents, url)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case answer.Reason == robotstxt.InvalidTarget:
		return needsURL(url)
	case err != nil:
		return err
	}
	o.site = &answer
	site, err := o.live.cache.PeekSite(ctx, url)
	if err != nil {
		return err
	}
	if o.result = site.Result(); o.result == nil {
		o.result = &fetch.Result{Origin: answer.Origin, Err: answer.Err}
	}
	return nil
}

func (o *explain) text(url string) {
	d := o.main.Decision
	fmt.Fprintf(o.out, "%s %s for %s (%s)\n", visible(url), o.paint(bold, "is "+strings.TrimSpace(o.verdict(d.Allowed))), strings.Join(o.agents, ", "), o.main.Dialect.Title())
	fmt.Fprintf(o.out, "  %s\n", reasonText(d))
	if o.site != nil {
		fmt.Fprintf(o.out, "  %s: %s, %s\n", o.site.Origin.RobotsURL(), o.site.Outcome, visible(restsOn(o.site)))
	}

	o.heading("In each dialect")
	for _, t := range o.all {
		fmt.Fprintf(o.out, "  %-14s %s  %s\n", t.Dialect.Title(), o.verdict(t.Decision.Allowed), reasonText(t.Decision))
	}
	o.differences()
	o.excerpt()
	o.groups()
	o.candidates()
}

func (o *explain) heading(s string) {
	fmt.Fprintf(o.out, "\n%s\n", o.paint(bold, s))
}

// contrast says why a dialect decides otherwise than the one that is explained; "": it
// decides the same. Where not the rules of the file decide but the answer of the site,
// such as its status, the text begins with that answer.
func (o *explain) contrast(t robotstxt.Trace) string {
	why := robotstxt.Contrast(o.main, t)
	if why == "" || o.site == nil || byRules(o.main) && byRules(t) {
		return why
	}
	return answerText(o.result) + ": " + why
}

// byRules reports whether a file decided, and not a status or a failure.
func byRules(t robotstxt.Trace) bool {
	switch t.Decision.Reason {
	case robotstxt.Unavailable, robotstxt.Unreachable, robotstxt.Restricted:
		return false
	}
	return true
}

// answerText names the fact about a retrieval that dialects read differently.
func answerText(r *fetch.Result) string {
	switch n := r.Redirects(); {
	case n > fetch.StatusesOf(nil).MaxRedirects:
		return counted(n, "redirect")
	case r.Err != nil:
		return r.Err.Error()
	case r.SaysNotFound:
		return fmt.Sprintf(`status %d with a page that says "not found"`, r.Status)
	}
	return fmt.Sprintf("status %d", r.Status)
}

// differences says why another dialect answers otherwise.
func (o *explain) differences() {
	var lines []string
	for _, t := range o.all {
		if why := o.contrast(t); why != "" {
			lines = append(lines, why)
		}
	}
	if len(lines) == 0 {
		return
	}
	o.heading("Why they differ")
	for _, why := range lines {
		fmt.Fprintf(o.out, "  - %s\n", visible(why))
	}
}

// around is how many lines before and behind one that decides are shown.
const around = 3

// excerpt shows the file around the lines that decide: ">" is the one that is
// explained, "*" those of other dialects.
func (o *explain) excerpt() {
	marks := map[int]string{}
	for _, t := range o.all {
		marks[t.Decision.Rule.Line] = "*"
	}
	marks[o.main.Decision.Rule.Line] = ">"
	delete(marks, 0)
	if len(marks) == 0 {
		return
	}
	o.heading("The file")
	last := 0
	for line := range o.file.Lines() {
		if !near(line.Number, marks) {
			continue
		}
		if last != 0 && line.Number > last+1 {
			fmt.Fprintf(o.out, "  %7s\n", "…")
		}
		last = line.Number
		text := visible(trimEnd(line.Raw))
		if marks[line.Number] == ">" {
			text = o.paint(bold, text)
		}
		fmt.Fprintf(o.out, "  %1s %5d  %s\n", marks[line.Number], line.Number, text)
	}
}

func near(number int, marks map[int]string) bool {
	for line := range marks {
		if number >= line-around && number <= line+around {
			return true
		}
	}
	return false
}

// groups shows the groups that apply, and how many do not.
func (o *explain) groups() {
	o.heading("Groups that apply in " + o.main.Dialect.Title())
	others := 0
	for _, use := range o.main.Groups {
		if !use.Role.Applies() {
			others++
			continue
		}
		fmt.Fprintf(o.out, "  line %d: User-agent: %s  (%s; %s)\n", use.Agent.Line, visible(use.Agent.Value), use.Role, counted(len(use.Group.Rules), "rule"))
	}
	switch {
	case others == len(o.main.Groups):
		fmt.Fprintf(o.out, "  none of %d\n", others)
	case others == 1:
		fmt.Fprintf(o.out, "  1 other does not\n")
	case others > 1:
		fmt.Fprintf(o.out, "  %d others do not\n", others)
	}
}

// candidates shows the rules that match, the one that decides first.
func (o *explain) candidates() {
	if o.main.Path == "" {
		return
	}
	o.heading(fmt.Sprintf("Rules that match %s (%d of %d)", visible(o.main.Path), len(o.main.Candidates), o.main.RuleCount))
	for _, c := range o.main.Candidates {
		note := ""
		if c.Pattern != c.Rule.Pattern {
			note = " as " + visible(c.Pattern)
		}
		fmt.Fprintf(o.out, "  %s%s  (%s; %s)\n", c.Rule, note, counted(c.Length, "octet"), c.Beaten)
	}
	if len(o.main.Candidates) == 0 {
		fmt.Fprintf(o.out, "  none\n")
	}
}

// explanation is what "heed explain" says, as JSON.
type explanation struct {
	URL         string       `json:"url"`
	URLB64      []byte       `json:"url_b64,omitempty"`
	Agents      []string     `json:"agents"`
	Dialect     string       `json:"dialect"`        // the one that sets the exit status
	Site        *site        `json:"site,omitempty"` // where a live site was asked
	Dialects    []trace      `json:"dialects"`
	Differences []difference `json:"differences"`
}

type trace struct {
	Dialect    string           `json:"dialect"`
	Allowed    bool             `json:"allowed"`
	Reason     robotstxt.Reason `json:"reason"`
	Rule       *rule            `json:"rule,omitempty"`
	Path       string           `json:"path"` // in normal form
	Groups     []groupUse       `json:"groups"`
	Candidates []candidate      `json:"candidates"`
}

type groupUse struct {
	Line    int    `json:"line"` // of its first user-agent
	Applies bool   `json:"applies"`
	Why     string `json:"why"`
	Rules   int    `json:"rules"`
}

type candidate struct {
	Rule    *rule  `json:"rule"`
	Pattern string `json:"normal_form"`
	Length  int    `json:"octets"`
	Beaten  string `json:"why"`
}

// difference says why a dialect does not answer as the one asked for does.
type difference struct {
	Dialect string `json:"dialect"`
	Why     string `json:"why"`
}

func (o *explain) json() explanation {
	u := newText(o.main.Target)
	e := explanation{
		URL:         u.Text,
		URLB64:      u.B64,
		Agents:      o.agents,
		Dialect:     o.main.Dialect.String(),
		Differences: []difference{},
	}
	if o.site != nil {
		e.Site = newSite(o.site)
	}
	for _, t := range o.all {
		e.Dialects = append(e.Dialects, newTrace(t))
		if why := o.contrast(t); why != "" {
			e.Differences = append(e.Differences, difference{t.Dialect.String(), why})
		}
	}
	return e
}

func newTrace(t robotstxt.Trace) trace {
	j := trace{
		Dialect:    t.Dialect.String(),
		Allowed:    t.Decision.Allowed,
		Reason:     t.Decision.Reason,
		Rule:       newRule(t.Decision.Rule),
		Path:       newText(t.Path).Text,
		Groups:     []groupUse{},
		Candidates: []candidate{},
	}
	for _, use := range t.Groups {
		j.Groups = append(j.Groups, groupUse{use.Group.Agents[0].Line, use.Role.Applies(), use.Role.String(), len(use.Group.Rules)})
	}
	for _, c := range t.Candidates {
		j.Candidates = append(j.Candidates, candidate{newRule(c.Rule), newText(c.Pattern).Text, c.Length, c.Beaten.String()})
	}
	return j
}
