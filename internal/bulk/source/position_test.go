package source_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/saved"
)

// loadUntil reads sources one after the other, until most captures and rejections were given, and returns these and the Position.
func loadUntil(t *testing.T, l *source.Loader, most int, names ...string) (given []string, p source.Position, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	give := func(text string) {
		if given = append(given, text); len(given) == most {
			stop()
		}
	}
	l.Workers = 1
	l.Add = func(c *capture.Capture) error { give(fmt.Sprintf("%+v", *c)); return nil }
	l.Rejected = func(r source.Rejection) { give(fmt.Sprintf("%s, %s: %v", r.Source, r.Place, r.Err)) }
	err = l.Load(ctx, names)
	err = errors.Join(err, l.Pause(func(now source.Position) error { p = now; return nil }))
	return given, p, err
}

// A Load that goes on from any Position of another one gives what that one had not given, and ends with the same counts,
// also of files of which nothing can be used.
func TestLoadsGoOn(t *testing.T) {
	names := sourcesOfAllKinds(t)
	want, end, err := loadUntil(t, &source.Loader{}, -1, names...)
	if err != nil || len(want) < 50 || int(end.Read) < len(names) || len(end.Given) > 0 || end.Rejected < 5 || end.Useless != 1 {
		t.Fatalf("%d given, at %+v, %v", len(want), end, err)
	}
	for most := 1; most < len(want); most++ {
		first, p, err := loadUntil(t, &source.Loader{}, most, names...)
		if !errors.Is(err, context.Canceled) || p.Captures+p.Rejected != int64(len(first)) || p.Of != end.Of {
			t.Fatalf("%d: %d given, at %+v, %v", most, len(first), p, err)
		}
		text, err := json.Marshal(p)
		from := &source.Position{}
		if err := errors.Join(err, json.Unmarshal(text, from)); err != nil {
			t.Fatal(err)
		}
		l := &source.Loader{From: from}
		rest, got, err := loadUntil(t, l, -1, names...)
		if all := slices.Concat(first, rest); err != nil || !slices.Equal(all, want) {
			t.Fatalf("after %d: %v; got\n%s\nwant\n%s", most, err, strings.Join(all, "\n"), strings.Join(want, "\n"))
		}
		if fmt.Sprint(got) != fmt.Sprint(end) {
			t.Errorf("after %d: the end is at %+v, want %+v", most, got, end)
		}
		if now := l.Progress(); now.Files != now.AllFiles || now.Captures != end.Captures || now.Rejected != end.Rejected || now.Useless != end.Useless {
			t.Errorf("after %d: %+v", most, now)
		}
	}
}

// sourcesOfAllKinds makes a file of each kind but a store, with captures and rejections.
func sourcesOfAllKinds(t *testing.T) []string {
	var lines, csv, records bytes.Buffer
	csv.WriteString("host,status\n")
	for i := range 8 {
		fmt.Fprintf(&lines, "{\"origin\":\"http://l%d.example\",\"status\":%d}\n\n", i, 404-400*(i%3/2))
		fmt.Fprintf(&csv, "c%d.example,%d\n", i, 404-404*(i%3/2))
		records.Write(record(i, fmt.Sprintf("http://w%d.example/robots.txt", i), []string{"HTTP/1.1 404 x\r\n\r\n", "nothing"}[i%3/2]))
	}
	type row struct {
		Host   string `parquet:"host"`
		Status int32  `parquet:"status"`
	}
	var table bytes.Buffer
	to := parquet.NewGenericWriter[row](&table, parquet.MaxRowsPerRowGroup(3))
	for i := range 11 {
		if _, err := to.Write([]row{{fmt.Sprintf("p%d.example", i), int32(404 - 404*(i%4/3))}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{
		"1.jsonl": lines.String(), "2.csv": csv.String(), "3.warc": records.String(), "4.parquet": table.String(), "6.jsonl.gz": zipped(lines.String()), "7.jsonl": strings.Repeat("{\"host\":\"a\",\"status\":0}\n", 3),
		"folder/a.example": "x", "folder/b.example": rules, "folder/no host": "",
	})
	older := filepath.Join(dir, "5.heed")
	w, err := archive.Create(older)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := w.Add(&capture.Capture{URL: fmt.Sprintf("https://o%d.example/robots.txt", i), Body: rules}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return []string{filepath.Join(dir, "[1-7].*"), filepath.Join(dir, "folder")}
}

// A Load does not go on with other sources, or with the same and other columns.
func TestLoadsDoNotGoOn(t *testing.T) {
	path := filepath.Join(write(t, map[string]string{"a": "{\"origin\":\"http://a.example\",\"status\":404}\n{\"origin\":\"http://b.example\",\"status\":404}\n"}), "a")
	_, p, _ := loadUntil(t, &source.Loader{}, 1, path)
	refused := func(what string, l *source.Loader) {
		t.Helper()
		l.From = &p
		if _, _, err := loadUntil(t, l, -1, path); !errors.Is(err, source.ErrOtherSources) {
			t.Errorf("%s: %v", what, err)
		}
	}
	columns, err := saved.ParseColumns("origin=origin,status=status")
	if err != nil {
		t.Fatal(err)
	}
	refused("other columns", &source.Loader{Columns: columns})
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	refused("a changed file", &source.Loader{})
}

// There is no Position before the files are found, and none of a pipe, which cannot be read again.
func TestPositionsThatAreNone(t *testing.T) {
	never := func(source.Position) error { t.Error("there is a position"); return nil }
	l := &source.Loader{}
	if err := l.Pause(never); err != nil {
		t.Error(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the name of the pipe is of Linux")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(`{"origin":"http://a.example","status":404}`); err != nil {
		t.Fatal(err)
	}
	w.Close()
	l.Add = func(*capture.Capture) error { return nil }
	if err := l.Load(context.Background(), []string{fmt.Sprintf("/dev/fd/%d", r.Fd())}); err != nil {
		t.Fatal(err)
	}
	if err := l.Pause(never); err != nil {
		t.Error(err)
	}
}
