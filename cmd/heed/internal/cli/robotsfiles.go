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

// maxParsed limits the memory of parsed robots.txt files, in bytes.
const maxParsed = 256 << 20

// statInterval is how long a file on the disk is used before heed checks whether it changed.
const statInterval = time.Second

// robotsFiles is a cache of parsed robots.txt files. It evicts the least recently used ones.
type robotsFiles struct {
	dir      string       // of --robots-dir
	given    []byte       // the file of --robots
	source   string       // the path of --robots
	notice   func(string) // may be nil
	maxBytes int          // 0: maxParsed

	mu    sync.Mutex
	byKey map[fileKey]*linked.Element // of a *robotsFile
	order linked.List                 // the most recently used file is the first
	bytes int
}

// A fileKey identifies a robots.txt, parsed in one dialect.
type fileKey struct {
	kind    fileKind
	text    string // the path or the host; for inText and inBase64 the file, as it is in JSON
	port    uint16 // for hostFile; 0: the default of the scheme
	dialect *robotstxt.Dialect
}

// fileKind is where a robots.txt comes from.
type fileKind uint8

const (
	givenFile fileKind = iota // --robots
	namedFile                 // a path in a question
	hostFile                  // the folder of --robots-dir
	inText                    // a string in a question
	inBase64                  // a string in a question, in base64
)

// field returns the field of a question that contains such a file.
func (k fileKind) field() string {
	switch k {
	case namedFile:
		return "robots_file"
	case inBase64:
		return "robots_b64"
	}
	return "robots"
}

// robotsFile is a parsed robots.txt, with its rules for the crawlers that were checked.
type robotsFile struct {
	key     fileKey
	once    sync.Once    // of load
	checked atomic.Int64 // when the state on the disk was last read, in Unix nanoseconds
	state   fileState    // zero: the file is not on the disk
	recent  bool         // the file was modified just before it was read: see read

	source string // as report.Answer has it
	file   *robotstxt.File
	err    error

	mu       sync.RWMutex
	crawlers map[string]*fileCrawler // by the crawler as JSON
	size     int                     // of crawlers, in bytes

	counted int // the part of robotsFiles.bytes that is this file; robotsFiles.mu guards it
}

// fileCrawler is the policy of a file for one crawler.
type fileCrawler struct {
	policy   *robotstxt.Policy
	agent    report.Agent
	question []byte // the output of report.Answer.AppendQuestion
}

// get returns the robots.txt of a key. now may be some milliseconds old.
func (r *robotsFiles) get(key fileKey, now time.Time) *robotsFile {
	f := r.entry(key, nil)
	r.load(f, now)
	checked := f.checked.Load()
	onDisk := key.kind == namedFile || key.kind == hostFile
	if !onDisk || now.UnixNano()-checked < int64(statInterval) || !f.checked.CompareAndSwap(checked, now.UnixNano()) {
		return f // it is fresh, or another goroutine checks it
	}
	state, err := r.find(key)
	if err != nil && f.err != nil && err.Error() == f.err.Error() || err == nil && f.err == nil && state == f.state && !f.recent {
		return f
	}
	f = r.entry(key, f)
	r.load(f, now)
	return f
}

// entry returns the file of a key and makes it the most recently used one. If there is none,
// or if it is the outdated one, entry makes a new one, which is not loaded.
func (r *robotsFiles) entry(key fileKey, outdated *robotsFile) *robotsFile {
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
	key.text = strings.Clone(key.text) // a part of the input would keep all of it in memory
	f := &robotsFile{key: key, crawlers: map[string]*fileCrawler{}}
	r.byKey[key] = r.order.PushFront(f)
	return f
}

// drop removes a file. The caller holds r.mu.
func (r *robotsFiles) drop(e *linked.Element) {
	f := r.order.Remove(e).(*robotsFile)
	delete(r.byKey, f.key)
	r.bytes -= f.counted
}

