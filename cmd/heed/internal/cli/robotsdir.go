package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// checkRobotsDir checks the value of --robots-dir, and that --robots is not given too.
func checkRobotsDir(dir, robots string) error {
	info, err := os.Stat(dir)
	switch {
	case robots != "":
		return errors.New("--robots is one robots.txt, and --robots-dir a folder of them: leave one of them out")
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--robots-dir %s: there is no such folder", dir)
	case err != nil:
		return fmt.Errorf("--robots-dir: %w", err)
	case !info.IsDir():
		return fmt.Errorf("--robots-dir %s: expected a folder with a robots.txt for each host; a single file is given with --robots", dir)
	}
	return nil
}

// checkByHost checks a URL with the rules of the file of its host.
func (o *check) checkByHost(a *answers, url string) {
	target, err := origin.Parse(url)
	if err != nil {
		o.refuse(a, url, needsURL(url))
		return
	}
	f := o.files.Get(robotsfiles.HostKey(target, o.dialect), time.Now())
	if f.Err != nil {
		o.failAs(a, robotsfiles.StatusOf(f.Err), url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, f.Err))
		return
	}
	for i := range o.subjects {
		c, err := o.files.Crawler(f, o.subjects[i].key)
		if err != nil {
			o.refuse(a, url, err)
			return
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: c.Policy.Check(url), question: c.Question})
	}
	a.urls++
}

// dataFlags adds --robots-dir and --input, which are for many files and many questions.
func (o *check) dataFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.robotsDir, "robots-dir", "",
		`folder of robots.txt files to use instead of the sites', one for each host: HOST, HOST.txt, HOST:PORT.txt or HOST/robots.txt`)
	c.Flags().StringVar(&o.input, "input", "", `format of the questions: jsonl, one JSON object on each line`)
	complete(c, "input", []string{"jsonl"})
}
