package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// stageNames are the columns of what stages prints.
var stageNames = []string{"opened", "first answer", "find the capture", "read and decompress the text", "parse it", "compile the rules of " + crawler}

// stages prints how long it takes to open an archive and to get the first answer, and what the first URL of an
// origin costs, stage by stage, for a list in which each origin has one URL. One goroutine works, so the time
// that passes is about the processor time.
func stages(archiveName, list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	urls := strings.Fields(string(text))
	opened, answered, err := open(archiveName, urls[0])
	if err != nil {
		return err
	}
	a, err := archive.Open(archiveName)
	if err != nil {
		return err
	}
	defer a.Close()
	var took [4]time.Duration
	for _, url := range urls {
		o, err := origin.Parse(url)
		if err != nil {
			return err
		}
		if err := firstUse(a, o, &took); err != nil {
			return fmt.Errorf("%s: %w", url, err)
		}
	}
	fmt.Print(milliseconds(opened), "\t", milliseconds(answered))
	for _, d := range took {
		fmt.Print("\t", microseconds(d.Seconds()/float64(len(urls))))
	}
	fmt.Println()
	return nil
}

// firstUse does what heed does for the first URL of an origin, and adds the time of each stage.
func firstUse(a *archive.Reader, o origin.Origin, took *[4]time.Duration) error {
	start := time.Now()
	next := func(stage int) {
		now := time.Now()
		took[stage] += now.Sub(start)
		start = now
	}
	answer, err := capture.Archives{a}.Find(o, time.Time{})
	if err != nil {
		return err
	}
	next(0)
	body, err := a.Body(answer.Body)
	if err != nil {
		return err
	}
	next(1)
	file := robotstxt.ParseString(body, robotstxt.RFC9309)
	next(2)
	file.Agent(crawler)
	next(3)
	return nil
}

// open opens an archive and asks for a URL, several times, and returns the shortest times.
func open(name, url string) (opened, answered time.Duration, err error) {
	columns := []bulk.Column{{Name: crawler, Agents: []string{crawler}, Dialect: robotstxt.RFC9309, Statuses: fetch.Statuses{}}}
	for i := range 50 {
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
