package faces

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// runIn returns a run with a folder of its own.
func runIn(t *testing.T) *run {
	r := &run{T: t, world: newWorld(1, 1), face: &face{}, source: &source{}, folder: t.TempDir()}
	r.path = filepath.Dir(r.folder)
	return r
}

// Lines of JSON may be compressed, for each face that reads a file of them.
func TestPackedLines(t *testing.T) {
	line := `{"origin":"https://a.example","robots":` + disallowsAll + "}\n"
	var zipped bytes.Buffer
	to := gzip.NewWriter(&zipped)
	to.Write([]byte(line))
	must(to.Close())
	encoder, err := zstd.NewWriter(nil)
	must(err)
	for name, packed := range map[string]string{"gzip": zipped.String(), "zstd": string(encoder.EncodeAll([]byte(line), nil))} {
		r := runIn(t)
		source := writeFile(r, "source", packed)
		store := filepath.Join(r.folder, "store")
		for i, args := range [][]string{{"cache", "import", "--store", store, source}, {"cache", "import", "--store", store + "2", "-"}} {
			heed(packed, args...)
			got := heed("", "check", "-a", "a", "--offline", "--store", args[3], "https://a.example/x")
			if !strings.HasPrefix(got.stdout, "disallowed ") {
				t.Errorf("%s, import %d: %+v", name, i, got)
			}
		}
		got := heed("https://a.example/x\n", "filter", "-a", "a", "--robots", source)
		if !strings.Contains(got.stdout, "\tdisallowed\trule") {
			t.Errorf("%s, filter: %+v", name, got)
		}
	}
}

// In a folder, the name of a file says whether it is the robots.txt of a host, for each face.
func TestNamesInFolder(t *testing.T) {
	const line = `{"origin":"https://w.example","robots":""}` + "\n"
	rules := "\nUser-agent: *\nDisallow: /\n"
	for name, c := range map[string]struct{ url, body, want string }{
		"h.example":         {"https://h.example/x", line + rules, disallowed},
		"w.example":         {"https://w.example/x", line + rules, disallowed},
		"v.example.txt":     {"https://v.example/x", "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 30\r\n" + rules, disallowed},
		"lines.jsonl":       {"https://lines.jsonl/x", rules, unknown}, // no name of a host
		"lines.jsonl.txt":   {"https://lines.jsonl/x", rules, disallowed},
		"crawl.warc.gz.txt": {"https://crawl.warc.gz/x", line + rules, disallowed},
	} {
		r := runIn(t)
		folder := filepath.Join(r.folder, "hosts")
		must(os.MkdirAll(folder, 0o700))
		must(os.WriteFile(filepath.Join(folder, name), []byte(c.body), 0o600))
		must(os.WriteFile(filepath.Join(folder, "other.example"), nil, 0o600))
		store, archive := filepath.Join(r.folder, "store"), filepath.Join(r.folder, "archive")
		heed("", "cache", "import", "--store", store, folder)
		heed("", "compile", "-o", archive, folder)
		for face, got := range map[string]result{
			"check":   heed("", "check", "-a", "a", "--robots", folder, c.url),
			"explain": heed("", "explain", "-a", "a", "--robots", folder, c.url),
			"import":  heed("", "check", "-a", "a", "--offline", "--store", store, c.url),
			"filter":  heed(c.url+"\n", "filter", "-a", "a", "--robots", folder),
			"compile": heed(c.url+"\n", "filter", "-a", "a", "--robots", archive),
		} {
			verdict := unknown
			switch {
			case strings.Contains(got.stdout, "disallowed"):
				verdict = disallowed
			case strings.Contains(got.stdout, "allowed"):
				verdict = allowed
			}
			if face == "import" && got.status == 3 { // nothing is cached, so it is disallowed
				verdict = unknown
			}
			if verdict != c.want {
				t.Errorf("%s: %s: %s, want %s: %+v", name, face, verdict, c.want, got)
			}
		}
	}
}

