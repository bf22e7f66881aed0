package cli

import (
	"cmp"
	linked "container/list"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// keptRobots bounds the robots.txt files that are kept parsed, in bytes.
const keptRobots = 256 << 20

// lookAgain is how long a file on the disk is taken for unchanged.
const lookAgain = time.Second

// robotsFiles are the robots.txt files that were asked last. Each is read and parsed once,
// until it changes or others need its room.
type robotsFiles struct {
	dir    string       // of --robots-dir
	given  []byte       // of --robots
	source string       // of --robots
	notice func(string) // that something is odd; nil: nobody is told
	most   int          // 0: keptRobots

	mu    sync.Mutex
	byKey map[fileKey]*linked.Element // of a *robotsFile
	order linked.List                 // the one that was asked last is in front
	bytes int
}

// A fileKey says which robots.txt is asked, as it is read in a dialect.
type fileKey struct {
	kind    fileKind
	text    string // what names it, or itself as it stands in JSON
	port    uint16 // where a host names it; 0: that of the scheme
	dialect *robotstxt.Dialect
}

type fileKind uint8

const (
	givenFile fileKind = iota // by --robots
	namedFile                 // by its path
	hostFile                  // by a host, in the folder of --robots-dir
	inText                    // in the question
	inBase64
)

// field returns the name of the member that holds such a file.
func (k fileKind) field() string {
	switch k {
	case namedFile:
		return "robots_file"
	case inBase64:
		return "robots_b64"
	}
	return "robots"
}

// robotsFile is a robots.txt, and what it says to the crawlers that were asked about.
type robotsFile struct {
	key    fileKey
	load   sync.Once
	looked atomic.Int64 // when, in nanoseconds
	found  found        // zero: it is not on the disk
	recent bool         // it was changed just before it was read: maybe it still is

	source string // as report.Answer has it
	file   *robotstxt.File
	err    error

	mu      sync.RWMutex
	asked   map[string]*askedAbout
	size    int // of asked, in bytes
	counted int // of bytes, which robotsFiles has counted; under its lock
}

// askedAbout is a crawler, and what a file says to it.
type askedAbout struct {
	policy *robotstxt.Policy
	agent  report.Agent
	json   []byte // what report.Answer.AppendQuestion appends
}

// get returns the robots.txt that a key names. now may be some milliseconds old.
func (r *robotsFiles) get(key fileKey, now time.Time) *robotsFile {
	f := r.held(key, nil)
	r.loaded(f, now)
	looked := f.looked.Load()
	onDisk := key.kind == namedFile || key.kind == hostFile
	if !onDisk || now.UnixNano()-looked < int64(lookAgain) || !f.looked.CompareAndSwap(looked, now.UnixNano()) {
		return f // somebody else may look
	}
	seen, err := r.find(key)
	if err != nil && f.err != nil && err.Error() == f.err.Error() || err == nil && f.err == nil && seen == f.found && !f.recent {
		return f
	}
	f = r.held(key, f)
	r.loaded(f, now)
	return f
}

// held returns what is held for a key, but for the one that is out of date, as the latest.
func (r *robotsFiles) held(key fileKey, outdated *robotsFile) *robotsFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[fileKey]*linked.Element{}
	}
	if e, ok := r.byKey[key]; ok {
		if f := e.Value.(*robotsFile); f != outdated {
			r.order.MoveToFront(e)
			return f
		}
		r.drop(e)
	}
	key.text = strings.Clone(key.text) // and not all of the input around it
	f := &robotsFile{key: key, asked: map[string]*askedAbout{}}
	r.byKey[key] = r.order.PushFront(f)
	return f
}

func (r *robotsFiles) drop(e *linked.Element) {
	f := r.order.Remove(e).(*robotsFile)
	delete(r.byKey, f.key)
	r.bytes -= f.counted
}

// loaded reads a file, if that has not happened.
func (r *robotsFiles) loaded(f *robotsFile, now time.Time) {
	f.load.Do(func() {
		f.looked.Store(now.UnixNano())
		var body []byte
		if body, f.source, f.err = r.read(f); f.err == nil {
			f.file = robotstxt.Parse(body, f.key.dialect)
		}
		r.count(f)
	})
}

