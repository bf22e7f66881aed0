package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// archiveOf returns an archive with a robots.txt for each origin.
func archiveOf(robots map[string]string) capture.Archive {
	s := &capture.Set{}
	for origin, body := range robots {
		s.Add(&capture.Capture{URL: origin + "/robots.txt", Facts: capture.Facts{Status: 200}, Body: body})
	}
	s.Seal()
	return s
}

// shops is the archive of most tests.
var shops = archiveOf(map[string]string{
	"https://shop.example":      "User-agent: *\nDisallow: /cart\n",
	"https://shop.example:8080": "User-agent: *\nDisallow: /\n",
	"http://old.example":        "User-agent: b\nDisallow: /\n",
	"https://odd.example":       "User-agent: *\nDisallow: /\xff\n",
})

// check returns a Decider of crawlers over shops.
func decider(crawlers ...string) *bulk.Decider {
	var columns []bulk.Column
	for _, c := range crawlers {
		columns = append(columns, bulk.Column{Name: c, Agents: []string{c}, Dialect: robotstxt.RFC9309, Statuses: fetch.StatusesOf(robotstxt.RFC9309)})
	}
	return bulk.NewDecider(capture.Archives{shops}, columns, bulk.Unknown, 0)
}

// filter runs over an input, and returns the output and what was rejected.
func filter(t *testing.T, o *stream.Options, input string) (output, rejected string) {
	t.Helper()
	var out bytes.Buffer
	o.Stdin, o.Stdout = strings.NewReader(input), &out
	if o.Inputs == nil {
		o.Inputs = []string{"-"}
	}
	if o.Decider == nil {
		o.Decider, o.Columns = decider("a"), []string{"a"}
	}
	var told strings.Builder
	o.Rejected = func(r bulk.Rejection) { fmt.Fprintf(&told, "%s, %s: %v\n", r.Input, r.Place, r.Err) }
	counts, err := stream.Run(context.Background(), o)
	if err != nil {
		fmt.Fprintf(&told, "run: %v\n", err)
	}
	if n := strings.Count(told.String(), "\n"); err == nil && int64(n) != counts.Rejected {
		t.Errorf("%d lines are rejected, but %d are told", counts.Rejected, n)
	}
	return out.String(), told.String()
}

