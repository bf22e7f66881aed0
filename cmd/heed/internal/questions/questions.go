// Package questions answers streams of questions, for "heed check --input jsonl" and "heed serve". Questions and answers
// are lines of JSON.
package questions

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Settings must not change after the first Answer.
type Settings struct {
	Dialect  *robotstxt.Dialect // for questions that name no dialect; must not be nil
	Agent    string             // for questions that name no crawler, as JSON; "": each question must name a crawler
	Purposes asked.Purposes     // for questions that name no purposes
	Unknown  exit.Unknown       // the effect of an unknown preference on Summary.Status
	Files    *robotsfiles.Files // has the robots.txt files that are not from live sites; must not be nil; may be shared
	Sites    Sites              // for questions without a robots.txt; nil: such questions use Files
	Jobs     int                // how many questions may wait for sites at the same time; 0: 64

	NoFiles bool // "robots_file" is an error, because clients on other machines must not read files of this machine
	MaxWait bool // questions may have the member "max_wait"

	// If Request is not "", each answer has the member "decision". Its value is Request, a dot, and the line number
	// of the question.
	Request string

	MaxLine   int // the bytes of a question, which may contain a robots.txt; 0: saved.MaxLine
	MaxUnread int // the bytes of answers that may wait for a slow reader; 0: 16 MiB
	// Unread limits the waiting answers of several streams together. If Unread is nil, only MaxUnread limits the
	// answers.
	Unread Room

	// Workers is the number of goroutines for questions about files. 0 means one goroutine for each processor.
	Workers int

	// OnAnswer is called from many goroutines. OnAnswer must not keep the Row. If OnAnswer is nil, nothing is called.
	OnAnswer func(*Row)

	CheckURL func(url string) error // returns an error if the URL must not be checked; nil: every URL may be checked
	IsOther  func(url string) bool  // reports whether the robots.txt is for another origin than that of the URL; nil: never
	Words    Words                  // no field may be nil
}

// Sites finds live sites, for questions that contain no robots.txt.
type Sites interface {
	// Target returns the site that decides about a URL, and the URL with the origin of this site.
	Target(url string) (site origin.Origin, target string, err error)
	// Many goroutines call Site. If pending is true, Ask.MaxWait is over, but the retrieval continues.
	Site(ctx context.Context, a *Ask) (site *cache.Site, pending bool, err error)
}

// An Ask is a question about a live site.
type Ask struct {
	Site    origin.Origin
	Agent   []string // product tokens
	Dialect *robotstxt.Dialect
	MaxWait time.Duration // the longest time for a retrieval; 0: no limit
}

// A Row is an answer for counting and logging.
type Row struct {
	Line     int // the number of the line with the question
	URL      string
	Decision robotstxt.Decision // the zero Decision if there is an Err
	Err      error

	// Only an answer about a live site has the fields below.

	Site    *cache.Answer // has the same Decision
	Agent   []string
	Pending bool // the retrieval continues
}

// AsMistake marks an error of Sites.Site as the user's mistake (exit.Usage). Other errors have exit.Undetermined.
func AsMistake(err error) error { return mistake{err} }

type mistake struct{ error }

// Words has the errors for incomplete questions. In a command, these errors name the flag that the user should add.
type Words struct {
	NoAgent   error
	NoSite    func(url string) error
	BadTarget func(url string) error
}

// A Summary is about all answers of a stream.
type Summary struct {
	Status       int    // the most severe exit status
	Failed       int    // questions without an answer
	FirstFailure string // the error of the first such question
}

func (s *Summary) add(later *Summary) {
	s.Status = exit.Worse(s.Status, later.Status)
	s.Failed += later.Failed
	s.FirstFailure = cmp.Or(s.FirstFailure, later.FirstFailure)
}

const (
	defaultJobs      = 64
	defaultMaxUnread = 16 << 20
)

// MaxWaitOf reads a time such as "200ms". For "0s", it returns 1 ns, because 0 means no limit.
func MaxWaitOf(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, fmt.Errorf("%q: expected a time with its unit, such as 200ms or 2s", text)
	}
	return max(wait, 1), nil
}

var PlainWords = Words{
	NoAgent: asked.ErrNoAgent,
	NoSite: func(url string) error {
		return fmt.Errorf("URL %q: expected an absolute URL, such as https://example.com/cart", url)
	},
	BadTarget: func(url string) error {
		return fmt.Errorf(`URL %q: expected an absolute URL, such as https://example.com/cart, or a path that begins with "/"`, url)
	},
}
