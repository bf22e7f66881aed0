package archive

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/bulk/capture"
)

// record is an entry with its URL, as it is sorted.
type record struct {
	key     string
	seconds int64 // of its time; the zero time is before all others
	nanos   uint64
	order   int64
	tail    []byte // what appendEntry returns
}

func newRecord(c *capture.Capture, id capture.BodyID) record {
	e := capture.Entry{At: c.At, Facts: c.Facts, Body: id}
	return record{key: strings.Clone(c.URL), seconds: unixOf(c.At), nanos: uint64(c.At.Nanosecond()), order: c.Order, tail: appendEntry(nil, &e)}
}

// compare returns the order of two records in an archive.
func compare(a, b record) int {
	return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.nanos, b.nanos), cmp.Compare(a.order, b.order))
}

// sameAs reports whether two neighbours are the same capture.
func (r *record) sameAs(other *record) bool {
	return r.key == other.key && string(r.tail) == string(other.tail) // the tail has the time
}

// runSize is how many octets of records are kept in memory before they are sorted and written.
const runSize = 64 << 20

const recordOverhead = 120 // octets in memory beside key and tail

// runs sorts records. It keeps a part of them in memory, and writes sorted runs of them to a file.
type runs struct {
	file    *os.File // nil before the first run is written
	create  func() (*os.File, error)
	limit   int // runSize
	ends    []int64
	pending []record
	size    int // of pending
}

func (r *runs) add(rec record) error {
	r.pending = append(r.pending, rec)
	r.size += recordOverhead + len(rec.key) + len(rec.tail)
	if r.size < r.limit {
		return nil
	}
	return r.spill()
}

// spill writes the pending records as a run.
func (r *runs) spill() (err error) {
	if r.file == nil {
		if r.file, err = r.create(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.pending, compare)
	out := bufio.NewWriterSize(r.file, 1<<20)
	var b []byte
	for i := range r.pending {
		rec := &r.pending[i]
		b = appendText(b[:0], rec.key)
		b = binary.AppendVarint(b, rec.seconds)
		b = binary.AppendUvarint(b, rec.nanos)
		b = binary.AppendVarint(b, rec.order)
		b = binary.AppendUvarint(b, uint64(len(rec.tail)))
		out.Write(append(b, rec.tail...)) // Flush returns its error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	end, err := r.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	r.ends = append(r.ends, end)
	clear(r.pending)
	r.pending, r.size = r.pending[:0], 0
	return nil
}

// merge calls do with all records in order.
func (r *runs) merge(do func(*record) error) error {
	slices.SortStableFunc(r.pending, compare)
	var m merging
	start := int64(0)
	for i, end := range r.ends {
		m = append(m, &run{number: i, in: bufio.NewReaderSize(io.NewSectionReader(r.file, start, end-start), 64<<10)})
		start = end
	}
	m = append(m, &run{number: len(r.ends), pending: r.pending})
	for i := len(m) - 1; i >= 0; i-- {
		if err := m[i].next(); err == io.EOF {
			m = slices.Delete(m, i, i+1)
		} else if err != nil {
			return err
		}
	}
	heap.Init(&m)
	for len(m) > 0 {
		if err := do(&m[0].head); err != nil {
			return err
		}
		err := m[0].next()
		switch {
		case err == io.EOF:
			heap.Pop(&m)
		case err != nil:
			return err
		default:
			heap.Fix(&m, 0)
		}
	}
	return nil
}

// run is a sorted run of records that is being read.
type run struct {
	head    record
	number  int
	in      *bufio.Reader // nil: the records are in memory
	pending []record
}

// next reads the next record. The error is io.EOF after the last one.
func (r *run) next() error {
	if r.in == nil {
		if len(r.pending) == 0 {
			return io.EOF
		}
		r.head, r.pending = r.pending[0], r.pending[1:]
		return nil
	}
	key, err := readText(r.in)
	if err != nil {
		return err
	}
	r.head.key = string(key)
	var errs [4]error
	r.head.seconds, errs[0] = binary.ReadVarint(r.in)
	r.head.nanos, errs[1] = binary.ReadUvarint(r.in)
	r.head.order, errs[2] = binary.ReadVarint(r.in)
	r.head.tail, errs[3] = readText(r.in)
	if errors.Join(errs[:]...) != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// readText reads what appendText wrote.
func readText(in *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if n > maxBlock {
		return nil, errors.New("the file of sorted runs was changed by others")
	}
	text := make([]byte, n)
	_, err = io.ReadFull(in, text)
	return text, err
}

// merging is a heap of runs.
type merging []*run

func (m merging) Len() int { return len(m) }
func (m merging) Less(i, j int) bool {
	return cmp.Or(compare(m[i].head, m[j].head), cmp.Compare(m[i].number, m[j].number)) < 0
}
func (m merging) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *merging) Push(any)     { panic("no run is added") }
func (m *merging) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
