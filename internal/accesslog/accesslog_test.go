package accesslog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/accesslog"
)

func at(t testing.TB, text string) int64 {
	t.Helper()
	when, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return when.UnixNano()
}

const bot = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/)"

// TestRead (AU-14): each format, and what the lines of it say.
func TestRead(t *testing.T) {
	when := at(t, "2026-10-10T13:55:36Z")
	for name, c := range map[string]struct {
		log    string // the last line is read
		format string
		want   accesslog.Entry
	}{
		"Common": {`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "/a", Status: 200}},
		"Combined, another zone, a user with a space": {`2001:db8::1 - jo doe [10/Oct/2026:15:25:36 +0130] "HEAD /a?b=c HTTP/2.0" 304 - "https://a.example/" "` + bot + `"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "2001:db8::1", Method: "HEAD", Target: "/a?b=c", Status: 304, Agent: bot}},
		"virtual host with a port": {`www.example.com:443 192.0.2.1 - - [10/Oct/2026:05:55:36 -0800] "GET /a HTTP/1.1" 200 12 "-" "` + bot + `"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Host: "www.example.com:443", Scheme: "https", Method: "GET", Target: "/a", Status: 200, Agent: bot}},
		"several addresses in front": {`198.51.100.7, 10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "-"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "10.0.0.1", Forwarded: "198.51.100.7, 10.0.0.1", Method: "GET", Target: "/a", Status: 200}},
		"X-Forwarded-For behind": {`10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "` + bot + `" "198.51.100.7"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "10.0.0.1", Forwarded: "198.51.100.7", Method: "GET", Target: "/a", Status: 200, Agent: bot}},
		"a name in place of an address": {`dsl.example.net - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "x"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "dsl.example.net", Method: "GET", Target: "/a", Status: 200, Agent: "x"}},
		"escapes of Apache and nginx": {`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /\"\xC3\xa9\\ x HTTP/1.1" 200 12 "-" "a \x22b\x22 [c] \t"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "/\"é\\ x", Status: 200, Agent: "a \"b\" [c] \t"}},
		"quotation marks that are not escaped": {`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a"b HTTP/1.1" 200 12 "-" "a"b"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: `/a"b`, Status: 200, Agent: `a"b`}},
		"Common in a log that is not Combined": {`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /b HTTP/1.1" 200 12` + "\n" + `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /b HTTP/1.1" 200 12` + "\n" + `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /b HTTP/1.1" 200 12` + "\n" + `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "` + bot + `"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "/a", Status: 200, Agent: bot}},
		"no HTTP": {`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "\x16\x03\x01 \x02" 400 226 "-" "-"`, "Common or Combined",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Status: 400}},
		"Caddy": {`{"level":"info","ts":1791640536.5,"request":{"remote_ip":"192.0.2.1","client_ip":"192.0.2.2","proto":"HTTP/2.0","method":"GET","host":"a.example","uri":"/a","headers":{"User-Agent":["x"],"X-Forwarded-For":["192.0.2.3"]},"tls":{"version":772}},"status":404}`, "JSON lines",
			accesslog.Entry{Time: when + 5e8, Address: "192.0.2.2", Forwarded: "192.0.2.3", Host: "a.example", Scheme: "https", Method: "GET", Target: "/a", Status: 404, Agent: "x"}},
		"Caddy without TLS": {`{"ts":1791640536,"request":{"remote_ip":"192.0.2.1","proto":"HTTP/1.1","method":"GET","host":"a.example:8080","uri":"/a","headers":{}},"status":0}`, "JSON lines",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Host: "a.example:8080", Scheme: "http", Method: "GET", Target: "/a"}},
		"Traefik": {`{"ClientHost":"192.0.2.1","DownstreamStatus":200,"OriginStatus":504,"RequestHost":"a.example","RequestMethod":"GET","RequestPath":"/a?x","RequestScheme":"https","StartUTC":"2026-10-10T13:55:36.25Z","request_User-Agent":"x","time":"2026-10-10T13:55:37Z"}`, "JSON lines",
			accesslog.Entry{Time: when + 25e7, Address: "192.0.2.1", Host: "a.example", Scheme: "https", Method: "GET", Target: "/a?x", Status: 200, Agent: "x"}},
		"Cloudflare, nanoseconds": {`{"ClientIP":"2001:db8::1","ClientRequestHost":"a.example","ClientRequestMethod":"GET","ClientRequestScheme":"https","ClientRequestURI":"/a","EdgeResponseStatus":200,"EdgeStartTimestamp":1791640536000000000,"ClientRequestUserAgent":"x"}`, "JSON lines",
			accesslog.Entry{Time: when, Address: "2001:db8::1", Host: "a.example", Scheme: "https", Method: "GET", Target: "/a", Status: 200, Agent: "x"}},
		"Vercel, milliseconds": {`{"timestamp":1791640530000,"proxy":{"timestamp":1791640536000,"method":"GET","host":"a.example","path":"/a","userAgent":["x"],"statusCode":200,"clientIp":"192.0.2.1","scheme":"https"}}`, "JSON lines",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Host: "a.example", Scheme: "https", Method: "GET", Target: "/a", Status: 200, Agent: "x"}},
		"nginx with the whole request": {`{"time_local":"10/Oct/2026:13:55:36 +0000","remote_addr":"192.0.2.1","request":"GET /a HTTP/1.1","status":"200","http_user_agent":"x"}`, "JSON lines",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "/a", Status: 200, Agent: "x"}},
		"IIS": {"#Software: x\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) sc-status\n2026-10-10 13:55:36 10.0.0.1 GET /a b=c 443 192.0.2.1 Mozilla/5.0+(compatible;+ExampleBot/1.0;++https://bot.example/) 200", "W3C extended",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "/a?b=c", Status: 200, Agent: "Mozilla/5.0 (compatible; ExampleBot/1.0;  https://bot.example/)"}},
		"CloudFront": {"#Version: 1.0\n#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query x-forwarded-for x-host-header cs-protocol\n2026-10-10\t13:55:36\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200\tMozilla/5.0%2520(compatible)\t-\t192.0.2.9\twww.example.com\thttps", "W3C extended",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Forwarded: "192.0.2.9", Host: "www.example.com", Scheme: "https", Method: "GET", Target: "/a", Status: 200, Agent: "Mozilla/5.0 (compatible)"}},
		"ALB": {`https 2026-10-10T13:55:36.000000Z app/a/50dc6c 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a?b=c HTTP/1.1" "` + bot + `" ECDHE TLSv1.2 arn "Root=1-5" "a" "arn" 0 2018-07-02T22:22:48Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`, "Application Load Balancer",
			accesslog.Entry{Time: when, Address: "192.0.2.1", Method: "GET", Target: "https://www.example.com:443/a?b=c", Status: 200, Agent: bot}},
	} {
		lines := strings.Split(c.log, "\n")
		f, err := accesslog.Find(lines, accesslog.Fields{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got accesslog.Entry
		if err := f.Read(lines[len(lines)-1], &got); err != nil || got != c.want || f.Name != c.format {
			t.Errorf("%s: %v, %s\n got %+v\nwant %+v", name, err, f.Name, got, c.want)
		}
	}
}

// TestFields: --fields comes before the known names, and its errors say what is expected.
func TestFields(t *testing.T) {
	given, err := accesslog.ParseFields("time=when.start, agent=headers.ua,status=code")
	if err != nil {
		t.Fatal(err)
	}
	line := `{"ts":1,"when":{"start":"2026-10-10T13:55:36Z"},"headers":{"ua":"x"},"user_agent":"y","code":"404","status":200,"method":"GET","uri":"/a"}`
	f, err := accesslog.Find([]string{line}, given)
	if err != nil {
		t.Fatal(err)
	}
	var e accesslog.Entry
	if err := f.Read(line, &e); err != nil || e.Agent != "x" || e.Status != 404 || e.Time != at(t, "2026-10-10T13:55:36Z") {
		t.Errorf("%v, %+v", err, e)
	}
	for text, want := range map[string]string{"when=x": `"when=x": expected FIELD=NAME, such as time=ts, where FIELD is one of time, address`, "time=": `"time=": expected`, "time": `"time": expected`} {
		if _, err := accesslog.ParseFields(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNotRead: what cannot be read is an error that says what was expected.
func TestNotRead(t *testing.T) {
	common := `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "x"`
	f, err := accesslog.Find([]string{common, common[:len(common)-1]}, accesslog.Fields{})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"":                     "heed finds no time",
		"2026/10/10 [error] x": "heed finds no time",
		`a [32/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200`: "heed finds no time",
		`a [10/Oct/2026:24:55:36 +0000] "GET /a HTTP/1.1" 200`: "heed finds no time",
		`a [10/Oct/2026:13:55:36 +0000] GET /a`:                "heed finds no request",
		`a [10/Oct/2026:13:55:36 +0000] "GET /a`:               "heed finds no request",
		`a [10/Oct/2026:13:55:36 +0000] "GET /a" x`:            "heed finds no status",
		`a [10/Oct/2026:13:55:36 +0000] "GET /a"`:              "heed finds no status",
		common[:len(common)-1]:                                 "the line has no User-Agent, or ends before the end of its User-Agent", // the server was writing it
		common[:len(common)-4]:                                 "the line has no User-Agent, or ends before the end of its User-Agent",
		common[:len(common)-7]:                                 "the line has no User-Agent, or ends before the end of its User-Agent",
	} {
		var e accesslog.Entry
		if err := f.Read(line, &e); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, lines := range [][]string{nil, {"", " "}, {"hello", common[:20]}, {"{}"}} {
		if _, err := accesslog.Find(lines, accesslog.Fields{}); err == nil {
			t.Errorf("%q: no error", lines)
		}
	}
}

// TestAfter: lines in the middle of a log may name other fields.
func TestAfter(t *testing.T) {
	f, err := accesslog.Find([]string{"#Fields: date time cs-uri-stem sc-status", "2026-10-10 13:55:36 /a 200"}, accesslog.Fields{})
	if err != nil {
		t.Fatal(err)
	}
	for text, line := range map[string]string{
		"":                       "2026-10-10 13:55:36 /a 200",
		"#Fields: date time x\n": "2026-10-10 13:55:36 /a 200",
		"x\n#Fields: sc-status date time cs-uri-stem\r\ny\n": "200 2026-10-10 13:55:36 /a",
	} {
		var e accesslog.Entry
		if err := f.After(text).Read(line, &e); err != nil || e.Target != "/a" || e.Status != 200 {
			t.Errorf("%q: %v, %+v", text, err, e)
		}
	}
}

// FuzzRead: no line is a panic or takes long, in any format, and a time is never outside of 1970 to 2262.
func FuzzRead(f *testing.F) {
	var formats []*accesslog.Format
	for _, lines := range [][]string{
		{`192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "x"`},
		{`{"ts":1791640536.5,"request":{"method":"GET","uri":"/a"}}`},
		{"#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent)", "2026-10-10 13:55:36 GET /a 200 x"},
		{`https 2026-10-10T13:55:36.000000Z app/a/5 192.0.2.1:2817 10.0.0.1:80 0 0 0 200 200 0 57 "GET https://a.example/ HTTP/1.1" "x"`},
	} {
		format, err := accesslog.Find(lines, accesslog.Fields{})
		if err != nil {
			f.Fatal(err)
		}
		formats = append(formats, format)
		for _, line := range lines {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, format := range formats {
			var e accesslog.Entry
			if err := format.After(line+"\n").Read(line, &e); err == nil && (e.Time < 0 || e.Status < 0 || e.Status > 999) {
				t.Errorf("%+v", e)
			}
		}
		accesslog.Find(strings.Split(line, "\n"), accesslog.Fields{})
	})
}
