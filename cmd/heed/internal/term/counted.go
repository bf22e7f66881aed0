package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Counted is the lines that have one kind of remark, or are one kind of record.
type Counted struct {
	Name  string // of the remark or the record
	About string // what the record means
	Lines int
	spans []span // at most maxSpans+1
}

// A span is consecutive lines, by the numbers of the first and the last.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

// maxSpans limits how many spans are printed for one kind.
const maxSpans = 5

// Count adds a line to the element of all with the name of one, or adds one to all.
func Count(all []Counted, one Counted, line int) []Counted {
	i := slices.IndexFunc(all, func(c Counted) bool { return c.Name == one.Name })
	if i < 0 {
		i = len(all)
		all = append(all, one)
	}
	c := &all[i]
	switch n := len(c.spans); {
	case n > 0 && c.spans[n-1].last == line:
		return all // the second remark of this kind on one line
	case n > 0 && c.spans[n-1].last == line-1:
		c.spans[n-1].last = line
	case n <= maxSpans: // for one span too many, where prints "…"
		c.spans = append(c.spans, span{line, line})
	}
	c.Lines++
	return all
}

// Where returns the numbers of the lines, such as "lines 2–4, 9".
func (c Counted) Where() string {
	var numbers []string
	for i, s := range c.spans {
		if i == maxSpans {
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, s.String())
	}
	if c.Lines == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}
