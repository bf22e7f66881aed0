package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// maxQuestion limits a question, which may contain a robots.txt, in bytes.
const maxQuestion = 8 << 20

// questions is one run of "heed check --input jsonl".
//
// Several goroutines answer chunks of lines. The answers come out in the order of the lines.
// A question about a live site is slow: while one goroutine waits for the site, the other
// questions of the chunk are answered. So the answers to a chunk are parts. If a chunk has the
// questions 1 to 4, and only 3 is about a live site, the parts are {1, 2, late: 3} and {4}.
type questions struct {
	*check
	ctx   context.Context
	own   string // the crawler of -a, as JSON; "": each line names its crawler
	sites liveDialects
	slots chan struct{} // limits the questions that wait for sites: each puts one value in
	box   *outbox

	failed       int // questions without an answer
	firstFailure string
}

// part is the answers to consecutive questions. If the question after them is about a live
// site, late receives its answer; otherwise late is nil.
type part struct {
	reply
	failed int // errors in reply
	late   chan reply
}

// reply is the answers to one or more questions, as lines of JSON.
type reply struct {
	out     []byte
	status  int
	failure string // the first error; "": none
}

// checkQuestions answers the questions in some files; "-" is standard input.
func (o *check) checkQuestions(names []string) error {
	if err := o.checkInput(names); err != nil {
		return err
	}
	q := &questions{check: o, slots: make(chan struct{}, o.jobs), sites: liveDialects{first: &o.live}}
	o.files = robotsFiles{dir: o.robotsDir, given: o.body, source: o.robots}
	if len(o.crawlers) == 1 {
		q.own = keyOf(o.crawlers[0])
	}
	defer q.sites.close()
	var stop context.CancelFunc
	q.ctx, stop = interruptible()
	defer stop()
	q.box = newOutbox(o.out)
	defer q.box.close()
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if err := q.answerAll(name, stop); err != nil {
			o.complain(err)
		}
		if q.ctx.Err() != nil {
			break
		}
	}
	if q.failed > 0 {
		o.notice(fmt.Sprintf("%s could not be answered; the first error: %s", report.Counted(q.failed, "question"), q.firstFailure))
	}
	return nil
}

// checkInput checks the flags and arguments of a run with --input.
func (o *check) checkInput(names []string) error {
	switch {
	case o.input != "jsonl":
		return oneOf("input", o.input, "jsonl")
	case o.live.command.Flags().Changed("format") && o.format != "jsonl":
		return fmt.Errorf("--format %s: with --input jsonl each answer is a line of JSON; leave --format out", o.format)
	case o.unordered:
		return errors.New("--unordered: with --input jsonl answers come in the order of the questions; leave --unordered out")
	case o.robots == "-" && (len(names) == 0 || slices.Contains(names, "-")):
		return errors.New(`standard input cannot be both the robots.txt and the questions; give one of them as a file`)
	}
	o.format, o.agentOptional = "jsonl", true
	if err := o.read(); err != nil {
		return err
	}
	if len(o.crawlers) > 1 {
		return fmt.Errorf("-a names %d crawlers, but with --input jsonl each line has one answer; name the crawler in each line, as \"agent\"", len(o.crawlers))
	}
	return nil
}

// answerAll answers the questions of a file; "-" is standard input.
func (q *questions) answerAll(name string, stop func()) error {
	in, shown := q.in, standardInput
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("questions: %w", err)
		}
		defer f.Close()
		in, shown = f, name
	}
	lines := newLineReader(in, shown, maxQuestion)
	worker := func() func(chunk) chan part {
		return func(c chunk) chan part {
			parts := make(chan part, 1)
			if q.isLive() {
				go q.answerChunk(lines.name, c, parts) // so that the first answers need not wait for a site
			} else {
				q.answerChunk(lines.name, c, parts)
			}
			return parts
		}
	}
	ordered.Map(runtime.GOMAXPROCS(0), until(q.ctx, lines.chunks), worker, func(parts chan part) {
		for p := range parts {
			if q.pass(p) != nil {
				stop() // nobody reads the other answers
			}
		}
	})
	if q.ctx.Err() != nil {
		if q.box.failed() {
			return nil // Run reports the error of the output
		}
		return errInterrupted
	}
	return lines.failure()
}

