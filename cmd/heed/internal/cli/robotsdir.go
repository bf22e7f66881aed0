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

// errNoFile means that a folder has no robots.txt of a host. That is no permission.
var errNoFile = errors.New("no robots.txt of the host")

// hostKey returns what the robots.txt of a URL goes by in a folder: host and port, in
// normal form and for every scheme.
func hostKey(o origin.Origin, d *robotstxt.Dialect) fileKey {
	key := fileKey{kind: hostFile, text: o.Host(), dialect: d}
	if len(o.String()) > len(o.Scheme())+len("://")+len(o.Host()) { // the port is not the scheme's own
		key.port = o.Port()
	}
	return key
}

// hostFiles returns the names of the files that may be the robots.txt of a host, the one
// that counts first. A host in normal form has nothing in it that leads elsewhere.
func hostFiles(host string, port uint16) []string {
	names := []string{host, host + ".txt", filepath.Join(host, "robots.txt")}
	if port == 0 {
		return names
	}
	at := fmt.Sprintf("%s:%d", host, port)
	return append([]string{at, at + ".txt", filepath.Join(at, "robots.txt")}, names...)
}

// findByHost finds the robots.txt of a host in a folder; port 0 is that of the scheme.
func findByHost(dir, host string, port uint16) (found, error) {
	names := hostFiles(host, port)
	for _, name := range names {
		if !filepath.IsLocal(name) {
			continue // Windows has names of devices
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case isAbsent(err) || err == nil && info.IsDir():
			continue
		case err != nil:
			return found{}, fmt.Errorf("robots.txt: %w", err)
		}
		return foundAt(path)
	}
	return found{}, fmt.Errorf("%w %s in %s: expected one of %s", errNoFile, host, dir, strings.Join(names, ", "))
}

// isAbsent reports whether there is no such file, as there can be none below a file or
// with a name that is too long.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// checkRobotsDir checks --robots-dir, beside which there is no --robots.
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

// askByHost adds what the file of a URL's host says about it.
func (o *check) askByHost(a *answers, url string) {
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
	for i := range o.crawlers {
		said, err := o.files.about(f, o.inJSON[i])
		if err != nil {
			o.refuse(a, url, err)
			return
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: said.policy.Check(url), asked: said.json})
	}
	a.urls++
}

// dataFlags adds the flags of questions and files that come in numbers.
func (o *check) dataFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.robotsDir, "robots-dir", "",
		`folder of robots.txt files to use instead of the sites', one for each host: HOST, HOST.txt, HOST:PORT.txt or HOST/robots.txt`)
	c.Flags().StringVar(&o.input, "input", "", `format of the questions: jsonl, one JSON object on each line`)
	complete(c, "input", []string{"jsonl"})
}
