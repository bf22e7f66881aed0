package parquetfile

import (
	"io"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

type cutter struct {
	keep   []bool // for each row, whether its values are copied
	row    int64
	values []parquet.Value
	batch  [batchSize]parquet.Value
}

// The last values stay in c.values, because the next page may continue their row.
func (c *cutter) page(page parquet.Page, to *parquet.ColumnWriter) error {
	values := page.Values()
	left := page.NumValues()
	for left > 0 {
		n, err := values.ReadValues(c.batch[:min(left, batchSize)])
		if n == 0 && err == nil || n == 0 && err == io.EOF {
			return parquetpages.Damaged("the last %d values of the page are missing", left)
		}
		if err != nil && err != io.EOF {
			return err
		}
		left -= int64(n)
		if err := c.add(c.batch[:n], to); err != nil {
			return err
		}
	}
	for i := range c.values {
		c.values[i] = c.values[i].Clone()
	}
	return nil
}

func (c *cutter) add(values []parquet.Value, to *parquet.ColumnWriter) error {
	for i := range values {
		if values[i].RepetitionLevel() == 0 {
			if c.row == int64(len(c.keep)) {
				return parquetpages.Damaged("the column has more rows than the %d rows that the footer of the file says", c.row)
			}
			if len(c.values) >= batchSize {
				if err := c.flush(to); err != nil {
					return err
				}
			}
			c.row++
		} else if c.row == 0 {
			return parquetpages.Damaged("the first value of the column does not begin a row")
		}
		if c.keep[c.row-1] {
			c.values = append(c.values, values[i])
		}
	}
	return nil
}

func (c *cutter) flush(to *parquet.ColumnWriter) error {
	if len(c.values) == 0 {
		return nil
	}
	_, err := to.WriteRowValues(c.values)
	c.values = c.values[:0]
	return err
}

// The texts share the memory of their page, so they are valid until the page is released.
type texts struct {
	all  []string
	null []bool
}

// In Parquet, a null has a definition level below maxLevel.
func (t *texts) read(page parquet.Page, maxLevel int) error {
	data := page.Data()
	var text func(i int) (string, bool)
	if dict := page.Dictionary(); dict != nil {
		d := dict.Page().Data()
		text = byIndex(data.Int32(), d.ByteArray)
	} else {
		text = byOffset(data.ByteArray())
	}
	t.all, t.null = t.all[:0], t.null[:0]
	levels := page.DefinitionLevels()
	used := 0
	for i := range int(page.NumValues()) {
		null := maxLevel > 0 && int(levels[i]) != maxLevel
		s := ""
		if !null {
			ok := false
			if s, ok = text(used); !ok {
				return parquetpages.Damaged("the page ends before its value %d", i)
			}
			used++
		}
		t.all, t.null = append(t.all, s), append(t.null, null)
	}
	return nil
}

func byOffset(data []byte, offsets []uint32) func(int) (string, bool) {
	return func(i int) (string, bool) {
		if i+1 >= len(offsets) {
			return "", false
		}
		b := data[offsets[i]:offsets[i+1]]
		return unsafe.String(unsafe.SliceData(b), len(b)), true
	}
}

func byIndex(indexes []int32, dict func() ([]byte, []uint32)) func(int) (string, bool) {
	text := byOffset(dict())
	return func(i int) (string, bool) {
		if i >= len(indexes) {
			return "", false
		}
		return text(int(indexes[i]))
	}
}
