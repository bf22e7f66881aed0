package questions

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

func (t *stream) answerBlock(b lines.Block, parts chan part) {
	defer close(parts)
	now := time.Now()
	p := part{reply: reply{out: lines.NewBuffer()}}
	for line := range b.All() {
		if line.IsBlank() || line.Wrong == lines.ErrCut { // nothing is wrong with a cut question: Answer returns why it was cut
			continue
		}
		a := numberedQuestion{stream: t, number: line.Number, whyWrong: line.Wrong}
		if a.whyWrong == nil {
			a.question, a.whyWrong = t.read(line.Text)
		}
		if a.whyWrong == nil && a.robots == "" && t.Sites != nil {
			p.late = t.answerLater(&a)
			parts <- p
			p = part{reply: reply{out: lines.NewBuffer()}}
			continue
		}
		one := a.fileRow(p.out, now)
		p.out = one.out
		p.Summary.add(&one.Summary)
	}
	parts <- p
}

func (t *stream) answerLater(a *numberedQuestion) chan reply {
	late := make(chan reply, 1)
	select {
	case t.slots <- struct{}{}:
	case <-t.ctx.Done():
		late <- reply{}
		return late
	}
	go func() {
		late <- a.liveRow()
		<-t.slots
	}()
	return late
}

type numberedQuestion struct {
	*stream
	question
	number   int
	whyWrong error
}

func (a *numberedQuestion) crawlerJSON() string { return cmp.Or(a.agent, a.Agent) }

func (a *numberedQuestion) tokens() ([]string, error) {
	if a.crawlerJSON() == "" {
		return nil, a.Words.NoAgent
	}
	return a.Files.Tokens(a.crawlerJSON(), cmp.Or(a.dialect, a.Dialect))
}

func (a *numberedQuestion) fileRow(out []byte, now time.Time) reply {
	if a.whyWrong != nil {
		return a.appendRefusal(out, a.whyWrong, exit.Usage)
	}
	key := robotsfiles.Key{Kind: a.kind, Text: a.robots, Dialect: cmp.Or(a.dialect, a.Dialect)}
	switch {
	case a.robots != "":
	case a.Files.Dir != "":
		o, err := origin.Parse(a.url)
		if err != nil {
			return a.appendRefusal(out, a.Words.NoSite(a.url), exit.Usage)
		}
		key.Kind, key.Text = robotsfiles.OfHost, o.Authority()
	case a.Files.Source != "":
		key.Kind = robotsfiles.Given
	default:
		return a.appendRefusal(out, errors.New(`"robots" is missing; expected the text of a robots.txt`), exit.Usage)
	}
	f := a.Files.Get(key, now)
	if f.Err != nil {
		return a.appendRefusal(out, f.Err, robotsfiles.StatusOf(f.Err))
	}
	if a.crawlerJSON() == "" {
		return a.appendRefusal(out, a.Words.NoAgent, exit.Usage)
	}
	c, err := a.Files.Crawler(f, a.crawlerJSON())
	if err != nil {
		return a.appendRefusal(out, err, exit.Usage)
	}
	d := c.Policy.Check(a.url)
	if key.Kind == robotsfiles.Given && d.Reason != robotstxt.InvalidTarget && a.hasOtherOrigin() {
		d = robotstxt.Decision{Reason: robotstxt.OtherOrigin}
	}
	j := report.AnswerOf(a.url, d)
	if why := a.whyUndecided(d); why != nil {
		j.SetAgent(a.Files.Crawlers, c.Agent)
		j.Dialect, j.Source = key.Dialect.String(), f.Source
		return a.appendFailure(out, &j, why, exit.Usage)
	}
	a.note(&Row{Decision: d})
	j.Usage = a.purposes.Explain(c.Usage, a.url, d)
	out = append(j.AppendFields(append(out, '{')), c.Question...)
	return reply{out: a.appendEnd(out), Summary: Summary{Status: exit.OfUses(d, j.Usage, a.Unknown)}}
}

func (a *numberedQuestion) hasOtherOrigin() bool { return a.IsOther != nil && a.IsOther(a.url) }

func (a *numberedQuestion) whyUndecided(d robotstxt.Decision) error {
	switch d.Reason {
	case robotstxt.InvalidTarget:
		return a.Words.BadTarget(a.url)
	case robotstxt.InvalidAgent:
		return fmt.Errorf(`"agent" %s has no product token in it: expected letters, "_" and "-", such as Googlebot`, a.crawlerJSON())
	}
	return nil
}

