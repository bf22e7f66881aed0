package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// checkQuestions answers the questions in some files; "-" is standard input.
func (o *check) checkQuestions(names []string) error {
	if err := o.checkInput(names); err != nil {
		return err
	}
	set := o.questionSettings()
	if o.isLive() {
		defer o.live.close()
		set.Sites = &questionSites{o}
	} else {
		set.Files.Dir, set.Files.Given, set.Files.Source = o.robotsDir, o.body, o.robots
	}
	ctx, stop := interruptible()
	defer stop()
	if len(names) == 0 {
		names = []string{"-"}
	}
	var failed int
	var firstFailure string
	for _, name := range names {
		sum, err := o.answerAll(ctx, set, name)
		o.raise(sum.Status)
		failed += sum.Failed
		firstFailure = cmp.Or(firstFailure, sum.FirstFailure)
		if o.out.Flush() != nil {
			break // Run reports the error of the output
		}
		if ctx.Err() != nil {
			o.complain(errInterrupted)
			break
		}
		if err != nil {
			o.complain(err)
		}
	}
	if failed > 0 {
		o.notice(fmt.Sprintf("%s could not be answered; the first error: %s", printable.Counted(failed, "question"), firstFailure))
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

// questionSettings returns how questions are answered, except those about live sites.
func (o *check) questionSettings() *questions.Settings {
	set := &questions.Settings{
		Dialect: o.dialect,
		Files:   &robotsfiles.Files{Crawlers: o.known.table},
		Jobs:    o.jobs,
		IsOther: o.isOfOther,
		Words: questions.Words{
			NoAgent:   errors.New(`"agent" is missing, and there is no -a`),
			NoSite:    needsURL,
			BadTarget: func(url string) error { return errors.New(targetHelp(url)) },
		},
	}
	if len(o.crawlers) == 1 {
		set.Agent = keyOf(o.crawlers[0])
	}
	return set
}

// answerAll answers the questions of a file; "-" is standard input.
func (o *check) answerAll(ctx context.Context, set *questions.Settings, name string) (questions.Summary, error) {
	in, err := o.openInput(name)
	if err != nil {
		return questions.Summary{}, fmt.Errorf("questions: %w", err)
	}
	defer in.Close()
	return set.Answer(ctx, in, inputName(name), o.out)
}

// keyOf returns a crawler as JSON, for robotsfiles.Files.Crawler.
func keyOf(tokens []string) string {
	key, _ := report.AgentOf(tokens).MarshalJSON() // never fails
	return string(key)
}

// questionSites are the live sites of questions.
type questionSites struct{ *check }

// Target returns the site whose robots.txt is used, and what to check there.
func (s *questionSites) Target(url string) (site origin.Origin, target string, err error) {
	given := s.robotsSite
	if site, err = origin.Parse(url); err != nil && (given.IsZero() || !strings.HasPrefix(url, "/")) {
		return site, "", needsURL(url)
	}
	if given.IsZero() {
		return site, url, nil
	}
	return given, moved(url, given), nil
}

// Site returns the site of a question, if --user-agent fits its crawler.
func (s *questionSites) Site(ctx context.Context, a *questions.Ask) (site *cache.Site, pending bool, err error) {
	if sent := s.live.fetcher.UserAgent; sent != "" {
		if err := checkUserAgent(sent, a.Agent); err != nil {
			return nil, false, questions.Wrong(err)
		}
	}
	in, err := s.live.in(a.Dialect)
	if err != nil {
		return nil, false, questions.Wrong(err)
	}
	site, err = s.live.siteIn(ctx, in, a.Site)
	return site, false, err
}
