package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// A collection is a table of robots.txt files in Parquet. Like real collections, it has a few very large texts and many
// equal ones.
type collection struct {
	// Very large texts are made of pieces of largeFiles; other texts are one of usualFiles.
	usualFiles, largeFiles [][]byte
}

const (
	rowsInFile  = 25_000
	rowsInGroup = 5_000
	fetchedAt   = 1_777_593_600_000 // the start of 2026-05-01, in milliseconds since 1970
)

func newCollection(w *world) *collection {
	c := &collection{}
	for _, h := range w.hosts {
		if len(h.Robots) < 1200 {
			c.usualFiles = append(c.usualFiles, h.Robots)
		}
		if len(h.Robots) < 20_000 {
			c.largeFiles = append(c.largeFiles, h.Robots)
		}
	}
	return c
}

func (c *collection) status(host int) int32 {
	switch k := c.random(host, 1).IntN(1000); {
	case k < 80:
		return 404
	case k < 90:
		return 503
	case k < 95:
		return 0
	}
	return 200
}

func (c *collection) body(host int) []byte {
	random := c.random(host, 2)
	one := func(of [][]byte) []byte { return of[random.IntN(len(of))] }
	switch k := random.IntN(1000); {
	case k < 33:
		var body []byte
		for size := 50_000 + random.IntN(350_000); len(body) < size; {
			body = append(append(body, one(c.largeFiles)...), '\n')
		}
		return body
	case k < 500:
		return one(c.usualFiles)
	}
	return append(append([]byte{}, one(c.usualFiles)...), fmt.Sprintf("\n# %d\n", host)...)
}

func (c *collection) random(host, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(host), uint64(stream)))
}

func collectedHost(i int) string { return fmt.Sprintf("h%d.example", i) }

func (c *collection) write(folder string, from, to int) (size int64) {
	must(os.MkdirAll(folder, 0o755))
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "host", Type: arrow.BinaryTypes.String}, {Name: "fetched_at_ms", Type: arrow.PrimitiveTypes.Int64},
		{Name: "status", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "body", Type: arrow.BinaryTypes.Binary, Nullable: true},
	}, nil)
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryFor("body", false))
	for ; from < to; from += rowsInFile {
		f := get(os.Create(filepath.Join(folder, fmt.Sprintf("%08d.parquet", from))))
		out := get(pqarrow.NewFileWriter(schema, f, properties, pqarrow.DefaultWriterProps()))
		for group := from; group < min(from+rowsInFile, to); group += rowsInGroup {
			rows := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for host := group; host < min(group+rowsInGroup, to); host++ {
				size += c.add(rows, host)
			}
			batch := rows.NewRecord()
			must(out.Write(batch))
			batch.Release()
			rows.Release()
		}
		must(out.Close()) // closes f too
	}
	return size
}

func (c *collection) add(rows *array.RecordBuilder, host int) (size int64) {
	rows.Field(0).(*array.StringBuilder).Append(collectedHost(host))
	rows.Field(1).(*array.Int64Builder).Append(fetchedAt + int64(host)%86_400_000)
	status, body := rows.Field(2).(*array.Int32Builder), rows.Field(3).(*array.BinaryBuilder)
	is := c.status(host)
	if is == 0 {
		status.AppendNull()
	} else {
		status.Append(is)
	}
	if is != 200 {
		body.AppendNull()
		return 0
	}
	text := c.body(host)
	body.Append(text)
	return int64(len(text))
}

func (b *bench) measureCollections() {
	c := newCollection(readWorld("https://"))
	size, written := int64(0), 0
	t := newTable("rows", "texts", "Parquet", "archive", "took", "for a row", "memory")
	for _, n := range []int{b.rows, 4 * b.rows} {
		folder, to := b.path("collection"), b.path(fmt.Sprintf("collection-%d.heed", n))
		size += c.write(folder, written, n)
		written = n
		r := &row{what: "compile", count: n, args: []string{b.heed, "compile", folder, "-o", to}}
		r.run()
		t.row(number(n), mib(size), mib(folderSize(folder)), mib(sizeOf(to)), duration(r.best.Took), duration(float64(r.best.Took)/float64(n)), mib(r.best.Peak))
	}
	b.compareCollection(c, b.path(fmt.Sprintf("collection-%d.heed", 4*b.rows)))
}

func folderSize(folder string) (size int64) {
	for _, name := range get(filepath.Glob(filepath.Join(folder, "*"))) {
		size += sizeOf(name)
	}
	return size
}

func (b *bench) compareCollection(c *collection, archive string) {
	const hosts, each = 100_000, 10
	folder, list := b.path("collection-folder"), b.path("collection.txt")
	must(os.MkdirAll(folder, 0o755))
	w := readWorld("https://")
	random := rand.New(rand.NewPCG(9309, 37))
	writeFile(list, func(out io.Writer) {
		for host := range min(hosts, b.rows) {
			if c.status(host) == 200 {
				must(os.WriteFile(filepath.Join(folder, collectedHost(host)+".txt"), c.body(host), 0o644))
			}
			for range each {
				fmt.Fprintf(out, "https://%s%s\n", collectedHost(host), w.paths[""][random.IntN(len(w.paths[""]))])
			}
		}
	})
	verdicts := func(source string) []string {
		r := b.filter("verdicts of "+source, 0, "collection.txt", source)
		r.to = b.path("collection.tsv")
		r.run()
		return strings.Split(strings.TrimSuffix(string(get(os.ReadFile(r.to))), "\n"), "\n")
	}
	got, want := verdicts(filepath.Base(archive)), verdicts("collection-folder")
	wrong := 0
	for i := range want {
		host := i / each
		switch c.status(host) {
		case 200:
		case 404:
			want[i] = strings.Replace(want[i], "unknown\tno-capture", "allowed\tunavailable", 1)
		case 503:
			want[i] = strings.Replace(want[i], "unknown\tno-capture", "disallowed\tunreachable", 1)
		}
		if len(got) != len(want) || got[i] != want[i] {
			wrong++
		}
	}
	fmt.Printf("\nOf %s verdicts about %s hosts of the archive, %d differ from those of a folder with the same files.\n", number(len(want)), number(min(hosts, b.rows)), wrong)
}
