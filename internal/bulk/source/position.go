package source

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
)

// A Position says where a later Load can continue. It can be stored as JSON.
type Position struct {
	Of   string `json:"of"`
	Read int64  `json:"read"` // the number of files at the start of the list that were all read to their end
	// Given has the number of captures and rejections that were given from a file; -1 means all. The key is the index of the
	// file.
	Given    map[int64]int64 `json:"given"`
	Used     map[int64]bool  `json:"used"` // the files in Given that have a capture
	Captures int64           `json:"captures"`
	Others   int64           `json:"others"`
	Rejected int64           `json:"rejected"`
	Useless  int64           `json:"useless"`
}

// wholeFile is in Position.Given for a file that was read to its end.
const wholeFile = -1

// ErrOtherSources means that Loader.From is a Position in other sources.
var ErrOtherSources = errors.New("the sources are not those of the interrupted run, or have changed since: give the same sources again")

// Pause calls save while no call of Add or Rejected is running. Add and Rejected must not call Pause. If a source is a
// pipe, Pause does nothing.
func (l *Loader) Pause(save func(Position) error) error {
	l.calls.Lock()
	defer l.calls.Unlock()
	if l.identity == "" {
		return nil
	}
	p := Position{
		Of: l.identity, Given: map[int64]int64{}, Used: map[int64]bool{},
		Captures: l.captures.Load(), Others: l.others.Load(), Rejected: l.rejected.Load(), Useless: l.useless.Load(),
	}
	for p.Read < int64(len(l.givenCounts)) && l.givenCounts[p.Read] == wholeFile {
		p.Read++
	}
	for i := p.Read; i < int64(len(l.givenCounts)); i++ {
		if n := l.givenCounts[i]; n != 0 {
			p.Given[i] = n
		}
		if l.used[i] {
			p.Used[i] = true
		}
	}
	return save(p)
}

// Until begin has set l.identity, Pause does nothing.
func (l *Loader) begin(jobs []job) error {
	of, done, used := l.identify(jobs), make([]int64, len(jobs)), make([]bool, len(jobs))
	if l.From != nil {
		if l.From.Of != of {
			return ErrOtherSources
		}
		for i := range jobs {
			done[i], used[i] = l.From.Given[int64(i)], l.From.Used[int64(i)]
			if int64(i) < l.From.Read {
				done[i] = wholeFile
			}
			if f := jobs[i].folder; f != nil && (used[i] || done[i] == wholeFile) {
				f.isUsed.Store(true)
			}
		}
	}
	l.calls.Lock()
	defer l.calls.Unlock()
	l.identity, l.givenCounts, l.used = of, done, used
	if l.From != nil {
		l.captures.Add(l.From.Captures)
		l.others.Add(l.From.Others)
		l.rejected.Add(l.From.Rejected)
		l.useless.Add(l.From.Useless)
	}
	return nil
}

func (l *Loader) identify(jobs []job) string {
	sum := sha256.New()
	fmt.Fprintln(sum, l.Columns.String())
	for _, j := range jobs {
		if j.info != nil && j.info.Mode()&fs.ModeNamedPipe != 0 {
			return ""
		}
		fmt.Fprintf(sum, "%q %d", j.path, j.size())
		if j.info != nil {
			fmt.Fprint(sum, " ", j.info.ModTime().UnixNano())
		}
		fmt.Fprintln(sum)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func (j *job) size() int64 {
	if j.info == nil {
		return 0
	}
	return j.info.Size()
}
