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
	if o.IsLive() {
		defer o.Live.Close()
		set.Sites = &questionSites{o}
	} else {
		set.Files.Dir, set.Files.Given, set.Files.Source = o.RobotsDir, o.Body, o.Robots
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
		o.Term.Raise(sum.Status)
		failed += sum.Failed
		firstFailure = cmp.Or(firstFailure, sum.FirstFailure)
		if o.Term.Out.Flush() != nil {
			break // Run reports the error of the output
		}
		if ctx.Err() != nil {
			o.Term.Complain(term.ErrInterrupted)
			break
		}
		if err != nil {
			o.Term.Complain(err)
		}
	}
	if failed > 0 {
		o.Term.Notice(fmt.Sprintf("%s could not be answered; the first error: %s", printable.Counted(failed, "question"), firstFailure))
	}
	return nil
}

func (o *check) checkInput(names []string) error {
	switch {
	case o.input != "jsonl":
		return flags.OneOf("input", o.input, "jsonl")
	case o.Live.Command.Flags().Changed("format") && o.Format != "jsonl":
		return fmt.Errorf("--format %s: with --input jsonl, each answer is a line of JSON: leave --format out", o.Format)
	case o.unordered:
		return errors.New("--unordered: with --input jsonl, answers are always in the order of the questions: leave --unordered out")
	case o.Robots == "-" && (len(names) == 0 || slices.Contains(names, "-")):
		return errors.New(`standard input cannot be both the robots.txt and the questions; give one of them as a file`)
	}
	o.Format, o.AgentOptional = "jsonl", true
	if err := o.Read(); err != nil {
		return err
	}
	if len(o.Crawlers) > 1 {
		return fmt.Errorf("-a names %d crawlers, but with --input jsonl each line has one answer: leave -a out, and name the crawler of each line as its member \"agent\"", len(o.Crawlers))
	}
	o.Known.NoteMisspelt(o.Crawlers...)
	return nil
}

func (o *check) questionSettings() *questions.Settings {
	set := &questions.Settings{
		Dialect:  o.Dialect,
		Purposes: o.purposes.Purposes,
		Unknown:  o.purposes.Unknown,
		Files:    &robotsfiles.Files{Crawlers: o.Known.Table},
		Jobs:     o.jobs,
		IsOther:  o.HasOtherOrigin,
		Words: questions.Words{
			NoAgent:   errors.New(`no crawler is named: expected the member "agent" in the line, or the flag -a`),
			NoSite:    sites.NeedsURL,
			BadTarget: func(url string) error { return errors.New(sites.TargetHelp(url)) },
		},
	}
	if len(o.Crawlers) == 1 {
		set.Agent = keyOf(o.Crawlers[0])
	}
	return set
}

func (o *check) answerAll(ctx context.Context, set *questions.Settings, name string) (questions.Summary, error) {
	in, err := o.Term.OpenInput(name)
	if err != nil {
		return questions.Summary{}, fmt.Errorf("cannot read the questions: %w", err)
	}
	defer in.Close()
	return set.Answer(ctx, in, input.NameOf(name), o.Term.Out)
}

func keyOf(tokens []string) string {
	key, _ := report.AgentOf(tokens).MarshalJSON() // MarshalJSON never fails for an Agent
	return string(key)
}

type questionSites struct{ *check }

// If --robots names a site, Target returns this site, and the URL with the origin of this site.
func (s *questionSites) Target(url string) (site origin.Origin, target string, err error) {
	given := s.RobotsSite
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
	if sent := s.Live.Fetcher.UserAgent; sent != "" {
		if err := sites.CheckUserAgent(sent, a.Agent); err != nil {
			return nil, false, questions.AsMistake(err)
		}
	}
	in, err := s.Live.CacheOf(a.Dialect)
	if err != nil {
		return nil, false, questions.AsMistake(err)
	}
	site, err = s.Live.SiteIn(ctx, in, a.Site)
	return site, false, err
}
