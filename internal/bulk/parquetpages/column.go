package parquetpages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Column decompresses the pages of one column of a row group. parquet-go reads it as if it were a file without compression.
type Column struct {
	*parquet.Column

	f      *File
	unpack *Decompressor
	meta   *format.ColumnMetaData
	end    int64  // the offset in the file at which the column ends
	next   int64  // the offset of the page that will be read next
	page   int64  // the offset of the page that was read last
	read   int64  // the number of values in all pages so far, including nulls
	inPage int64  // the number of values in the page that was read last; 0 if that is not a data page
	out    []byte // the header and the decompressed data of the page that was read last
	served int64
	rest   []byte
	err    error
	pages  *parquet.FilePages
}

func (f *File) Column(group, column int, unpack *Decompressor) (*Column, error) {
	g := &f.Meta.RowGroups[group]
	cc := &g.Columns[column]
	c := &Column{Column: f.Columns[column], f: f, unpack: unpack, meta: &cc.MetaData}
	start := StartOf(c.meta)
	c.end = start + c.meta.TotalCompressedSize
	c.next, c.page = start, start
	size := c.meta.TotalCompressedSize
	switch {
	case cc.FilePath != "":
		return c, c.Failed(fmt.Errorf("the values of the column are in another file, %q: expected a Parquet file that has all its values", cc.FilePath))
	case start < int64(len(Magic)) || size < 0 || size > f.end-start:
		return c, c.Failed(Damaged("the footer says that the column is at offset %d and has %d bytes, which is impossible", start, size))
	case c.meta.NumValues < 0 || c.MaxRepetitionLevel() == 0 && c.meta.NumValues != g.NumRows:
		return c, c.Failed(Damaged("the footer says that the column has %d values in %d rows, which is impossible", c.meta.NumValues, g.NumRows))
	}
	c.pages = f.decode[column].PagesFrom(c)
	return c, nil
}

// Close releases the memory of the column.
func (c *Column) Close() {
	c.f.open.Add(-int64(cap(c.out)))
	c.out = nil
	if c.pages != nil {
		c.pages.Close()
	}
}

// Failed adds the name of the column and the offset of its page to an error.
func (c *Column) Failed(err error) error {
	return fmt.Errorf("column %s of the Parquet file, page at offset %d: %w", PathOf(c.Column), c.page, err)
}

// Next returns the next page, or io.EOF after the last one.
func (c *Column) Next() (page parquet.Page, err error) {
	defer func() {
		if err != nil && err != io.EOF {
			err = c.Failed(err)
		}
	}()
	defer Caught(&err)()
	page, err = c.pages.ReadPage()
	switch {
	case c.err != nil && c.err != io.EOF:
		return nil, c.err
	case err == io.EOF && c.err == io.EOF:
		if c.read != c.meta.NumValues {
			return nil, Damaged("the pages of the column have %d values, but the footer says %d", c.read, c.meta.NumValues)
		}
		return nil, io.EOF
	case err == io.EOF:
		return nil, errShort
	case err != nil:
		return nil, err
	}
	return page, checkPage(page, c.inPage)
}

// Each calls do for every page, and releases the page afterwards.
func (c *Column) Each(do func(parquet.Page) error) error {
	for {
		page, err := c.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = do(page)
		parquet.Release(page)
		if err != nil {
			return c.Failed(err)
		}
	}
}

// checkPage checks what users of a page rely on: the number of values, and the indexes into the dictionary.
func checkPage(page parquet.Page, values int64) error {
	if page.NumValues() != values {
		return Damaged("the page has %d values, but its header says %d", page.NumValues(), values)
	}
	dict := page.Dictionary()
	if dict == nil {
		return nil
	}
	data := page.Data()
	size := int32(dict.Len())
	for _, i := range data.Int32() {
		if uint32(i) >= uint32(size) {
			return Damaged("the page uses value %d of a dictionary that has %d values", i, size)
		}
	}
	return nil
}

