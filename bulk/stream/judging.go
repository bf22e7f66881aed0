package stream

import (
	"strings"

	"github.com/heed-robots/heed/bulk"
	"github.com/heed-robots/heed/internal/lines"
)

// judging is how one goroutine judges the blocks of an input.
type judging struct {
	*Options
	reading *reading
	write   writer
	checker *bulk.Checker

	part  *part
	lines []line // of the block, that have a URL
	urls  []string
}

// A line is a line of a block, or a record of CSV.
type line struct {
	number int
	text   string // without the line end
}

// block judges the URLs of a block.
func (j *judging) block(b block) *part {
	j.part = &part{block: b, out: lines.NewBuffer()}
	j.part.counts.Columns = make([]bulk.Tally, len(j.Columns))
	if b.wrong != nil {
		j.reject(line{b.first, trimEnd(b.text)}, b.wrong)
		return j.part
	}
	number := b.first
	for text := b.text; text != ""; {
		n := j.next(text)
		j.add(line{number, trimEnd(text[:n])})
		number++
		if j.reading.format == CSV {
			number += strings.Count(text[:n-1], "\n")
		}
		text = text[n:]
	}
	j.judge()
	return j.part
}

// next returns the length of the next line or record of a block, with its line end. If a record of CSV
// with several lines cannot be read, that is its first line only: perhaps a quotation mark in that line
// is wrong, and the others are not.
func (j *judging) next(text string) int {
	n := strings.IndexByte(text, '\n') + 1
	if n == 0 {
		return len(text)
	}
	if j.reading.format != CSV || strings.IndexByte(text[:n], '"') < 0 {
		return n
	}
	record, closed := recordLen(text)
	if !closed && record < len(text) {
		return n
	}
	if record > n {
		if _, err := j.reading.split(trimEnd(text[:record])); err != nil {
			return n
		}
	}
	return record
}

// add adds a line. A line without a URL is in the output at its place, so those before it are judged
// first.
func (j *judging) add(l line) {
	url, err := j.reading.url(l.text)
	if len(l.text) > maxLine {
		err = errLong
	}
	if err != nil {
		j.judge()
		j.reject(l, err)
		return
	}
	j.lines, j.urls = append(j.lines, l), append(j.urls, url)
}

// judge judges the lines that were added.
func (j *judging) judge() {
	if j.Before != nil && len(j.urls) > 0 {
		j.Before(j.urls)
	}
	j.checker.Check(j.urls, func(i int, verdicts []bulk.Verdict, err error) {
		if err != nil {
			j.reject(j.lines[i], err)
			return
		}
		j.part.counts.Count(verdicts)
		if j.Keep.Keeps(verdicts) {
			j.part.out = j.write(j.part.out, j.lines[i].text, j.urls[i], verdicts)
		}
	})
	j.lines, j.urls = j.lines[:0], j.urls[:0]
}

// reject adds a line that cannot be used.
func (j *judging) reject(l line, why error) {
	j.part.counts.Rejected++
	text := strings.Clone(l.text[:min(len(l.text), shown)])
	j.part.rejected = append(j.part.rejected, rejected{line: l.number, text: text, err: why})
	j.part.out = j.appendRejected(j.part.out, j.reading, text)
}