// Some parts of an answer depend on one question. These are the line number of the question, and the members that are
// copied from it. They come at the end of the answer.
func (a *numberedQuestion) appendEnd(out []byte) []byte {
	if a.decision != nil {
		out = strconv.AppendInt(append(out, a.decision...), int64(a.number), 10)
		out = append(out, '"')
	}
	return append(append(out, a.rest...), "}\n"...)
}

// decisionMember returns the text of the member "decision" up to the number in its value. If answers have no such
// member, decisionMember returns nil.
func (s *Settings) decisionMember() []byte {
	if s.Request == "" {
		return nil
	}
	b := report.AppendString([]byte(`,"decision":`), s.Request+".")
	return b[:len(b)-1] // appendEnd will append the number and the quotation mark
}

// isOwnMember reports whether heed itself writes this member into the answer. Such a member is not copied from the
// question.
func (s *Settings) isOwnMember(key string) bool {
	switch key {
	case `"decision"`:
		return s.Request != ""
	case `"pending"`:
		return s.MaxWait
	case `"provenance"`, `"provenance_id"`:
		return s.Files.Heed != ""
	}
	return false
}

func (a *numberedQuestion) appendRefusal(out []byte, why error, status int) reply {
	d := cmp.Or(a.dialect, a.Dialect)
	j := report.AnswerOf(a.url, robotstxt.Decision{})
	j.Dialect = d.String()
	if tokens, err := a.tokens(); err == nil {
		j.SetAgent(a.Files.Crawlers, tokens)
	}
	return a.appendFailure(out, &j, why, status)
}

func (a *numberedQuestion) note(r *Row) {
	if a.OnAnswer != nil {
		r.Line, r.URL = a.number, a.url
		a.OnAnswer(r)
	}
}

func (a *numberedQuestion) appendFailure(out []byte, j *report.Answer, why error, status int) reply {
	a.note(&Row{Err: why})
	j.Error = report.TextOf(fmt.Sprintf("%s, line %d: %v", a.name, a.number, why)).Text
	out = j.AppendFields(append(out, '{'))
	if seconds := asked.RetrySeconds(why); seconds > 0 {
		out = strconv.AppendInt(append(out, `,"retry_after":`...), int64(seconds), 10)
	}
	return reply{out: a.appendEnd(out), Summary: Summary{status, 1, j.Error}}
}

func (a *numberedQuestion) liveRow() reply {
	of, target, err := a.Sites.Target(a.url)
	if err != nil {
		return a.appendRefusal(nil, err, exit.Usage)
	}
	tokens, err := a.tokens()
	if err != nil {
		return a.appendRefusal(nil, err, exit.Usage)
	}
	d := cmp.Or(a.dialect, a.Dialect)
	site, pending, err := a.Sites.Site(a.ctx, &Ask{Site: of, Agent: tokens, Dialect: d, MaxWait: a.maxWait})
	if err != nil {
		status := exit.Undetermined
		if errors.As(err, &mistake{}) {
			status = exit.Usage
		}
		return a.appendRefusal(nil, err, status)
	}
	answer, err := site.Check(tokens, target)
	if err != nil {
		return a.appendRefusal(nil, err, exit.Undetermined)
	}
	if a.hasOtherOrigin() {
		answer.Decision = robotstxt.Decision{Reason: robotstxt.OtherOrigin}
	}
	if why := a.whyUndecided(answer.Decision); why != nil {
		return a.appendRefusal(nil, why, exit.Usage)
	}
	a.note(&Row{Decision: answer.Decision, Site: &answer, Agent: tokens, Pending: pending})
	j := live.AnswerOf(a.url, &answer)
	j.Pending = pending
	j.Usage = a.purposes.Explain(func() *usage.Policy { return site.Usage(tokens) }, target, answer.Decision)
	j.SetAgent(a.Files.Crawlers, tokens)
	j.Dialect, j.Source = d.String(), answer.Origin.RobotsURL()
	r := reply{out: j.AppendFields([]byte{'{'}), Summary: Summary{Status: exit.OfUses(answer.Decision, j.Usage, a.Unknown)}}
	if a.Files.Heed != "" {
		p := live.ProvenanceOf(site, d, a.Files.Heed)
		r.out = report.AppendString(append(r.out, `,"provenance_id":`...), p.ID)
		r.provenance, r.insertAt = &p, len(r.out)
	}
	r.out = a.appendEnd(r.out)
	return r
}
