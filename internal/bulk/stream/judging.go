package stream

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/lines"
)

// checking is how one goroutine checks the blocks of an input.
type judging struct {
	*Options
	reading *reading
	writer  *Writer
	checker *bulk.Checker

	part  *part
	lines []Line // of the block, that have a URL
	urls  []string
}

// block checks the URLs of a block.
func (j *judging) block(b lines.Block) *part {
	j.part = &part{Block: b, out: lines.NewBuffer()}
	j.part.counts = j.Decider.Counts()
	j.reading.lines(&b, j.add)
	j.judge()
	return j.part
}

// add adds a line. One without a URL has its place in the output, so those before it are checked first.
func (j *judging) add(l *Line) {
	if l.Err == nil && !l.isHeader {
		j.lines, j.urls = append(j.lines, *l), append(j.urls, l.URL)
		return
	}
	j.judge()
	switch {
	case !l.isHeader:
		j.reject(l)
	case j.writer.writesSame():
		j.part.out = append(append(j.part.out, l.Text...), '\n')
	}
}

// check checks the lines that were added.
func (j *judging) judge() {
	if j.Before != nil && len(j.urls) > 0 {
		j.Before(j.urls)
	}
	j.checker.Check(j.urls, func(i int, verdicts []bulk.Verdict, err error) {
		l := &j.lines[i]
		if err != nil {
			l.Err = err
			j.reject(l)
			return
		}
		j.part.counts.Count(verdicts)
		j.part.out = j.writer.Append(j.part.out, l, verdicts)
		if l.Clash != "" && j.part.failure == nil {
			j.part.failure = fmt.Errorf("line %d has a member %q already, which would be that of the verdict; give the names of ours a prefix with --prefix, such as --prefix heed_", l.Number, l.Clash)
		}
	})
	j.lines, j.urls = j.lines[:0], j.urls[:0]
}

// reject adds a line that cannot be used.
func (j *judging) reject(l *Line) {
	if l.Err != ErrNothing {
		j.part.counts.Rejected++
		j.part.rejected = append(j.part.rejected, bulk.Rejection{Place: fmt.Sprintf("line %d", l.Number), Text: strings.Clone(l.Shown()), Err: l.Err})
	}
	j.part.out = j.writer.Append(j.part.out, l, nil)
}
