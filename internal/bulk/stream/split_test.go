package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// pipeDecider returns a Decider of some crawlers over sites with odd rules and statuses.
func pipeDecider(crawlers ...string) *bulk.Decider {
	s := &capture.Set{}
	for host, c := range map[string]capture.Capture{
		"shop": {Body: "User-agent: *\nDisallow: /*a*b*c*/*d$\nDisallow: /x%2Fy\nDisallow: /*caf\xe9\n\nUser-agent: b\nAllow: /\n", Facts: capture.Facts{Status: 200}},
		"gone": {Facts: capture.Facts{Status: 404}},
		"down": {Facts: capture.Facts{Status: 503}},
	} {
		c.URL = "https://" + host + ".example/robots.txt"
		s.Add(&c)
	}
	s.Seal()
	var columns []bulk.Column
	for _, name := range crawlers {
		columns = append(columns, bulk.Column{Name: name, Agents: []string{name}, Dialect: robotstxt.RFC9309, Statuses: fetch.StatusesOf(robotstxt.RFC9309)})
	}
	return bulk.NewDecider(capture.Archives{s}, columns, bulk.Unknown, 0)
}

// oddPieces are what the lines of randomList are made of: URLs, lines that begin another format, and
// characters that some program reads as a line end.
var oddPieces = []string{
	"https://shop.example/xaxbxcx/xd", "https://shop.example/x%2fy", "https://shop.example/x/y", "https://shop.example/caf%E9", "https://shop.example/café",
	"https://gone.example/", "https://down.example/a", "https://none.example/a,b", "http://shop.example:8080/",
	`{"url":"https://shop.example/x%2Fy","n":[1,` + "\r" + `2],` + "\r" + `"s":"\r\u2028"}`, `{"url": "https://gone.example/", "verdict_": {"a":` + "\r" + `1}}`, `{"url":7}`, "{",
	"url", "id,url", "id\turl", "WARC/1.0", "PAR1", " CDX N b a m s k r M S V g ", "CDX N b a ", "!OpenWayback-CDXJ 1.0", "! ",
	`example,shop)/x%2fy 20240501000000 {"status": "200"}`, "example,shop)/x 20240501000000 https://shop.example/x%2Fy text/html 200",
	"reporter:counter:a,b,1", "\ufeff", "\ufeffhttps://gone.example/", "\r", "\v", "\f", "\u0085", "\u2028", "\x00", "\xff", `"`, ",", " ", "\t", "", "", "",
	strings.Repeat("é", 600), "x" + strings.Repeat("é", 600), strings.Repeat("x", 1023) + "\r" + "y",
}

// randomList returns a list with lines that may be in no format or in any.
func randomList(r *rand.Rand) (lines []string) {
	for range r.IntN(30) {
		var line strings.Builder
		for range 1 + r.IntN(3)*r.IntN(2) {
			line.WriteString(oddPieces[r.IntN(len(oddPieces))])
		}
		lines = append(lines, line.String()+[]string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)])
	}
	if n := len(lines); n > 0 && r.IntN(2) == 0 {
		lines[n-1] = strings.TrimSuffix(lines[n-1], "\n")
		if lines[n-1] == "" { // that is no line
			lines = lines[:n-1]
		}
	}
	return lines
}

// piped is how a list is checked, each time with a Decider of its own, as in another process.
type piped struct {
	stream.Options
	crawlers []string
}

