package parquetpages

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	maxDepth      = 16 // of structs and lists in each other
	minStructSize = 3  // octets of the smallest struct in a list of Parquet: a ColumnOrder
)

// decode decodes the struct at the start of data, and returns its length. Before that it checks what the decoder
// believes without a check: the lengths of lists, which must fit into the data, and how deep they are in each other.
func decode(data []byte, into any) (int, error) {
	r := new(thrift.CompactProtocol).NewReaderFromBytes(data)
	if err := skip(r, len(data), thrift.STRUCT, 0); err != nil {
		return 0, err
	}
	n := r.BytesRead()
	return n, thrift.Unmarshal(new(thrift.CompactProtocol), data[:n], into)
}

// skip reads a value of a type; size is that of all data.
func skip(r thrift.Reader, size int, kind thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return fmt.Errorf("more than %d structs in each other", maxDepth)
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.LIST, thrift.SET:
		return skipList(r, size, depth)
	case thrift.STRUCT:
		return skipStruct(r, size, depth)
	case thrift.MAP:
		err = errors.New("a map, which Parquet does not have")
	default:
		err = fmt.Errorf("type %d, which does not exist", kind)
	}
	return unexpected(err)
}

func skipStruct(r thrift.Reader, size, depth int) error {
	for {
		field, err := r.ReadField()
		if err != nil || field.Type == thrift.STOP {
			return unexpected(err)
		}
		if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
			continue // the value is in the type
		}
		if err := skip(r, size, field.Type, depth+1); err != nil {
			return err
		}
	}
}

func skipList(r thrift.Reader, size, depth int) error {
	list, err := r.ReadList()
	if err != nil {
		return unexpected(err)
	}
	least := 1
	if list.Type == thrift.STRUCT {
		least = minStructSize
	}
	if int(list.Size) > (size-r.BytesRead())/least {
		return fmt.Errorf("a list of %d elements, for which it is too short", list.Size)
	}
	for range list.Size {
		if err := skip(r, size, list.Type, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// unexpected returns io.ErrUnexpectedEOF in place of io.EOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
