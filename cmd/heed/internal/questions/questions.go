// Package questions answers streams of questions: each line of JSON is a question, and gets a
// line of JSON as its answer, in order. "heed check --input jsonl" and "heed serve" use it.
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

// Settings say how streams are answered. They must not change after the first call of Answer.
type Settings struct {
	Dialect  *robotstxt.Dialect // of questions that name none; must not be nil
	Agent    string             // the crawler of questions that name none, as JSON; "": each question must name one
	Purposes asked.Purposes     // of questions that name none
	Unknown  exit.Unknown       // what an unknown preference means for Summary.Status
	Files    *robotsfiles.Files // has the robots.txt files that do not come from live sites; several Settings may share it; must not be nil
	Sites    Sites              // has the robots.txt for questions that contain none; nil: Files has it
	Jobs     int                // how many questions may wait for sites at the same time; 0: 64

	NoFiles bool // the member "robots_file" is an error, since clients on other machines must not read files of this machine
	MaxWait bool // questions may have the member "max_wait"

	// Request, if it is not "", gives each answer the member "decision": Request, a dot, and the
	// number of the line.
	Request string

	MaxLine   int // limits a question, which may contain a robots.txt, in bytes; 0: saved.MaxLine
	MaxUnread int // limits the answers that wait for a slow reader, in bytes; 0: 16 MiB
	// Unread limits these bytes of several streams together; nil: only MaxUnread limits them.
	Unread Room

	// Workers is how many goroutines answer questions about files; 0: one for each processor. The
	// memory of a stream grows with them.
	Workers int

	// Answered, if it is not nil, is called with each answer before it is written, by many
	// goroutines at the same time. It must not keep the Row.
	Answered func(*Row)

	CheckURL func(url string) error // returns why a URL is refused; nil: no URL is
	IsOther  func(url string) bool  // reports whether the robots.txt is known to be of another origin than a URL; nil: it never is
	Words    Words                  // no field may be nil
}

// Sites are the live sites that questions without a robots.txt are about.
type Sites interface {
	// Target returns the site whose robots.txt is used for a URL, and what to check there. It
	// returns an error if the URL names no site.
	Target(url string) (site origin.Origin, target string, err error)
	// Site returns a site. pending reports that a retrieval is still in progress, because Site waited
	// only for Ask.MaxWait. Many calls run at the same time. An error becomes the error of the
	// answer; see Wrong.
	Site(ctx context.Context, a *Ask) (site *cache.Site, pending bool, err error)
}

// An Ask is a question about a live site.
type Ask struct {
	Site    origin.Origin      // from Target
	Agent   []string           // the product tokens of the crawler
	Dialect *robotstxt.Dialect // in which the robots.txt is read
	MaxWait time.Duration      // how long the client waits for a retrieval; 0: until the retrieval ends. For "max_wait": "0s" it is 1 ns
}

// A Row is an answer, for counts and logs.
type Row struct {
	Line     int // of the question
	URL      string
	Decision robotstxt.Decision // the zero Decision with an Err
	Err      error              // why there is no answer; nil: there is one

	// The other fields are zero, except for an answer about a live site.

	Site    *cache.Answer // contains the Decision, too
	Agent   []string      // the product tokens of the crawler
	Pending bool          // as Sites.Site returned it
}

// Wrong marks an error of Sites.Site as a mistake in the question: asking again later would not help. The exit status is
// then exit.Usage instead of exit.Undetermined.
func Wrong(err error) error { return wrong{err} }

type wrong struct{ error }

// Words are the errors about a question in which something is missing. The errors of a command also name
// the flags that could set it.
type Words struct {
	NoAgent   error                  // no crawler is named
	NoSite    func(url string) error // a URL names no site
	BadTarget func(url string) error // a string is neither a URL nor a path
}

// Summary is what the answers of a stream have in common.
type Summary struct {
	Status       int    // the most severe exit status of the answers
	Failed       int    // questions without an answer
	FirstFailure string // the error of the first question without an answer
}

// add adds later answers.
func (s *Summary) add(later *Summary) {
	s.Status = exit.Worse(s.Status, later.Status)
	s.Failed += later.Failed
	s.FirstFailure = cmp.Or(s.FirstFailure, later.FirstFailure)
}

// The defaults of Settings.
const (
	defaultJobs      = 64
	defaultMaxUnread = 16 << 20
)

// NoToken is the error for a crawler without a product token. agent is the crawler as the question names it.
func NoToken(agent string) error {
	return fmt.Errorf(`"agent" %s has no product token in it: expected letters, "_" and "-", such as Googlebot`, agent)
}

// MaxWaitOf reads how long a client waits for a retrieval, such as "200ms". The result is for
// Ask.MaxWait, so it is never 0.
func MaxWaitOf(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, fmt.Errorf("%q: expected a time with its unit, such as 200ms or 2s", text)
	}
	return max(wait, 1), nil
}

// PlainWords are errors that name no flags.
var PlainWords = Words{
	NoAgent: errors.New(`"agent" is missing`),
	NoSite: func(url string) error {
		return fmt.Errorf("URL %q: expected an absolute URL, such as https://example.com/cart", url)
	},
	BadTarget: func(url string) error {
		return fmt.Errorf(`URL %q: expected an absolute URL, such as https://example.com/cart, or a path that begins with "/"`, url)
	},
}
