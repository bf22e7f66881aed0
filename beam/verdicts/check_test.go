package verdicts

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

// TestClash: a member that the output has too ends the run, as it ends that of heed filter: of two with one
// name, programs read the first, the last, or none.
func TestClash(t *testing.T) {
	j := &shareChecker{Options: Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Output: stream.JSONRows, Shards: 1}}
	if err := j.Setup(); err != nil {
		t.Fatal(err)
	}
	j.StartBundle(nil, nil)
	var lines block
	lines.add(&stream.Line{Format: stream.JSONLines, URL: "https://a.example/", Text: `{"url":"https://a.example/","allowed":true}`}, true)
	all := [][]byte{sent(lines.lines)}
	blocks := func(to *[]byte) bool {
		if len(all) == 0 {
			return false
		}
		*to, all = all[0], all[1:]
		return true
	}
	err := j.ProcessElement(context.Background(), "a.example", func(*[]byte) bool { return false }, blocks, func(int, []byte) {}, nil)
	if err == nil || !strings.Contains(err.Error(), `already has the member "allowed"`) {
		t.Error(err)
	}
}

// TestArrived: the bodies that arrive with a share are not taken for those of the share before; an empty
// one can be read too.
func TestArrived(t *testing.T) {
	a := &shareArchive{}
	const url = "https://a.example/robots.txt"
	seen := map[capture.BodyID]string{}
	for i, bodies := range [][]string{{"one", ""}, {"two", "", "three"}, {""}, {"four"}} {
		var all [][]byte
		for day, body := range bodies {
			all = append(all, sent(&capture.Capture{URL: url, At: time.Date(2024, 5, 1+day, 0, 0, 0, 0, time.UTC), Body: body}))
		}
		next := func(to *[]byte) bool {
			if len(all) == 0 {
				return false
			}
			*to, all = all[0], all[1:]
			return true
		}
		if err := a.replace(next); err != nil {
			t.Fatal(err)
		}
		entries, err := a.Entries(url)
		if err != nil || len(entries) != len(bodies) {
			t.Fatal(entries, err)
		}
		for n, e := range entries {
			body, err := a.Body(e.Body)
			if before, ok := seen[e.Body]; ok && before != body || body != bodies[n] || err != nil {
				t.Errorf("share %d, capture %d: %q, %v; want %q; before: %q", i, n, body, err, bodies[n], before)
			}
			seen[e.Body] = body
		}
	}
}
