package conformance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// AI-1 to AI-15: AI-2, AI-3, AI-4, AI-5, AI-6, AI-7, AI-8, AI-9, AI-10, AI-11, AI-12, AI-13, AI-14: the suite that other programs can run too.
func TestUsageSuite(t *testing.T) {
	files, _ := filepath.Glob("../../conformance/usage/*.jsonl")
	if len(files) != 3 {
		t.Fatalf("the suite has the files %q, want 3", files)
	}
	cases := 0
	for _, file := range files {
		err := Run(file, Options{}, func(r Result) {
			if cases++; !r.Passed() {
				t.Errorf("%s:%d: %s: %v, %v; want %v", file, r.Case.FileLine, r.Case.ID, r.Err, r.Uses, r.Case.Uses.Expected)
			}
			for _, v := range r.Uses {
				if decided := v.Preference == usage.Allowed || v.Preference == usage.Disallowed; decided != (len(v.By) > 0) {
					t.Errorf("%s: %v is %v by %v", r.Case.ID, v.Purpose, v.Preference, v.By)
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	if cases < 130 {
		t.Errorf("the suite has %d cases", cases)
	}
}

// AI-3, AI-17: without a robots.txt nothing is known, and nothing may be crawled if it is unreachable.
func TestNoFile(t *testing.T) {
	for _, c := range []struct {
		file *robotstxt.File
		want string
	}{
		{robotstxt.AllowAll(robotstxt.Unavailable, nil), "[unknown unknown unknown]"},
		{robotstxt.DisallowAll(robotstxt.Unreachable, nil), "[not-crawlable not-crawlable not-crawlable]"},
	} {
		crawl := c.file.Agent("a").Check("/x")
		answer := usage.New(c.file, usage.Options{}, "a").Check("/x", crawl.Allowed, nil)
		if got := fmt.Sprint([3]usage.Preference(answer)); got != c.want {
			t.Errorf("%v: %s, want %s", crawl, got, c.want)
		}
	}
}

// The text form, and its errors.
func TestUsageCases(t *testing.T) {
	text := `robots:
    User-agent: *
    Content-Usage: train-ai=n
    Content-Signal: search=yes
    Disallow: /cart

usage a,b train-ai=n,search=y /x /y
usage a ai-use=unknown,train-ai=n /x
usage a train-ai=not-crawlable /cart
usage a train-ai=y /x
usage a /x
usage a train=y /x
usage a train-ai=maybe /x
usage a
`
	var got []string
	err := RunReader(strings.NewReader(text), "cases", Options{Obeys: func([]string) bool { return false }}, func(r Result) {
		switch {
		case r.Err != nil:
			got = append(got, r.Err.Error())
		case r.Passed():
			got = append(got, "passed")
		default:
			got = append(got, "failed")
		}
	})
	want := []string{
		"passed", "passed", "passed", "passed", "passed", "passed", "failed",
		`unknown purpose "/x"; expected train-ai, search or ai-use`,
		`unknown purpose "train"; expected train-ai, search or ai-use: did you mean train-ai?`,
		`train-ai: "maybe" is not a preference; expected y, n, or one of [unknown allowed disallowed not-crawlable]`,
		"expected a crawler and at least one URL after it",
	}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
