package cachecmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/saved"
)

// A JSON line that is not UTF-8 is an error. A rule with U+FFFD instead of the bytes would
// match nothing.
func TestImportRefusesLinesThatAreNotUTF8(t *testing.T) {
	_, err := read(t, lines.Line{Text: "{\"url\": \"https://a.example/\", \"robots\": \"User-agent: *\\nDisallow: /\xe9\"}"})
	if err == nil || !strings.Contains(err.Error(), "robots_b64") {
		t.Errorf("%v", err)
	}
}

// An import refuses times before 1994 and in the future.
func TestImportRefusesImpossibleTimes(t *testing.T) {
	for fetched, ok := range map[string]bool{"1994-01-01T00:00:00Z": true, "1993-12-31T23:59:59Z": false, "1970-01-01T00:00:00Z": false, "0000-01-01T00:00:00Z": false, "0001-01-01T00:00:00Z": false, "9999-01-01T00:00:00Z": false} {
		_, err := read(t, lines.Line{Text: `{"origin": "https://a.example", "status": 404, "fetched": "` + fetched + `"}`})
		if (err == nil) != ok {
			t.Errorf("%s: %v", fetched, err)
		}
	}
}

// read returns the retrieval that a line of JSON describes.
func read(t *testing.T, line lines.Line) (fetch.Result, error) {
	all, err := new(saved.Columns).Lines(strings.NewReader(""), "", "")
	if err != nil {
		t.Fatal(err)
	}
	return readItem(bulksource.Record{Read: func(withFiles bool) (saved.Answer, error) { return all.Read(line, withFiles) }}, time.Now())
}

// A table in Parquet with the names of others is imported. Rows about which nothing is known are refused, each with its place.
func TestImportReadsParquet(t *testing.T) {
	store := t.TempDir()
	var out, problems bytes.Buffer
	a := term.New(strings.NewReader(""), &out, &problems)
	c := cacheImportCommand(a)
	c.SetArgs([]string{"--store", store, "../../../../internal/bulk/parquetfile/testdata/crawler.parquet"})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	a.Out.Flush()
	const want = "3 imported (2 with rules, 1 unavailable, 0 unreachable), 5 refused\n"
	if out.String() != want || a.Status != 2 {
		t.Errorf("status %d, got %s want %s", a.Status, out.String(), want)
	}
	for _, row := range []string{"row 3: the robots.txt is missing", "row 4: the status is null", "row 5: expected a time", "row 6: origin", "row 8: the status is 0"} {
		if !strings.Contains(problems.String(), "crawler.parquet, "+row) {
			t.Errorf("no error of %s in %s", row, problems.String())
		}
	}
}