// load reads and parses a file, once. Each caller waits until that is done.
func (r *robotsFiles) load(f *robotsFile, now time.Time) {
	f.once.Do(func() {
		f.checked.Store(now.UnixNano())
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
		if f.state, err = r.find(f.key); err != nil {
			return nil, "", err
		}
		// The clock of a file system is coarse: a file that is modified twice within a moment
		// may keep its time and size. So a file that was just modified is read again later.
		f.recent = time.Since(time.Unix(0, f.state.modified)) < 2*statInterval
		body, err := readFile(f.state.path)
		if err != nil {
			return nil, f.state.path, err
		}
		text, encoding, err := decodeRobots(body, f.state.path)
		if encoding != "" && r.notice != nil {
			r.notice(encodingNotice(f.state.path, encoding))
		}
		return text, f.state.path, err
	}
	if body, err = inlineRobots(f.key); err != nil {
		return nil, "", fmt.Errorf("%q: %w", f.key.kind.field(), err)
	}
	body, _, err = decodeRobots(body, f.key.kind.field())
	return body, "", err
}

// count updates the memory that a file takes. If all files together take too much, count
// drops the least recently used ones.
func (r *robotsFiles) count(f *robotsFile) {
	const overhead = 600 // bytes of an entry without a file
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
	for r.bytes > cmp.Or(r.maxBytes, maxParsed) && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

// crawler returns the policy of a file for a crawler. key is the crawler as JSON: a product
// token or a list of them.
func (r *robotsFiles) crawler(f *robotsFile, key string) (*fileCrawler, error) {
	f.mu.RLock()
	c := f.crawlers[key]
	f.mu.RUnlock()
	if c != nil {
		return c, nil
	}
	key = strings.Clone(key) // a part of the input would keep all of it in memory
	tokens, err := tokensIn(key)
	if err != nil {
		return nil, err
	}
	row := report.Answer{Agent: report.AgentOf(tokens), Dialect: f.key.dialect.String(), Source: f.source}
	c = &fileCrawler{f.file.Agent(tokens...), row.Agent, row.AppendQuestion(nil)}
	const maxCrawlers = 256 // few runs check more
	f.mu.Lock()
	if len(f.crawlers) >= maxCrawlers {
		clear(f.crawlers)
		f.size = 0
	}
	f.crawlers[key] = c
	f.size += 3*len(key) + len(c.question) + c.policy.Size() + 200
	f.mu.Unlock()
	r.count(f)
	return c, nil
}

// fileState is the path of a file on the disk, with the size and the time of modification that
// show whether the file has changed.
type fileState struct {
	path     string
	size     int64
	modified int64 // in Unix nanoseconds
}

// find returns the state of the file of a key.
func (r *robotsFiles) find(key fileKey) (fileState, error) {
	if key.kind == hostFile {
		return findByHost(r.dir, key.text, key.port)
	}
	state, err := statFile(key.text)
	if err != nil {
		return fileState{}, fmt.Errorf("robots.txt: %w", err)
	}
	return state, nil
}

// statFile returns the state of a regular file. A folder or a pipe is an error.
func statFile(path string) (fileState, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileState{}, fmt.Errorf("%s: there is no such file", path)
	case err != nil:
		return fileState{}, err
	case !info.Mode().IsRegular():
		return fileState{}, fmt.Errorf("%s: expected a file, found %s", path, kindOf(info.Mode()))
	}
	return fileState{path, info.Size(), info.ModTime().UnixNano()}, nil
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a pipe, a device or the like"
}

// readFile reads a robots.txt from the disk.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	defer f.Close()
	return readRobotsFrom(f, path)
}

// inlineRobots returns the robots.txt that a question contains.
func inlineRobots(key fileKey) ([]byte, error) {
	read := stringOf
	if key.kind == inBase64 {
		read = bytesOf
	}
	text, err := read(key.text)
	return []byte(text), err
}
