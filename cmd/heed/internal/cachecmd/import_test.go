package cachecmd

import (
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
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

// An import refuses times before 1970 and in the future.
func TestImportRefusesImpossibleTimes(t *testing.T) {
	for fetched, ok := range map[string]bool{"1970-01-01T00:00:00Z": true, "1969-12-31T23:59:59Z": false, "0000-01-01T00:00:00Z": false, "0001-01-01T00:00:00Z": false, "9999-01-01T00:00:00Z": false} {
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
	return readItem(all, line, time.Now())
}
