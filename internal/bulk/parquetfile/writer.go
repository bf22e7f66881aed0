package parquetfile

import (
	"bytes"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/heed-robots/heed/internal/bulk"
)

// A writer encodes columns of a row group, as a small Parquet file in memory.
type writer struct {
	out     *bytes.Buffer
	file    *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
}

func newWriter(schema *parquet.Schema) (*writer, error) {
	config, err := parquet.NewWriterConfig(schema, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(1<<20), parquet.DataPageVersion(1), parquet.ColumnIndexSizeLimit(func([]string) int { return 64 }))
	if err != nil {
		return nil, err
	}
	w := &writer{out: new(bytes.Buffer)}
	w.file = parquet.NewGenericWriter[any](w.out, config)
	w.columns = w.file.ColumnWriters()
	return w, nil
}

// finish returns the columns. The writer cannot be used again: parquet-go would clear what it returned.
func (w *writer) finish() ([]part, error) {
	if err := w.file.Close(); err != nil {
		return nil, err
	}
	group := w.file.File().Metadata().RowGroups[0]
	in := bytes.NewReader(w.out.Bytes())
	parts := make([]part, len(w.columns))
	for i := range parts {
		parts[i] = newPart(&group.Columns[i].MetaData, in)
	}
	return parts, nil
}

// rules has the texts of rules that were used last.
type rules struct {
	last  ruleKey
	text  string
	texts map[ruleKey]string
}

type ruleKey struct {
	allow   bool
	pattern string
}

const maxRules = 1 << 14

// of returns the text of the rule that decided.
func (r *rules) of(v *bulk.Verdict) string {
	key := ruleKey{v.Rule.Allow, v.Rule.Pattern}
	if key == r.last && r.text != "" {
		return r.text
	}
	text, ok := r.texts[key]
	if !ok {
		text = v.RuleText()
		if r.texts == nil || len(r.texts) == maxRules {
			r.texts = map[ruleKey]string{}
		}
		r.texts[key] = text
	}
	r.last, r.text = key, text
	return text
}

// textValue returns a value of an optional column.
func textValue(text string, column int) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(text), len(text))).Level(0, 1, column)
}