// pass writes the answers of a part, in their order, until the run ends.
func (q *questions) pass(p part) error {
	q.note(p.status, p.failed, p.failure)
	err := q.add(p.out)
	if p.late == nil || err != nil {
		return err
	}
	late := <-p.late
	if q.ctx.Err() != nil {
		return nil
	}
	failed := 0
	if late.failure != "" {
		failed = 1
	}
	q.note(late.status, failed, late.failure)
	return q.add(late.out)
}

// add writes answers and recycles their buffer.
func (q *questions) add(out []byte) error {
	if q.ctx.Err() != nil {
		return nil
	}
	err := q.box.add(out)
	recycle(out)
	return err
}

// note counts the errors of some answers.
func (q *questions) note(status, failed int, first string) {
	q.raise(status)
	q.failed += failed
	q.firstFailure = cmp.Or(q.firstFailure, first)
}

// answerChunk sends the answers to a chunk of an input, and closes parts. If no question is
// about a live site, it sends one part.
func (q *questions) answerChunk(name string, c chunk, parts chan part) {
	defer close(parts)
	now, number := time.Now(), c.first-1
	p := part{reply: reply{out: newBuffer()}}
	add := func(one reply) {
		p.out, p.status = one.out, worse(p.status, one.status)
		if one.failure != "" {
			p.failed++
			p.failure = cmp.Or(p.failure, one.failure)
		}
	}
	for line := range strings.Lines(c.lines) {
		number++
		if strings.Trim(line, " \t\r\n") == "" {
			continue
		}
		a := answering{q: q, where: name, number: number}
		if a.questionLine, a.wrong = readQuestion(line); a.wrong == nil && a.robots == "" && q.isLive() {
			p.late = q.later(&a)
			parts <- p
			p = part{reply: reply{out: newBuffer()}}
			continue
		}
		add(a.fileRow(p.out, now))
	}
	if c.tooLong > 0 {
		a := answering{q: q, where: name, number: c.tooLong, wrong: fmt.Errorf("longer than %d bytes, skipped", maxQuestion)}
		add(a.fileRow(p.out, now))
	}
	parts <- p
}

// later answers a question about a live site in the background. It waits for a free slot
// before it returns.
func (q *questions) later(a *answering) chan reply {
	late := make(chan reply, 1)
	select {
	case q.slots <- struct{}{}:
	case <-q.ctx.Done():
		late <- reply{}
		return late
	}
	go func() {
		late <- a.liveRow()
		<-q.slots
	}()
	return late
}

// answering is a question that is being answered.
type answering struct {
	q *questions
	questionLine
	where  string // the name of the input
	number int    // of the line
	wrong  error  // why the question cannot be answered; nil: it can
}

// fileRow appends the answer to a question whose robots.txt is a file.
func (a *answering) fileRow(out []byte, now time.Time) reply {
	if a.wrong != nil {
		return a.refused(out, a.wrong, exitUsage)
	}
	key := fileKey{kind: a.kind, text: a.robots, dialect: cmp.Or(a.dialect, a.q.dialect)}
	switch {
	case a.robots == "" && a.q.robotsDir != "":
		o, err := origin.Parse(a.url)
		if err != nil {
			return a.refused(out, needsURL(a.url), exitUsage)
		}
		key = hostKey(o, key.dialect)
	case a.robots == "":
		key.kind = givenFile
	}
	f := a.q.files.get(key, now)
	if f.err != nil {
		return a.refused(out, f.err, statusOfFile(f.err))
	}
	c, err := a.q.files.crawler(f, cmp.Or(a.agent, a.q.own))
	if err != nil {
		return a.refused(out, err, exitUsage)
	}
	d := c.policy.Check(a.url)
	if key.kind == givenFile && d.Reason != robotstxt.InvalidTarget && a.q.isOfOther(a.url) {
		d = otherOrigin
	}
	j := report.AnswerOf(a.url, d)
	if why := a.invalid(d); why != nil {
		j.Agent, j.Dialect, j.Source = c.agent, key.dialect.String(), f.source
		return a.failed(out, &j, why, exitUsage)
	}
	out = append(j.AppendFields(append(out, '{')), c.question...)
	return reply{out: a.end(out), status: statusOf(d)}
}

