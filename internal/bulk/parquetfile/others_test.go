package parquetfile

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// manyRow is a row of the files that testdata/arrow.go.txt and testdata/duckdb.mjs write: times, numbers and hashes
// from one end of their type to the other, texts, and nulls.
type manyRow struct {
	URL     *string   `parquet:"url,optional"`
	Status  *int32    `parquet:"status,optional"`
	Body    *string   `parquet:"body,optional"`
	Fetched *int64    `parquet:"fetched,optional,timestamp(microsecond)"`
	ID      *int64    `parquet:"id,optional"`
	Hash    *int64    `parquet:"hash,optional"`
	Small   *int32    `parquet:"small,optional"`
	One     *string   `parquet:"one,optional"`
	None    *int64    `parquet:"none,optional"`
	Third   *bool     `parquet:"third,optional"`
	Quarter *float64  `parquet:"quarter,optional"`
	Key     *[16]byte `parquet:"key,optional"`
	Tags    []string  `parquet:"tags,list"`
}

// manyRowOf returns row i.
func manyRowOf(i int) manyRow {
	r := manyRow{
		URL:     new(fmt.Sprintf("https://www%d.example.com/%s/%d", i%3, []string{"page", "cart"}[i%2], i)),
		Status:  new([]int32{200, 404}[i%4/3]),
		Body:    new(fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i*i%17)),
		Fetched: new(1_700_000_000_000_000 + int64(i)*1_000_003),
		ID:      new(int64(i) * 1_000_000_000_000_037),
		Hash:    new(int64(uint64(i) * 0x9e3779b97f4a7c15)),
		Small:   new(int32(uint32(i) * 0x9e3779b9)),
		One:     new("one"),
		Third:   new(i%3 == 0),
		Quarter: new(float64(i) / 4),
		Key:     new([16]byte(fmt.Appendf(nil, "%016d", i))),
		Tags:    []string{"a", "b", "c"}[:i%4],
	}
	switch i % 10 {
	case 3:
		r.Fetched, r.ID = new(int64(9_200_000_000_000_000_000)-int64(i)), new(int64(math.MaxInt64))
	case 4:
		r.Fetched, r.ID = new(int64(-9_000_000_000_000_000)-int64(i)), new(int64(math.MinInt64))
	case 5:
		r.URL, r.Body, r.ID, r.Key = nil, nil, nil, nil
	case 6:
		r.Fetched, r.Hash, r.Small, r.Third, r.Quarter = nil, nil, nil, nil, nil
	}
	return r
}

func (r *manyRow) String() string {
	return strings.Join([]string{text(r.URL), text(r.Status), text(r.Body), text(r.Fetched), text(r.ID), text(r.Hash), text(r.Small), text(r.One),
		text(r.None), text(r.Third), text(r.Quarter), text(r.Key), strings.Join(r.Tags, "+")}, " ")
}

// manyFiles returns files of DuckDB, arrow-go and parquet-go, in formats 1 and 2 and every compression, with rows
// from 0 on.
func manyFiles(t *testing.T) map[string][]byte {
	names, err := filepath.Glob("testdata/*-v[12]*.parquet")
	if err != nil || len(names) != 14 {
		t.Fatal(names, err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		files[filepath.Base(name)] = read(t, filepath.Base(name))
	}
	var rows []manyRow
	for i := range 300 {
		rows = append(rows, manyRowOf(i))
	}
	for _, codec := range codecs {
		for _, version := range []int{1, 2} {
			var b bytes.Buffer
			if err := parquet.Write(&b, rows, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(150), parquet.PageBufferSize(600),
				parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked), parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
				parquet.DefaultEncodingFor(parquet.ByteArray, []encoding.Encoding{&parquet.DeltaLengthByteArray, &parquet.DeltaByteArray}[version-1])); err != nil {
				t.Fatal(err)
			}
			files[fmt.Sprint("parquet-go ", codec, version)] = b.Bytes()
		}
	}
	return files
}

