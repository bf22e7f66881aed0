package parquetpages

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquet-go trusts the numbers in a page, and would take memory for billions of values. So they are checked first.
func checkEncoded(h *format.PageHeader, body []byte, c *parquet.Column) ([]byte, error) {
	highest := [...]int{c.MaxRepetitionLevel(), c.MaxDefinitionLevel()}
	var levels [len(highest)][]byte
	var values int
	var encoding format.Encoding
	switch h.Type {
	case format.DataPage:
		v1 := &h.DataPageHeader.V
		values, encoding = int(v1.NumValues), v1.Encoding
		for i, most := range highest {
			var err error
			if levels[i], body, err = levelsV1(body, most); err != nil {
				return nil, err
			}
		}
	case format.DataPageV2:
		v2 := &h.DataPageHeaderV2.V
		values, encoding = int(v2.NumValues), v2.Encoding
		for i, n := range [...]int32{v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength} {
			levels[i], body = body[:n], body[n:]
		}
	default: // the page is a dictionary
		if e := h.DictionaryPageHeader.V.Encoding; e != format.Plain && e != oldDictionary {
			return nil, fmt.Errorf("heed cannot read a dictionary in the encoding %v: write the Parquet file again with a dictionary in PLAIN", e)
		}
		return body, checkPlain(body, int(h.DictionaryPageHeader.V.NumValues), c)
	}
	present := values // the number of values that are not null
	for i, most := range highest {
		full, width := 0, bits.Len(uint(most))
		err := eachRun(levels[i], width, values, func(run []byte, packed bool, count int) {
			full += countRun(run, packed, width, count, uint64(most))
		})
		if err != nil {
			return nil, err
		}
		if i == 1 && most > 0 { // the definition level of a value is the highest level; that of a null is lower
			present = full
		}
	}
	if nulls := int(h.DataPageHeaderV2.V.NumNulls); h.Type == format.DataPageV2 && nulls != values-present {
		return nil, Damaged("the page has %d nulls, but its header says %d", values-present, nulls)
	}
	return body, checkValues(body, present, encoding, c)
}

func levelsV1(body []byte, max int) (levels, rest []byte, err error) {
	if max == 0 {
		return nil, body, nil
	}
	if len(body) < 4 {
		return nil, nil, errShort
	}
	n := binary.LittleEndian.Uint32(body)
	if uint64(n) > uint64(len(body)-4) {
		return nil, nil, Damaged("the levels of the page have %d bytes, but the page has only %d", n, len(body))
	}
	return body[4 : 4+n], body[4+n:], nil
}

func checkValues(body []byte, n int, encoding format.Encoding, c *parquet.Column) error {
	switch encoding {
	case format.Plain:
		return checkPlain(body, n, c)
	case format.RLEDictionary, oldDictionary:
		if len(body) == 0 {
			return missing(n)
		}
		if body[0] > 32 {
			return Damaged("the page numbers the values of its dictionary with %d bits; at most 32 are possible", body[0])
		}
		return eachRun(body[1:], int(body[0]), n, skipRun)
	case format.RLE:
		if len(body) < 4 {
			return errShort
		}
		return eachRun(body[4:], 1, n, skipRun)
	case format.DeltaBinaryPacked:
		found := 0
		if _, err := readDelta(body, n, 64, func(int64) { found++ }); err != nil {
			return err
		}
		return missing(n - found)
	case format.DeltaLengthByteArray:
		found, total, rest, err := readLengths(body, n)
		if err == nil && total > int64(len(rest)) {
			err = errShort
		}
		return cmp.Or(err, missing(n-found))
	case format.DeltaByteArray:
		prefixes, shared, rest, err := readLengths(body, n)
		if err != nil {
			return err
		}
		suffixes, total, rest, err := readLengths(rest, n)
		if err == nil && (prefixes != suffixes || total > int64(len(rest)) || shared > maxPageSize) {
			err = Damaged("the lengths of the values do not agree with the size of the page")
		}
		return cmp.Or(err, missing(n-prefixes))
	case format.ByteStreamSplit:
		return nil // parquet-go itself checks the length of such data
	}
	return fmt.Errorf("heed cannot read the encoding %v: write the Parquet file again with another one, such as PLAIN", encoding)
}

var errShort = Damaged("the page ends too early")

func missing(n int) error {
	if n > 0 {
		return Damaged("the last %d values of the page are missing", n)
	}
	return nil
}

// parquet-go adds these lengths in 32 bits, so wrong lengths could make it write outside of its memory.
func readLengths(data []byte, most int) (count int, sum int64, rest []byte, err error) {
	wrong := false
	rest, err = readDelta(data, most, 32, func(n int64) {
		wrong = wrong || n < 0 || n > maxPageSize
		count, sum = count+1, sum+n
	})
	if err == nil && wrong {
		err = Damaged("the length of a value is less than 0 or more than %d bytes", maxPageSize)
	}
	return count, sum, rest, err
}

