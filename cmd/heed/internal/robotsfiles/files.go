// Package robotsfiles reads robots.txt files from the disk or from questions, in the same way as the response of a
// server.
package robotsfiles

import (
	"cmp"
	linked "container/list"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

const maxParsed = 256 << 20

const statInterval = time.Second

// Files is a cache of parsed robots.txt files. Several goroutines may use it. Exported fields must not change after the
// first Get.
type Files struct {
	Dir      string // the folder with a robots.txt for each host; "": none
	Given    []byte
	Source   string          // the path of the robots.txt in Given; "": Given is not used
	Notice   func(string)    // may be nil
	MaxBytes int             // limits the memory for robots.txt files; 0: 256 MiB
	Crawlers *crawlers.Table // nil: crawlers.Known()
	Heed     string          // the version of Heed for "provenance" in answers; "": answers have no provenance

	mu    sync.Mutex
	byKey map[Key]*linked.Element
	order linked.List // the most recently used file is the first
	bytes int
}

// A Key identifies a robots.txt, and the dialect in which it is parsed.
type Key struct {
	Kind    Kind
	Text    string // the path of the file; for OfHost, a host as in saved.Host; for InText and InBase64, the robots.txt as a JSON string
	Dialect *robotstxt.Dialect
}

// A Kind says where a robots.txt comes from.
type Kind uint8

const (
	Given    Kind = iota // the robots.txt is Files.Given
	Named                // the question has the path of the robots.txt
	OfHost               // the robots.txt is in the folder Files.Dir
	InText               // the question has the robots.txt as a string
	InBase64             // the question has the robots.txt in base64
)

// A File is a parsed robots.txt, with the policies of the crawlers for which it was used.
type File struct {
	Source string // where the robots.txt comes from, for answers
	Err    error  // why the file cannot be used; nil if it can

	key       Key
	loadOnce  sync.Once
	checkedAt atomic.Int64 // when the file on the disk was last compared with state, in Unix nanoseconds
	state     fileState    // zero if the robots.txt is not a file on the disk
	isRecent  bool         // the file was modified just before heed read the file; see read

	file       *robotstxt.File
	provenance []byte // a comma and the member "provenance" of answers; nil: answers have none
	uses       func() *usage.Robots
	hasUses    atomic.Bool

	mu       sync.RWMutex
	crawlers map[string]*Crawler // the key is the crawler as JSON
	size     int

	countedBytes int // how much of Files.bytes is for this file; Files.mu guards this field
}

// A Crawler is the policy of one crawler in a file.
type Crawler struct {
	Policy   *robotstxt.Policy
	Agent    report.Agent
	Question []byte // JSON members that are the same in all answers for this crawler

	Usage func() *usage.Policy // what the file says about the use of content
}

// Get returns the robots.txt of a key. Get never returns nil. If a robots.txt cannot be used, File.Err says why.
func (r *Files) Get(key Key, now time.Time) *File {
	f := r.entry(key, nil)
	r.load(f, now)
	checked := f.checkedAt.Load()
	onDisk := key.Kind == Named || key.Kind == OfHost
	if !onDisk || now.UnixNano()-checked < int64(statInterval) || !f.checkedAt.CompareAndSwap(checked, now.UnixNano()) {
		return f // f was checked recently, or another goroutine checks it now
	}
	state, err := r.find(key)
	if err != nil && f.Err != nil && err.Error() == f.Err.Error() || err == nil && f.Err == nil && state == f.state && !f.isRecent {
		return f
	}
	f = r.entry(key, f)
	r.load(f, now)
	return f
}

// If the cache has a File for the key, entry returns it. If the cache has no File, or only outdatedFile, entry adds
// and returns a new File. The function load must then read the new File.
func (r *Files) entry(key Key, outdatedFile *File) *File {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[Key]*linked.Element{}
	}
	if e, ok := r.byKey[key]; ok {
		if f := e.Value.(*File); f != outdatedFile {
			r.order.MoveToFront(e)
			return f
		}
		r.drop(e)
	}
	key.Text = strings.Clone(key.Text) // a copy, because otherwise the whole block of input would stay in memory
	f := &File{key: key, crawlers: map[string]*Crawler{}}
	r.byKey[key] = r.order.PushFront(f)
	return f
}

func (r *Files) drop(e *linked.Element) {
	f := r.order.Remove(e).(*File)
	delete(r.byKey, f.key)
	r.bytes -= f.countedBytes
}

func (r *Files) load(f *File, now time.Time) {
	f.loadOnce.Do(func() {
		f.checkedAt.Store(now.UnixNano())
		var body []byte
		if body, f.Source, f.Err = r.read(f); f.Err == nil {
			f.file = robotstxt.Parse(body, f.key.Dialect)
			if r.Heed != "" {
				p := live.ProvenanceOfFile(body, f.key.Dialect, r.Heed)
				f.provenance = p.AppendJSON([]byte(`,"provenance":`))
			}
			f.uses = sync.OnceValue(func() *usage.Robots { f.hasUses.Store(true); return usage.Read(f.file) })
		}
		r.measure(f)
	})
}

