// Package accesslog reads access logs, and finds their format by the first lines (AU-14).
package accesslog

import "errors"

// An Entry is what a line of a log says about a request. An unknown field is empty.
type Entry struct {
	Time      int64  // the time of the request or of its answer, in nanoseconds since 1970
	Address   string // the IP address of the client at the other end of the connection, without a port
	Forwarded string // the value of X-Forwarded-For
	Scheme    string // "http" or "https", always in lower case
	Host      string // a host, perhaps with a port
	Method    string
	Target    string // the target as the client sent it: a path with its query, or a URL; "": the line has no HTTP request
	Status    int
	Agent     string // the value of User-Agent
}

// A Format is a format of log lines. It is safe for concurrent use.
type Format struct {
	Name     string // a description of the format in words
	IsDirect bool   // the log has lines such as "#Fields: date time", which name the fields of the lines that follow; see After

	read func(line string, e *Entry) error
}

// Read reads a line. An error means that the line cannot be read in this format.
func (f *Format) Read(line string, e *Entry) error {
	*e = Entry{}
	return f.read(line, e)
}

// ErrComment is the error for a line that says nothing about a request, such as an empty one.
var ErrComment = errors.New("a comment")

var (
	errTime    = errors.New("heed finds no time in the line; expected a time such as [10/Oct/2026:13:55:36 +0000]")
	errRequest = errors.New(`heed finds no request in the line; expected a request such as "GET /index.html HTTP/1.1"`)
	errStatus  = errors.New("heed finds no status after the request in the line; expected a number such as 200")
)
