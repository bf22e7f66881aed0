package parquetpages

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	maxDepth      = 16
	minStructSize = 3 // the size in bytes of a ColumnOrder, the smallest struct that Parquet has in lists
	maxStructs    = 1 << 20
)

// Lengths and depth are checked before decoding, because a few bytes could ask for much memory.
func decode(data []byte, into any) (int, error) {
	s := &skipper{Reader: new(thrift.CompactProtocol).NewReaderFromBytes(data), size: len(data)}
	if err := s.skip(thrift.STRUCT, 0); err != nil {
		return 0, err
	}
	n := s.BytesRead()
	return n, unreadable(thrift.Unmarshal(new(thrift.CompactProtocol), data[:n], into))
}

type skipper struct {
	thrift.Reader
	size    int
	structs int // the number of structs so far
}

func (s *skipper) skip(kind thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return Damaged("the footer or the header of a page has more than %d levels", maxDepth)
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = s.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = s.ReadInt64()
	case thrift.DOUBLE:
		_, err = s.ReadFloat64()
	case thrift.BINARY:
		_, err = s.ReadBytes()
	case thrift.LIST, thrift.SET:
		return s.skipList(depth)
	case thrift.STRUCT:
		return s.skipStruct(depth)
	case thrift.MAP:
		return Damaged("the footer or the header of a page has a map, which Parquet does not use")
	default:
		return Damaged("the footer or the header of a page has a value of the unknown type %d", kind)
	}
	return unreadable(err)
}

func (s *skipper) skipStruct(depth int) error {
	if s.structs++; s.structs > maxStructs {
		return Damaged("the footer or the header of a page has more than %d parts", maxStructs)
	}
	for {
		field, err := s.ReadField()
		if err != nil || field.Type == thrift.STOP {
			return unreadable(err)
		}
		if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
			continue // the type itself says whether the value is true or false
		}
		if err := s.skip(field.Type, depth+1); err != nil {
			return err
		}
	}
}

func (s *skipper) skipList(depth int) error {
	list, err := s.ReadList()
	if err != nil {
		return unreadable(err)
	}
	least := 1
	if list.Type == thrift.STRUCT {
		least = minStructSize
	}
	if int(list.Size) > (s.size-s.BytesRead())/least {
		return Damaged("a list in the footer or in the header of a page has %d elements, more than fit into it", list.Size)
	}
	for range list.Size {
		if err := s.skip(list.Type, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func unreadable(err error) error {
	switch err {
	case nil:
		return nil
	case io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return Damaged("the footer or the header of a page cannot be read: %w", err)
}
