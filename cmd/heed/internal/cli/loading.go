package cli

import (
	"fmt"
	"sync"
	"time"

	bulksource "github.com/heed-robots/heed/bulk/source"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/store/sqlite"
)

// A loading reads sources of robots.txt files.
type loading struct {
	bulksource.Loader

	mu       sync.Mutex
	rejected int64                  // parts of the sources that cannot be used
	samples  []bulksource.Rejection // the first ones
}

// maxSamples is how many rejections a summary shows.
const maxSamples = 5

// reject counts a part of a source that cannot be used.
func (l *loading) reject(r bulksource.Rejection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rejected++; len(l.samples) < maxSamples {
		l.samples = append(l.samples, r)
	}
}

// progress is the line of progress.
func (l *loading) progress(elapsed time.Duration) string {
	p := l.Progress()
	text := fmt.Sprintf("%s, %d a second", report.Counted(int(p.Captures), "capture"), int(float64(p.Captures)/elapsed.Seconds()))
	if p.AllBytes > 0 && p.Bytes > 0 {
		left := time.Duration(float64(elapsed) * float64(max(0, p.AllBytes-p.Bytes)) / float64(p.Bytes))
		text += fmt.Sprintf(", %d %%, %s left", 100*p.Bytes/p.AllBytes, seconds(left))
	}
	return text
}

// summarize prints how many parts of the sources cannot be used, and the first of them.
func (l *loading) summarize(a *app) {
	if l.rejected == 0 {
		return
	}
	a.notice(fmt.Sprintf("%s of the sources rejected; the first:", report.Counted(int(l.rejected), "record")))
	for _, r := range l.samples {
		place := ""
		if r.Place != "" {
			place = ", " + r.Place
		}
		a.notice(fmt.Sprintf("  %s%s: %v", r.Source, place, r.Err))
	}
}

// openStoreSource opens a store, to read it: a database of SQLite, or a URL of Redis.
func (a *app) openStoreSource(name string) (cache.Store, func() error, error) {
	if isURL(name) {
		return a.openStore(name, false, nil)
	}
	return opened(sqlite.Open(name, sqlite.Options{}))
}
