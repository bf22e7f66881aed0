package binding

import (
	"fmt"

	"github.com/heed-robots/heed/internal/printable"
)

// A Code is the kind of an Error, for programs. The numbers never change.
type Code int

// The codes. The header of the C library has them too.
const (
	OK       Code = 0
	Closed   Code = 1 // the handle is of no object, or of one that is closed
	Kind     Code = 2 // the handle is of a file where a policy is expected, or the other way round
	Argument Code = 3 // an argument has a value that is not allowed
	TooLarge Code = 4 // a robots.txt is larger than MaxBody
	Full     Code = 5 // there are too many objects
	Failed   Code = 6 // there is a mistake in Heed
	Forked   Code = 7 // of the C library only: the process was made by fork, in which Go cannot run
)

// An Error is why there is no answer. Its text is safe to print.
type Error struct {
	Code Code
	text string
}

func (e *Error) Error() string { return e.text }

var (
	errClosed   = &Error{Closed, "this file or policy is closed, or there never was one with this handle"}
	errNoPolicy = &Error{Kind, "the handle is of a file; expected that of a policy"}
	errNoFile   = &Error{Kind, "the handle is of a policy; expected that of a file"}
	errLengths  = &Error{Argument, "the lengths of the strings are not together that of the text"}
	errFull     = &Error{Full, "there are too many files and policies; close those that are not used"}
)

func wrong(format string, args ...any) error {
	return &Error{Argument, fmt.Sprintf(format, args...)}
}

func tooLarge(body []byte) error {
	return &Error{TooLarge, fmt.Sprintf("the robots.txt has %d bytes; expected at most %d", len(body), MaxBody)}
}

// rescueBytes is rescue with bytes as the input, since only a panic is worth a copy.
func rescueBytes(err *error, what string, input []byte) {
	if r := recover(); r != nil {
		*err = failed(r, what, string(input))
	}
}

// rescue is deferred: it makes a panic the error of its function.
func rescue(err *error, what string, inputs ...string) {
	if r := recover(); r != nil {
		*err = failed(r, what, inputs...)
	}
}

// failed makes an error of a panic, which names the input.
func failed(panicked any, what string, inputs ...string) error {
	text := fmt.Sprintf("a mistake in Heed, please report it: %s: %v", what, panicked)
	for _, each := range inputs {
		text += ", " + printable.Quote(each)
	}
	return &Error{Failed, text}
}