// A row of Parquet or CSV is answered as a line of JSON with the same members. Where a table has a status, a row without
// one says nothing; a line of JSON may leave it out.
func TestRowsAsLines(t *testing.T) {
	type row struct {
		URL       string  `parquet:"url,optional" json:"url,omitempty"`
		Origin    string  `parquet:"origin,optional" json:"origin,omitempty"`
		Status    int32   `parquet:"status,optional" json:"status,omitempty"`
		Body      *string `parquet:"body,optional" json:"body,omitempty"`
		Robots    *string `parquet:"robots,optional" json:"robots,omitempty"`
		RobotsB64 *string `parquet:"robots_b64,optional" json:"robots_b64,omitempty"`
		Fetched   string  `parquet:"fetched,optional" json:"fetched,omitempty"`
		Location  string  `parquet:"location,optional" json:"location,omitempty"`
	}
	all, empty, packed := new("User-agent: *\nDisallow: /"), new(""), new(base64Of("User-agent: *\nDisallow: /"))
	for _, c := range []struct {
		name string
		row  row
		want string
	}{
		{"origin", row{Origin: "https://a.example", Body: all}, disallowed},
		{"an origin with a path", row{Origin: "https://a.example/cart?x", Body: all}, disallowed},
		{"an origin with a fragment", row{Origin: "https://a.example#x", Body: all}, disallowed},
		{"url and origin", row{URL: "https://a.example/robots.txt", Origin: "https://a.example", Body: all}, refused},
		{"neither", row{Body: all}, refused},
		{"a page with robots", row{URL: "https://a.example/cart", Robots: all}, disallowed},
		{"a page with robots_b64", row{URL: "https://a.example/cart", RobotsB64: packed}, disallowed},
		{"a page with body", row{URL: "https://a.example/cart", Body: all}, refused}, // a page is no robots.txt
		{"no base64", row{Origin: "https://a.example", RobotsB64: all}, refused},
		{"base64 in lines", row{URL: "https://a.example/cart", RobotsB64: new((*packed)[:8] + "\n" + (*packed)[8:])}, refused},
		{"two robots.txt", row{Origin: "https://a.example", Robots: all, Body: empty}, refused},
		{"an empty one", row{Origin: "https://a.example", Robots: empty}, allowed},
		{"none", row{Origin: "https://a.example"}, refused},
		{"status 404", row{Origin: "https://a.example", Status: 404}, allowed},
		{"status 99", row{Origin: "https://a.example", Status: 99, Body: all}, refused},
		{"a time", row{Origin: "https://a.example", Body: all, Fetched: "2026-05-03T14:00:00Z"}, disallowed},
		{"a time to come", row{Origin: "https://a.example", Body: all, Fetched: "2126-05-03T14:00:00Z"}, refused},
		{"the year 1", row{Origin: "https://a.example", Body: all, Fetched: "0001-01-01T00:00:00Z"}, refused},
		{"no time", row{Origin: "https://a.example", Body: all, Fetched: "yesterday"}, refused},
	} {
		r := runIn(t)
		table := filepath.Join(r.folder, "table")
		filtering := func() string {
			answer := heed("https://a.example/x\n", "filter", "-a", "a", "--robots", table)
			if answer.stdout == "" || strings.Contains(answer.stdout, "no-capture") {
				return refused
			}
			return cellsOf(answer, numbersTo(1))[0].verdict
		}
		line := string(jsonOf(c.row))
		got := map[string]string{"filter, JSON lines": filteringBy(r, line), "import": importing(r, line)}
		if c.row.Status == 0 {
			must(parquet.WriteFile(table, []row{c.row}))
			got["filter, Parquet without a status"] = filtering()
			c.row.Status = 200
		}
		must(parquet.WriteFile(table, []row{c.row}))
		got["filter, Parquet"] = filtering()
		text := tableOf(string(jsonOf(c.row)))
		must(os.WriteFile(table, []byte(text), 0o600))
		got["filter, CSV"], got["import of CSV"] = filtering(), importing(r, text)
		for face, got := range got {
			want := c.want
			if strings.HasSuffix(face, "without a status") {
				want = refused
			}
			if got != want {
				t.Errorf("%s: %s: %s, want %s", c.name, face, got, want)
			}
		}
	}
}

// tableOf returns an object as CSV, with all its members as texts.
func tableOf(object string) string {
	var members map[string]any
	must(json.Unmarshal([]byte(object), &members))
	var names, fields []string
	for name, value := range members {
		names = append(names, name)
		fields = append(fields, `"`+strings.ReplaceAll(fmt.Sprint(value), `"`, `""`)+`"`)
	}
	return strings.Join(names, ",") + "\n" + strings.Join(fields, ",") + "\n"
}
