package verdicts

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// TestLargeHostStallsNobody: a host with a tenth of all lines is divided. On any runner, what cannot be
// divided further is a share, which is one element; so the largest share is the longest that all others
// wait for one worker.
func TestLargeHostStallsNobody(t *testing.T) {
	portion.Skip(t, 4)
	const lines, hosts, lists = 60_000, 3000, 6
	w := newWorld(t, 7)
	var source strings.Builder
	for i := range hosts {
		fmt.Fprintf(&source, "{\"origin\":\"https://h%d.example\",\"body\":\"User-agent: *\\nDisallow: /private\\n\"}\n", i)
	}
	o := Options{
		Sources:  []string{w.write(t, "source*.jsonl", source.String())},
		Crawlers: ccbot, Dialects: rfc9309, Times: now,
		Shards: 4,
	}
	for l := range lists {
		var list strings.Builder
		for i := range lines / lists {
			host := 1 + (i*7+l)%(hosts-1)
			if i%10 == 0 {
				host = 0
			}
			fmt.Fprintf(&list, "https://h%d.example/%d\n", host, i)
		}
		o.Lists = append(o.Lists, w.write(t, "list*", list.String()))
	}
	for _, test := range []struct{ maxShare, least, most int }{
		{maxShare: 1_000_000, least: lines / 10, most: lines / 10}, // not divided
		{maxShare: 600, least: 100, most: 600},
	} {
		o.MaxShare, o.To = test.maxShare, filepath.Join(w.folder, fmt.Sprint(test.maxShare))
		result := run(t, o)
		shares, bundles := int64(0), int64(0)
		for _, d := range result.Metrics().AllMetrics().Distributions() {
			switch d.Key.Name {
			case linesInShareName:
				shares = d.Committed.Max
				t.Logf("shares of at most %d lines: %d shares, the largest has %d lines", test.maxShare, d.Committed.Count, d.Committed.Max)
			case linesInBundleName:
				bundles = d.Committed.Sum
				t.Logf("%d bundles with lines, the largest has %d", d.Committed.Count, d.Committed.Max)
			}
		}
		if shares < int64(test.least) || shares > int64(test.most) || bundles != lines {
			t.Errorf("with shares of at most %d lines the largest has %d, and all bundles %d", test.maxShare, shares, bundles)
		}
		if s := summaryOf(t, o); s.Columns[0].Allowed != lines {
			t.Errorf("%+v", s)
		}
	}
}

// TestSharing: no share has more than MaxShare lines, if there are not too many lists; the lines of a
// small host are in one share.
func TestSharing(t *testing.T) {
	for _, test := range []struct{ lists, maxShare, perList, mostShares, mostLines int }{
		{1, 1000, 10, 1, 10},
		{10, 1000, 100, 1, 1000},
		{10, 1000, 101, 11, 1000},
		{10, 1000, 5000, 51, 1000},
		{1, 1000, 1_000_000, 1001, 1000},
		{100, 1000, 64, 1, 6400}, // too many lists
		{2, 1, 3, 6, 2},
	} {
		lines := map[string]int{}
		for list := range test.lists {
			s := newSharing(int64(list), test.lists, test.maxShare)
			for left := test.perList; left > 0; {
				n := min(left, s.maxBlock("h"))
				key, own := s.next("h", n)
				if own == (key == firstShare("h")) || !strings.HasSuffix(key, " h") {
					t.Errorf("%q, %t", key, own)
				}
				lines[key] += n
				left -= n
			}
		}
		most, all := 0, 0
		for _, n := range lines {
			most, all = max(most, n), all+n
		}
		if all != test.lists*test.perList || len(lines) > test.mostShares || most > test.mostLines {
			t.Errorf("%+v: %d shares, the largest has %d lines, all %d", test, len(lines), most, all)
		}
	}
}
