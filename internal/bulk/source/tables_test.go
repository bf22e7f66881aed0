package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/saved"
)

// cells are those of a row, by column. nil is null.
type cells map[string]any

// jsonLine returns a row as a line of JSON.
func jsonLine(t testing.TB, row cells) string {
	t.Helper()
	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// table returns rows as CSV or TSV, with quotation marks around all texts. The columns are those of the first row.
func table(comma string, rows ...cells) string {
	names := slices.Sorted(maps.Keys(rows[0]))
	out := strings.Join(names, comma) + "\n"
	for _, row := range rows {
		var fields []string
		for _, name := range names {
			switch cell := row[name].(type) {
			case nil:
				fields = append(fields, "")
			case string:
				fields = append(fields, `"`+strings.ReplaceAll(cell, `"`, `""`)+`"`)
			case float64:
				fields = append(fields, fmt.Sprintf("%.1f", cell))
			default:
				fields = append(fields, fmt.Sprint(cell))
			}
		}
		out += strings.Join(fields, comma) + "\n"
	}
	return out
}

// A typed cell is one of Parquet, of a column of a type.
type typed struct {
	node  parquet.Node
	value any
}

// parquetFile returns a row as a file of Parquet. The types are those of Go, or those of typed cells.
func parquetFile(t testing.TB, row cells) string {
	t.Helper()
	group, names := parquet.Group{}, slices.Sorted(maps.Keys(row))
	var values parquet.Row
	for i, name := range names {
		cell, ok := row[name].(typed)
		switch value := row[name].(type) {
		case nil, string:
			cell = typed{parquet.String(), value}
		case []byte:
			cell = typed{parquet.Leaf(parquet.ByteArrayType), value}
		case int:
			cell = typed{parquet.Leaf(parquet.Int64Type), int64(value)}
		case float64:
			cell = typed{parquet.Leaf(parquet.DoubleType), value}
		default:
			if !ok {
				t.Fatalf("%s: %T", name, value)
			}
		}
		group[name] = parquet.Optional(cell.node)
		value, level := parquet.ValueOf(cell.value), 1
		if cell.value == nil {
			level = 0
		}
		values = append(values, value.Level(0, level, i))
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("row", group))
	if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// found returns the captures of a file, with their times, and what is rejected of it, without the place.
func found(t testing.TB, columns, text string) (all []string) {
	t.Helper()
	var l source.Loader
	if columns != "" {
		var err error
		if l.Columns, err = saved.ParseColumns(columns); err != nil {
			t.Fatal(err)
		}
	}
	got, err := tryLoad(&l, filepath.Join(write(t, map[string]string{"w": text}), "w"))
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	all = texts(got.captures)
	for i, c := range got.captures {
		if !c.At.IsZero() {
			all[i] += " at " + c.At.UTC().Format(time.RFC3339Nano)
		}
	}
	for _, r := range got.rejected {
		_, why, _ := strings.Cut(r, ": ")
		all = append(all, "rejected: "+why)
	}
	return all
}

// Blank lines before the header do not hide a table, and count in the numbers of lines.
func TestBlankLinesBeforeHeader(t *testing.T) {
	row := cells{"origin": "a.example", "body": "User-agent: *\n"}
	for form, text := range map[string]string{"csv": table(",", row) + "b\n", "tsv": table("\t", row) + "b\n", "jsonl": "\n\n" + jsonLine(t, row) + "{\n"} {
		for _, blank := range []string{"\n", "\r\n", "\ufeff\n", "\ufeff\t\r\n", " \n", "\t\n", "\n \n\n", "\v\n", "\f\n"} {
			for _, content := range []string{blank + text, zipped(blank + text), blank + "\ufeff" + text} {
				got, err := tryLoad(new(source.Loader), filepath.Join(write(t, map[string]string{"w": content}), "w"))
				place := fmt.Sprintf("line %d: ", 4+strings.Count(blank, "\n"))
				n := len(got.rejected)
				if err != nil || !slices.Equal(texts(got.captures), []string{`https://a.example/robots.txt 200 "User-agent: *\n"`}) || n == 0 || !strings.Contains(got.rejected[n-1], place) {
					t.Errorf("%s behind %q: %q, rejected %q, want %s; %v", form, blank, texts(got.captures), got.rejected, place, err)
				}
			}
		}
	}
}

// The same values mean the same in JSON lines, CSV, TSV and Parquet, and what nobody knows is rejected.
func TestValuesAreAlike(t *testing.T) {
	const text = "User-agent: *\nDisallow: /\"x\",\t'y'\n"
	const at = 1777816800 // 2026-05-03T14:00:00Z
	ok := `https://a.example/robots.txt 200 ` + fmt.Sprintf("%q", text)
	fetched := func(value any) cells { return cells{"origin": "a.example", "body": text, "fetched": value} }
	status := func(value any) cells { return cells{"origin": "a.example", "body": text, "status": value} }
	site := func(value any) cells { return cells{"origin": value, "status": 404} }
	const noTime, noStatus, unknown = `; expected a time such as 2026-05-03T14:00:00Z`, `; expected the status of a response, such as 200 or 404`, `, so nothing is known about the robots.txt; expected a status such as 200 or 404`
	const future, noHost = `rejected: expected a time between 1994 and now, found `, `: expected a host such as example.com, or an origin such as https://example.com`
	for _, c := range []struct {
		columns string
		row     cells
		want    string
	}{
		{"", cells{"origin": "a.example", "body": text}, ok},
		{"", cells{"host": "a.example", "content": text}, ok},
		{"", cells{"url": "https://a.example/x", "robots": text}, ok},
		{"", cells{"url": "https://a.example/", "body": text}, `rejected: url "https://a.example/" is a home page, but its body is a robots.txt: expected https://a.example/robots.txt; if the column has the sites, use --columns origin=COLUMN,…`},
		{"", cells{"url": "https://a.example", "body": "<p>User-agent: *"}, `https://a.example/ 200 html ""`},
		{"", cells{"url": "https://a.example/", "status": 404, "body": text}, `https://a.example/ 404 ""`},
		{"", cells{"url": "https://a.example/x", "robots_b64": "VXNlci1hZ2VudDogKgo=", "robots": nil}, `https://a.example/robots.txt 200 "User-agent: *\n"`},
		{"", cells{"url": "https://a.example/robots.txt", "status": 301, "location": "/x"}, `https://a.example/robots.txt 301 to https://a.example/x ""`},
		{"", cells{"url": "https://a.example/robots.txt", "status": 301}, `https://a.example/robots.txt 301 to ? ""`},
		{"", cells{"host": "a.example", "status": 404, "body": nil, "fetched_at_ms": at*1000 + 5}, `https://a.example/robots.txt 404 "" at 2026-05-03T14:00:00.005Z`},
		{"", cells{"host": "a.example", "status": 200, "body": nil}, `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`},
		{"", cells{"host": "a.example", "status": 200, "body": ""}, `https://a.example/robots.txt 200 ""`},
		{"", cells{"host": "a.example", "robots_b64": "%"}, `rejected: robots_b64: expected base64 without line ends`},
		{"", cells{"url": nil, "origin": nil, "status": 404}, `rejected: expected either "url" or "origin", and not both`},
		{"origin=site,body=text,fetched=when", cells{"site": "a.example", "text": text, "when": "2026-05-03", "url": "x", "fetched": "x", "other": 1.5}, ok + " at 2026-05-03T00:00:00Z"},
		{"origin=site,body=text", cells{"site": "a.example", "text": text, "status": 500}, `rejected: the column "status" may have the status of the response: to use it, give --columns "origin=site,body=text,status=status"; if every row is a success, write status= without a name`},
		{"origin=site,body=text", cells{"site": "a.example", "text": text, "HTTP_Status_Code": 500}, `rejected: the column "HTTP_Status_Code" may have the status of the response: to use it, give --columns "origin=site,body=text,status=HTTP_Status_Code"; if every row is a success, write status= without a name`},
		{"origin=site,body=text", cells{"site": "a.example", "text": text, "crawlTime": at}, `rejected: the column "crawlTime" may have the time of the retrieval: to use it, give --columns "origin=site,body=text,fetched=crawlTime"; if the time does not matter, write fetched= without a name`},
		{"origin=site,body=text,fetched=", cells{"site": "a.example", "text": text, "crawled": at}, ok},
		{"origin=site,body=text,fetched=crawled", cells{"site": "a.example", "text": text, "crawled": "today"}, `rejected: "crawled" is "today"` + noTime},
		{"origin=site,body=text,status=", cells{"site": "a.example", "text": text, "status": 500}, ok},
		{"origin=site,body=text,fetched=status_at", cells{"site": "a.example", "text": text, "status_at": "2026-05-03"}, ok + " at 2026-05-03T00:00:00Z"},
		{"origin=page,status=code", cells{"page": "https://a.example/gone.html", "code": 404}, `rejected: origin "https://a.example/gone.html": expected only a scheme and a host, such as https://example.com, because the response for a page says nothing about the robots.txt`},
		{"origin=page,status=code", cells{"page": "https://a.example/", "code": 404}, `https://a.example/robots.txt 404 ""`},
		{"origin=site,body=text", cells{"site": "a.example", "text": "b'User-agent: *\\nDisallow: /'"}, `rejected: the robots.txt is written as b'…', which is how Python prints bytes: expected the text itself`},
		{"", cells{"host": "a.example", "status": 200, "body": "NaN "}, `rejected: the robots.txt is only the word "NaN", which some programs write in place of a missing value; expected its text`},
		{"", cells{"host": "a.example", "status": 404, "body": "NaN"}, `https://a.example/robots.txt 404 ""`},
		{"url=page,robots=text", cells{"page": "https://a.example/x?y", "text": text, "body": "x"}, ok},
		{"url=page,robots=text", cells{"page": "a.example", "text": text}, `rejected: "a.example": expected an absolute URL, such as https://example.com/`},
		{"origin=host,status=code,body=text", cells{"host": "a.example", "code": nil, "text": text}, "rejected: the status is null" + unknown},

		{"", site("https://a.example"), `https://a.example/robots.txt 404 ""`},
		{"", site("HTTP://A.example:8080/x"), `http://a.example:8080/robots.txt 404 ""`},
		{"", site("Example.COM"), `https://example.com/robots.txt 404 ""`},
		{"", site("example.com:8080"), `https://example.com:8080/robots.txt 404 ""`},
		{"", site("bücher.example"), `https://xn--bcher-kva.example/robots.txt 404 ""`},
		{"", site("[::1]:8080"), `https://[::1]:8080/robots.txt 404 ""`},
		{"", site("exa mple"), `rejected: origin "exa mple"` + noHost},
		{"", site(""), `rejected: expected either "url" or "origin", and not both`},
		{"", site("a..b"), `rejected: origin "a..b"` + noHost},
		{"", site("a.example/path?x"), `rejected: origin "a.example/path?x"` + noHost},
		{"", site("user@a.example"), `rejected: origin "user@a.example"` + noHost},
		{"", site("nohost"), `rejected: origin "nohost"` + noHost},
		{"", site("a.example:0"), `rejected: origin "a.example:0"` + noHost},

		{"", fetched("2026-05-03T16:00:00+02:00"), ok + " at 2026-05-03T14:00:00Z"},
		{"", fetched("2026-05-03 14:00:00"), ok + " at 2026-05-03T14:00:00Z"},
		{"", fetched("2026-05-03 14:00:00.25+00:00"), ok + " at 2026-05-03T14:00:00.25Z"},
		{"", fetched("2026-05-03T14:00:00"), ok + " at 2026-05-03T14:00:00Z"},
		{"", fetched("2026-05-03"), ok + " at 2026-05-03T00:00:00Z"},
		{"", fetched(at), ok + " at 2026-05-03T14:00:00Z"},
		{"", fetched(at*1000 + 1), ok + " at 2026-05-03T14:00:00.001Z"},
		{"", fetched(at*1000_000 + 1), ok + " at 2026-05-03T14:00:00.000001Z"},
		{"", fetched(at*1000_000_000 + 1), ok + " at 2026-05-03T14:00:00.000000001Z"},
		{"", fetched(fmt.Sprint(at*1000 + 1)), ok + " at 2026-05-03T14:00:00.001Z"},
		{"", fetched(at + 0.5), ok + " at 2026-05-03T14:00:00.5Z"},
		{"", fetched(at * 1000.0), ok + " at 2026-05-03T14:00:00Z"},
		{"", fetched(0), future + "1970-01-01T00:00:00Z"},
		{"", fetched(757_382_400), ok + " at 1994-01-01T00:00:00Z"},
		{"", fetched(nil), ok},
		{"", fetched(""), ok},
		{"", fetched(99_999_999_999), future + "5138-11-16T09:46:39Z"},
		{"", fetched(100_000_000_000), future + "1973-03-03T09:46:40Z"},
		{"", fetched(99_999_999_999_999), future + "5138-11-16T09:46:39Z"},
		{"", fetched(100_000_000_000_000), future + "1973-03-03T09:46:40Z"},
		{"", fetched(99_999_999_999_999_999), future + "5138-11-16T09:46:39Z"},
		{"", fetched(100_000_000_000_000_000), future + "1973-03-03T09:46:40Z"},
		{"", fetched(-1), future + "1969-12-31T23:59:59Z"},
		{"", fetched("1969-12-31"), future + "1969-12-31T00:00:00Z"},
		{"", fetched("2999-01-01"), future + "2999-01-01T00:00:00Z"},
		{"", fetched(32503680000000), future + "3000-01-01T00:00:00Z"},
		{"", fetched("20260503140000"), future + "2612-01-12T13:32:20Z"},
		{"", fetched("20260503"), `rejected: "fetched" is "20260503"; expected a day such as 2026-05-03, or a time such as 2026-05-03T14:00:00Z`},
		{"", fetched("today"), `rejected: "fetched" is "today"` + noTime},
		{"", fetched("0x10"), `rejected: "fetched" is "0x10"` + noTime},

		{"", status(404), `https://a.example/robots.txt 404 ""`},
		{"", status("404"), `https://a.example/robots.txt 404 ""`},
		{"", status(" 404 "), `https://a.example/robots.txt 404 ""`},
		{"", status(404.0), `https://a.example/robots.txt 404 ""`},
		{"", status(nil), "rejected: the status is null" + unknown},
		{"", status(0), "rejected: the status is 0" + unknown},
		{"", status(-1), "rejected: the status is -1" + unknown},
		{"", status("0"), "rejected: the status is 0" + unknown},
		{"", status(99), "rejected: the status is 99" + noStatus},
		{"", status("ok"), `rejected: the status is "ok"` + noStatus},
		{"", status("404 Not Found"), `rejected: the status is "404 Not Found"` + noStatus},
	} {
		name := fmt.Sprint(c.columns, " ", c.row)
		for format, text := range map[string]string{"JSON": jsonLine(t, c.row), "CSV": table(",", c.row), "TSV": table("\t", c.row), "Parquet": parquetFile(t, c.row)} {
			want := c.want
			if format[1:] == "SV" && c.row["status"] == nil {
				want = strings.Replace(want, "status is null", "status is empty", 1) // which is all that a table can say
			}
			if format == "JSON" && c.columns == "" && slices.Contains(slices.Collect(maps.Values(c.row)), nil) {
				want = `: the value is null: give a value, or leave this member out` // as in all lines with our names
			}
			if got := found(t, c.columns, text); len(got) != 1 || got[0] != want && !(want[0] == ':' && strings.HasPrefix(got[0], "rejected: ") && strings.HasSuffix(got[0], want)) {
				t.Errorf("%s of %s: %q, want %s", format, name, got, want)
			}
		}
	}
}

// Numbers that only one format has, or that each writes in another way.
func TestValuesOfOneFormat(t *testing.T) {
	const unknown = `, so nothing is known about the robots.txt; expected a status such as 200 or 404`
	for text, want := range map[string]string{
		`{"host":"a.example","status":404,"fetched":1.7778168e9}`:                     `https://a.example/robots.txt 404 "" at 2026-05-03T14:00:00Z`,
		`{"host":"a.example","status":404,"fetched":1e400}`:                           `rejected: "fetched" is +Inf; expected a time such as 2026-05-03T14:00:00Z`,
		`{"host":"a.example","status":404.5}`:                                         `rejected: the status is 404.5; expected the status of a response, such as 200 or 404`,
		`{"host":"a.example","status":true,"body":""}`:                                `rejected: "status" is a JSON true; expected a number or a string`,
		`{"host":"a.example","status":"","body":""}`:                                  `rejected: the status is empty` + unknown,
		`{"host":"a.example","status":null,"body":""}`:                                `rejected: "status": the value is null: give a value, or leave this member out`,
		`{"host":"a.example","body":["x"]}`:                                           `rejected: "body" is a JSON list; expected a string`,
		`{"host":"a.example","url":"https://b.example/robots.txt","status":404}`:      `rejected: "url" and "host" are both given; expected only one of them`,
		`{"host":"a.example","origin":"https://b.example","status":404}`:              `rejected: "host" and "origin" are both given; expected only one of them`,
		`{"host":"a.example","body":"","content":"User-agent: *"}`:                    `rejected: "body" and "content" are both given; expected only one of them`,
		"host,status,body\na.example,200,\n":                                          `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`,
		"host,status,body\na.example,200,\"\"\n":                                      `https://a.example/robots.txt 200 ""`,
		"host,status,body\na.example,,\"\"\n":                                         `rejected: the status is empty` + unknown,
		"host,status,body\na.example,NULL,\"\"\n":                                     `rejected: the status is null` + unknown,
		"host,status,body\na.example,200,NULL\n":                                      `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`,
		"host,status,body\na.example,200,\\N\n":                                       `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`,
		"host,status,body\na.example,200.0,# x\n":                                     `https://a.example/robots.txt 200 "# x"`,
		"\ufeffhost,status,body\r\na.example,200,# x\r\n\r\n":                         `https://a.example/robots.txt 200 "# x"`,
		"host,body,status\na.example,User-agent: *\\nDisallow: /,200\n":               `rejected: the robots.txt has the two characters \n instead of line ends: expected real line ends, and quotation marks around the robots.txt`,
		"host,body\na.example,\"User-agent: *\\nDisallow: /\"\n":                      `https://a.example/robots.txt 200 "User-agent: *\\nDisallow: /"`,
		"\"host\",\"body\"\n\"a.example\",\"User-agent: *\r\nDisallow: /\\n\"\n":      `https://a.example/robots.txt 200 "User-agent: *\r\nDisallow: /\\n"`,
		"host\tstatus\tbody\na.example\t200\t\"User-agent: *\nDisallow: /,\t\"\"\"\n": `https://a.example/robots.txt 200 "User-agent: *\nDisallow: /,\t\""`,
		"host,body\na.example,\"User-agent: *\nDisallow: /\xe9\"\n":                   `https://a.example/robots.txt 200 "User-agent: *\nDisallow: /\xe9"`,
		"host,body\na.example,\"x\",y\n":                                              `rejected: the row has more columns than the header, which has 2: a value that contains a comma, a line end or a quotation mark needs quotation marks around it`,
		"host\tbody\na.example\n":                                                     `rejected: the row has fewer columns than the header, which has 2: a value that contains a tab, a line end or a quotation mark needs quotation marks around it`,
		"host,host,body\na.example,a.example,x\n":                                     `rejected: the file has two columns with the name "host"; expected only one`,
	} {
		checkTexts(t, text, found(t, "", text), []string{want})
	}
}

// A robots.txt that a program wrote without quotation marks must not be read up to its first line end: then its rules were
// lost. Each error says in which line it is.
func TestUnquotedLines(t *testing.T) {
	const doubt = "the robots.txt in this row has no quotation marks, and the line before or after it is not a row"
	for body, want := range map[string]string{
		"User-agent: *\nDisallow: /\n":         "2 3",
		"User-agent: *\n\n\nDisallow: /\n":     "2 5",
		"User-agent: *\n# a,200,b\n":           "2 3",
		"User-agent: *\n\"\nDisallow: /\n":     "2 3 4",
		"User-agent: \"*\"\nDisallow: /\n":     "2 3",
		"\"User-agent: *\nDisallow: /\"\n":     "",
		"User-agent: *\n":                      "",
		"User-agent: *\nc.example,,\n":         "2 3",
		"\"User-agent: *\nDisallow: /\" # x\n": "2 3",
	} {
		got := load(t, filepath.Join(write(t, map[string]string{"w": "host,status,body\nz.example,200," + body + "b.example,404,\n"}), "w"))
		var lines []string
		for _, r := range got.rejected {
			place, why, _ := strings.Cut(strings.TrimPrefix(r, "w, line "), ": ")
			lines = append(lines, place)
			if isFirst := place == "2" && !strings.HasPrefix(body, `"`); isFirst != strings.HasPrefix(why, doubt) {
				t.Errorf("%q: %s", body, r)
			}
		}
		if len(got.captures) != 2-min(1, len(lines)) || strings.Join(lines, " ") != want {
			t.Errorf("%q: rejected %q, want lines %s; captures %q", body, got.rejected, want, texts(got.captures))
		}
	}
}

// A column of Parquet with a time is exact, and one whose type cannot be right is an error for the file.
func TestTypesOfParquet(t *testing.T) {
	stamp := func(unit parquet.TimeUnit, n int64) typed { return typed{parquet.Timestamp(unit), n} }
	leaf := func(t parquet.Type, value any) typed { return typed{parquet.Leaf(t), value} }
	const at = " at 2026-05-03T14:00:00Z"
	for _, c := range []struct {
		column string
		cell   typed
		want   string
	}{
		{"fetched", stamp(parquet.Millisecond, 757_382_400_005), ` 200 "# x" at 1994-01-01T00:00:00.005Z`},
		{"fetched", stamp(parquet.Microsecond, 1777816800_000_001), ` 200 "# x" at 2026-05-03T14:00:00.000001Z`},
		{"fetched", stamp(parquet.Nanosecond, 1777816800_000_000_000), ` 200 "# x"` + at},
		{"fetched", stamp(parquet.Millisecond, math.MaxInt64), `rejected: expected a time between 1994 and now`},
		{"fetched", typed{parquet.Date(), int32(20576)}, ` 200 "# x" at 2026-05-03T00:00:00Z`},
		{"fetched", leaf(parquet.Int32Type, int32(1777816800)), ` 200 "# x"` + at},
		{"fetched", leaf(parquet.DoubleType, math.NaN()), `rejected: "fetched" is NaN; expected a time`},
		{"fetched", leaf(parquet.DoubleType, math.Inf(1)), `rejected: "fetched" is +Inf; expected a time`},
		{"fetched", leaf(parquet.BooleanType, true), `rejected: the column "fetched" of the Parquet file has the type BOOLEAN; expected a timestamp, a date, a number (INT32, INT64 or DOUBLE) or text`},
		{"fetched", typed{parquet.Time(parquet.Millisecond), int32(5)}, `rejected: the column "fetched" of the Parquet file has the type TIME`},
		{"fetched", leaf(parquet.FloatType, float32(1777816800)), `rejected: the column "fetched" of the Parquet file has the type FLOAT`},
		{"status", leaf(parquet.Int32Type, int32(404)), ` 404 ""`},
		{"status", leaf(parquet.FloatType, float32(404)), ` 404 ""`},
		{"status", leaf(parquet.DoubleType, 404.5), `rejected: the status is 404.5; expected the status`},
		{"status", leaf(parquet.DoubleType, math.NaN()), `rejected: the status is NaN; expected the status`},
		{"status", leaf(parquet.ByteArrayType, []byte("\xff")), `rejected: the status is "`},
		{"status", leaf(parquet.BooleanType, true), `rejected: the column "status" of the Parquet file has the type BOOLEAN; expected a whole number or text`},
		{"status", stamp(parquet.Millisecond, 404), `rejected: the column "status" of the Parquet file has the type TIMESTAMP`},
		{"body", leaf(parquet.ByteArrayType, []byte("User-agent: *\n\xff")), ` 200 "User-agent: *\n\xff"`},
		{"body", leaf(parquet.FixedLenByteArrayType(3), []byte("# y")), ` 200 "# y"`},
		{"body", leaf(parquet.Int64Type, int64(5)), `rejected: the column "body" of the Parquet file has the type INT(64,true); expected text or bytes`},
		{"body", typed{parquet.UUID(), make([]byte, 16)}, `rejected: the column "body" of the Parquet file has the type UUID`},
		{"host", leaf(parquet.Int64Type, int64(5)), `rejected: the column "host" of the Parquet file has the type INT(64,true)`},
	} {
		row := cells{"host": "a.example", "status": 200, "body": "# x"}
		row[c.column] = c.cell
		want := strings.Replace(c.want, " ", "https://a.example/robots.txt ", 1)
		if strings.HasPrefix(c.want, "rejected") {
			want = c.want
		}
		if got := found(t, "", parquetFile(t, row)); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s, %s, %v: %q, want %s", c.column, c.cell.node, c.cell.value, got, want)
		}
	}
	if got := found(t, "", parquetFile(t, cells{"url": "https://a.example/robots.txt", "host": 5, "status": 404})); len(got) != 1 || got[0] != `https://a.example/robots.txt 404 ""` {
		t.Errorf("host next to url: %q", got)
	}
}

// A file that lacks a column that somebody named is rejected with its columns, and the others are read.
func TestColumnsThatAreMissing(t *testing.T) {
	row := cells{"origin": "a.example", "status": 404, "body": nil}
	many := maps.Clone(row)
	for i := range 30 {
		many[fmt.Sprintf("c%02d", i)] = "x"
	}
	const why, all = `the file has no column "host"; its columns are `, `"body", "origin", "status"`
	columns, err := saved.ParseColumns("origin=host,status=status")
	if err != nil {
		t.Fatal(err)
	}
	good := jsonLine(t, cells{"host": "b.example", "status": 404, "more": cells{"null": nil}})
	for name, c := range map[string]struct{ text, want string }{
		"csv": {table(",", row), why + all}, "tsv.gz": {zipped(table("\t", row)), why + all}, "parquet": {parquetFile(t, row), why + all},
		"many.parquet": {parquetFile(t, many), `"c17", "c18"`}, "many.csv": {table(",", many), `"c17", "c18"`},
	} {
		dir := write(t, map[string]string{name: c.text, "good.jsonl": good})
		got, err := tryLoad(&source.Loader{Columns: columns}, filepath.Join(dir, name), filepath.Join(dir, "good.jsonl"))
		if err != nil || len(got.rejected) != 1 || !strings.HasPrefix(got.rejected[0], name+", : "+why) || !strings.HasSuffix(got.rejected[0], c.want) || len(got.captures) != 1 {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	dir := write(t, map[string]string{"other.jsonl": jsonLine(t, row)})
	if _, err := tryLoad(&source.Loader{Columns: columns}, filepath.Join(dir, "other.jsonl")); err == nil || !strings.HasSuffix(err.Error(), "must have the names that you gave: origin=host,status=status") {
		t.Error(err)
	}
	var mixed strings.Builder
	mixed.WriteString(good + jsonLine(t, row) + jsonLine(t, cells{"host": "c.example", "body": ""}))
	checkTexts(t, "lines without a member", found(t, columns.String(), mixed.String()), []string{
		`https://b.example/robots.txt 404 ""`, `rejected: expected either "url" or "origin", and not both`, "rejected: the status is null, so nothing is known about the robots.txt; expected a status such as 200 or 404"})
}

// The table of a crawler, written by hyparquet-writer, with and without names for its columns.
func TestParquetOfACrawler(t *testing.T) {
	const name = "../parquetfile/testdata/crawler.parquet"
	want := []string{
		`https://a.example/robots.txt 200 "User-agent: *\nDisallow: /cart\n"`, `https://b.example:8080/robots.txt 404 ""`,
		`https://xn--bcher-kva.example/robots.txt 200 "User-agent: *\nDisallow: /\xe9\n"`,
	}
	rejected := []string{
		"row 3: the robots.txt is missing; expected \"body\", \"robots\" or \"robots_b64\", or a status such as 404, which says that there is no robots.txt", "row 4: the status is null, so nothing is known about the robots.txt; expected a status such as 200 or 404", "row 5: expected a time between 1994 and now, found 3000-01-01T00:00:00Z",
		`row 6: origin "exa mple": expected a host such as example.com, or an origin such as https://example.com`, "row 8: the status is 0, so nothing is known about the robots.txt; expected a status such as 200 or 404",
	}
	for _, columns := range []string{"", "origin=host,fetched=fetched_at_ms,status=status,body=body"} {
		l := source.Loader{}
		if columns != "" {
			var err error
			if l.Columns, err = saved.ParseColumns(columns); err != nil {
				t.Fatal(err)
			}
		}
		got, err := tryLoad(&l, name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.rejected {
			got.rejected[i] = strings.TrimPrefix(got.rejected[i], "crawler.parquet, ")
		}
		checkTexts(t, columns, texts(got.captures), want)
		checkTexts(t, columns, got.rejected, rejected)
		if at := got.captures[1].At.UTC().Format(time.RFC3339Nano); at != "2026-05-03T14:00:01.123Z" {
			t.Error(at)
		}
	}
}

// Files in which rows would be read that are none, or in which a success cannot be told from a failure.
func TestTablesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"body,host\nUser-agent: *\nDisallow: /,a.example\nUser-agent: *,b.example\n": "w, line 2: the row has fewer columns; w, line 3: the robots.txt in this row has no quotation marks",
		"host,status,body\ra.example,200,x\rb.example,200,y\r":                       "w: the lines of the file end with CR only",
		"host,http_code,body\na.example,503,\"\"\n":                                  `w: the column "http_code" may have the status of the response`,
		"host,body,OK\na.example,\"\",false\n":                                       `w: the column "OK" may have the status of the response`,
		"origin,crawled_at,status,body\na.example,2026-05-03,200,\"\"\n":             `w: the column "crawled_at" may have the time of the retrieval: to use it, give --columns "origin=origin,body=body,status=status,fetched=crawled_at"`,
		"url,origin,body,timestamp\nhttps://a.example/robots.txt,x,\"\",1\n":         `w: the column "timestamp" may have the time of the retrieval: to use it, give --columns "url=url,body=body,fetched=timestamp"`,
	} {
		got := load(t, filepath.Join(write(t, map[string]string{"w": text, "other": `{"origin":"https://z.example","status":404}`}), "*"))
		wants := strings.Split(want, "; ")
		isFirst := strings.Contains(want, "line 2")
		if len(got.rejected) != len(wants) || (len(got.captures) != 1) != isFirst {
			t.Errorf("%q: %d captures, rejected %q", text, len(got.captures), got.rejected)
			continue
		}
		for i, want := range wants {
			if !strings.HasPrefix(strings.Replace(got.rejected[i], "w, :", "w:", 1), want) {
				t.Errorf("%q: rejected %q, want %q", text, got.rejected[i], want)
			}
		}
	}
}
