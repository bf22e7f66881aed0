package audit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/accesslog"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
)

type log struct {
	name      string
	lines     string // the first lines, joined with "\n", to find logs that were given twice
	in        *input.Input
	from      *lines.Reader
	first     *lines.Block // read to find the format, but not yet returned by the method next; may be nil
	format    *accesslog.Format
	readUntil int64 // the log was read up to this time; at first the time of its first line
	// Some servers hide the end of each address, and write 192.0.2.0 for 192.0.2.77. If mayBeMasked is true, all
	// addresses end with 0, but they are so few that this can be chance.
	isMasked, mayBeMasked bool
	isDone                bool
}

// A longer line counts as unreadable. The limit is in bytes.
const maxLine = 1 << 20

// open finds the format of a log. It closes the file again, because there may be many files.
func (r *run) open(name string) (*log, error) {
	l := &log{name: name, readUntil: minTime}
	info, err := os.Stat(name)
	isFile := name != "-" && err == nil && info.Mode().IsRegular()
	counter := &r.Read
	if isFile { // the file is read again later, and its bytes must be counted once
		counter = new(atomic.Int64)
	}
	if err := l.reopen(r, counter); err != nil {
		return nil, err
	}
	b, ok := l.from.Next()
	if !ok {
		l.isDone = true
		return l, l.from.Err()
	}
	var first []string
	for line := range b.All() {
		if line.Wrong == nil && len(first) < accesslog.LinesToFind {
			first = append(first, line.Text)
		}
	}
	if l.format, err = accesslog.Find(first, r.Fields); err != nil {
		err = fmt.Errorf("%s: %w", l.in.Name, err)
		l.close()
		return nil, err
	}
	few, seen, masked := 0, 0, 0
	for _, line := range first {
		var e accesslog.Entry
		if l.format.Read(line, &e) != nil {
			continue
		}
		if few++; few <= 3 && (few == 1 || e.Time < l.readUntil) { // use the earliest time of the first three lines, because a line may have a wrong time
			l.readUntil = e.Time
		}
		if a := r.addressOf(&e); a.IsValid() && !a.IsLoopback() && !a.IsPrivate() { // servers do not hide such addresses
			if seen++; !networkOf(a).IsSingleIP() {
				masked++
			}
		}
	}
	l.mayBeMasked = masked == seen
	l.isMasked = l.mayBeMasked && seen >= fewestMasked
	l.lines = strings.Join(first, "\n")
	if isFile {
		b.Recycle()
		l.close()
		return l, nil
	}
	l.first = &b
	return l, nil
}

// With fewer addresses in the first lines, all of them may end with 0 by chance.
const fewestMasked = 8

func checkTwice(logs []*log) error {
	seen := map[string]string{}
	for _, l := range logs {
		if other, ok := seen[l.lines]; ok && l.lines != "" {
			return fmt.Errorf("the logs %s and %s begin with the same lines, so their requests would be counted twice: leave one of these logs out", other, l.name)
		}
		seen[l.lines] = l.name
	}
	return nil
}

func (l *log) reopen(r *run, counter *atomic.Int64) (err error) {
	if l.in, err = input.Open(l.name, r.Stdin, counter); err != nil {
		return err
	}
	l.from = lines.New(l.in, l.in.Name, maxLine)
	l.from.Recycles = true
	return nil
}

func (l *log) close() {
	if l.in != nil {
		l.in.Close()
		l.in = nil
	}
}

func (l *log) next(r *run, index int) (b block, ok bool, err error) {
	b = block{format: l.format, input: index, name: l.name, isMasked: l.isMasked}
	if l.in == nil {
		if err := l.reopen(r, &r.Read); err != nil {
			l.isDone = true
			return b, false, err
		}
	}
	if l.first != nil {
		b.Block, l.first = *l.first, nil
	} else if b.Block, ok = l.from.Next(); !ok {
		l.isDone = true
		l.close()
		return b, false, l.from.Err()
	}
	l.readUntil = max(l.readUntil, lastTime(b.Text, l.format))
	l.format = l.format.After(b.Text)
	return b, true, nil
}

// One line may have a wrong time, so lastTime returns the middle one of the last three times.
func lastTime(text string, f *accesslog.Format) int64 {
	var times []int64
	for tries := 0; text != "" && len(times) < 3 && tries < 16; tries++ {
		text = strings.TrimRight(text, "\r\n")
		i := strings.LastIndexByte(text, '\n')
		var e accesslog.Entry
		if f.Read(text[i+1:], &e) == nil {
			times = append(times, e.Time)
		}
		text = text[:max(i, 0)]
	}
	if len(times) == 0 {
		return minTime
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}
