// Package accesslog reads access logs, and finds their format by the first lines (AU-14).
package accesslog

import "errors"

// An Entry is a request, as a line of a log shows it. A field that the line does not have is empty.
type Entry struct {
	Time      int64  // of the request or of its answer, in nanoseconds since 1970
	Address   string // the client's IP address, without a port
	Forwarded string
	Scheme    string // "http" or "https"
	Host      string // perhaps with a port
	Method    string
	Target    string // a path with its query, or a URL, as the client sent it; "" if the line has no HTTP request
	Status    int
	Agent     string
}

type Format struct {
	Name     string
	IsDirect bool // a line such as "#Fields: date time" changes the fields of the lines after it; see After

	read func(line string, e *Entry) error
}

// Read returns an error if the line cannot be read in this format.
func (f *Format) Read(line string, e *Entry) error {
	*e = Entry{}
	return f.read(line, e)
}

// ErrComment is the error for a line that is no request, but a comment.
var ErrComment = errors.New("the line is a comment, not a request, so heed ignores it")

var (
	errTime    = errors.New("heed finds no time in the line; expected a time such as [10/Oct/2026:13:55:36 +0000]")
	errRequest = errors.New(`heed finds no request in the line; expected a request such as "GET /index.html HTTP/1.1"`)
	errAgent   = errors.New("the line has no User-Agent, or ends before the end of its User-Agent; expected a whole User-Agent, as in the other lines of the log")
	errStatus  = errors.New("heed finds no status after the request in the line; expected a number such as 200")
)
