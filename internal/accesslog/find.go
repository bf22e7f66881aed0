package accesslog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

const LinesToFind = 64

// Find returns the format that can read most of the first lines.
func Find(first []string, memberNames Fields) (*Format, error) {
	formats := []*Format{common, balancer, jsonLines(&memberNames)}
	for _, line := range first {
		if strings.HasPrefix(line, fieldsDirective) {
			if f := extendedFormat(line); f != nil {
				formats = append(formats, f)
			}
		}
	}
	var best *Format
	most, sample := 0, ""
	for _, f := range formats {
		n, wrong := f.readAll(first)
		if n > most {
			best, most = f, n
		}
		sample = cmp.Or(sample, wrong)
	}
	if best == common {
		if n, _ := combined.readAll(first); 2*n >= most { // the last line may be cut
			best = combined
		}
	}
	if best != nil {
		return best, nil
	}
	if sample == "" {
		return nil, errors.New("the log has no line with a request: expected the lines of an access log")
	}
	return nil, fmt.Errorf("the format of the log is unknown; expected the format Combined or Common, JSON lines (--fields names their members), the W3C extended format, which has a line that begins with \"#Fields:\", or the format of an Application Load Balancer; the first line is %s", printable.Quote(sample))
}

// readAll returns how many lines the format can read, and the first line that it cannot read.
func (f *Format) readAll(lines []string) (n int, wrong string) {
	for _, line := range lines {
		var e Entry
		switch err := f.Read(line, &e); {
		case err == nil:
			n++
		case wrong == "" && strings.TrimSpace(line) != "" && err != ErrComment:
			wrong = line
		}
	}
	return n, wrong
}
