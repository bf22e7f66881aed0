package cli

import (
	"errors"
	"fmt"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// checkBody checks what goes with --body.
func (o *fetchRun) checkBody(urls []string) error {
	switch {
	case !o.body:
	case len(urls) > 1:
		return errors.New("--body prints one robots.txt: expected one URL")
	case o.format != "text":
		return fmt.Errorf("--body prints the robots.txt alone, and --format %s everything but it: leave one of them out", o.format)
	}
	return nil
}

// printBody prints a robots.txt as it would be parsed: its bytes, or what of them is safe
// on a terminal. Whatever else is to be said goes to standard error.
func (o *fetchRun) printBody(r *fetch.Result) {
	outcome := r.OutcomeBy(o.pages.statuses(robotstxt.RFC9309))
	switch {
	case outcome != fetch.Rules:
		o.notice(fmt.Sprintf("%s: %s, %s", r.Origin.RobotsURL(), outcome, cameOf(r)))
		return
	case r.HTML || r.Truncated || r.Encoding != "":
		o.notice(fmt.Sprintf("%s: %s", r.Origin.RobotsURL(), live.Size(r)))
	}
	if o.tty {
		o.showBody(r.Body)
		return
	}
	o.out.Write(r.Body)
}

// cameOf says why a retrieval brought no robots.txt.
func cameOf(r *fetch.Result) string {
	switch flag := hint(r.Err); {
	case r.Err == nil && r.HTML:
		return fmt.Sprintf("status %d, an HTML page", r.Status)
	case r.Err == nil:
		return fmt.Sprintf("status %d", r.Status)
	case flag != "":
		return r.Err.Error() + ", " + flag
	}
	return r.Err.Error()
}
