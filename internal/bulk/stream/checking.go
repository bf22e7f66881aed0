package stream

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/lines"
)

type workerState struct {
	*Options
	finder  *urlFinder
	writer  *Writer
	checker *bulk.Checker

	part  *part
	lines []Line
	urls  []string // the URLs of these lines
}

func (c *workerState) block(b lines.Block) *part {
	c.part = &part{Block: b, out: lines.NewBuffer()}
	c.part.counts = c.Decider.Counts()
	c.finder.lines(&b, c.add)
	c.check()
	return c.part
}

// Lines with a URL are collected and checked together. They are written before a line without a URL, to keep the order.
func (c *workerState) add(l *Line) {
	if l.Err == nil && !l.isHeader {
		c.lines, c.urls = append(c.lines, *l), append(c.urls, l.URL)
		return
	}
	c.check()
	switch {
	case !l.isHeader:
		c.reject(l)
	case c.writer.writesSame():
		c.part.out = appendSame(c.part.out, l)
	}
}

func (c *workerState) check() {
	if c.Before != nil && len(c.urls) > 0 {
		c.Before(c.urls)
	}
	c.checker.Check(c.urls, func(i int, verdicts []bulk.Verdict, err error) {
		l := &c.lines[i]
		if l.Err = cmp.Or(err, c.writer.Clash(l)); l.Err != nil {
			c.reject(l)
			return
		}
		n := &c.part.counts
		n.CountKept(verdicts, c.Keep)
		if l.Format == Plain && n.Rows+1 == n.URLs && endsAsRow(l.URL) { // in nearly every list, already false for the first URL
			n.Rows++
		}
		c.part.out = c.writer.Append(c.part.out, l, verdicts)
	})
	c.lines, c.urls = c.lines[:0], c.urls[:0]
}

func (c *workerState) reject(l *Line) {
	if l.Err == ErrNothing {
		c.part.counts.Blank++
	} else {
		c.part.counts.Rejected++
		c.part.rejected = append(c.part.rejected, bulk.Rejection{Place: fmt.Sprintf("line %d", l.Number), Text: strings.Clone(l.Text), Err: l.Err})
	}
	c.part.out = c.writer.Append(c.part.out, l, nil)
}