func checkPlain(body []byte, n int, c *parquet.Column) error {
	width := 0 // the size of a value in bits
	switch c.Type().Kind() {
	case parquet.Boolean:
		width = 1
	case parquet.Int32, parquet.Float:
		width = 32
	case parquet.Int64, parquet.Double:
		width = 64
	case parquet.Int96:
		width = 96
	case parquet.FixedLenByteArray:
		width = 8 * c.Type().Length()
	default:
		return checkByteArrays(body, n)
	}
	if len(body) != (n*width+7)/8 {
		return Damaged("the page has %d bytes, which is not the size of %d values", len(body), n)
	}
	return nil
}

func checkByteArrays(body []byte, n int) error {
	found := 0
	for ; len(body) > 0; found++ {
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			return errShort
		}
		body = body[4+binary.LittleEndian.Uint32(body):]
	}
	if found != n {
		return Damaged("the page has %d values, but its header says %d", found, n)
	}
	return nil
}

// A run is one repeated number, or several packed numbers. All runs together must have n numbers.
func eachRun(data []byte, width, n int, useRun func(run []byte, packed bool, count int)) error {
	total := uint64(0)
	for len(data) > 0 {
		head, rest, err := uvarint(data)
		if err != nil {
			return err
		}
		data = rest
		length, size := head>>1, uint64(width+7)/8
		packed := head&1 != 0
		if packed {
			length *= 8
			size = head >> 1 * uint64(width)
		}
		if head>>1 > maxValues || size > uint64(len(data)) {
			return Damaged("%d values need more than the %d bytes that are left in the page", length, len(data))
		}
		count := min(length, uint64(n)-min(total, uint64(n)))
		if total += length; total > uint64(n)+8*64 {
			return Damaged("the page has more than the %d values that its header says", n)
		}
		useRun(data[:size], packed, int(count))
		data = data[size:]
	}
	if width == 0 {
		return nil // if all numbers are 0, some writers leave out the runs
	}
	return missing(n - int(total))
}

func skipRun([]byte, bool, int) {}

// A run that is not packed has only one number, which is repeated.
func countRun(run []byte, packed bool, width, n int, number uint64) (found int) {
	if !packed {
		var one [8]byte
		copy(one[:], run)
		if binary.LittleEndian.Uint64(one[:]) == number {
			return n
		}
		return 0
	}
	for i := range n {
		if unpackBits(run, uint64(i*width), uint64(width)) == number {
			found++
		}
	}
	return found
}

func readDelta(data []byte, maxCount int, maxWidth uint64, useNumber func(int64)) (rest []byte, err error) {
	// head has four counts and values: numbers per block, parts per block, the count of all numbers, and the first number.
	var head [4]uint64
	for i := range head {
		if head[i], data, err = uvarint(data); err != nil {
			return nil, err
		}
	}
	block, parts, left := head[0], head[1], head[2]
	if left > uint64(maxCount) || block == 0 || block > 1<<16 || parts == 0 || parts > block || block%(32*parts) != 0 {
		return nil, Damaged("the delta encoding says %d numbers (the page has at most %d), in blocks of %d numbers and %d parts, which is impossible", left, maxCount, block, parts)
	}
	last := zigzag(head[3])
	if left > 0 {
		useNumber(last)
		left--
	}
	for left > 0 {
		var least uint64
		if least, data, err = uvarint(data); err != nil {
			return nil, err
		}
		if uint64(len(data)) < parts {
			return nil, errShort
		}
		widths := data[:parts]
		data = data[parts:]
		for _, width := range widths {
			if left == 0 {
				break
			}
			size := block / parts * uint64(width) / 8
			if uint64(width) > maxWidth || size > uint64(len(data)) {
				return nil, Damaged("the delta encoding has numbers of %d bits, which is too many for the page", width)
			}
			for i := uint64(0); i < block/parts && left > 0; i++ {
				last += zigzag(least) + int64(unpackBits(data, i*uint64(width), uint64(width)))
				useNumber(last)
				left--
			}
			data = data[size:]
		}
	}
	return data, nil
}

func uvarint(data []byte) (n uint64, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, nil, errShort
	}
	return n, data[size:], nil
}

func isDelta32(h *format.PageHeader, c *parquet.Column) bool {
	encoding := h.DataPageHeader.V.Encoding
	if h.Type == format.DataPageV2 {
		encoding = h.DataPageHeaderV2.V.Encoding
	}
	return h.Type != format.DictionaryPage && encoding == format.DeltaBinaryPacked && c.Type().Kind() == parquet.Int32
}

func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func unpackBits(data []byte, offset, width uint64) (v uint64) {
	for i := uint64(0); i < width; i += 8 - (offset+i)%8 {
		at := offset + i
		v |= uint64(data[at/8]>>(at%8)) << i
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// Many programs still write this old name of the encoding with dictionaries.
//
//lint:ignore SA1019 it is read, never written
const oldDictionary = format.PlainDictionary
