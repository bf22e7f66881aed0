package main

import (
	"errors"
	"os"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// rowGroup is how many rows are in a group of the index.
const rowGroup = 100_000

// An indexRow is a row of the made index, with two columns of Common Crawl's.
type indexRow struct {
	URL  string `parquet:"url,plain"`
	Host string `parquet:"url_host_name,dict"`
}

// A robotsRow is a robots.txt.
type robotsRow struct {
	Origin  string    `parquet:"origin"`
	Status  int32     `parquet:"status"`
	Fetched time.Time `parquet:"fetched,timestamp(microsecond)"`
	Body    []byte    `parquet:"body"`
}

// writeRows writes rows as Parquet; row returns the next of n rows.
func writeRows[T any](to string, n int, row func(i int) T) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[T](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.MaxRowsPerRowGroup(rowGroup))
	batch := make([]T, 0, 1000)
	for i := range n {
		batch = append(batch, row(i))
		if len(batch) == cap(batch) || i == n-1 {
			if _, err := w.Write(batch); err != nil {
				return errors.Join(err, f.Close())
			}
			batch = batch[:0]
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// writeParquet writes a list as a part of an index: sorted by host.
func (d *data) writeParquet(to string, list []question) error {
	return writeRows(to, len(list), func(i int) indexRow {
		return indexRow{string(d.url(nil, list[i])), d.hosts[list[i].host].name}
	})
}

// writeRobotsParquet writes the robots.txt files of all hosts.
func writeRobotsParquet(to string, d *data) error {
	at, err := time.Parse(time.RFC3339, captured)
	if err != nil {
		return err
	}
	return writeRows(to, 2*len(d.hosts), func(i int) robotsRow {
		h := d.hosts[i/2]
		return robotsRow{[]string{"https://", "http://"}[i%2] + h.name, 200, at, h.robots}
	})
}
