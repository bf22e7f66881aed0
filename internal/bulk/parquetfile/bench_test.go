package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

type indexRow struct {
	URL  string `parquet:"url,plain"`
	Host string `parquet:"url_host_name,dict"`
}

const benchRows = 2_000_000

// index is a made index: 100,000 rows in a row group, hosts in runs.
var index = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[indexRow](&b, parquet.Compression(&parquet.Zstd))
	all := make([]indexRow, 100_000)
	for from := 0; from < benchRows; from += len(all) {
		for i := range all {
			n := from + i
			host := fmt.Sprintf("www.site-%d.example.com", n/43)
			dir := "articles"
			if n%16 == 0 {
				dir = "cart"
			}
			all[i] = indexRow{fmt.Sprintf("https://%s/%s/%x/the-title-of-page-%d.html", host, dir, uint32(n)*2654435761, n%1000), host}
		}
		if _, err := w.Write(all); err != nil {
			panic(err)
		}
		if err := w.Flush(); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
})

func BenchmarkFilter(b *testing.B) {
	for name, keep := range map[string]bulk.Keep{"all": bulk.All, "allowed": bulk.OnlyAllowed} {
		b.Run(name, func(b *testing.B) {
			in := index()
			b.ResetTimer()
			for b.Loop() {
				filterTo(b, in, options(keep, "examplebot"))
			}
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkReadURLs only reads the column of the URLs, on one core.
func BenchmarkReadURLs(b *testing.B) {
	in := index()
	f, err := parquetpages.Open(bytes.NewReader(in), int64(len(in)))
	if err != nil {
		b.Fatal(err)
	}
	unpack := parquetpages.NewDecompressor()
	var t texts
	b.ResetTimer()
	for b.Loop() {
		for g := range f.Meta.RowGroups {
			c, err := f.Column(g, 0, unpack)
			if err != nil {
				b.Fatal(err)
			}
			for {
				page, err := c.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				if err := t.read(page, 0); err != nil {
					b.Fatal(err)
				}
				parquet.Release(page)
			}
			c.Close()
		}
	}
	b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