// read returns a robots.txt as UTF-8, and its source.
func (r *robotsFiles) read(f *robotsFile) (body []byte, source string, err error) {
	switch f.key.kind {
	case givenFile:
		return r.given, r.source, nil
	case namedFile, hostFile:
		if f.found, err = r.find(f.key); err != nil {
			return nil, "", err
		}
		f.recent = time.Since(time.Unix(0, f.found.modified)) < 2*lookAgain
		body, err := readFile(f.found.path)
		if err != nil {
			return nil, f.found.path, err
		}
		text, encoding, err := decodeRobots(body, f.found.path)
		if encoding != "" && r.notice != nil {
			r.notice(translated(f.found.path, encoding))
		}
		return text, f.found.path, err
	}
	if body, err = inlineRobots(f.key); err != nil {
		return nil, "", fmt.Errorf("%q: %w", f.key.kind.field(), err)
	}
	body, _, err = decodeRobots(body, f.key.kind.field())
	return body, "", err
}

// count counts what a file takes now, and drops those that were not asked for longest
// where all are too large.
func (r *robotsFiles) count(f *robotsFile) {
	const overhead = 600 // of an entry without a file
	f.mu.RLock()
	size := overhead + len(f.key.text) + f.size
	f.mu.RUnlock()
	if f.file != nil {
		size += f.file.Size()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byKey[f.key]; !ok || e.Value.(*robotsFile) != f {
		return
	}
	r.bytes += size - f.counted
	f.counted = size
	for r.bytes > cmp.Or(r.most, keptRobots) && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

// about returns what a file says to a crawler in JSON.
func (r *robotsFiles) about(f *robotsFile, name string) (*askedAbout, error) {
	f.mu.RLock()
	a := f.asked[name]
	f.mu.RUnlock()
	if a != nil {
		return a, nil
	}
	name = strings.Clone(name) // and not all of the input around it
	tokens, err := tokensIn(name)
	if err != nil {
		return nil, err
	}
	row := report.Answer{Agent: report.AgentOf(tokens), Dialect: f.key.dialect.String(), Source: f.source}
	a = &askedAbout{f.file.Agent(tokens...), row.Agent, row.AppendQuestion(nil)}
	const most = 256 // crawlers; hardly anybody asks about more
	f.mu.Lock()
	if len(f.asked) >= most {
		clear(f.asked)
		f.size = 0
	}
	f.asked[name] = a
	f.size += 3*len(name) + len(a.json) + a.policy.Size() + 200
	f.mu.Unlock()
	r.count(f)
	return a, nil
}

// found is a file on the disk, as it was seen.
type found struct {
	path           string
	size, modified int64
}

// find returns where the file of a key is.
func (r *robotsFiles) find(key fileKey) (found, error) {
	if key.kind == hostFile {
		return findByHost(r.dir, key.text, key.port)
	}
	seen, err := foundAt(key.text)
	if err != nil {
		return found{}, fmt.Errorf("robots.txt: %w", err)
	}
	return seen, nil
}

// foundAt looks at a file. What is none, such as a folder or a pipe, is an error.
func foundAt(path string) (found, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, fmt.Errorf("%s: there is no such file", path)
	case err != nil:
		return found{}, err
	case !info.Mode().IsRegular():
		return found{}, fmt.Errorf("%s: expected a file, found %s", path, kindOf(info.Mode()))
	}
	return found{path, info.Size(), info.ModTime().UnixNano()}, nil
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a pipe, a device or the like"
}

// readFile reads a file that can be a robots.txt.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	defer f.Close()
	return readRobotsFrom(f, path)
}

// inlineRobots returns the robots.txt that a question holds.
func inlineRobots(key fileKey) ([]byte, error) {
	read := stringOf
	if key.kind == inBase64 {
		read = bytesOf
	}
	text, err := read(key.text)
	return []byte(text), err
}
