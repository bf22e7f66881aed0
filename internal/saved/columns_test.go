package saved

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// Columns are read as they are written, and a mistake is an error that says what is expected.
func TestParseColumns(t *testing.T) {
	for text, want := range map[string]string{
		"origin=host,fetched=fetched_at_ms,body=body": "", "url=url,status=status": "", "body=a=b,origin= x ": "", "url=url,body=body,status=,fetched=": "",
		"site=host,body=body":             `the name "site" is unknown; expected one of url, origin, robots, robots_b64, body, location, status, fetched`,
		"origin=host,fetchd=at,body=body": `the name "fetchd" is unknown; did you mean fetched?`,
		"Origin=host,body=body":           `the name "Origin" is unknown; did you mean origin?`,
		"":                                `the name "" is unknown; expected one of url, `,
		"origin=host,":                    `the name "" is unknown; `,
		"origin=host,body":                `body: the name of the column is missing; expected for example body=column`,
		"origin=host,body=":               `body: the name of the column is missing; expected for example body=column`,
		"origin=host,body=a,body=b":       `body is given twice; give it only once`,
		"origin=host,status=host":         `origin and status: both would be read from the column "host"; name a different column for each`,
		"origin=host,url=url,body=body":   `url and origin cannot both be given: leave one of them out`,
		"body=body,status=status":         `--columns gives no column to url or to origin: expected one of them, such as origin=host if the column host has the origins`,
		"origin=host,fetched=at":          `neither "status" nor "body" has a column, and heed needs the status or the robots.txt of each site: give one of them, for example body=content`,
	} {
		c, err := ParseColumns(text)
		if want == "" {
			if again, wrong := ParseColumns(c.String()); err != nil || wrong != nil || again != c || !c.IsGiven() {
				t.Errorf("%s: %v, %q, %v", text, err, c.String(), wrong)
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if c := (Columns{}); c.IsGiven() || c.String() != "" {
		t.Error("the zero Columns are given")
	}
}

// Of several columns that may say the same, the first of the list counts; a host only if there is nothing else.
func TestFind(t *testing.T) {
	for table, want := range map[string]string{
		"host,status": "origin=host status=status", "host,url,status": "url=url status=status", "host,origin,body": "origin=origin body=body",
		"origin,url,body,content": "url=url origin=origin body=body", "content,url,warc_date,fetch_time": "url=url body=content fetched=fetch_time",
		"url,fetched_at,fetched_at_ms,fetched,robots,robots_b64,location": "url=url robots=robots robots_b64=robots_b64 location=location fetched=fetched",
		"url,URL,status": "url=url status=status",
		"url,fetched":    "this table has no robots.txt files: expected a column \"status\" or \"body\"; if the table is a list of URLs, give it as an INPUT, and not to --robots",
		"status,body":    `the table has no robots.txt files: the file has no column "url"; its columns are "status", "body"`,
		"url,status,url": `the file has two columns with the name "url"; expected only one`,
		"url,status,x,x": "url=url status=status",
	} {
		names := strings.Split(table, ",")
		found, err := new(Columns).Find(names)
		var got []string
		for n, i := range found {
			if i >= 0 {
				got = append(got, Name(n).String()+"="+names[i])
			}
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", table, text, want)
		}
	}
}

// A column that may have the time of a capture is known by its name.
func TestSaysTime(t *testing.T) {
	for _, name := range strings.Fields("time Date timestamp datetime ts When crawled_at fetchedAt crawl_ts crawlTs warc_date download_date updated_at last_seen crawl_epoch date-crawled fetched Crawled_On") {
		if !saysTime(name) {
			t.Errorf("%s is not a time", name)
		}
	}
	for _, name := range strings.Fields("host that charset format url robots rank length time_taken total_time request_time response_time elapsed_time timezone dns_time time_to_first_byte time_ms lifetime " +
		"sentiment timeout retry_at domain_creation_date registered_date statistics_date pages_crawled last_modified expires_at validated candidate _ 日付") {
		if saysTime(name) {
			t.Errorf("%s is a time", name)
		}
	}
}

// A record may have a robots.txt of MaxBytes, and an error behind it the right line.
func TestLargeRecord(t *testing.T) {
	portion.Skip(t, 4)
	body := strings.Repeat("# \"\"\n", MaxBytes/5)
	all, err := new(Columns).Lines(strings.NewReader("host,body\na.example,\""+body+"\"\nb.example\n"), "in", "host,body\n")
	if err != nil {
		t.Fatal(err)
	}
	var records []lines.Line
	for l := range all.All() {
		records = append(records, l)
	}
	if len(records) != 2 || records[1].Number != 2+MaxBytes/5+1 || all.Err() != nil {
		t.Fatalf("%d records, %v", len(records), all.Err())
	}
	a, err := all.Read(records[0], false)
	if err != nil || string(a.Body) != strings.ReplaceAll(body, `""`, `"`) {
		t.Errorf("%d bytes, %v", len(a.Body), err)
	}
}
