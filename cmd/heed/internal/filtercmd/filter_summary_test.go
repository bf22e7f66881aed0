package filtercmd

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/bulk"
)

// The summary of a run with --resume counts what the interrupted run rejected too.
func TestSummaryCountsAllParts(t *testing.T) {
	for _, test := range []struct {
		rejected, now int64
		want          string
	}{
		{5, 2, "x: 5 lines rejected, 3 of them before the interruption\nx: 2 lines rejected after the interruption:\nx:   list, line 7: no URL\nx:   list, line 7: no URL\n"},
		{3, 0, "x: 3 lines rejected, all before the interruption\n"},
		{1, 1, "x: 1 line rejected:\nx:   list, line 7: no URL\n"},
		{6, 6, "x: 6 lines rejected; the first 5:\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\n"},
		{9, 6, "x: 9 lines rejected, 3 of them before the interruption\nx: 6 lines rejected after the interruption; the first 5:\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\nx:   list, line 7: no URL\n"},
		{0, 0, ""},
	} {
		var stderr bytes.Buffer
		o := &filter{term: term.New(strings.NewReader(""), &bytes.Buffer{}, &stderr)}
		o.term.Name, o.Decider = "x", &bulk.Decider{}
		for range test.now {
			o.reject(bulk.Rejection{Input: "list", Place: "line 7", Err: errors.New("no URL")})
		}
		o.summarize(bulk.Counts{URLs: 9, Rejected: test.rejected}, true)
		if _, got, _ := strings.Cut(stderr.String(), "9 URLs checked\n"); got != test.want {
			t.Errorf("%d, %d: %s", test.rejected, test.now, stderr.String())
		}
	}
}