// invalid returns why a question has no decision; nil: it has one.
func (a *answering) invalid(d robotstxt.Decision) error {
	switch d.Reason {
	case robotstxt.InvalidTarget:
		return errors.New(targetHelp(a.url))
	case robotstxt.InvalidAgent:
		return fmt.Errorf(`"agent" %s: no product token in it (letters, "_" and "-")`, cmp.Or(a.agent, a.q.own))
	}
	return nil
}

// keyOf returns a crawler as JSON, for robotsFiles.crawler.
func keyOf(c crawler) string {
	key, _ := report.AgentOf(c.tokens).MarshalJSON() // never fails
	return string(key)
}

// tokensIn returns the product tokens of a crawler that is given as JSON.
func tokensIn(agent string) ([]string, error) {
	if agent == "" {
		return nil, errors.New(`"agent" is missing, and there is no -a`)
	}
	tokens, err := stringsOf(agent)
	if err != nil {
		return nil, fmt.Errorf(`"agent": %w`, err)
	}
	return tokens, nil
}

// statusOfFile returns the exit status if a robots.txt cannot be read.
func statusOfFile(err error) int {
	if errors.Is(err, errNoFile) {
		return exitUndetermined
	}
	return exitUsage
}

// end appends the end of an answer, with the fields that are copied from the question.
func (a *answering) end(out []byte) []byte {
	return append(append(out, a.rest...), "}\n"...)
}

// refused appends an error in the place of an answer.
func (a *answering) refused(out []byte, why error, status int) reply {
	d := cmp.Or(a.dialect, a.q.dialect)
	j := report.AnswerOf(a.url, robotstxt.Decision{})
	j.Dialect = d.String()
	if tokens, err := tokensIn(cmp.Or(a.agent, a.q.own)); err == nil {
		j.Agent = report.AgentOf(tokens)
	}
	return a.failed(out, &j, why, status)
}

// failed appends an answer with an error that names the line of the question.
func (a *answering) failed(out []byte, j *report.Answer, why error, status int) reply {
	j.Error = report.TextOf(fmt.Sprintf("%s, line %d: %v", a.where, a.number, why)).Text
	return reply{out: a.end(j.AppendFields(append(out, '{'))), status: status, failure: j.Error}
}

// liveRow returns the answer to a question whose robots.txt is that of a live site.
func (a *answering) liveRow() reply {
	siteURL, target := a.url, a.url
	given := a.q.robotsSite
	if !given.IsZero() {
		siteURL, target = given.RobotsURL(), moved(a.url, given)
	}
	if _, err := origin.Parse(a.url); err != nil && (given.IsZero() || !strings.HasPrefix(a.url, "/")) {
		return a.refused(nil, needsURL(a.url), exitUsage)
	}
	tokens, err := tokensIn(cmp.Or(a.agent, a.q.own))
	if err != nil {
		return a.refused(nil, err, exitUsage)
	}
	if sent := a.q.live.fetcher.UserAgent; sent != "" {
		if err := checkUserAgent(sent, crawler{tokens}); err != nil {
			return a.refused(nil, err, exitUsage)
		}
	}
	d := cmp.Or(a.dialect, a.q.dialect)
	sites, err := a.q.sites.in(d)
	if err != nil {
		return a.refused(nil, err, exitUsage)
	}
	site, err := sites.site(a.q.ctx, siteURL)
	if err != nil {
		return a.refused(nil, err, exitUndetermined)
	}
	answer, err := site.Check(tokens, target)
	if err != nil {
		return a.refused(nil, err, exitUndetermined)
	}
	if a.q.isOfOther(a.url) {
		answer.Decision = otherOrigin
	}
	if why := a.invalid(answer.Decision); why != nil {
		return a.refused(nil, why, exitUsage)
	}
	j := live.AnswerOf(a.url, &answer)
	j.Agent, j.Dialect, j.Source = report.AgentOf(tokens), d.String(), answer.Origin.RobotsURL()
	return reply{out: a.end(j.AppendFields([]byte{'{'})), status: statusOf(answer.Decision)}
}
