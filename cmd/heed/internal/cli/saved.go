package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/origin"
)

// fromFolder imports the files of a folder. The name of each is a host.
func (o *cacheImport) fromFolder(ctx context.Context, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	names := func(yield func(string) bool) {
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") && !yield(e.Name()) {
				return
			}
		}
	}
	importAll(ctx, o, names, func(name string) saved {
		path := filepath.Join(folder, name)
		s := saved{name: path}
		s.result, s.err = readHost(path, o.scheme)
		return s
	})
	return nil
}

// readHost reads a file whose name is a host, or the robots.txt in a folder with such a name.
func readHost(path, scheme string) (fetch.Result, error) {
	host := strings.TrimSuffix(filepath.Base(path), ".txt")
	site, err := origin.Parse(scheme + "://" + host)
	if err != nil || !origin.IsHost(host) || strings.ContainsAny(host, `@?#\`) { // a file such as urls.txt belongs to no host
		return fetch.Result{}, errors.New("expected a name such as www.example.com or www.example.com:8080.txt")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "robots.txt")
	}
	body, changed, err := readSaved(path)
	if err != nil {
		return fetch.Result{}, err
	}
	return savedAt(site, 0, body, changed)
}

// savedAt returns the result of a retrieval that was made elsewhere.
func savedAt(site origin.Origin, status int, body []byte, at time.Time) (fetch.Result, error) {
	if at.After(time.Now()) || at.Unix() < 0 { // the age of a much earlier time overflows time.Duration
		return fetch.Result{}, fmt.Errorf("expected a time between 1970 and now, found %s", at.UTC().Format(time.RFC3339))
	}
	return fetch.Saved(site, status, body, at), nil
}

// readSaved reads a file, and returns when it was last changed. A pipe or a device is an
// error, because reading it may never end.
func readSaved(path string) (body []byte, changed time.Time, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, changed, fmt.Errorf("%s: expected a file, found %s", path, robotsfiles.KindOf(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, changed, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, changed, err
	}
	body, err = io.ReadAll(io.LimitReader(f, robotsfiles.MaxBytes)) // fetch.Saved cuts it at the limit of a response
	return body, info.ModTime(), err
}

// maxSaved limits the bytes of a JSON line. A robots.txt of 500 KiB, with every byte escaped,
// is far shorter.
const maxSaved = 16 << 20

// fromLines imports JSON lines.
func (o *cacheImport) fromLines(ctx context.Context, path string, in io.Reader) error {
	if path == "-" {
		path = standardInput
	}
	from := lines.New(in, path, maxSaved)
	items := func(yield func(lines.Line) bool) {
		for l := range from.All() {
			if (l.Wrong != nil || strings.TrimSpace(l.Text) != "") && !yield(l) {
				return
			}
		}
	}
	now := time.Now()
	importAll(ctx, o, items, func(l lines.Line) saved {
		s := saved{name: fmt.Sprintf("%s, line %d", path, l.Number)}
		s.result, s.err = readItem(l, now)
		return s
	})
	if ctx.Err() != nil {
		return nil // run reports the interrupt
	}
	return from.Err()
}

// savedItem is a JSON line of an import.
type savedItem struct {
	URL        string  `json:"url"`
	Origin     string  `json:"origin"`
	Robots     *string `json:"robots"`
	RobotsB64  *[]byte `json:"robots_b64"`
	RobotsFile string  `json:"robots_file"`
	Status     int     `json:"status"`
	Fetched    string  `json:"fetched"`
}

// readItem returns the retrieval that a JSON line describes.
func readItem(line lines.Line, now time.Time) (fetch.Result, error) {
	var none fetch.Result
	if line.Wrong != nil {
		return none, line.Wrong
	}
	var item savedItem
	if err := jsonobject.Decode([]byte(line.Text), &item); err != nil {
		return none, err
	}
	site, err := item.site()
	if err != nil {
		return none, err
	}
	body, at, err := item.body(now)
	if err != nil {
		return none, err
	}
	if item.Fetched != "" {
		if at, err = time.Parse(time.RFC3339, item.Fetched); err != nil {
			return none, fmt.Errorf("fetched %q: expected a time such as 2026-05-03T14:00:00Z", item.Fetched)
		}
	}
	return savedAt(site, item.Status, body, at)
}

// site returns the origin of the robots.txt.
func (i *savedItem) site() (origin.Origin, error) {
	if (i.URL == "") == (i.Origin == "") {
		return origin.Origin{}, errors.New("expected url or origin")
	}
	site, err := origin.Parse(i.URL + i.Origin)
	if err != nil {
		return site, fmt.Errorf("%q: %w", i.URL+i.Origin, bare(err))
	}
	return site, nil
}

// body returns the robots.txt, and the time of its retrieval if the item has no "fetched".
func (i *savedItem) body(now time.Time) ([]byte, time.Time, error) {
	given := 0
	for _, isGiven := range []bool{i.Robots != nil, i.RobotsB64 != nil, i.RobotsFile != ""} {
		if isGiven {
			given++
		}
	}
	switch {
	case i.Status != 0 && (i.Status < 100 || i.Status > 599):
		return nil, now, fmt.Errorf("status %d: expected the status of a response, such as 200 or 404", i.Status)
	case given > 1:
		return nil, now, errors.New("expected only one of robots, robots_b64 and robots_file")
	case i.RobotsFile != "":
		return readSaved(i.RobotsFile)
	case i.Robots != nil:
		return []byte(*i.Robots), now, nil
	case i.RobotsB64 != nil:
		return *i.RobotsB64, now, nil
	case i.Status == 0 || i.Status >= 200 && i.Status <= 299:
		return nil, now, errors.New("expected robots, robots_b64 or robots_file, or a status such as 404")
	}
	return nil, now, nil
}
