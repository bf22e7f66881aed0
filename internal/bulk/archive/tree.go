package archive

import (
	"cmp"
	"sort"
	"sync"
	"sync/atomic"
)

// Each table is a tree of pages: see https://www.sqlite.org/fileformat2.html. In the table captures, the keys are whole
// rows. In the tables bodies and info, the keys are ids.

// Kinds of pages. A page without the bit leaf is an interior page, which has children.
const (
	leaf      = 8
	indexLeaf = 2 | leaf
	tableLeaf = 5 | leaf
)

// The page numbers of the roots of the trees, as in empty.heed.
const (
	bodiesRoot   = 2
	capturesRoot = 3
	infoRoot     = 4
)

// With so few pages, the first byte of a page number is 0 or 1. So a page that begins with a page number never looks like
// a page of a tree.
const maxPages = 2<<24 - 1

var errWrong = damaged("a page of it has wrong content")

// A leaf belongs to the caller alone until release.
func (r *Reader) page(number uint32) (*page, error) {
	if p := r.interior[number*0x9E3779B1>>22].Load(); p != nil && p.number == number {
		return p, nil
	}
	p := r.leaf(number).Swap(nil)
	if p != nil && p.number == number {
		return p, nil
	}
	if p == nil {
		p = pages.Get().(*page)
	}
	if err := r.read(number, p); err != nil {
		return nil, err
	}
	if !p.isLeaf() {
		r.interior[number*0x9E3779B1>>22].Store(p)
	}
	return p, nil
}

// The next key is often in the same leaf, so the Reader keeps it in memory.
func (r *Reader) release(p *page) {
	if before := r.leaf(p.number).Swap(p); before != nil {
		pages.Put(before)
	}
}

func (r *Reader) leaf(number uint32) *atomic.Pointer[page] {
	return &r.leaves[number%uint32(len(r.leaves))]
}

var pages = sync.Pool{New: func() any { return new(page) }}

func (p *page) isLeaf() bool { return p.data[0]&leaf != 0 }

const maxCells = (usableSize - 8) / 2

func (p *page) cells() int { return int(big.Uint16(p.data[3:])) }

// In an interior page of a table b-tree, a cell has only an id and no row.
type cell struct {
	child uint32 // the number of the page whose keys come before id; 0 in a leaf
	id    int64
	size  uint64 // the size of the row in bytes
	parser
}

// In an interior page, the index p.cells() means the last child, which has no key.
func (p *page) cell(i int) (c cell) {
	pointers := 8
	if !p.isLeaf() {
		pointers = 12
	}
	at := pointers + 2*i
	if i == p.cells() {
		return cell{child: big.Uint32(p.data[8:])}
	}
	if at+2 > usableSize {
		return cell{parser: parser{wrong: true}}
	}
	c.rest = p.data[min(big.Uint16(p.data[at:]), usableSize):usableSize]
	if !p.isLeaf() {
		c.child = uint32(c.integer(4))
	}
	isTable := p.data[0]|leaf == tableLeaf
	if !isTable || p.isLeaf() {
		c.size = c.varint()
	}
	if isTable {
		c.id = int64(c.varint())
	}
	return c
}

func (r *Reader) row(p *page, i int, longest uint64, types string) (values, error) {
	const least = (usableSize-12)*32/255 - 23
	most := uint64((usableSize-12)*64/255 - 23)
	if p.data[0] == tableLeaf {
		most = usableSize - 35
	}
	c := p.cell(i)
	if c.size > longest {
		return values{}, damaged("a row of its tables would have %d bytes, which is impossible", c.size)
	}
	here := c.size
	if here > most { // the rest of the row is in other pages
		if here = least + (here-least)%(usableSize-4); here > most {
			here = least
		}
	}
	data := c.take(here)
	if here < c.size && !c.wrong {
		data = append(make([]byte, 0, c.size), data...)
		p := pages.Get().(*page)
		defer pages.Put(p)
		for next := uint32(c.integer(4)); len(data) < cap(data); next = big.Uint32(p.data[:]) {
			if err := r.read(next, p); err != nil {
				return values{}, err
			}
			data = append(data, p.data[4:4+min(usableSize-4, cap(data)-len(data))]...)
		}
	}
	all, ok := decode(data, types)
	if c.wrong || !ok {
		return values{}, errWrong
	}
	return all, nil
}

// find begins with the first cell for which isBefore returns false. It limits the depth, because damaged links may form a
// circle.
func (r *Reader) find(number uint32, depth int, isBefore func(*page, int) bool, useCell func(*page, int) (more bool, err error)) (more bool, err error) {
	const maxDepth = 24
	p, err := r.page(number)
	if err != nil || depth == maxDepth || p.cells() > maxCells {
		return false, cmp.Or(err, errWrong)
	}
	if p.isLeaf() {
		defer r.release(p) // useCell has already copied all that it needs from the page
	}
	for i := sort.Search(p.cells(), func(i int) bool { return !isBefore(p, i) }); ; i++ {
		if !p.isLeaf() {
			if more, err := r.find(p.cell(i).child, depth+1, isBefore, useCell); !more || err != nil {
				return false, err
			}
		}
		if i == p.cells() {
			return true, nil
		}
		if more, err := useCell(p, i); !more || err != nil {
			return false, err
		}
	}
}

type values [10]struct {
	n      int64
	text   []byte
	isNull bool
}

// The letters of the parameter types mean: i an integer, n an integer or NULL, t a text or blob.
func decode(row []byte, types string) (all values, ok bool) {
	const float, one, text = 7, 9, 12
	rest := parser{rest: row}
	kinds := parser{rest: rest.take(rest.varint() - 1)}
	for i, want := range []byte(types) {
		v, kind := &all[i], kinds.varint()
		switch {
		case kind >= text:
			v.text = rest.take((kind - text) / 2)
		case kind == one:
			v.n = 1
		case kind < float:
			v.n = rest.integer([float]uint64{0, 1, 2, 3, 4, 6, 8}[kind])
		}
		v.isNull = kind == 0
		if kind == float || kind >= text != (want == 't') || v.isNull && want == 'i' {
			return all, false
		}
	}
	return all, !rest.wrong && !kinds.wrong
}

// If rest is too short, the methods return zero and set wrong.
type parser struct {
	rest  []byte
	wrong bool
}

func (p *parser) take(n uint64) (taken []byte) {
	if n > uint64(len(p.rest)) {
		p.wrong, p.rest = true, nil
		return nil
	}
	taken, p.rest = p.rest[:n], p.rest[n:]
	return taken
}

func (p *parser) integer(n uint64) (v int64) {
	for i, c := range p.take(n) {
		if i == 0 {
			v = int64(int8(c))
		} else {
			v = v<<8 | int64(c)
		}
	}
	return v
}

func (p *parser) varint() (v uint64) {
	for range 8 {
		c := p.take(1)
		if c == nil {
			return 0
		}
		v = v<<7 | uint64(c[0]&0x7f)
		if c[0] < 0x80 {
			return v
		}
	}
	p.wrong = true
	return 0
}
