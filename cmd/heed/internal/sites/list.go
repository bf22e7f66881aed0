package sites

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/bulk/archive"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

// ListsHelp is the help text about lists of sites.
const ListsHelp = `A LIST is a file with a URL or a host in each line, or "-" for
standard input; "#" begins a comment. A LIST can also be an archive of heed compile: then
it means all sites of the archive. It can also be a policy of heed write, with a name that
ends in .policy: then it means the sites of the sitemaps in the policy. Several URLs of
one site are counted as one site. When a LIST changes, heed reads it again. If heed cannot
read the changed LIST, it keeps the earlier sites.`

const policyEnd = ".policy"

// Lists has the sites that arguments name. An argument is a site, or a list of sites.
type Lists struct {
	Wrong int // lines that name no site, when ReadLists read the lists

	term  *term.Terminal
	lists []list
}

type list struct {
	name  string
	info  os.FileInfo // the file when it was last read; nil: standard input, or a site
	sites []origin.Origin
	wrong int // lines that name no site
}

func ReadLists(a *term.Terminal, args []string) (*Lists, error) {
	l := &Lists{term: a}
	for _, arg := range args {
		if arg != "-" && !isFile(arg) && IsSite(a, arg) {
			o, err := OriginOf(a, arg)
			if err != nil {
				return nil, err
			}
			l.lists = append(l.lists, list{name: arg, sites: []origin.Origin{o}})
			continue
		}
		l.lists = append(l.lists, list{name: arg})
		each := &l.lists[len(l.lists)-1]
		if err := l.read(each); err != nil {
			return nil, err
		}
		l.Wrong += each.wrong
	}
	if len(l.All()) == 0 {
		return nil, errors.New("the lists name no site: expected a URL or a host in each line")
	}
	return l, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

func (l *Lists) All() (all []origin.Origin) {
	seen := map[origin.Origin]bool{}
	for _, each := range l.lists {
		for _, o := range each.sites {
			if !seen[o] {
				seen[o] = true
				all = append(all, o)
			}
		}
	}
	return all
}

const checkLists = 10 * time.Second

// Follow sends all sites to a channel. After each change of a list, Follow sends all sites again. Follow ends when
// the context ends.
func (l *Lists) Follow(ctx context.Context, to chan<- []origin.Origin) {
	changed := true
	for ctx.Err() == nil {
		if changed {
			select {
			case to <- l.All():
			case <-ctx.Done():
			}
		}
		select {
		case <-time.After(checkLists):
		case <-ctx.Done():
		}
		changed = l.reread()
	}
}

func (l *Lists) reread() (changed bool) {
	for i := range l.lists {
		each := &l.lists[i]
		if each.info == nil || !each.info.Mode().IsRegular() {
			continue // a pipe cannot be read twice
		}
		now, err := os.Stat(each.name)
		if err == nil && os.SameFile(now, each.info) && now.Size() == each.info.Size() && now.ModTime().Equal(each.info.ModTime()) {
			continue
		}
		before := each.sites
		switch {
		case err != nil:
		case !now.Mode().IsRegular():
			err = fmt.Errorf("%s is not a regular file: expected a file with a list of sites", each.name) // heed must not open a pipe, because this may take forever
		default:
			err = l.read(each)
		}
		if err == nil && len(each.sites) == 0 && len(before) > 0 {
			err = fmt.Errorf("%s names no site: expected a URL or a host in each line", each.name)
		}
		if err != nil {
			each.sites = before
			l.term.NoticeOnce(each.name+err.Error(), fmt.Sprintf("%v; heed continues to use the sites that this list named before", err))
			continue
		}
		changed = changed || !slices.Equal(before, each.sites)
	}
	return changed
}

// Lines that do not name a site are reported and left out.
func (l *Lists) read(each *list) (err error) {
	if each.name != "-" {
		if each.info, err = os.Stat(each.name); err != nil {
			return err
		}
	}
	kind := bulksource.Kind(0)
	if each.info != nil && each.info.Mode().IsRegular() {
		kind, _ = bulksource.KindOf(each.name) // an error means that the file is a plain list
	}
	switch {
	case kind == bulksource.Archive:
		each.sites, err = l.readArchive(each.name)
	case strings.HasSuffix(each.name, policyEnd):
		each.sites, err = l.readPolicy(each.name)
	default:
		each.sites, each.wrong, err = l.readLines(each.name)
	}
	return err
}

const maxWrong = 10

func (l *Lists) readLines(name string) (sites []origin.Origin, wrong int, err error) {
	in, err := input.Open(name, l.term.In, new(atomic.Int64))
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, lines.MaxURL)
	for number := 1; scanner.Scan(); number++ {
		text := lines.Text(lines.Trim(scanner.Text()))
		if text == "" {
			continue
		}
		o, err := siteOfLine(text)
		if err != nil {
			if wrong++; wrong <= maxWrong {
				l.term.Notice(fmt.Sprintf("%s:%d: %v; heed leaves this line out", input.NameOf(name), number, err))
			}
			continue
		}
		sites = append(sites, o.Clone())
	}
	if wrong > maxWrong {
		l.term.Notice(fmt.Sprintf("%s: heed leaves out another %s", input.NameOf(name), printable.Counted(wrong-maxWrong, "line")))
	}
	if err := scanner.Err(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", input.NameOf(name), err)
	}
	return sites, wrong, nil
}

func siteOfLine(text string) (origin.Origin, error) {
	o, err := origin.Parse(address.WithScheme(text))
	if err != nil {
		return o, fmt.Errorf("%s: expected a URL or a host, such as www.example.com", printable.Quote(text))
	}
	return o, nil
}

func (l *Lists) readPolicy(name string) (sites []origin.Origin, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, _, wrong := policyfile.Read(name, string(text), crawlers.Known())
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	for _, sitemap := range f.Sitemaps() {
		if o, err := origin.Parse(sitemap); err == nil {
			sites = append(sites, o)
		}
	}
	if sites == nil {
		return nil, fmt.Errorf("%s: the policy does not say for which site it is: add a sitemap line with a URL of the site", name)
	}
	return sites, nil
}

func (l *Lists) readArchive(name string) (sites []origin.Origin, err error) {
	r, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	seen := map[origin.Origin]bool{}
	for c, err := range r.Captures() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		url := c.URL
		if strings.HasPrefix(url, "//") { // url has no scheme, because the capture applies to all schemes
			url = "https:" + url
		}
		o, err := origin.Parse(url)
		if err != nil || seen[o] || o.RobotsURL() != url {
			continue // url is not that of a new robots.txt; for example, it is the target of a redirect
		}
		o = o.Clone()
		seen[o] = true
		sites = append(sites, o)
	}
	return sites, nil
}
