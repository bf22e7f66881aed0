// Package questions answers streams of questions, for "heed check --input jsonl" and "heed serve". Questions and answers
// are lines of JSON.
package questions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Settings say how the questions of a stream are answered. They must not change after the first Answer.
type Settings struct {
	Dialect  *robotstxt.Dialect // for questions that name no dialect; must not be nil
	Agent    string             // for questions that name no crawler, as JSON; "": each question must name a crawler
	Purposes asked.Purposes     // for questions that name no purposes
	Unknown  exit.Unknown       // the effect of an unknown preference on Summary.Status
	Files    *robotsfiles.Files // has the robots.txt files that are not from live sites; several Settings may share it; must not be nil
	Sites    Sites              // has the robots.txt files of live sites, for questions without a robots.txt; nil: such questions use Files
	Jobs     int                // the number of questions that may wait for sites at the same time; 0: 64

	NoFiles bool // clients on other machines must not read files of this machine, so a question with "robots_file" is an error
	MaxWait bool // questions may have the member "max_wait"

	// If Request is not "", each answer has the member "decision": Request, a dot, and the line number of the question.
	Request string

	MaxLine   int // the largest size of a question in bytes; a question may contain a robots.txt; 0: saved.MaxLine
	MaxUnread int // how many bytes of answers may wait for a slow reader; 0: 16 MiB
	// Unread limits the waiting answers of several streams together. nil: only MaxUnread limits them.
	Unread Room

	// Workers is the number of goroutines that answer questions about files. 0: one for each processor.
	Workers int

	// OnAnswer is called with each answer, from many goroutines. OnAnswer must not keep the Row after it returns. nil: not
	// called.
	OnAnswer func(*Row)

	CheckURL func(url string) error // returns an error if the URL must not be checked; nil: every URL may be checked
	IsOther  func(url string) bool  // reports whether the robots.txt is known to be for another origin than that of the URL; nil: never
	Words    Words                  // no field may be nil
}

// Sites finds live sites. It is used for questions that contain no robots.txt.
type Sites interface {
	// Target returns the site that decides about a URL, and the URL with its origin replaced by this site.
	Target(url string) (site origin.Origin, target string, err error)
	// Site returns the site of a question. Many goroutines call it. If pending is true, Ask.MaxWait is over, but the
	// retrieval is still running.
	Site(ctx context.Context, a *Ask) (site *cache.Site, pending bool, err error)
}

// An Ask is a question about a live site.
type Ask struct {
	Site    origin.Origin      // the site that Target returned
	Agent   []string           // the product tokens of the crawler
	Dialect *robotstxt.Dialect // the dialect for reading the robots.txt
	MaxWait time.Duration      // how long the client waits for a retrieval; 0: until the retrieval ends; 1 ns for "max_wait": "0s"
}

// A Row is an answer in a form that can be counted and logged.
type Row struct {
	Line     int // the line number of the question
	URL      string
	Decision robotstxt.Decision // the zero Decision if there is an Err
	Err      error              // why there is no answer; nil if there is one

	// The following fields are set only in an answer about a live site.

	Site    *cache.Answer // the answer about the site; it has the same Decision
	Agent   []string      // the product tokens of the crawler
	Pending bool          // the value of pending that Sites.Site returned
}

// AsMistake marks an error of Sites.Site as the user's mistake (exit.Usage). Other errors have exit.Undetermined.
func AsMistake(err error) error { return mistake{err} }

type mistake struct{ error }

// Words has the errors for incomplete questions. In a command, these errors name the flag that the user should add.
type Words struct {
	NoAgent   error                  // for a question that names no crawler
	NoSite    func(url string) error // for a URL that names no site
	BadTarget func(url string) error // for a text that is neither a URL nor a path
}

// A Summary is about all answers of a stream.
type Summary struct {
	Status       int    // the most severe exit status of the answers
	Failed       int    // the number of questions without an answer
	FirstFailure string // the error of the first question without an answer
}

func (s *Summary) add(later *Summary) {
	s.Status = exit.Worse(s.Status, later.Status)
	s.Failed += later.Failed
	s.FirstFailure = cmp.Or(s.FirstFailure, later.FirstFailure)
}

// The default values of Settings.Jobs and Settings.MaxUnread.
const (
	defaultJobs      = 64
	defaultMaxUnread = 16 << 20
)

// NoToken returns the error for a crawler without a product token. The parameter agent is the member "agent", as JSON.
func NoToken(agent string) error {
	return fmt.Errorf(`"agent" %s has no product token in it: expected letters, "_" and "-", such as Googlebot`, agent)
}

// MaxWaitOf reads the longest time to wait for a retrieval, such as "200ms". It never returns 0, which would mean no
// limit.
func MaxWaitOf(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, fmt.Errorf("%q: expected a time with its unit, such as 200ms or 2s", text)
	}
	return max(wait, 1), nil
}

// PlainWords has errors that do not name flags.
var PlainWords = Words{
	NoAgent: errors.New(`"agent" is missing`),
	NoSite: func(url string) error {
		return fmt.Errorf("URL %q: expected an absolute URL, such as https://example.com/cart", url)
	},
	BadTarget: func(url string) error {
		return fmt.Errorf(`URL %q: expected an absolute URL, such as https://example.com/cart, or a path that begins with "/"`, url)
	},
}