// Blank lines before a list do not hide its format: if a line of CSV were read as a URL, the verdict could be a wrong one.
func TestBlankLinesBeforeList(t *testing.T) {
	dir := t.TempDir()
	lists := map[string]string{
		"csv":   "url,n\nhttps://shop.example/cart,1\n",
		"tsv":   "n\turl\n1\thttps://shop.example/cart\n",
		"jsonl": `{"url":"https://shop.example/cart"}` + "\n",
		"cdx":   " CDX N b a\ne)/ 2024 https://shop.example/cart\n",
		"cdxj":  `example,shop)/cart 20240501000000 {"url":"https://shop.example/cart"}` + "\n",
		"plain": "https://shop.example/cart\n",
	}
	for _, blank := range []string{"\ufeff\n", "\ufeff \r\n", " \n", "\t\n", "\v\n", "\f\n", "\n", "\r\n", "\r\r\n", "\n\n \n\ufeff\t\n"} {
		for format, list := range lists {
			plain, compressed := filepath.Join(dir, "list"), filepath.Join(dir, "list.gz")
			var gz bytes.Buffer
			z := gzip.NewWriter(&gz)
			z.Write([]byte(blank + list))
			z.Close()
			for path, content := range map[string]string{plain: blank + list, compressed: gz.String()} {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, input := range []string{"-", plain, compressed} {
				output, rejected := filter(t, &stream.Options{Inputs: []string{input}, Output: stream.Rows}, blank+list)
				var rows []string
				for row := range strings.Lines(output) {
					if !strings.Contains(row, "\tno-url\t") {
						rows = append(rows, row)
					}
				}
				if len(rows) != 1 || rows[0] != "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n" {
					t.Errorf("%s behind %q, %s: %q, rejected %q", format, blank, input, rows, rejected)
				}
			}
		}
	}
}

func TestFormats(t *testing.T) {
	tests := []struct {
		name, input string
		o           stream.Options
		want        string
		rejected    string
	}{
		{name: "rows", input: "https://shop.example/cart\r\nhttps://shop.example/\nhttps://none.example/",
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\nhttps://shop.example/\tallowed\tno-rule-matched\t\t\nhttps://none.example/\tunknown\tno-capture\t\t\n"},
		{name: "several columns", input: "http://old.example/x\n", o: stream.Options{Decider: decider("a", "b"), Columns: []string{"a", "b"}},
			want: "http://old.example/x\tallowed\tdisallowed\n"},
		{name: "header", input: "id,url\n1,https://shop.example/\n", o: stream.Options{Header: true},
			want: "url\tverdict\treason\tline\trule\nhttps://shop.example/\tallowed\tno-rule-matched\t\t\n"},
		{name: "header of several columns, and of no lines", o: stream.Options{Header: true, Decider: decider("a", "b"), Columns: []string{"a", "b\tc"}},
			want: "url\ta\tb%09c\n"},
		{name: "no header of lines that are kept as they are", input: "https://shop.example/\n", o: stream.Options{Header: true, Keep: bulk.OnlyAllowed},
			want: "https://shop.example/\n"},
		{name: "no header of JSON lines", input: "{\"url\":\"https://shop.example/\"}\n", o: stream.Options{Header: true},
			want: "{\"url\":\"https://shop.example/\",\"allowed\":true,\"reason\":\"no-rule-matched\"}\n"},
		{name: "only allowed", input: "https://shop.example/cart\nhttps://shop.example/ok\nhttps://none.example/\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "https://shop.example/ok\n"},
		{name: "only disallowed, of both", input: "http://old.example/x\nhttps://shop.example:8080/y\n", o: stream.Options{Keep: bulk.OnlyDisallowed, Decider: decider("a", "b"), Columns: []string{"a", "b"}},
			want: "https://shop.example:8080/y\n"},
		{name: "a scheme alone, with which other URLs begin", input: "https:\nhttps://shop.example/ok\nhttps://shop.example:8080/y\n",
			want:     "https:\tunknown\tno-url\t\t\nhttps://shop.example/ok\tallowed\tno-rule-matched\t\t\nhttps://shop.example:8080/y\tdisallowed\trule\t2\tDisallow: /\n",
			rejected: "standard input, line 1: \"https:\": expected an absolute URL, such as https://example.com/\n"},
		{name: "CDX with white space that is not ASCII, and JSON that is refused", input: "example,shop)/ 20240501000000 https://shop.example/cart\u00a0x text/html 200 - - - - - -\nexample,shop)/ 20240501000000 {\"url\":\"https://shop.example/cart\",\"url\":\"https://shop.example/\"}\n", o: stream.Options{Input: stream.CDX},
			want:     "https://shop.example/cart\u00a0x\tdisallowed\trule\t2\tDisallow: /cart\nexample,shop)/ 20240501000000 {\"url\":\"https://shop.example/cart\",\"url\":\"https://shop.example/\"}\tunknown\tno-url\t\t\n",
			rejected: "standard input, line 2: \"url\" is given twice; give it only once\n"},
		{name: "no URL", input: "\nnonsense\nhttps://shop.example/\n # x\n\ufeffold.example/x\t# y\n",
			want:     "\tunknown\tno-url\t\t\nnonsense\tunknown\tno-url\t\t\nhttps://shop.example/\tallowed\tno-rule-matched\t\t\n # x\tunknown\tno-url\t\t\nhttps://old.example/x\tunknown\tno-capture\t\t\n",
			rejected: "standard input, line 2: \"nonsense\": expected an absolute URL, such as https://example.com/\n"},
		{name: "JSON lines", input: `{"id": 7, "url": "https://shop.example/cart", "old": true, "x": {"url": 1}}` + "\n{\"url\": 7}\n",
			want:     `{"id": 7, "url": "https://shop.example/cart", "old": true, "x": {"url": 1},"allowed":false,"reason":"rule","rule":{"line":2,"allow":false,"pattern":"/cart"}}` + "\n" + `{"url": 7,"allowed":null,"reason":"no-url"}` + "\n",
			rejected: "standard input, line 2: \"url\" is a JSON number; expected a string\n"},
		{name: "a member in an object", input: `{"page":{"url":"https://shop.example/cart"},"url":7}` + "\n" + `{"page":{"url":"https://shop.example/"},"page.url":"https://shop.example/cart"}` + "\n" + `{"page":{}}` + "\n" + `{"page":{"url":{"x":1}}}` + "\n",
			o: stream.Options{Fields: stream.Fields{Field: "page.url"}},
			want: `{"page":{"url":"https://shop.example/cart"},"url":7,"allowed":false,"reason":"rule","rule":{"line":2,"allow":false,"pattern":"/cart"}}` + "\n" +
				`{"page":{"url":"https://shop.example/"},"page.url":"https://shop.example/cart","allowed":false,"reason":"rule","rule":{"line":2,"allow":false,"pattern":"/cart"}}` + "\n" +
				`{"page":{},"allowed":null,"reason":"no-url"}` + "\n" + `{"page":{"url":{"x":1}},"allowed":null,"reason":"no-url"}` + "\n",
			rejected: "standard input, line 3: the line of JSON has no member with the URL: expected the member \"page.url\"\nstandard input, line 4: the member with the URL is a JSON object, not a text: name the member in \"page.url\" that has the URL, such as page.url.url\n"},
		{name: "JSON lines with the exact bytes of the URL, as in the output", input: "{\"url\":\"https://shop.example/cart\ufffd\",\"url_b64\":\"aHR0cHM6Ly9zaG9wLmV4YW1wbGUvY2FydP8=\"}\n" +
			`{"url_b64":"aHR0cHM6Ly9zaG9wLmV4YW1wbGUvb2s="}` + "\n" + `{"url":"https://shop.example/","url_b64":"aHR0cHM6Ly9zaG9wLmV4YW1wbGUvb2s="}` + "\n" + `{"url_b64":"%"}` + "\n",
			o: stream.Options{Output: stream.Rows}, want: "https://shop.example/cart\xff\tdisallowed\trule\t2\tDisallow: /cart\nhttps://shop.example/ok\tallowed\tno-rule-matched\t\t\n" +
				`{"url":"https://shop.example/","url_b64":"aHR0cHM6Ly9zaG9wLmV4YW1wbGUvb2s="}` + "\tunknown\tno-url\t\t\n" + `{"url_b64":"%"}` + "\tunknown\tno-url\t\t\n",
			rejected: "standard input, line 3: \"url\" and \"url_b64\" name different URLs: give only one of them\nstandard input, line 4: \"url_b64\": expected base64: illegal base64 data at input byte 0\n"},
		{name: "JSON lines without a URL keep their members", input: `{"id":4}` + "\n{ }\n" + `{"id":5,"url":"x"}` + "\n" + `{"id":6,` + "\n",
			want:     `{"id":4,"allowed":null,"reason":"no-url"}` + "\n" + `{ "allowed":null,"reason":"no-url"}` + "\n" + `{"id":5,"url":"x","allowed":null,"reason":"no-url"}` + "\n" + `{"url":"{\"id\":6,","allowed":null,"reason":"no-url"}` + "\n",
			rejected: "standard input, line 1: the line of JSON has no member with the URL: expected the member \"url\"\nstandard input, line 2: the line of JSON has no member with the URL: expected the member \"url\"\nstandard input, line 3: \"x\": expected an absolute URL, such as https://example.com/\nstandard input, line 4: not JSON: unexpected EOF after offset 8\n"},
		{name: "CSV without schemes", input: "id,url\n1,shop.example/cart\n2,nonsense\n", want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n2,nonsense\tunknown\tno-url\t\t\n",
			rejected: "standard input, line 3: \"nonsense\": expected an absolute URL, such as https://example.com/\n"},
		{name: "CSV and TSV with white space around the URL", input: "url\tid\n \vshop.example/cart \t1\n", want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n"},
		{name: "JSON lines with white space in the string", input: `{"url":"https://shop.example/cart\t"}` + "\n" + `{"url":" https://shop.example/ok"}`, o: stream.Options{Output: stream.Rows},
			want:     "https://shop.example/cart%09\tdisallowed\trule\t2\tDisallow: /cart\n" + `{"url":" https://shop.example/ok"}` + "\tunknown\tno-url\t\t\n",
			rejected: "standard input, line 2: \" https://shop.example/ok\": expected a URL with the scheme http, https or ftp\n"},
		{name: "CDXJ with white space around the URL", input: "example,shop)/ 20240501000000 {\"url\":\" https://shop.example/cart \"}\n",
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n"},
		{name: "JSON lines without schemes", input: `{"url":"shop.example/ok"}`, want: `{"url":"shop.example/ok","allowed":true,"reason":"no-rule-matched"}` + "\n"},
		{name: "JSON lines with members of the output, and a prefix", input: `{"url": "https://shop.example/cart", "rule": 7, "allowed": "old"}`, o: stream.Options{Prefix: "heed_"},
			want: `{"url": "https://shop.example/cart", "rule": 7, "allowed": "old","heed_allowed":false,"heed_reason":"rule","heed_rule":{"line":2,"allow":false,"pattern":"/cart"}}` + "\n"},
		{name: "JSON lines that are odd", input: "\ufeff \t{ \"n\"\r: [\r1, \"}\" ] ,\"url\":\"https://none.example/\\r\" \r } \r\n" + `{"allowed\u0000":"allowed","u\u0072l":"https://shop.example/\u00ff"}`, o: stream.Options{Input: stream.JSONLines},
			want: `{ "n" : [ 1, "}" ] ,"url":"https://none.example/\r"   ,"allowed":null,"reason":"no-capture"}` + "\n" + `{"allowed\u0000":"allowed","u\u0072l":"https://shop.example/\u00ff","allowed":true,"reason":"no-rule-matched"}` + "\n"},
		{name: "a rule that is not UTF-8, as JSON", input: "https://odd.example/\xff\n", o: stream.Options{Output: stream.JSONRows},
			want: "{\"url\":\"https://odd.example/\ufffd\",\"url_b64\":\"aHR0cHM6Ly9vZGQuZXhhbXBsZS//\",\"allowed\":false,\"reason\":\"rule\",\"rule\":{\"line\":2,\"allow\":false,\"pattern\":\"/\ufffd\",\"pattern_b64\":\"L/8=\"}}\n"},
		{name: "JSON lines, several columns", input: `{"page": "http:\/\/old.example/x"}`, o: stream.Options{Fields: stream.Fields{Field: "page"}, Decider: decider("a", "b"), Columns: []string{"a", "b"}},
			want: `{"page": "http:\/\/old.example/x","verdicts":{"a":"allowed","b":"disallowed"}}` + "\n"},
		{name: "JSON lines, only disallowed", input: "{\"url\":  \"https://shop.example/cart\"}\n{\"url\": \"https://shop.example/\"}\n", o: stream.Options{Keep: bulk.OnlyDisallowed},
			want: "{\"url\":  \"https://shop.example/cart\"}\n"},
		{name: "URLs as JSON", input: "https://shop.example/\xff\n", o: stream.Options{Output: stream.JSONRows},
			want: "{\"url\":\"https://shop.example/\ufffd\",\"url_b64\":\"aHR0cHM6Ly9zaG9wLmV4YW1wbGUv/w==\",\"allowed\":true,\"reason\":\"no-rule-matched\"}\n"},
		{name: "CSV", input: "\ufeffid,url\n1,\"https://shop.example/cart?a,b\"\n\"two\nlines\",https://shop.example/ok\n", o: stream.Options{Fields: stream.Fields{Column: "url"}, Keep: bulk.OnlyAllowed},
			want: "\ufeffid,url\n\"two\nlines\",https://shop.example/ok\n"},
		{name: "CSV with quotation marks in fields", input: "url,id\nhttps://shop.example/a,5\" disk\nhttps://shop.example/b\"c,5\"\nhttps://shop.example/c,\"3\"\n", o: stream.Options{Input: stream.CSV},
			want: "https://shop.example/a\tallowed\tno-rule-matched\t\t\nhttps://shop.example/b\"c\tallowed\tno-rule-matched\t\t\nhttps://shop.example/c\tallowed\tno-rule-matched\t\t\n"},
		{name: "CSV with text behind a quotation mark", input: "url,id\nhttps://shop.example/a,\"5\" disk\n\"https://shop.example/\"\"b\",2\n", o: stream.Options{Input: stream.CSV},
			want:     "https://shop.example/a,\"5\" disk\tunknown\tno-url\t\t\nhttps://shop.example/\"b\tallowed\tno-rule-matched\t\t\n",
			rejected: "standard input, line 2: text follows the closing quotation mark of a value: a comma or a line end must come directly after this mark; to put a quotation mark into the value, write it twice\n"},
		{name: "CSV with an open quotation mark", input: "url,id\nhttps://shop.example/a,\"5\nhttps://shop.example/b,2\n", o: stream.Options{Input: stream.CSV, Keep: bulk.OnlyAllowed},
			want:     "url,id\nhttps://shop.example/b,2\n",
			rejected: "standard input, line 2: a value begins with a quotation mark, but no closing quotation mark follows within 1048576 bytes: add this mark\n"},
		{name: "CSV with few columns", input: "id,url\n1\n2,https://shop.example/\n", o: stream.Options{Input: stream.CSV},
			want:     "1\tunknown\tno-url\t\t\nhttps://shop.example/\tallowed\tno-rule-matched\t\t\n",
			rejected: "standard input, line 2: the URL is expected in column 2, but the line has only 1 column\n"},
		{name: "CSV with a comma in a URL", input: "id,url\n1,https://shop.example/ok,/cart\n\"2\",https://shop.example/ok,/cart\n3,https://shop.example/\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "id,url\n3,https://shop.example/\n",
			rejected: "standard input, line 2: the line has 3 columns, but the header has 2: if a value contains a comma, put quotation marks around the value\n" +
				"standard input, line 3: the line has 3 columns, but the header has 2: if a value contains a comma, put quotation marks around the value\n"},
		{name: "CSV with white space in the name of the column", input: "id,\" link \"\n1,https://shop.example/cart\n", o: stream.Options{Fields: stream.Fields{Column: " link "}},
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n"},
		{name: "JSON lines with null", input: `{"url":null}` + "\n", want: `{"url":null,"allowed":null,"reason":"no-url"}` + "\n",
			rejected: "standard input, line 1: \"url\" is null; expected a string with the URL\n"},
		{name: "CSV is recognised", input: "\ufeffid,\"url\"\n1,https://shop.example/cart\n", o: stream.Options{Keep: bulk.OnlyDisallowed},
			want: "\ufeffid,\"url\"\n1,https://shop.example/cart\n"},
		{name: "TSV is recognised", input: "id\turl\tx\n1\thttps://shop.example/cart\ta,b\n", o: stream.Options{Keep: bulk.OnlyDisallowed},
			want: "id\turl\tx\n1\thttps://shop.example/cart\ta,b\n"},
		{name: "xz", input: "\xfd7zXZ\x00\x00\x04\n", o: stream.Options{Input: stream.Plain},
			rejected: "standard input, from line 1 on: the input is still compressed, as xz: decompress it first; heed itself decompresses only gzip, zstd and bzip2\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "a host that begins as bzip2", input: "BZhotels.example/x\n", want: "https://BZhotels.example/x\tunknown\tno-capture\t\t\n"},
		{name: "WARC", input: "WARC/1.0\r\nWARC-Type: warcinfo\r\n",
			rejected: "standard input, from line 1 on: the input is WARC, which is a source of robots.txt files: expected lines with URLs; to check each response in it, use --for PURPOSE and --responses\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "Parquet", input: "PAR1\x15",
			rejected: "standard input, from line 1 on: the input is Parquet, which \"heed filter\" can read from a file, but not from standard input: expected lines with URLs\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "archive", input: "SQLite format 3\x00",
			rejected: "standard input, from line 1 on: the input is an archive of heed compile or a store, which are sources of robots.txt files: expected lines with URLs\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "a line end in the name of a column", input: "url,\"no\nte\"\nhttps://shop.example/,1\n",
			rejected: "standard input, from line 1 on: the first line, which names the columns, has no closing quotation mark; expected all names in this line\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "JSON lines as a table", input: `{"a":{"url":"https://shop.example/"}}`, o: stream.Options{Fields: stream.Fields{Column: "a.url"}},
			rejected: "standard input, from line 1 on: there is no column \"a.url\"; the columns are \"{\\\"a\\\":{\\\"url\\\":\\\"https://shop.example/\\\"}}\". If the input is JSON lines, name the member with the URL with --field, not with --column\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "XML", input: "<?xml version=\"1.0\"?>\n<urlset><url><loc>https://shop.example/</loc></url></urlset>\n",
			rejected: "standard input, from line 1 on: the input is XML, not a list of URLs; if it is a sitemap, make a list of it with: " +
				"grep -o '<loc>[^<]*' sitemap.xml | sed 's/<loc>//; s/&amp;/\\&/g'\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "UTF-16", input: "\xff\xfeh\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00\n\x00", o: stream.Options{Input: stream.Plain},
			rejected: "standard input, from line 1 on: the input is text in UTF-16: save it as UTF-8, or convert it with: iconv -f UTF-16LE -t UTF-8\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "UTF-16 without a mark", input: "h\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00.\x00e\x00\n\x00",
			rejected: "standard input, from line 1 on: the input is text in UTF-16: save it as UTF-8, or convert it with: iconv -f UTF-16LE -t UTF-8\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "UTF-16BE", input: "\xfe\xff\x00h\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00\n",
			rejected: "standard input, from line 1 on: the input is text in UTF-16: save it as UTF-8, or convert it with: iconv -f UTF-16BE -t UTF-8\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "semicolons, and other characters in the names of columns", input: "Address;Size (bytes)\nhttps://shop.example/cart;123\n",
			rejected: "standard input, from line 1 on: line 1 looks like the names of columns with semicolons between them: \"Address\", \"Size (bytes)\". heed reads CSV with commas, and TSV: " +
				"write the table in one of these forms; if each line is a URL, use --input plain\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "semicolons, and a column that is named", input: "url;size\nhttps://shop.example/cart;123\n", o: stream.Options{Fields: stream.Fields{Column: "url"}},
			rejected: "standard input, from line 1 on: there is no column \"url\"; the columns are \"url;size\". heed reads CSV with commas, and TSV, but no table with semicolons\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "semicolons, quotation marks, and a column that is named", input: "\"url\";\"size\"\n\"https://shop.example/cart\";123\n", o: stream.Options{Fields: stream.Fields{Column: "url"}},
			rejected: "standard input, from line 1 on: there is no column \"url\"; the columns are \"url;size\". heed reads CSV with commas, and TSV, but no table with semicolons\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "commas, and other characters in the names of columns", input: "Address,Size (bytes)\nhttps://shop.example/cart,123\n",
			rejected: "standard input, from line 1 on: line 1 looks like the names of columns, but no column has the name \"url\": \"Address\", \"Size (bytes)\". " +
				"If another column has the URLs, name it with --column; if each line is a URL, use --input plain\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "a name of a column that looks like a host", input: "id,page.url\n1,https://shop.example/cart\n",
			rejected: "standard input, from line 1 on: line 1 looks like the names of columns, but no column has the name \"url\": \"id\", \"page.url\". " +
				"If another column has the URLs, name it with --column; if each line is a URL, use --input plain\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "a row of CSV", input: "17,\"https://shop.example/cart\"\n18,https://shop.example/ok\n", rejected: rowRefused(2)},
		{name: "a row of CSV with a host", input: "1,shop.example\n", rejected: rowRefused(2)},
		{name: "a row of CSV with a host first", input: "https://shop.example,200\n", rejected: rowRefused(1)},
		{name: "a row of TSV", input: "https://shop.example/cart\t200 # x\n", rejected: rowRefused(1)},
		{name: "a row of TSV, as plain list", input: "https://shop.example/cart\t200\n", o: stream.Options{Input: stream.Plain},
			want: "https://shop.example/cart%09200\tdisallowed\trule\t2\tDisallow: /cart\n"},
		{name: "URLs with commas, and a path", input: "https://shop.example/ok,https://shop.example/cart,1\nshop.example/a,shop.example\n",
			want: "https://shop.example/ok,https://shop.example/cart,1\tallowed\tno-rule-matched\t\t\nhttps://shop.example/a,shop.example\tallowed\tno-rule-matched\t\t\n"},
		{name: "nonsense with commas", input: "/a,shop.example\n", want: "/a,shop.example\tunknown\tno-url\t\t\n",
			rejected: "standard input, line 1: \"/a,shop.example\": expected an absolute URL, such as https://example.com/\n"},
		{name: "a line of Excel", input: "sep=;\nurl;size\nhttps://shop.example/cart;123\n",
			rejected: "standard input, from line 1 on: line 1 is \"sep=;\", which Excel writes before a table: remove this line\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "hosts and paths with commas and semicolons", input: "shop.example/ok,a\nshop.example/ok;b\n",
			want: "https://shop.example/ok,a\tallowed\tno-rule-matched\t\t\nhttps://shop.example/ok;b\tallowed\tno-rule-matched\t\t\n"},
		{name: "a URL is no header", input: "https://shop.example/ok?,url\n",
			want: "https://shop.example/ok?,url\tallowed\tno-rule-matched\t\t\n"},
		{name: "a byte-order mark", input: "\ufeffhttps://shop.example/ok\n", want: "https://shop.example/ok\tallowed\tno-rule-matched\t\t\n"},
		{name: "a byte-order mark of JSON lines", input: "\ufeff{\"url\": \"https://shop.example/cart\"}\n", o: stream.Options{Keep: bulk.OnlyDisallowed},
			want: "{\"url\": \"https://shop.example/cart\"}\n"},
		{name: "CSV is kept with its line ends", input: "id,url\r\n1,https://shop.example/ok\r\n2,https://shop.example/a\n3,\"https://shop.example/b\"\r\n4,https://shop.example/c", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "id,url\r\n1,https://shop.example/ok\r\n2,https://shop.example/a\n3,\"https://shop.example/b\"\r\n4,https://shop.example/c\n"},
		{name: "JSON lines are kept with their line ends", input: "{\"url\":\"https://shop.example/ok\"}\r\n{\"url\":\"https://shop.example/a\"} \r\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "{\"url\":\"https://shop.example/ok\"}\r\n{\"url\":\"https://shop.example/a\"} \r\n"},
		{name: "URLs are kept with their line ends", input: "https://shop.example/ok # x\r\nshop.example/a\nhttps://shop.example/b\r", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "https://shop.example/ok\r\nhttps://shop.example/a\nhttps://shop.example/b\n"},
		{name: "CDX is kept with its line ends", input: " CDX N b a\r\ne)/ 2024 https://shop.example/ok\r\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: " CDX N b a\r\ne)/ 2024 https://shop.example/ok\r\n"},
		{name: "spaces that are no ASCII belong to the URL", input: " https://shop.example/cart\u00a0\t\n", want: "https://shop.example/cart\u00a0\tdisallowed\trule\t2\tDisallow: /cart\n"},
		{name: "a tab in a URL", input: "url\n\"https://shop.example/a\tb\nc\"\n", o: stream.Options{Input: stream.CSV},
			want: "https://shop.example/a%09b%0Ac\tallowed\tno-rule-matched\t\t\n"},
		{name: "no such column", input: "id,link\n1,https://shop.example/\n", o: stream.Options{Input: stream.CSV},
			rejected: "standard input, from line 1 on: there is no column \"url\"; the columns are \"id\", \"link\"\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "TSV", input: "a\tpage\n1\thttps://shop.example/\"cart\"\n", o: stream.Options{Fields: stream.Fields{Column: "page"}},
			want: "https://shop.example/\"cart\"\tallowed\tno-rule-matched\t\t\n"},
		{name: "CDXJ", input: "!OpenWayback-CDXJ 1.0\nexample,shop)/cart 20240501000000 {\"url\": \"https://shop.example/cart\", \"status\": \"200\"}\nexample,shop:8080)/y 20240501000000 {\"status\": \"200\"}\n",
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\nhttps://shop.example:8080/y\tdisallowed\trule\t2\tDisallow: /\n"},
		{name: "CDXJ and CDX without a scheme", input: "com,x)/ 20240501000000 {\"url\": \"shop.example/cart\"}\nexample,shop)/ok 20240501000000 shop.example/cart text/html 200 - - - - - -\n",
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\nhttps://shop.example/ok\tallowed\tno-rule-matched\t\t\n"},
		{name: "CDX with another header", input: " CDX N b a\ne)/ 2024 https://shop.example/cart\n CDX N b r a\n", o: stream.Options{},
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n CDX N b r a\tunknown\tno-url\t\t\n", rejected: "standard input, line 3: in this line and the lines after it, the URL is in another column: put these lines into a separate input\n"},
		{name: "CSV with a column twice", input: "url,url\na,b\n", o: stream.Options{Input: stream.CSV}, rejected: "standard input, from line 1 on: two columns have the name \"url\"; expected only one\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "blank lines before a header", input: "\r\n\nid,url\n1,https://shop.example/ok\n2,nonsense\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "id,url\n1,https://shop.example/ok\n", rejected: "standard input, line 5: \"nonsense\": expected an absolute URL, such as https://example.com/\n"},
		{name: "blank lines before JSON lines", input: "\n{\"url\":\"https://shop.example/ok\"}\n", o: stream.Options{Keep: bulk.OnlyAllowed},
			want: "{\"url\":\"https://shop.example/ok\"}\n", rejected: "standard input, line 1: the text is empty; expected a JSON object\n"},
		{name: "CSV with blank lines only", input: "\n\ufeff\r\n\t", o: stream.Options{Input: stream.CSV}, rejected: "standard input, from line 1 on: the input has only blank lines; expected the names of columns in its first line\nrun: heed could not read one of the inputs to its end: see the message about it\n"},
		{name: "CDX", input: " CDX N b a m s k r M S V g\nexample,shop)/cart 20240501000000 https://shop.example/cart text/html 200 X - - 7 8 f.warc.gz\n",
			want: "https://shop.example/cart\tdisallowed\trule\t2\tDisallow: /cart\n"},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			got, rejected := filter(t, &test.o, test.input)
			if got != test.want || rejected != test.rejected {
				t.Errorf("got\n%s\nwant\n%s\nrejected\n%s\nwant\n%s", got, test.want, rejected, test.rejected)
			}
		})
	}
}

func rowRefused(column int) string {
	return fmt.Sprintf("standard input, from line 1 on: line 1 looks like a row of a table without names of columns, with a URL in column %d: put a line with the names of all columns before it, and name this column url; "+
		"if each line is a URL, use --input plain\nrun: heed could not read one of the inputs to its end: see the message about it\n", column)
}

func TestLongLines(t *testing.T) {
	long := "https://shop.example/" + strings.Repeat("x", 1<<20)
	for _, around := range []int{0, 3, 10_000} { // lines before and behind
		ok := strings.Repeat("https://shop.example/ok\n", around)
		output, rejected := filter(t, &stream.Options{Keep: bulk.OnlyAllowed}, ok+long+"\n"+ok+long)
		if output != ok+ok {
			t.Errorf("%d lines around: %d bytes are kept, want %d", around, len(output), 2*len(ok))
		}
		want := fmt.Sprintf("standard input, line %d: the line is longer than 1048576 bytes; expected a shorter line\nstandard input, line %d: the line is longer than 1048576 bytes; expected a shorter line\n", around+1, 2*around+2)
		if rejected != want {
			t.Errorf("rejected\n%s\nwant\n%s", rejected, want)
		}
	}
}

// Each line has its answer before the next line is written, so that heed can be a coprocess.
func TestAnswersAtOnce(t *testing.T) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	go func() {
		stream.Run(context.Background(), &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{"-"}, Stdin: in, Stdout: out})
		out.Close()
	}()
	answers := bufio.NewReader(fromOut)
	for i := range 3 {
		fmt.Fprintf(toIn, "https://shop.example/%d\n", i)
		if got, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(got, fmt.Sprintf("https://shop.example/%d\tallowed", i)) {
			t.Fatalf("answer %d: %q, %v", i, got, err)
		}
	}
	toIn.Close()
}

// A cut or damaged compressed input gives what is before, and says where it ends.
func TestCutInput(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	for i := range 2000 {
		fmt.Fprintf(w, "https://shop.example/%d\n", rand.Uint64())
		if i%100 == 0 {
			w.Flush()
		}
	}
	w.Close()
	whole, _ := filter(t, &stream.Options{Keep: bulk.OnlyAllowed}, zipped.String())
	for _, cut := range []int{1, 5, 100, 1000, zipped.Len() / 2, zipped.Len() - 4} {
		output, rejected := filter(t, &stream.Options{Keep: bulk.OnlyAllowed}, zipped.String()[:cut])
		if !strings.HasPrefix(whole, output) && output != "" || !strings.Contains(rejected, "run: heed could not read one of the inputs to its end: see the message about it") && cut > 1 {
			t.Errorf("cut at %d: %d bytes of output, rejected %q", cut, len(output), rejected)
		}
	}
}

// However the input is cut into reads, the output is the same, and has a line for each line.
func FuzzBlocks(f *testing.F) {
	f.Add("https://shop.example/\n\n\"\nx\n # y", uint8(3), false)
	f.Add("url,x\nhttps://shop.example/,\"a\nb\"\n\"\n", uint8(1), true)
	f.Fuzz(func(t *testing.T, text string, size uint8, csv bool) {
		o := func() *stream.Options {
			if csv {
				return &stream.Options{Input: stream.CSV}
			}
			return &stream.Options{Input: stream.Plain}
		}
		whole, told := filter(t, o(), text)
		small := o()
		small.Inputs = []string{"-"}
		var out bytes.Buffer
		small.Decider, small.Columns, small.Stdout = decider("a"), []string{"a"}, &out
		small.Stdin = &pieces{text, int(size) + 1}
		counts, err := stream.Run(context.Background(), small)
		if out.String() != whole {
			t.Errorf("in pieces of %d:\n%q\nin one\n%q", size, out.String(), whole)
		}
		blank := int64(0)
		for line := range strings.Lines(text) {
			if !csv && lines.Text(lines.Trim(line)) == "" {
				blank++
			}
		}
		if n := strings.Count(out.String(), "\n"); err == nil && (int64(n) != counts.URLs+counts.Rejected+counts.Blank || counts.Blank != blank) {
			t.Errorf("%d lines for %d URLs, %d rejections and %d blank lines, want %d (%s)", n, counts.URLs, counts.Rejected, counts.Blank, blank, told)
		}
	})
}

// pieces is a reader of pieces of a text.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(len(p.text), p.size)])
	p.text = p.text[n:]
	return n, nil
}

// filesOf writes files into a new folder, and returns their names.
func filesOf(t *testing.T, texts ...string) (names []string) {
	dir := t.TempDir()
	for i, text := range texts {
		names = append(names, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// The header of CSV comes once, from the first input that has one. Empty inputs have no lines.
func TestHeaders(t *testing.T) {
	names := filesOf(t, "", "url,id", "\"url\", id\r\nhttps://shop.example/a,1\n", "\ufeffurl,id\nhttps://shop.example/b,2\n", "")
	output, rejected := filter(t, &stream.Options{Input: stream.CSV, Keep: bulk.OnlyAllowed, Inputs: names}, "")
	if want := "url,id\nhttps://shop.example/a,1\nhttps://shop.example/b,2\n"; output != want || rejected != "" {
		t.Errorf("got\n%s\nwant\n%s\nrejected %s", output, want, rejected)
	}
}

// Lines of different columns or formats are not written into one output.
func TestInputsTogether(t *testing.T) {
	const (
		plain  = "https://shop.example/a\n"
		csv    = "url,id\nhttps://shop.example/a,1\n"
		sdroc  = "id,url\n1,https://shop.example/a\n"
		tsv    = "url\tid\nhttps://shop.example/a\t1\n"
		object = "{\"url\":\"https://shop.example/a\"}\n"
		cdx    = "example,shop)/a 20240501000000 https://shop.example/a text/html 200 - - - - - -\n"
		cdx1   = " CDX N a b\ne)/ https://shop.example/a 2024\n"
	)
	for _, test := range []struct {
		first, second string
		keep          bulk.Keep
		output        stream.Output
		refused       string // how the two differ; "" if they may be together
	}{
		{csv, sdroc, bulk.OnlyAllowed, "", `0 has the format csv with the columns "url", "id", and 1 has the format csv with the columns "id", "url"`},
		{csv, tsv, bulk.OnlyDisallowed, "", `0 has the format csv with the columns "url", "id", and 1 has the format tsv with the columns "url", "id"`},
		{csv, plain, bulk.OnlyAllowed, "", `0 has the format csv with the columns "url", "id", and 1 has the format plain`},
		{plain, object, bulk.OnlyAllowed, "", "0 has the format plain, and 1 has the format jsonl"},
		{cdx, cdx1, bulk.OnlyAllowed, "", "0 has the format cdx with the URL in field 3, and 1 has the format cdx with the URL in field 2"},
		{cdx, cdx, bulk.OnlyAllowed, "", ""},
		{csv, sdroc, bulk.All, "", ""},
		{csv, plain, bulk.All, "", ""},
		{csv, object, bulk.All, "", `0 has the format csv with the columns "url", "id", and 1 has the format jsonl`},
		{object, sdroc, bulk.All, stream.JSONRows, ""},
		{object, tsv, bulk.OnlyAllowed, stream.Rows, ""},
	} {
		names := filesOf(t, test.first, test.second)
		dir := filepath.Dir(names[0])
		output, told := filter(t, &stream.Options{Keep: test.keep, Output: test.output, Inputs: names}, "")
		told = strings.ReplaceAll(told, dir+string(filepath.Separator), "")
		want := ""
		if test.refused != "" {
			want = "run: " + test.refused + ", so their lines do not fit into one output: check these inputs in separate runs, or choose one format for all with --format tsv or --format jsonl\n"
		}
		if told != want || (output == "") != (want != "") {
			t.Errorf("%q and %q: output %q\n got %s\nwant %s", test.first, test.second, output, told, want)
		}
		names[1] = "-" // the format of a pipe is known only after the output of the first input
		output, told = filter(t, &stream.Options{Keep: test.keep, Output: test.output, Inputs: names}, test.second)
		if strings.Contains(told, ", and standard input has the format ") != (test.refused != "") || output == "" {
			t.Errorf("%q and %q: output %q, told %s", test.first, test.second, output, told)
		}
	}
}

// Two runs cannot write one output. A run that ended leaves nothing but its output.
func TestOneRunAtATime(t *testing.T) {
	dir := t.TempDir()
	in, toIn := io.Pipe()
	first := &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{"-"}, Stdin: in, To: filepath.Join(dir, "out")}
	done := make(chan error)
	go func() {
		_, err := stream.Run(context.Background(), first)
		done <- err
	}()
	io.WriteString(toIn, "https://shop.example/a\n") // the run has begun
	second := &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{"-"}, Stdin: strings.NewReader(""), To: first.To}
	for _, second.Resume = range []bool{false, true} {
		if _, err := stream.Run(context.Background(), second); err == nil || !strings.Contains(err.Error(), "another run is writing") {
			t.Errorf("a second run: %v", err)
		}
	}
	toIn.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	os.WriteFile(stream.CheckpointOf(second.To), []byte("{}"), 0o600) // as if a run had been killed
	second.Resume = false
	if _, err := stream.Run(context.Background(), second); err == nil || !strings.Contains(err.Error(), "continue that run with --resume") {
		t.Errorf("a run that forgets the one before: %v", err)
	}
	os.Remove(stream.CheckpointOf(second.To))
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "out" {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A line with a member that the output has too is rejected, so that the member is not lost without a word, and the run goes on.
func TestClashes(t *testing.T) {
	if output, _ := filter(t, &stream.Options{}, `{"id":1,"rule":2}`); strings.Contains(output, `,"rule"`) {
		t.Errorf("a line without a URL: %s", output)
	}
	for name, columns := range map[string][]string{"allowed": {"a"}, "reason": {"a"}, "rule": {"a"}, "x_9Zrule": {"a"}, "verdicts": {"a", "b"}} {
		prefix := ""
		if strings.HasPrefix(name, "x_") {
			prefix = "x_9Z"
		}
		line := `{"url":"https://shop.example/","` + name + `":1}` + "\n"
		for i := range name {
			for _, escape := range []string{`%s\u%04x%s`, `%s\u%04X%s`} {
				escaped := strings.Replace(line, name, fmt.Sprintf(escape, name[:i], name[i], name[i+1:]), 1)
				output, told := filter(t, &stream.Options{Decider: decider(columns...), Columns: columns, Prefix: prefix}, "{\"url\":\"https://shop.example/\"}\n"+escaped+line)
				if wrong := "the line already has a member \"" + name + "\""; !strings.Contains(told, "line 2: "+wrong) || !strings.Contains(told, "line 3: "+wrong) || strings.Count(output, "\n") != 3 || strings.Contains(output, `,"`+name+`":1`) {
					t.Errorf("%s: %q, told %s", escaped, output, told)
				}
			}
		}
		if output, told := filter(t, &stream.Options{Decider: decider(columns...), Columns: columns, Prefix: "y"}, line); told != "" || !strings.Contains(output, name+`":1,"y`) {
			t.Errorf("%s with a prefix: %q, told %s", name, output, told)
		}
		if output, told := filter(t, &stream.Options{Decider: decider(columns...), Columns: columns, Keep: bulk.OnlyAllowed}, line); told != "" || output != line {
			t.Errorf("%s, kept as it is: %q, told %s", name, output, told)
		}
	}
}

// A decision has the form that it has everywhere else in Heed.
func TestDecisionsAsJSON(t *testing.T) {
	file := robotstxt.ParseString("User-agent: *\nDisallow: /\xff\n", robotstxt.RFC9309)
	for _, url := range []string{"https://odd.example/", "https://odd.example/\xff\xfe", "https://odd.example/\u202e\"<", "https://odd.example/robots.txt"} {
		answer := report.AnswerOf(url, file.Agent("a").Check(url))
		if output, told := filter(t, &stream.Options{Output: stream.JSONRows}, url); told != "" || output != string(answer.AppendJSON(nil))+"\n" {
			t.Errorf("%q: %s, told %s; want %s", url, output, told, answer.AppendJSON(nil))
		}
	}
}

// What a line of JSON has is in the output too, however it is written, and the output is one line.
func TestMembersAreCopied(t *testing.T) {
	portion.Skip(t, 3)
	random := rand.New(rand.NewPCG(3, 9))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	space := func() string { return one("", "", " ", "\t", "\r", " \r\r") }
	var value func(depth int) string
	value = func(depth int) string {
		kind := random.IntN(4)
		switch {
		case depth > 3 || kind == 0:
			return one(`"allowed"`, `"\""`, `"}"`, `"\\"`, `"{\r\n"`, `"\u0061llowed"`, `"é\ud83d\ude00"`, "-1.5e3", "null", "true")
		case kind == 1:
			return "[" + space() + value(depth+1) + space() + "," + value(depth+1) + space() + "]"
		case kind == 2:
			return "{" + space() + "}"
		}
		return "{" + space() + one(`"allowed"`, `"rule"`, `"x"`) + space() + ":" + space() + value(depth+1) + space() + "}"
	}
	for range 500 {
		line := space() + "{" + space() + `"x"` + space() + ":" + value(0) + space() + "," + space() + `"url":` + space() + `"https://shop.example/cart"` + space() + "," + one(`"y"`, `"allowe\u0064 "`) + ":" + value(0) + space() + "}" + space()
		var want, got map[string]any
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		want["allowed"], want["reason"], want["rule"] = false, "rule", map[string]any{"line": 2.0, "allow": false, "pattern": "/cart"}
		output, told := filter(t, &stream.Options{Input: stream.JSONLines}, line+"\n")
		if err := json.Unmarshal([]byte(output), &got); err != nil || told != "" || !reflect.DeepEqual(got, want) || strings.Count(output, "\n") != 1 || strings.Contains(output, "\r") {
			t.Fatalf("%q: %q, told %s, %v", line, output, told, err)
		}
	}
}
