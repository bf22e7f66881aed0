package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

// A row group with a torn page is rejected with its place; the rows of all others are right.
func TestTornGroup(t *testing.T) {
	all := rows(1000)
	in := write(t, all, 300, &parquet.Gzip)
	f, err := parquetpages.Open(bytes.NewReader(in), int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range []int{0, 3} {
		torn := bytes.Clone(in)
		offset := parquetpages.StartOf(&f.Meta.RowGroups[1].Columns[column].MetaData)
		clear(torn[offset : offset+8])
		var rejected []string
		o := options(bulk.All, "examplebot")
		o.Rejected = func(r bulk.Rejection) {
			if r.Err != errNoURL {
				rejected = append(rejected, r.Place+": "+r.Err.Error())
			}
		}
		var written bytes.Buffer
		counts, err := Filter(context.Background(), bytes.NewReader(torn), int64(len(torn)), "in.parquet", &written, o)
		damage, out := (*DamagedError)(nil), written.Bytes()
		if !errors.As(err, &damage) || damage.First != 1 || damage.Rows != 300 {
			t.Errorf("the error is %v", err)
		}
		where := fmt.Sprintf("300 rows of row group 1, from row 301: column %s of the Parquet file, page at offset %d: ", parquetpages.PathOf(f.Columns[column]), offset)
		if len(rejected) != 1 || !strings.HasPrefix(rejected[0], where) {
			t.Errorf("%q, want %s…", rejected, where)
		}
		if counts.URLs+counts.Rejected != 1000 {
			t.Errorf("%+v", counts)
		}
		got, err := parquet.Read[checkedRow](bytes.NewReader(out), int64(len(out)))
		if err != nil || len(got) != 700 {
			t.Fatalf("%d rows, %v", len(got), err)
		}
		for i := range got {
			n := i
			if i >= 300 {
				n += 300
			}
			if text, _ := want(all[n], bulk.All); got[i].String() != text {
				t.Fatalf("got  %s\nwant %s", &got[i], text)
			}
		}
	}
}

// An input that cannot be used is an error that says why.
func TestUnusable(t *testing.T) {
	good := write(t, rows(10), 300, &parquet.Zstd)
	checked, _ := filterTo(t, good, options(bulk.All, "examplebot"))
	for name, test := range map[string]struct {
		in     []byte
		column string
		want   string
	}{
		"no footer":  {good[:len(good)-9], "", "the Parquet file is damaged, so get or write it again: it ends with "},
		"no Parquet": {[]byte("url\nhttps://example.com/\n"), "", "expected a Parquet file, which begins with "},
		"no column":  {good, "link", `the Parquet file has no column "link"; name the column with the URLs (--column), one of url, host, tags.list.element, n`},
		"a list":     {good, "tags.list.element", "rows with several values"},
		"a number":   {good, "n", "name a column with URLs as texts (--column)"},
		"twice":      {checked, "", `the file already has a column "verdict"`},
	} {
		o := options(bulk.All, "examplebot")
		o.Column = test.column
		_, err := Filter(context.Background(), bytes.NewReader(test.in), int64(len(test.in)), "in.parquet", io.Discard, o)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "in.parquet: ") {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
