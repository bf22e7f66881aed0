package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/heed-robots/heed/bulk"
	"github.com/heed-robots/heed/bulk/archive"
	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// command returns a command that this one starts.
func command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }

// measureOpening opens archives of two sizes, and asks for one URL: in this process, and as a whole
// process beside one that only starts.
func (s *settings) measureOpening(facts) error {
	if err := s.compile(largeJSON, compiledLarge); err != nil {
		return err
	}
	text, err := os.ReadFile(s.path(oneURL))
	if err != nil {
		return err
	}
	url := strings.TrimSpace(string(text))
	t := table{"compiled archive", "size", "opened (bar: 10 ms)", "first answer (bar: 1 ms)", "`heed filter` of one URL", "`heed version`"}
	t.head()
	for _, name := range []string{compiled, compiledLarge} {
		info, err := os.Stat(s.path(name))
		if err != nil {
			return err
		}
		opened, answered, err := s.open(s.path(name), url)
		if err != nil {
			return err
		}
		whole, err := s.shortest(s.heedFilter("--robots", s.path(name), s.path(oneURL)))
		if err != nil {
			return err
		}
		only, err := s.shortest(process{Cmd: command(s.heed, "version")})
		if err != nil {
			return err
		}
		t.row(name, mib(info.Size()), milliseconds(opened), milliseconds(answered), milliseconds(whole), milliseconds(only))
	}
	return nil
}

// open opens an archive and asks for a URL, several times, and returns the shortest times.
func (s *settings) open(name, url string) (opened, answered time.Duration, err error) {
	columns := []bulk.Column{{Name: crawler, Agents: []string{crawler}, Dialect: robotstxt.RFC9309, Statuses: fetch.Statuses{}}}
	for i := range 10 * s.rounds {
		start := time.Now()
		a, err := archive.Open(name)
		if err != nil {
			return 0, 0, err
		}
		now := time.Since(start)
		wrong := fmt.Errorf("no verdict about %s", url)
		bulk.NewJudge(capture.Archives{a}, columns, bulk.Unknown, 0).Checker().Check([]string{url}, func(_ int, verdicts []bulk.Verdict, err error) {
			if wrong = err; err == nil && verdicts[0].Word == bulk.Unknown {
				wrong = fmt.Errorf("%s has nothing about %s", name, url)
			}
		})
		then := time.Since(start) - now
		if err := a.Close(); err != nil || wrong != nil {
			return 0, 0, errors.Join(wrong, err)
		}
		if i == 0 {
			opened, answered = now, then
		}
		opened, answered = min(opened, now), min(answered, then)
	}
	return opened, answered, nil
}

// shortest runs a process several times.
func (s *settings) shortest(p process) (took time.Duration, err error) {
	for i := range 10 * s.rounds {
		u, err := p.again().run()
		if err != nil {
			return 0, err
		}
		if i == 0 || u.took < took {
			took = u.took
		}
	}
	return took, nil
}
