package checkcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

func (o *check) checkQuestions(names []string) error {
	if err := o.checkInput(names); err != nil {
		return err
	}
	set := o.questionSettings()
	if o.question.IsLive() {
		defer o.question.Live.Close()
		set.Sites = &questionSites{o}
	} else {
		set.Files.Dir, set.Files.Given, set.Files.Source = o.question.RobotsDir, o.question.Body, o.question.Robots
	}
	ctx, stop := term.Interruptible()
	defer stop()
	if len(names) == 0 {
		names = []string{"-"}
	}
	var failed int
	var firstFailure string
	for _, name := range names {
		sum, err := o.answerAll(ctx, set, name)
		o.question.Term.Raise(sum.Status)
		failed += sum.Failed
		firstFailure = cmp.Or(firstFailure, sum.FirstFailure)
		if o.question.Term.Out.Flush() != nil {
			break // Run reports the error of the output
		}
		if ctx.Err() != nil {
			o.question.Term.Complain(term.ErrInterrupted)
			break
		}
		if err != nil {
			o.question.Term.Complain(err)
		}
	}
	if failed > 0 {
		o.question.Term.Notice(fmt.Sprintf("%s could not be answered; the first error: %s", printable.Counted(failed, "question"), firstFailure))
	}
	return nil
}

func (o *check) checkInput(names []string) error {
	switch {
	case o.input != "jsonl":
		return flags.OneOf("input", o.input, "jsonl")
	case o.question.Live.Command.Flags().Changed("format") && o.question.Format != "jsonl":
		return fmt.Errorf("--format %s: with --input jsonl, each answer is a line of JSON: leave --format out", o.question.Format)
	case o.unordered:
		return errors.New("--unordered: with --input jsonl, answers are always in the order of the questions: leave --unordered out")
	case o.question.Robots == "-" && (len(names) == 0 || slices.Contains(names, "-")):
		return errors.New(`standard input cannot be both the robots.txt and the questions; give one of them as a file`)
	}
	o.question.Format, o.question.AgentOptional = "jsonl", true
	if err := o.question.Read(); err != nil {
		return err
	}
	if len(o.question.Crawlers) > 1 {
		return fmt.Errorf("-a names %d crawlers, but with --input jsonl each line has one answer: leave -a out, and name the crawler of each line as its member \"agent\"", len(o.question.Crawlers))
	}
	o.question.Known.NoteMisspelt(o.question.Crawlers...)
	return nil
}

// The caller must set how heed gets the robots.txt files.
func (o *check) questionSettings() *questions.Settings {
	set := &questions.Settings{
		Dialect:  o.question.Dialect,
		Purposes: o.purposes.Purposes,
		Unknown:  o.purposes.Unknown,
		Files:    &robotsfiles.Files{Crawlers: o.question.Known.Table},
		Jobs:     o.jobs,
		IsOther:  o.question.HasOtherOrigin,
		Words: questions.Words{
			NoAgent:   errors.New(`no crawler is named: expected the member "agent" in the line, or the flag -a`),
			NoSite:    sites.NeedsURL,
			BadTarget: func(url string) error { return errors.New(sites.TargetHelp(url)) },
		},
	}
	if len(o.question.Crawlers) == 1 {
		set.Agent = keyOf(o.question.Crawlers[0])
	}
	return set
}

func (o *check) answerAll(ctx context.Context, set *questions.Settings, name string) (questions.Summary, error) {
	in, err := o.question.Term.OpenInput(name)
	if err != nil {
		return questions.Summary{}, fmt.Errorf("questions: %w", err)
	}
	defer in.Close()
	return set.Answer(ctx, in, input.NameOf(name), o.question.Term.Out)
}

func keyOf(tokens []string) string {
	key, _ := report.AgentOf(tokens).MarshalJSON() // MarshalJSON never fails for an Agent
	return string(key)
}

type questionSites struct{ *check }

// If --robots names a site, Target returns this site, and the URL with the origin of this site.
func (s *questionSites) Target(url string) (site origin.Origin, target string, err error) {
	given := s.question.RobotsSite
	if site, err = origin.Parse(url); err != nil && (given.IsZero() || !strings.HasPrefix(url, "/")) {
		return site, "", sites.NeedsURL(url)
	}
	if given.IsZero() {
		return site, url, nil
	}
	return given, sites.WithOrigin(url, given), nil
}

// If --user-agent has no product token of the crawler, Site returns an error.
func (s *questionSites) Site(ctx context.Context, a *questions.Ask) (site *cache.Site, pending bool, err error) {
	if sent := s.question.Live.Fetcher.UserAgent; sent != "" {
		if err := sites.CheckUserAgent(sent, a.Agent); err != nil {
			return nil, false, questions.AsMistake(err)
		}
	}
	in, err := s.question.Live.CacheOf(a.Dialect)
	if err != nil {
		return nil, false, questions.AsMistake(err)
	}
	site, err = s.question.Live.SiteIn(ctx, in, a.Site)
	return site, false, err
}
