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

// maxQuestion bounds a line of questions, which may hold a robots.txt.
const maxQuestion = 8 << 20

// questions is one run of "heed check --input jsonl".
type questions struct {
	*check
	ctx   context.Context
	own   string // the crawler of -a, as JSON; "": lines name theirs
	sites liveDialects
	turns chan struct{} // of those who wait for sites
	box   *outbox

	failed int
	first  string // failure
}

// part is some rows, and one behind them that a site is asked about; nil: there is none.
type part struct {
	reply
	failed int // of the rows
	late   chan reply
}

// reply is a row, or some.
type reply struct {
	out     []byte
	status  int
	failure string // "": none; the first of several
}

// checkQuestions answers questions that are lines of JSON, in files or "-".
func (o *check) checkQuestions(names []string) error {
	if err := o.checkInput(names); err != nil {
		return err
	}
	q := &questions{check: o, turns: make(chan struct{}, o.jobs), sites: liveDialects{first: &o.live}}
	o.files = robotsFiles{dir: o.robotsDir, given: o.body, source: o.robots}
	if len(o.crawlers) == 1 {
		q.own = nameOf(o.crawlers[0])
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
		o.notice(fmt.Sprintf("%s could not be answered, the first of them: %s", report.Counted(q.failed, "question"), q.first))
	}
	return nil
}

// checkInput checks the flags and the arguments of --input.
func (o *check) checkInput(names []string) error {
	switch {
	case o.input != "jsonl":
		return oneOf("input", o.input, "jsonl")
	case o.live.command.Flags().Changed("format") && o.format != "jsonl":
		return fmt.Errorf("--format %s: with --input jsonl each answer is a line of JSON; leave --format out", o.format)
	case o.unordered:
		return errors.New("--unordered: with --input jsonl answers come in the order of the questions; leave it out")
	case o.robots == "-" && (len(names) == 0 || slices.Contains(names, "-")):
		return errors.New(`standard input cannot be both the robots.txt and the questions; give one of them as a file`)
	}
	o.format, o.agentOptional = "jsonl", true
	if err := o.read(); err != nil {
		return err
	}
	if len(o.crawlers) > 1 {
		return fmt.Errorf("-a names %d crawlers, and with --input jsonl each line has one answer; name the crawler in each line, as \"agent\"", len(o.crawlers))
	}
	return nil
}

// answerAll answers the questions of a file, "-" being standard input.
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
				go q.answerChunk(lines.name, c, parts) // it may wait for sites, and the first answers do not
			} else {
				q.answerChunk(lines.name, c, parts)
			}
			return parts
		}
	}
	ordered.Map(runtime.GOMAXPROCS(0), until(q.ctx, lines.chunks), worker, func(parts chan part) {
		for p := range parts {
			if q.pass(p) != nil {
				stop() // nobody hears the other answers
			}
		}
	})
	if q.ctx.Err() != nil {
		if q.box.failed() {
			return nil // which is reported at the end
		}
		return errInterrupted
	}
	return lines.failure()
}

// pass passes rows on as they come, until the run ends.
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

// add passes rows on, and recycles their buffer.
func (q *questions) add(rows []byte) error {
	if q.ctx.Err() != nil {
		return nil
	}
	err := q.box.add(rows)
	recycle(rows)
	return err
}

func (q *questions) note(status, failed int, first string) {
	q.raise(status)
	q.failed += failed
	q.first = cmp.Or(q.first, first)
}

// answerChunk answers the questions of some lines of an input. Without sites all rows are
// one part.
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
		a := answering{q: q, where: name, number: c.tooLong, wrong: fmt.Errorf("longer than %d bytes, left out", maxQuestion)}
		add(a.fileRow(p.out, now))
	}
	parts <- p
}

// later answers a question about a site in the background.
func (q *questions) later(a *answering) chan reply {
	late := make(chan reply, 1)
	select {
	case q.turns <- struct{}{}:
	case <-q.ctx.Done():
		late <- reply{}
		return late
	}
	go func() {
		late <- a.liveRow()
		<-q.turns
	}()
	return late
}

