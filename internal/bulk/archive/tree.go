package archive

import (
	"errors"
	"fmt"
	"sort"
)

// A table is a tree of pages, as https://www.sqlite.org/fileformat2.html describes it. That of captures
// has whole rows as keys, in the order of url and place ("index b-tree"); those of bodies and info have
// an id as key.

// Kinds of pages. Without the bit leaf it is an interior page, which has children.
const (
	leaf      = 8
	indexLeaf = 2 | leaf
	tableLeaf = 5 | leaf
)

// Numbers of the first pages of tables in empty.heed.
const (
	bodiesRoot = 2 + iota
	capturesRoot
	infoRoot
)

// maxPages limits an archive to 128 GiB. So a page with the rest of a long row, which begins with the
// number of the next one, never looks as one of a tree.
const maxPages = 2<<24 - 1

// maxDepth limits how many pages are between the root and a leaf: they may be a circle.
const maxDepth = 24

var errPage = errors.New("a page is wrong")

func (p *page) isLeaf() bool { return p.data[0]&leaf != 0 }

// cells returns how many cells a page of a tree has. A cell has a row, or the key of one.
func (p *page) cells() int { return int(big.Uint16(p.data[3:])) }

// cell returns the octets from the beginning of a cell on, and whether it exists.
func (p *page) cell(i int) parser {
	pointer := 8 + 2*i
	if !p.isLeaf() {
		pointer += 4
	}
	if pointer+2 > usableSize {
		return parser{wrong: true}
	}
	return parser{rest: p.data[min(big.Uint16(p.data[pointer:]), usableSize):usableSize]}
}

// child returns the number of the page with the keys before a cell, or, for the number of cells, after all.
func (p *page) child(i int) uint32 {
	if i == p.cells() {
		return big.Uint32(p.data[8:])
	}
	c := p.cell(i)
	return uint32(c.integer(4))
}

// page returns a page of a tree with a kind of leaves. Interior ones are kept.
func (r *Reader) page(number uint32, kind byte) (*page, error) {
	slot := &r.interior[number%uint32(len(r.interior))]
	p := slot.Load()
	if p == nil || p.number != number {
		p = new(page)
		if err := r.read(number, p); err != nil {
			return nil, err
		}
	}
	if p.data[0]|leaf != kind {
		return nil, errPage
	}
	if !p.isLeaf() {
		slot.Store(p)
	}
	return p, nil
}

// row returns the columns of a cell, which may have a length, and its id if it has one.
func (r *Reader) row(p *page, i, longest int) (columns record, id int64, err error) {
	c := p.cell(i)
	if !p.isLeaf() {
		c.take(4)
	}
	size, most := c.varint(), (usableSize-12)*64/255-23
	if p.data[0] == tableLeaf {
		id, most = int64(c.varint()), usableSize-35
	}
	if size > uint64(longest) {
		return record{}, 0, fmt.Errorf("a row says that it has %d octets", size)
	}
	here := int(size)
	if here > most { // the rest is in other pages
		const least = (usableSize-12)*32/255 - 23
		if here = least + (here-least)%(usableSize-4); here > most {
			here = least
		}
	}
	payload := c.take(uint64(here))
	if here < int(size) {
		payload = append(make([]byte, 0, size), payload...)
		var p page
		for next := uint32(c.integer(4)); len(payload) < int(size); next = big.Uint32(p.data[:]) {
			if err := r.read(next, &p); err != nil {
				return record{}, 0, err
			}
			payload = append(payload, p.data[4:4+min(usableSize-4, int(size)-len(payload))]...)
		}
	}
	if c.wrong {
		return record{}, 0, errPage
	}
	columns.values.rest = payload
	columns.types.rest = columns.values.take(columns.values.varint() - 1)
	return columns, id, nil
}

// body returns the columns of a body.
func (r *Reader) body(id int64) (record, error) {
	number := uint32(bodiesRoot)
	for range maxDepth {
		p, err := r.page(number, tableLeaf)
		if err != nil {
			return record{}, err
		}
		i := sort.Search(p.cells(), func(i int) bool {
			c := p.cell(i)
			if p.isLeaf() {
				c.varint() // the size
			} else {
				c.take(4) // the child
			}
			return int64(c.varint()) >= id
		})
		if !p.isLeaf() {
			number = p.child(i)
			continue
		}
		if i < p.cells() {
			columns, found, err := r.row(p, i, maxBodyRow)
			if err != nil || found == id {
				return columns, err
			}
		}
		break
	}
	return record{}, fmt.Errorf("there is no body %d", id)
}

// find calls do with the captures of a URL below a page. More may follow in the pages after it.
func (r *Reader) find(number uint32, depth int, url string, do func(*row) error) (more bool, err error) {
	if depth == maxDepth {
		return false, errPage
	}
	p, err := r.page(number, indexLeaf)
	if err != nil {
		return false, err
	}
	var wrong error
	i := sort.Search(p.cells(), func(i int) bool {
		columns, _, err := r.row(p, i, maxCaptureRow)
		if err != nil {
			wrong = err
		}
		return string(columns.text()) >= url
	})
	for ; wrong == nil; i++ {
		if !p.isLeaf() {
			if more, err := r.find(p.child(i), depth+1, url, do); !more || err != nil {
				return false, err
			}
		}
		if i == p.cells() {
			return true, nil
		}
		c, err := r.capture(p, i)
		if err != nil || c.url != url {
			return false, err
		}
		wrong = do(c)
	}
	return false, wrong
}

// A record has the values of a row.
type record struct{ types, values parser }

// column returns the next value. The kind tells its type; from 12 on it is a text if it is odd.
func (r *record) column() (kind uint64, value parser) {
	kind = r.types.varint()
	size := [12]uint64{0, 1, 2, 3, 4, 6, 8, 8}[min(kind, 11)]
	if kind >= 12 {
		size = (kind - 12) / 2
	}
	return kind, parser{rest: r.values.take(size)}
}

// text returns the next value, which is a text or a blob.
func (r *record) text() []byte {
	kind, value := r.column()
	if kind < 12 {
		r.values.wrong = true
	}
	return value.rest
}

// number returns the next value, which is an integer or NULL.
func (r *record) number() (n int64, isNull bool) {
	const zero, one = 8, 9
	kind, value := r.column()
	switch {
	case kind == one:
		return 1, false
	case kind > zero || kind == 7:
		r.values.wrong = true
	}
	return value.integer(len(value.rest)), kind == 0
}

// err returns an error if what was read is not there, or has another type.
func (r *record) err() error {
	if r.types.wrong || r.values.wrong {
		return errors.New("a row is wrong")
	}
	return nil
}

// A parser reads from the front. What is not there is zero, and sets wrong.
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

// integer reads a number of n octets, which has a sign.
func (p *parser) integer(n int) (v int64) {
	for i, c := range p.take(uint64(n)) {
		if i == 0 {
			v = int64(int8(c))
		} else {
			v = v<<8 | int64(c)
		}
	}
	return v
}

// varint reads a number of seven bits in each octet, the highest first; all eight of the ninth count.
func (p *parser) varint() (v uint64) {
	for i := range 9 {
		c := p.take(1)
		switch {
		case c == nil:
			return 0
		case i == 8:
			return v<<8 | uint64(c[0])
		case c[0] < 0x80:
			return v<<7 | uint64(c[0])
		}
		v = v<<7 | uint64(c[0]&0x7f)
	}
	return v
}
