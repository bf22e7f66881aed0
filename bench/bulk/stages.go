package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/heed-robots/heed/bulk/archive"
	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

var stageTable = table{"origins, asked the first time", "find the capture", "read and decompress the text", "parse it", "compile the rules of " + crawler}

// stages prints what the first URL of an origin costs, stage by stage, for a list in which each origin
// has one URL. One goroutine works, so the time that passes is about the processor time.
func stages(archiveName, list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	a, err := archive.Open(archiveName)
	if err != nil {
		return err
	}
	defer a.Close()
	var took [4]time.Duration
	urls := strings.Fields(string(text))
	for _, url := range urls {
		o, err := origin.Parse(url)
		if err != nil {
			return err
		}
		if err := firstUse(a, o, &took); err != nil {
			return fmt.Errorf("%s: %w", url, err)
		}
	}
	cells := make([]string, len(took))
	for i, d := range took {
		cells[i] = microseconds(d.Seconds() / float64(len(urls)))
	}
	fmt.Println(strings.Join(cells, "\t"))
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

func microseconds(seconds float64) string { return fmt.Sprintf("%.2f µs", seconds*1e6) }