func (r *Files) read(f *File) (body []byte, source string, err error) {
	switch f.key.Kind {
	case Given:
		return r.Given, r.Source, nil
	case Named, OfHost:
		if f.state, err = r.find(f.key); err != nil {
			return nil, "", err
		}
		// If a file changes twice in a short time, its time and size may stay the same. So a file that changed a short
		// time ago is read again.
		f.isRecent = time.Since(time.Unix(0, f.state.modified)) < 2*statInterval
		body, _, err := saved.ReadFile(f.state.path)
		if err != nil {
			return nil, f.state.path, err
		}
		text, encoding, err := Decode(body, f.state.path)
		if encoding != "" && r.Notice != nil {
			r.Notice(EncodingNotice(f.state.path, encoding))
		}
		return text, f.state.path, err
	}
	member, read := "robots", jsonobject.String
	if f.key.Kind == InBase64 {
		member, read = "robots_b64", jsonobject.Bytes
	}
	text, err := read(f.key.Text)
	if err != nil {
		return nil, "", fmt.Errorf("%q: %w", member, err)
	}
	body, _, err = Decode([]byte(text), member)
	return body, "", err
}

func (r *Files) measure(f *File) {
	const overhead = 600 // the bytes that an entry needs in addition to its file
	f.mu.RLock()
	size := overhead + len(f.key.Text) + len(f.provenance) + f.size
	f.mu.RUnlock()
	if f.file != nil {
		size += f.file.Size()
	}
	if f.hasUses.Load() {
		size += f.uses().Size()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byKey[f.key]; !ok || e.Value.(*File) != f {
		return
	}
	r.bytes += size - f.countedBytes
	f.countedBytes = size
	for r.bytes > cmp.Or(r.MaxBytes, maxParsed) && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

// Crawler returns the policy of a crawler in f. The parameter key is the crawler as JSON. f.Err must be nil.
func (r *Files) Crawler(f *File, key string) (*Crawler, error) {
	f.mu.RLock()
	c := f.crawlers[key]
	f.mu.RUnlock()
	if c != nil {
		return c, nil
	}
	key = strings.Clone(key) // a copy, because otherwise the whole block of input would stay in memory
	tokens, err := r.Tokens(key, f.key.Dialect)
	if err != nil {
		return nil, err
	}
	row := report.Answer{Dialect: f.key.Dialect.String(), Source: f.Source}
	row.SetAgent(r.Crawlers, tokens)
	c = &Crawler{f.file.Agent(tokens...), row.Agent, append(row.AppendQuestion(nil), f.provenance...), nil}
	c.Usage = func() *usage.Policy { return r.usageOf(f, tokens) }
	const maxCrawlers = 256 // most runs check fewer crawlers
	f.mu.Lock()
	if len(f.crawlers) >= maxCrawlers {
		clear(f.crawlers)
		f.size = 0
	}
	f.crawlers[key] = c
	f.size += 3*len(key) + len(c.Question) + c.Policy.Size() + 200
	f.mu.Unlock()
	r.measure(f)
	return c, nil
}

func (r *Files) usageOf(f *File, tokens []string) *usage.Policy {
	uses := f.uses()
	before := uses.Size()
	policy := uses.For(usage.Options{}, tokens...)
	if uses.Size() != before {
		r.measure(f)
	}
	return policy
}

// The parameter agent is a JSON string or a JSON list of strings.
func (r *Files) Tokens(agent string, d *robotstxt.Dialect) ([]string, error) {
	tokens, err := jsonobject.Strings(agent)
	if err != nil {
		return nil, fmt.Errorf(`"agent": %w`, err)
	}
	return crawlernames.Asked(r.Crawlers, tokens, d)
}

type fileState struct {
	path     string
	size     int64
	modified int64
}

func (r *Files) find(key Key) (state fileState, err error) {
	path := key.Text
	var info fs.FileInfo
	if key.Kind == OfHost {
		path, info, err = saved.Find(r.Dir, key.Text)
	} else {
		info, err = saved.Stat(path)
	}
	if err != nil {
		return state, err
	}
	return fileState{path, info.Size(), info.ModTime().UnixNano()}, nil
}

// StatusOf returns the exit status for an error of reading a robots.txt.
func StatusOf(err error) int {
	if errors.Is(err, saved.ErrNoFile) {
		return exit.Undetermined
	}
	return exit.Usage
}

// Decode returns a robots.txt as UTF-8. The result encoding is "" for UTF-8. If the error is fetch.NoRobotsTxt,
// Decode also returns the text.
func Decode(body []byte, name string) (text []byte, encoding string, err error) {
	if text, encoding, err = fetch.Text(body); err != nil {
		err = fmt.Errorf("robots.txt: %s: %w", name, err)
	}
	return text, encoding, err
}

func EncodingNotice(path, encoding string) string {
	return fmt.Sprintf("robots.txt: %s is translated from %s", path, encoding)
}