// Files of other programs: the output has all pages as they were, or every value of every column of the rows that
// are kept.
func TestManyWriters(t *testing.T) {
	portion.Skip(t, 4)
	for name, in := range manyFiles(t) {
		for _, keep := range []bulk.Keep{bulk.All, bulk.OnlyAllowed, bulk.OnlyDisallowed} {
			o := options(keep, "examplebot")
			o.Rejected = func(r bulk.Rejection) {
				if r.Err != errNoURL {
					t.Error(name, r.Place, r.Err)
				}
			}
			out, counts := filterTo(t, in, o)
			if keep == bulk.All {
				samePages(t, name, in, out)
				continue
			}
			got, err := parquet.Read[manyRow](bytes.NewReader(out), int64(len(out)))
			if err != nil {
				t.Error(name, keep, err)
			}
			var want []manyRow
			for i := range int(counts.URLs + counts.Rejected) {
				if r := manyRowOf(i); r.URL != nil && strings.Contains(*r.URL, "/cart/") == (keep == bulk.OnlyDisallowed) {
					want = append(want, r)
				}
			}
			if len(want) < 24 || len(got) != len(want) {
				t.Errorf("%s, %v: %d rows, want %d; %+v", name, keep, len(got), len(want), counts)
			}
			for i := range min(len(got), len(want)) {
				if got[i].String() != want[i].String() {
					t.Errorf("%s, %v\ngot  %s\nwant %s", name, keep, &got[i], &want[i])
					break
				}
			}
		}
	}
}

// samePages checks that the first columns of a file have the pages of another.
func samePages(t *testing.T, name string, in, out []byte) {
	t.Helper()
	a, errA := parquetpages.Open(bytes.NewReader(in), int64(len(in)))
	b, errB := parquetpages.Open(bytes.NewReader(out), int64(len(out)))
	if errA != nil || errB != nil || len(a.Meta.RowGroups) != len(b.Meta.RowGroups) {
		t.Fatal(name, errA, errB, len(a.Meta.RowGroups))
	}
	for g := range a.Meta.RowGroups {
		for c := range a.Columns {
			from, to := &a.Meta.RowGroups[g].Columns[c].MetaData, &b.Meta.RowGroups[g].Columns[c].MetaData
			if size := from.TotalCompressedSize; !bytes.Equal(in[parquetpages.StartOf(from):parquetpages.StartOf(from)+size], out[parquetpages.StartOf(to):parquetpages.StartOf(to)+size]) {
				t.Errorf("%s: row group %d, column %s: other pages", name, g, parquetpages.PathOf(a.Columns[c]))
			}
		}
	}
}

// The same files as sources of robots.txt files.
func TestManyWritersRobots(t *testing.T) {
	for name, in := range manyFiles(t) {
		rows, rejected := []int64{}, 0
		err := Robots(bytes.NewReader(in), int64(len(in)), name, &saved.Columns{}, 0, func(n int64, got *saved.Record) error {
			rows = append(rows, n)
			want := manyRowOf(int(n - 1))
			var at time.Time
			if want.Fetched != nil {
				at = time.UnixMicro(*want.Fetched)
			}
			if (got.URL != "") != (want.URL != nil) || want.URL != nil && got.URL != *want.URL || got.Status != int(*want.Status) || (got.Body == nil) != (want.Body == nil) || want.Body != nil && string(got.Body) != *want.Body || !got.Fetched.Equal(at) {
				t.Errorf("%s: %+v, want %s", name, got, &want)
			}
			return nil
		}, func(_ int64, r bulk.Rejection) {
			if rejected++; !strings.HasSuffix(r.Place, "4") && !strings.HasSuffix(r.Place, "5") || !strings.HasPrefix(r.Err.Error(), "expected a time between 1994 and now") {
				t.Error(name, r.Place, r.Err)
			}
		})
		if err != nil || len(rows)+rejected < 54 || rejected < 10 || !slices.Contains(rows, 60) {
			t.Error(name, err, rows, rejected)
		}
	}
}

// Arrow's own schema is not copied: it does not have the columns of the verdicts, and arrow-rs refuses a file with
// another number of columns.
func TestArrowSchema(t *testing.T) {
	in := read(t, "arrow-v2.parquet")
	out, _ := filterTo(t, in, options(bulk.All, "examplebot"))
	for name, file := range map[string][]byte{"input": in, "output": out} {
		f, err := parquetpages.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(f.Meta.KeyValueMetadata, func(kv format.KeyValue) bool { return kv.Key == arrowSchema })
		if has != (name == "input") {
			t.Errorf("%s: %v", name, f.Meta.KeyValueMetadata)
		}
	}
}

// A damaged page in LZ4 is an error: no memory is taken beyond its size.
func TestDamagedLZ4(t *testing.T) {
	data := bytes.Clone(read(t, "arrow-v2.parquet"))
	data[4074] ^= 1 << 2
	damaged(t, data, 200, bulk.All)
}
