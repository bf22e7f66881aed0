package archive

import (
	"encoding/binary"
	"io"
)

// treeWriter writes the blocks of an archive. The entries come in order. A block is written when it is
// full, after all blocks below it.
type treeWriter struct {
	w      io.Writer
	offset int64
	levels []*block // the open block of each level
}

// block is a block that is being filled.
type block struct {
	data []byte // begins with the level
	last string
	n    int // of entries or children
}

// add adds an entry; tail is what appendEntry returns.
func (t *treeWriter) add(key string, tail []byte) error {
	b := t.open(0)
	b.data = append(appendKey(b.data, b.last, key), tail...)
	return t.added(0, key)
}

// open returns the open block of a level.
func (t *treeWriter) open(level int) *block {
	if level == len(t.levels) {
		t.levels = append(t.levels, &block{data: []byte{byte(level)}})
	}
	return t.levels[level]
}

// added writes the block of a level to which a URL was added, if it is full.
func (t *treeWriter) added(level int, key string) error {
	b := t.levels[level]
	b.last = key
	b.n++
	if len(b.data) < blockSize || level > 0 && b.n < 2 { // with one child in each, levels would not end
		return nil
	}
	c, err := t.write(level)
	if err != nil {
		return err
	}
	return t.addChild(level+1, c)
}

func (t *treeWriter) addChild(level int, c child) error {
	b := t.open(level)
	b.data = appendKey(b.data, b.last, c.last)
	b.data = binary.AppendUvarint(b.data, uint64(c.offset))
	b.data = binary.AppendUvarint(b.data, uint64(c.length))
	return t.added(level, c.last)
}

// write writes the open block of a level, and empties it.
func (t *treeWriter) write(level int) (child, error) {
	b := t.levels[level]
	data := little.AppendUint32(b.data, checksum(t.offset, b.data))
	c := child{last: b.last, offset: t.offset, length: int64(len(data)), level: byte(level)}
	_, err := t.w.Write(data)
	t.offset += c.length
	b.data, b.last, b.n = data[:1], "", 0
	return c, err
}

// finish writes the blocks that are open, and returns the root, which is the last block of the file.
func (t *treeWriter) finish() (root child, err error) {
	root.offset = t.offset
	for level := 0; level < len(t.levels); level++ { // addChild may add a level
		top := level == len(t.levels)-1
		if t.levels[level].n == 0 {
			continue
		}
		if root, err = t.write(level); err != nil {
			return root, err
		}
		if !top {
			if err := t.addChild(level+1, root); err != nil {
				return root, err
			}
		}
	}
	return root, nil
}
