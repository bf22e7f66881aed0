package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// everyHost is an archive in which each URL has the same robots.txt.
type everyHost string

func (everyHost) Entries(string) ([]capture.Entry, error) {
	return []capture.Entry{{Facts: capture.Facts{Status: 200}, Body: 1}}, nil
}

func (h everyHost) Body(capture.BodyID) (string, error) { return string(h), nil }

type row struct {
	URL  *string  `parquet:"url,optional"`
	Host string   `parquet:"host,dict"`
	Tags []string `parquet:"tags,list"`
	N    int64    `parquet:"n"`
}

// rows returns n rows; every fifth URL is disallowed, and every seventh is missing.
func rows(n int) []row {
	var all []row
	for i := range n {
		path := "page"
		if i%5 == 0 {
			path = "cart"
		}
		url := fmt.Sprintf("https://www%d.example.com/%s/%d", i/20, path, i)
		r := row{URL: &url, Host: fmt.Sprintf("www%d.example.com", i/20), N: int64(i)}
		if i%7 == 0 {
			r.URL = nil
		}
		for j := range i % 4 {
			r.Tags = append(r.Tags, fmt.Sprint("tag", i, j))
		}
		all = append(all, r)
	}
	return all
}

func write(t testing.TB, all []row, group int, codec compress.Codec, options ...parquet.WriterOption) []byte {
	var b bytes.Buffer
	options = append(options, parquet.Compression(codec), parquet.PageBufferSize(400), parquet.KeyValueMetadata("made by", "a test"))
	w := parquet.NewGenericWriter[row](&b, options...)
	for i := 0; i < len(all); i += group {
		if _, err := w.Write(all[i:min(i+group, len(all))]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func options(keep bulk.Keep, names ...string) *Options {
	o := &Options{Keep: keep, Rejected: func(bulk.Rejection) {}, Done: func(int64) {}}
	for _, name := range names {
		o.Columns = append(o.Columns, bulk.Column{Name: name, Agents: []string{name}, Dialect: robotstxt.Google, Statuses: fetch.StatusesOf(robotstxt.Google)})
	}
	o.Decider = bulk.NewDecider(capture.Archives{everyHost("User-agent: *\nDisallow: /cart\n")}, o.Columns, bulk.Unknown, 0)
	return o
}

func filterTo(t testing.TB, in []byte, o *Options) ([]byte, bulk.Counts) {
	t.Helper()
	var out bytes.Buffer
	counts, err := Filter(context.Background(), bytes.NewReader(in), int64(len(in)), "in.parquet", &out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), counts
}

type checkedRow struct {
	URL     *string  `parquet:"url,optional"`
	Host    string   `parquet:"host,dict"`
	Tags    []string `parquet:"tags,list"`
	N       int64    `parquet:"n"`
	Verdict *string  `parquet:"verdict,optional"`
	Reason  *string  `parquet:"reason,optional"`
	Line    *int32   `parquet:"line,optional"`
	Rule    *string  `parquet:"rule,optional"`
}

func text[T any](p *T) string {
	if p == nil {
		return "null"
	}
	return fmt.Sprint(*p)
}

func (r *checkedRow) String() string {
	return strings.Join([]string{text(r.URL), r.Host, strings.Join(r.Tags, "+"), fmt.Sprint(r.N), text(r.Verdict), text(r.Reason), text(r.Line), text(r.Rule)}, " ")
}

// want returns the row that the output has, and whether it has it.
func want(r row, keep bulk.Keep) (string, bool) {
	j := checkedRow{URL: r.URL, Host: r.Host, Tags: r.Tags, N: r.N}
	verdict := "unknown"
	j.Verdict, j.Reason = &verdict, new("no-url")
	if r.URL != nil {
		verdict, j.Reason = "allowed", new("no-rule-matched")
		if strings.Contains(*r.URL, "/cart") {
			verdict, j.Reason, j.Line, j.Rule = "disallowed", new("rule"), new(int32(2)), new("Disallow: /cart")
		}
	}
	return j.String(), keep == bulk.All || keep == bulk.OnlyAllowed && verdict == "allowed" || keep == bulk.OnlyDisallowed && verdict == "disallowed"
}

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw}

// All columns of all rows that are kept are written, with verdicts, whatever the compression.
func TestFilter(t *testing.T) {
	portion.Skip(t, 4)
	all := rows(1000)
	for _, codec := range codecs {
		for _, version := range []int{1, 2} {
			in := write(t, all, 300, codec, parquet.DataPageVersion(version))
			for _, keep := range []bulk.Keep{bulk.All, bulk.OnlyAllowed, bulk.OnlyDisallowed} {
				t.Run(fmt.Sprint(codec, version, keep), func(t *testing.T) {
					rejected := []string{}
					o := options(keep, "examplebot")
					o.Rejected = func(r bulk.Rejection) {
						rejected = append(rejected, r.Place)
						if r.Err != errNoURL {
							t.Error(r.Place, r.Err)
						}
					}
					out, counts := filterTo(t, in, o)
					if counts.Rejected != 143 || len(rejected) != 143 || rejected[1] != "row 8" || counts.URLs != 857 {
						t.Errorf("%+v, rejected %d: %v", counts, len(rejected), rejected[:min(len(rejected), 3)])
					}
					got, err := parquet.Read[checkedRow](bytes.NewReader(out), int64(len(out)))
					if err != nil {
						t.Fatal(err)
					}
					i := 0
					for _, r := range all {
						text, ok := want(r, keep)
						if !ok {
							continue
						}
						if i == len(got) {
							t.Fatalf("only %d rows", i)
						}
						if got[i].String() != text {
							t.Fatalf("got  %s\nwant %s", &got[i], text)
						}
						i++
					}
					if i != len(got) {
						t.Errorf("%d rows, want %d", len(got), i)
					}
				})
			}
		}
	}
}

// Numbers in delta encoding may be of any size: times in microseconds, hashes. No row is lost.
func TestLargeDeltas(t *testing.T) {
	type numbers struct {
		URL   string `parquet:"url"`
		When  int64  `parquet:"when,delta"`
		Hash  int64  `parquet:"hash,delta"`
		Small int32  `parquet:"small,delta"`
	}
	rng := rand.New(rand.NewPCG(9, 9))
	all := make([]numbers, 30_000)
	for i := range all {
		all[i] = numbers{fmt.Sprint("https://a.example/", i), 1_700_000_000_000_000 + int64(i), int64(rng.Uint64()), int32(rng.Uint32())}
	}
	all[7].Hash, all[8].Hash, all[9].Small, all[10].Small = math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32
	for _, version := range []int{1, 2} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[numbers](&b, parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(10_000))
		if _, err := w.Write(all); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		o := options(bulk.All, "examplebot")
		o.Rejected = func(r bulk.Rejection) { t.Error(version, r.Place, r.Err) }
		out, counts := filterTo(t, b.Bytes(), o)
		got, err := parquet.Read[numbers](bytes.NewReader(out), int64(len(out)))
		if err != nil || counts.URLs != 30_000 || !slices.Equal(got, all) {
			t.Errorf("version %d: %d rows, %+v, %v", version, len(got), counts, err)
		}
	}
}
