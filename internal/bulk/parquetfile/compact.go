package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of values in the compact protocol of Thrift.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

var errShort = errors.New("it ends too early")

const (
	maxDepth      = 16 // of structs and lists in each other
	minStructSize = 3  // octets of the smallest struct in a list of Parquet: a ColumnOrder
)

// structLen returns the length of the struct at the start of data. It checks what a decoder believes
// without a check: the lengths of lists, which must fit into the data.
func structLen(data []byte) (int, error) {
	c := compact{rest: data}
	if err := c.skipStruct(0); err != nil {
		return 0, err
	}
	return len(data) - len(c.rest), nil
}

type compact struct{ rest []byte }

func (c *compact) skipStruct(depth int) error {
	for {
		head, err := c.octet()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := c.uvarint(); err != nil {
				return err
			}
		}
		kind := head & 15
		if kind == thriftTrue || kind == thriftFalse {
			continue // the value is in the type
		}
		if err := c.skip(kind, depth+1); err != nil {
			return err
		}
	}
}

func (c *compact) skip(kind byte, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("more than %d structs in each other", maxDepth)
	}
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		return c.advance(1)
	case kind > thriftByte && kind <= thriftInt64:
		_, err := c.uvarint()
		return err
	case kind == thriftDouble:
		return c.advance(8)
	case kind == thriftBinary:
		n, err := c.uvarint()
		if err != nil {
			return err
		}
		return c.advance(n)
	case kind == thriftList || kind == thriftSet:
		return c.skipList(depth)
	case kind == thriftStruct:
		return c.skipStruct(depth)
	case kind == thriftMap:
		return errors.New("a map, which Parquet does not have")
	}
	return fmt.Errorf("type %d, which does not exist", kind)
}

func (c *compact) skipList(depth int) error {
	head, err := c.octet()
	if err != nil {
		return err
	}
	n, kind := uint64(head>>4), head&15
	if n == 15 {
		if n, err = c.uvarint(); err != nil {
			return err
		}
	}
	size := uint64(1)
	if kind == thriftStruct {
		size = minStructSize
	}
	if n > uint64(len(c.rest))/size {
		return fmt.Errorf("a list of %d elements, for which it is too short", n)
	}
	for range n {
		if err := c.skip(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *compact) octet() (byte, error) {
	if len(c.rest) == 0 {
		return 0, errShort
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b, nil
}

func (c *compact) uvarint() (uint64, error) {
	v, n := binary.Uvarint(c.rest)
	if n == 0 {
		return 0, errShort
	}
	if n < 0 {
		return 0, errors.New("a number of more than 64 bits")
	}
	c.rest = c.rest[n:]
	return v, nil
}

func (c *compact) advance(n uint64) error {
	if n > uint64(len(c.rest)) {
		return errShort
	}
	c.rest = c.rest[n:]
	return nil
}