// ReadAt must be called for the bytes in order, as parquet-go does.
func (c *Column) ReadAt(p []byte, offset int64) (int, error) {
	if offset != c.served+int64(len(Magic)) {
		return 0, errors.New("a fault in heed: it did not read the pages of a Parquet column in order; report this")
	}
	for len(c.rest) == 0 {
		if c.err == nil {
			c.err = c.load()
		}
		if c.err != nil {
			return 0, c.err
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	c.served += int64(n)
	return n, nil
}

func (c *Column) load() error {
	if c.next == c.end {
		return io.EOF
	}
	c.page = c.next
	h, n, err := c.header()
	if err != nil {
		return err
	}
	body := c.next + n
	if err := c.check(h, body); err != nil {
		return err
	}
	c.next = body + int64(h.CompressedPageSize)
	if h.Type == format.IndexPage {
		return nil
	}
	data := make([]byte, h.CompressedPageSize)
	if err := readAt(c.f.In, data, body); err != nil {
		return err
	}
	if sum := crc32.ChecksumIEEE(data); h.CRC != 0 && sum != uint32(h.CRC) {
		return Damaged("the checksum of the page is %08x, but its header says %08x", sum, uint32(h.CRC))
	}
	return c.decompress(h, data)
}

func (c *Column) header() (*format.PageHeader, int64, error) {
	const most = 16 << 20
	for window := int64(1 << 10); ; window *= 8 {
		data := make([]byte, min(window, c.end-c.next))
		if err := readAt(c.f.In, data, c.next); err != nil {
			return nil, 0, err
		}
		h := new(format.PageHeader)
		n, err := decode(data, h)
		if errors.Is(err, io.ErrUnexpectedEOF) && int64(len(data)) == window && window < most {
			continue
		}
		return h, int64(n), err
	}
}

func (c *Column) check(h *format.PageHeader, body int64) error {
	size, unpacked := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case size < 0 || size > c.end-body:
		return Damaged("the header of the page says that the page has %d bytes, but the rest of the column has %d", size, c.end-body)
	case unpacked < 0 || unpacked > maxPageSize:
		return fmt.Errorf("a page of the column has %d bytes after decompression, and heed reads at most %d: write the Parquet file again with smaller pages", unpacked, maxPageSize)
	}
	values, nulls := int64(0), int64(0)
	switch h.Type {
	case format.DataPage:
		if !h.DataPageHeader.Valid {
			return Damaged("a part of the header of the page is missing")
		}
		values = int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		v2 := &h.DataPageHeaderV2.V
		if !h.DataPageHeaderV2.Valid {
			return Damaged("a part of the header of the page is missing")
		}
		values, nulls = int64(v2.NumValues), int64(v2.NumNulls)
		rep, def := int64(v2.RepetitionLevelsByteLength), int64(v2.DefinitionLevelsByteLength)
		if rep < 0 || def < 0 || rep+def > min(size, unpacked) {
			return Damaged("the header of the page says that its levels have %d and %d bytes, which is impossible", rep, def)
		}
	case format.DictionaryPage:
		if n := h.DictionaryPageHeader; !n.Valid || n.V.NumValues < 0 || n.V.NumValues > maxValues || c.read > 0 {
			return Damaged("the dictionary is not at the start of the column, or has a wrong header")
		}
		c.inPage = 0
		return nil
	case format.IndexPage:
		return nil
	default:
		return Damaged("the header of the page has the unknown page type %d", h.Type)
	}
	if values < 0 || values > maxValues || values > c.meta.NumValues-c.read || nulls < 0 || nulls > values {
		return Damaged("the header of the page says that the page has %d values, but the rest of the column has %d", values, c.meta.NumValues-c.read)
	}
	c.read += values
	c.inPage = values
	return nil
}

func (c *Column) decompress(h *format.PageHeader, data []byte) error {
	levels := 0 // the number of bytes at the start that are never compressed
	codec := c.meta.Codec
	if h.Type == format.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		levels = int(v2.RepetitionLevelsByteLength + v2.DefinitionLevelsByteLength)
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
		v2.Statistics = format.Statistics{}
	}
	h.DataPageHeader.V.Statistics = format.Statistics{}
	body, err := c.place(h)
	if err != nil {
		return err
	}
	copy(body, data[:levels])
	if len(data) > levels || len(body) > levels {
		if err := c.unpack.decompressInto(body[levels:], data[levels:], codec); err != nil {
			return err
		}
	}
	values, err := checkEncoded(h, body, c.Column)
	if err == nil && isDelta32(h, c.Column) {
		err = c.decode32(h, body[:len(body)-len(values)], values)
	}
	if err == nil {
		c.rest = c.out
	}
	return err
}

func (c *Column) place(h *format.PageHeader) (body []byte, err error) {
	plain := *h
	plain.CompressedPageSize, plain.CRC = h.UncompressedPageSize, 0
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &plain)
	if err != nil {
		return nil, err
	}
	size := len(header) + int(h.UncompressedPageSize)
	if more := size - cap(c.out); more > 0 {
		if c.f.open.Add(int64(more)) > maxOpenPages {
			c.f.open.Add(-int64(more))
			return nil, fmt.Errorf("heed reads one page of each column at the same time, and in this Parquet file these pages have more than %d bytes together: write the Parquet file again with smaller pages", maxOpenPages)
		}
		c.out = make([]byte, size)
	}
	c.out = c.out[:size]
	return c.out[copy(c.out, header):], nil
}

// DuckDB writes large differences in DELTA_BINARY_PACKED. parquet-go would read them wrongly and without an error.
func (c *Column) decode32(h *format.PageHeader, levels, values []byte) error {
	page := bytes.Clone(levels)
	if _, err := readDelta(values, maxValues, 64, func(n int64) { page = binary.LittleEndian.AppendUint32(page, uint32(n)) }); err != nil {
		return err
	}
	h.UncompressedPageSize = int32(len(page))
	h.DataPageHeader.V.Encoding, h.DataPageHeaderV2.V.Encoding = format.Plain, format.Plain
	body, err := c.place(h)
	copy(body, page)
	return err
}
