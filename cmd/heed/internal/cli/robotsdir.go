package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// errNoFile means that a folder contains no robots.txt of a host. Nothing is known about the
// URLs of that host then, so they are not allowed.
var errNoFile = errors.New("no robots.txt of the host")

// hostKey returns the key of the robots.txt of an origin in a folder. The key contains the
// host and a port that is not the default of the scheme, but not the scheme.
func hostKey(o origin.Origin, d *robotstxt.Dialect) fileKey {
	key := fileKey{kind: hostFile, text: o.Host(), dialect: d}
	if len(o.String()) > len(o.Scheme())+len("://")+len(o.Host()) { // String omits a default port
		key.port = o.Port()
	}
	return key
}

// hostFiles returns the names of the files that may be the robots.txt of a host: the first
// one that exists is used. The host comes from an origin, so it contains no "/" or "..".
func hostFiles(host string, port uint16) []string {
	names := []string{host, host + ".txt", filepath.Join(host, "robots.txt")}
	if port == 0 {
		return names
	}
	at := fmt.Sprintf("%s:%d", host, port)
	return append([]string{at, at + ".txt", filepath.Join(at, "robots.txt")}, names...)
}

// findByHost finds the robots.txt of a host in a folder. Port 0 is the default of the scheme.
func findByHost(dir, host string, port uint16) (fileState, error) {
	names := hostFiles(host, port)
	for _, name := range names {
		if !filepath.IsLocal(name) {
			continue // the name of a device on Windows, such as "nul"
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case isAbsent(err) || err == nil && info.IsDir():
			continue
		case err != nil:
			return fileState{}, fmt.Errorf("robots.txt: %w", err)
		}
		return statFile(path)
	}
	return fileState{}, fmt.Errorf("%w %s in %s: expected one of %s", errNoFile, host, dir, strings.Join(names, ", "))
}

// isAbsent reports whether an error means that a file does not exist. No file can exist below
// a file (ENOTDIR) or have a name that is too long (ENAMETOOLONG).
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

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
	f := o.files.get(hostKey(target, o.dialect), time.Now())
	if f.err != nil {
		o.failAs(a, statusOfFile(f.err), url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, f.err))
		return
	}
	for i := range o.subjects {
		c, err := o.files.crawler(f, o.subjects[i].key)
		if err != nil {
			o.refuse(a, url, err)
			return
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: c.policy.Check(url), question: c.question})
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