func (p *piped) run(t *testing.T, input io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	o := &stream.Options{Input: p.Input, Fields: p.Fields, Output: p.Output, Keep: p.Keep, Decider: pipeDecider(p.crawlers...), Columns: p.crawlers, Inputs: []string{"-"}, Stdin: input, Stdout: &out}
	if _, err := stream.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// pipedRuns are all ways to check a list that has lines of its own: all formats without a header that
// they need, and all outputs.
func pipedRuns() (all []*piped) {
	for _, format := range []stream.Format{stream.Plain, stream.JSONLines, stream.CDX} {
		for _, crawlers := range [][]string{{"a"}, {"a", "b"}} {
			for _, output := range []stream.Output{"", stream.Rows, stream.JSONRows} {
				all = append(all, &piped{stream.Options{Input: format, Output: output}, crawlers})
			}
			for _, keep := range []bulk.Keep{bulk.OnlyAllowed, bulk.OnlyDisallowed} {
				all = append(all, &piped{stream.Options{Input: format, Keep: keep}, crawlers})
			}
		}
	}
	return all
}

// A list has the same output in one run as its parts have, one after the other, wherever it is split.
// Every line has one line of output, also for programs that end lines at a carriage return.
func TestSplit(t *testing.T) {
	t.Parallel()
	rounds := 1
	if portion.Whole() {
		rounds = 20
	}
	for range rounds {
		seed := rand.Uint64()
		lines := randomList(rand.New(rand.NewPCG(seed, 0)))
		for _, p := range pipedRuns() {
			whole := p.run(t, strings.NewReader(strings.Join(lines, "")))
			name := fmt.Sprintf("seed %d, input %s, output %q, keep %d, %d columns", seed, p.Input, p.Output, p.Keep, len(p.crawlers))
			var each strings.Builder
			for _, line := range lines {
				out := p.run(t, strings.NewReader(line))
				each.WriteString(out)
				p.checkLine(t, name, line, out)
			}
			if each.String() != whole {
				t.Fatalf("%s, each line:\n%q\nwant\n%q", name, each.String(), whole)
			}
			at := rand.IntN(len(lines) + 1)
			if got := p.run(t, strings.NewReader(strings.Join(lines[:at], ""))) + p.run(t, strings.NewReader(strings.Join(lines[at:], ""))); got != whole {
				t.Fatalf("%s, split behind line %d:\n%q\nwant\n%q", name, at, got, whole)
			}
		}
	}
}

// checkLine checks the output about one line.
func (p *piped) checkLine(t *testing.T, name, line, out string) {
	t.Helper()
	if utf8.ValidString(line) && !utf8.ValidString(out) {
		t.Errorf("%s: the output about %q is not UTF-8: %q", name, line, out)
	}
	text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	isHeader := p.Input == stream.CDX && (strings.HasPrefix(text, "!") || strings.HasPrefix(text, "CDX "))
	want := 1
	if isHeader {
		want = 0
	}
	if n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(out, "\r\n", "\n"), "\r", "\n"), "\n"); p.Keep == bulk.All && n != want {
		t.Errorf("%s: %d lines of output about %q, want %d: %q", name, n, line, want, out)
	}
}

// The same for lines about as long as a line may be, however many bytes a read returns. The output has
// the beginning of a line that is too long.
func TestSplitLongLines(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	const most = 1 << 20
	url := func(n int) string {
		return "https://gone.example/" + strings.Repeat("x", n-len("https://gone.example/"))
	}
	lines := []string{
		url(most-1) + "\r\n", url(most) + "\n", url(most) + "\r\n", url(most+1) + "\n", "\ufeff" + url(most) + "\n", "\ufeff" + url(most-3) + "\n",
		strings.Repeat("x", 1023) + "\r" + url(2*most) + "\n", "\ufeff" + strings.Repeat("é", most) + "\n", "x" + strings.Repeat("é", most) + "\n", "https://gone.example/\n",
	}
	p := &piped{stream.Options{Input: stream.Plain}, []string{"a"}}
	for range 3 {
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		var want strings.Builder
		for _, line := range lines {
			text := strings.TrimPrefix(strings.TrimSpace(line), "\ufeff")
			if len(line) <= most+1 {
				want.WriteString(text + "\tallowed\tunavailable\t\t\n")
			} else {
				beginning := strings.ToValidUTF8(text[:1024], "") + "…" // without a part of a character
				want.WriteString(strings.ReplaceAll(beginning, "\r", "%0D") + "\tunknown\tno-url\t\t\n")
			}
		}
		for _, size := range []int{64 << 10, most, rand.IntN(most) + 4096, 1 << 30} {
			var got strings.Builder
			for at := 0; at < len(lines); at += 3 {
				got.WriteString(p.run(t, &pieces{strings.Join(lines[at:min(at+3, len(lines))], ""), size}))
			}
			whole := p.run(t, &pieces{strings.Join(lines, ""), size})
			if got.String() != want.String() || whole != want.String() {
				t.Errorf("in pieces of %d bytes: %d bytes from parts, and %d from all, want %d", size, got.Len(), len(whole), want.Len())
			}
		}
	}
}

// CSV and TSV have the same rows in parts as in one, if each part has the header.
func TestSplitTables(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	for format, comma := range map[stream.Format]string{stream.CSV: ",", stream.TSV: "\t"} {
		header := "id" + comma + "url\n"
		var lines []string
		for i, piece := range oddPieces {
			if !strings.Contains(piece, `"`) {
				lines = append(lines, fmt.Sprint(i, comma, piece, "\n"))
			}
		}
		lines = append(lines, "\n", "1\n", header, "7"+comma+`"https://shop.example/x%2Fy"`+"\n", "\ufeff8"+comma+"https://gone.example/\n")
		p := &piped{stream.Options{Input: format}, []string{"a"}}
		whole := p.run(t, strings.NewReader(header+strings.Join(lines, "")))
		if n := strings.Count(whole, "\n"); n != len(lines) {
			t.Errorf("%s: %d rows, want %d", format, n, len(lines))
		}
		for at := range lines {
			got := p.run(t, strings.NewReader(header+strings.Join(lines[:at], ""))) + p.run(t, strings.NewReader(header+strings.Join(lines[at:], "")))
			if got != whole {
				t.Fatalf("%s, split at %q:\n%q\nwant\n%q", format, lines[at], got, whole)
			}
		}
	}
}