// answering is a question that is being answered.
type answering struct {
	q *questions
	questionLine
	where  string // the input, and the line in it
	number int
	wrong  error // with the question; nil: it can be answered
}

// fileRow appends the answer of a file.
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
	name := cmp.Or(a.agent, a.q.own)
	said, err := a.q.files.about(f, name)
	if err != nil {
		return a.refused(out, err, exitUsage)
	}
	d := said.policy.Check(a.url)
	if key.kind == givenFile && d.Reason != robotstxt.InvalidTarget && a.q.isOfOther(a.url) {
		d = otherOrigin
	}
	j := report.AnswerOf(a.url, d)
	if why := a.invalid(d); why != nil {
		j.Agent, j.Dialect, j.Source = said.agent, key.dialect.String(), f.source
		return a.failed(out, &j, why, exitUsage)
	}
	out = append(j.AppendFields(append(out, '{')), said.json...)
	return reply{out: a.end(out), status: statusOf(d)}
}

// invalid says why a question could not be decided; nil: it could.
func (a *answering) invalid(d robotstxt.Decision) error {
	switch d.Reason {
	case robotstxt.InvalidTarget:
		return errors.New(targetHelp(a.url))
	case robotstxt.InvalidAgent:
		return fmt.Errorf(`"agent" %s: no product token in it (letters, "_" and "-")`, cmp.Or(a.agent, a.q.own))
	}
	return nil
}

// nameOf returns a crawler as JSON, which is what its policies go by.
func nameOf(c crawler) string {
	name, _ := report.AgentOf(c.tokens).MarshalJSON() // which has no error
	return string(name)
}

// tokensIn returns the product tokens of a crawler in JSON.
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

// statusOfFile returns the exit status of a robots.txt that cannot be asked: what a host
// without one allows could not be determined; all else is wrong input.
func statusOfFile(err error) int {
	if errors.Is(err, errNoFile) {
		return exitUndetermined
	}
	return exitUsage
}

// end ends a row, with the members of the question that are echoed.
func (a *answering) end(out []byte) []byte {
	return append(append(out, a.rest...), "}\n"...)
}

// refused appends the row of a question that has no answer.
func (a *answering) refused(out []byte, why error, status int) reply {
	d := cmp.Or(a.dialect, a.q.dialect)
	j := report.AnswerOf(a.url, robotstxt.Decision{})
	j.Dialect = d.String()
	if tokens, err := tokensIn(cmp.Or(a.agent, a.q.own)); err == nil {
		j.Agent = report.AgentOf(tokens)
	}
	return a.failed(out, &j, why, status)
}

// failed appends an answer with an error, which says where the question is.
func (a *answering) failed(out []byte, j *report.Answer, why error, status int) reply {
	j.Error = report.TextOf(fmt.Sprintf("%s, line %d: %v", a.where, a.number, why)).Text
	return reply{out: a.end(j.AppendFields(append(out, '{'))), status: status, failure: j.Error}
}

// liveRow returns the answer of a site.
func (a *answering) liveRow() reply {
	from, target := a.url, a.url
	of := a.q.robotsOf
	if !of.IsZero() {
		from, target = of.RobotsURL(), moved(a.url, of)
	}
	if _, err := origin.Parse(a.url); err != nil && (of.IsZero() || !strings.HasPrefix(a.url, "/")) {
		return a.refused(nil, needsURL(a.url), exitUsage)
	}
	tokens, err := tokensIn(cmp.Or(a.agent, a.q.own))
	if err != nil {
		return a.refused(nil, err, exitUsage)
	}
	if sent := a.q.live.fetcher.UserAgent; sent != "" {
		if err := sendsAs(sent, crawler{tokens}); err != nil {
			return a.refused(nil, err, exitUsage)
		}
	}
	d := cmp.Or(a.dialect, a.q.dialect)
	sites, err := a.q.sites.in(d)
	if err != nil {
		return a.refused(nil, err, exitUsage)
	}
	site, err := sites.site(a.q.ctx, from)
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
