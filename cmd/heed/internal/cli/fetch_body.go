package cli

import (
	"errors"
	"fmt"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// checkBody checks the flags and URLs that are given together with --body.
func (o *fetchRun) checkBody(urls []string) error {
	switch {
	case !o.body:
	case len(urls) > 1:
		return errors.New("--body prints one robots.txt: expected one URL")
	case o.format != "text":
		return fmt.Errorf("--body prints only the robots.txt, and --format %s prints everything else: leave one of them out", o.format)
	}
	return nil
}

// printBody prints a robots.txt as it is parsed: its bytes, but on a terminal without those
// that could control it. Notices go to standard error.
func (o *fetchRun) printBody(r *fetch.Result) {
	outcome := r.OutcomeBy(o.statuses(robotstxt.RFC9309))
	switch {
	case outcome != fetch.Rules:
		o.notice(fmt.Sprintf("%s: %s, %s", r.Origin.RobotsURL(), outcome, responseText(r)))
		return
	case r.Page != fetch.NoPage || r.Truncated || r.Encoding != "":
		o.notice(fmt.Sprintf("%s: %s", r.Origin.RobotsURL(), live.Size(r)))
	}
	if o.tty {
		o.showBody(r.Body)
		return
	}
	o.out.Write(r.Body)
}
