package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/testing/portion"
)

type otherRow struct {
	URL     *string   `parquet:"url,optional"`
	Host    *string   `parquet:"host,optional"`
	N       int32     `parquet:"n"`
	When    *int64    `parquet:"when,optional"`
	Half    *float64  `parquet:"half,optional"`
	Tags    []*string `parquet:"tags,list"`
	Verdict *string   `parquet:"verdict,optional"`
	Line    *int32    `parquet:"line,optional"`
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Files of another implementation keep their values, their metadata and the numbers of their fields.
func TestOtherWriter(t *testing.T) {
	for _, name := range []string{"hyparquet-uncompressed.parquet", "hyparquet-snappy.parquet", "hyparquet-gzip.parquet"} {
		for _, keep := range []bulk.Keep{bulk.All, bulk.OnlyAllowed} {
			o := options(keep, "examplebot")
			o.Rejected = func(r bulk.Rejection) {
				if r.Err != errNoURL {
					t.Error(name, r.Place, r.Err)
				}
			}
			out, counts := filterTo(t, read(t, name), o)
			if counts.URLs != 51 || counts.Rejected != 9 || counts.Columns[0][bulk.Disallowed] != 10 {
				t.Errorf("%s: %+v", name, counts)
			}
			got, err := parquet.Read[otherRow](bytes.NewReader(out), int64(len(out)))
			if err != nil {
				t.Fatal(name, err)
			}
			if want := map[bulk.Keep]int{bulk.All: 60, bulk.OnlyAllowed: 41}[keep]; len(got) != want {
				t.Errorf("%s: %d rows, want %d", name, len(got), want)
			}
			for _, r := range got {
				if *r.When != 1700000000000+int64(r.N) || *r.Half != float64(r.N)/2 || len(r.Tags) != int(r.N%4) || (r.URL == nil) != (r.N%7 == 0) || r.Verdict == nil || (r.URL == nil) != (*r.Verdict == "unknown") {
					t.Errorf("%s: %+v", name, r)
				}
			}
			f, err := parquetpages.Open(bytes.NewReader(out), int64(len(out)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Columns {
				for _, g := range f.Meta.RowGroups {
					if path := strings.Join(g.Columns[i].MetaData.PathInSchema, "."); path != parquetpages.PathOf(f.Columns[i]) {
						t.Errorf("%s: column %s has the path %q", name, parquetpages.PathOf(f.Columns[i]), path)
					}
				}
			}
			if f.Meta.Schema[1].FieldID != 7 || len(f.Meta.KeyValueMetadata) == 0 || f.Meta.KeyValueMetadata[0].Value != "make.mjs" {
				t.Errorf("%s: %+v %+v", name, f.Meta.Schema[1], f.Meta.KeyValueMetadata)
			}
		}
	}
}

// damaged filters a damaged file, and checks that no row is lost without a word.
func damaged(t *testing.T, data []byte, rows int64, keep bulk.Keep) {
	t.Helper()
	o := options(keep, "examplebot")
	o.Workers = 1
	var out bytes.Buffer
	counts, err := Filter(context.Background(), bytes.NewReader(data), int64(len(data)), "in", &out, o)
	if err != nil && !errors.As(err, new(*DamagedError)) {
		return
	}
	f, err := parquetpages.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if counts.URLs+counts.Rejected != f.Meta.NumRows {
		t.Errorf("%+v, but the footer says %d rows", counts, f.Meta.NumRows)
	}
	got, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		if _, before := parquet.OpenFile(bytes.NewReader(data), int64(len(data))); before == nil {
			t.Errorf("parquet-go opens the input, but not the output: %v", err)
		}
		return
	}
	if keep == bulk.All && got.NumRows() > f.Meta.NumRows {
		t.Errorf("%d rows of %d", got.NumRows(), rows)
	}
}

// A file that ends at any offset, or of which any bit is wrong, is an error or its rows are counted:
// never a panic, and never much time or memory.
func TestDamaged(t *testing.T) {
	deadline := time.Now().Add(5 * time.Minute)
	for _, name := range []string{"hyparquet-uncompressed.parquet", "hyparquet-snappy.parquet", "hyparquet-gzip.parquet"} {
		whole := read(t, name)
		for i := range whole {
			if time.Now().After(deadline) {
				t.Fatal("it takes too long")
			}
			if !portion.Of(24) && (!strings.Contains(name, "snappy") || !portion.Of(12)) {
				continue // the others differ from it in little
			}
			if portion.Of(4) {
				damaged(t, whole[:i], 60, bulk.All)
			}
			data := bytes.Clone(whole)
			data[i] ^= 1 << (i % 8)
			damaged(t, data, 60, bulk.Keep(i%2))
		}
	}
}

// A list of URLs is not taken for robots.txt files of which nothing is known.
func TestRobotsOfAList(t *testing.T) {
	type row struct {
		URL string `parquet:"url"`
	}
	var list bytes.Buffer
	if err := parquet.Write(&list, []row{{"https://a.example/robots.txt"}}); err != nil {
		t.Fatal(err)
	}
	err := Robots(bytes.NewReader(list.Bytes()), int64(list.Len()), "list", &saved.Columns{}, 0, func(int64, *saved.Record) error { return nil }, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `this table has no robots.txt files: expected a column "status" or "body"`) {
		t.Error(err)
	}
}

// Rows of robots.txt files are read, also one without an origin: who gets it decides.
func TestRobots(t *testing.T) {
	data := read(t, "hyparquet-robots.parquet")
	var got []saved.Record
	var rejected []string
	err := Robots(bytes.NewReader(data), int64(len(data)), "in", &saved.Columns{}, 0, func(_ int64, r *saved.Record) error {
		r.Body = bytes.Clone(r.Body)
		got = append(got, *r)
		return nil
	}, func(_ int64, r bulk.Rejection) { rejected = append(rejected, r.Place) })
	if err != nil || len(got) != 3 || len(rejected) != 0 {
		t.Fatal(err, got, rejected)
	}
	if a := got[0]; a.Origin != "https://a.example" || a.URL != "" || a.Status != 200 || string(a.Body) != "User-agent: *\nDisallow: /cart\n" || !a.Fetched.Equal(time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", a)
	}
	if b := got[1]; b.Origin != "https://b.example/" || b.Status != 404 || b.Body != nil || !b.Fetched.IsZero() {
		t.Errorf("%+v", b)
	}
}

// A robots.txt may be in one of several columns, also in base64.
func TestColumnsOfRobots(t *testing.T) {
	type row struct {
		Origin string  `parquet:"origin"`
		Body   *string `parquet:"body,optional"`
		Robots *string `parquet:"robots,optional"`
		B64    *string `parquet:"robots_b64,optional"`
	}
	text, base64, wrong, empty := "User-agent: *\n", "VXNlci1hZ2VudDogKgo=", "!", ""
	var file bytes.Buffer
	if err := parquet.Write(&file, []row{
		{"https://a.example", &text, nil, nil}, {"https://b.example", nil, &text, nil}, {"https://c.example", nil, nil, &base64}, {"https://d.example", nil, nil, &empty},
		{"https://e.example", &text, nil, &base64}, {"https://f.example", &text, &text, nil}, {"https://g.example", nil, nil, &wrong}, {"https://h.example", &empty, &text, nil},
	}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := Robots(bytes.NewReader(file.Bytes()), int64(file.Len()), "in", &saved.Columns{}, 0, func(_ int64, r *saved.Record) error {
		got = append(got, fmt.Sprintf("%s %q %q %q", r.Origin, r.Body, r.Robots, r.RobotsB64))
		return nil
	}, func(_ int64, r bulk.Rejection) { got = append(got, r.Place+" "+r.Err.Error()) })
	want := []string{
		`https://a.example "User-agent: *\n" "" ""`, `https://b.example "" "User-agent: *\n" ""`, `https://c.example "" "" "User-agent: *\n"`, `https://d.example "" "" ""`,
		`https://e.example "User-agent: *\n" "" "User-agent: *\n"`, `https://f.example "User-agent: *\n" "User-agent: *\n" ""`, "row 7 robots_b64: expected base64 without line ends",
		`https://h.example "" "User-agent: *\n" ""`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
