package compare_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/hostile"
	"github.com/heed-robots/heed/robotstxt"
)

// slowPair returns two files whose comparison takes seconds.
func slowPair(t *testing.T) (old, new *robotstxt.File) {
	t.Helper()
	for _, f := range hostile.Families() {
		if f.Name == "queries twice" {
			return robotstxt.ParseString(f.Body, nil), robotstxt.ParseString(strings.ReplaceAll(f.Body, "1", "2"), nil)
		}
	}
	t.Fatal("no such family")
	return nil, nil
}

// A comparison ends soon after its context, and then nothing is equal.
func TestContextEnds(t *testing.T) {
	old, new := slowPair(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	r := compare.Files(ctx, old, new, []string{"ExampleBot"})
	if took := time.Since(start); ctx.Err() == nil || took > 5*time.Second && r.Crawlers[0].Result.Work > compare.MaxWork/2 {
		t.Errorf("it went on for %v, %d steps", took, r.Crawlers[0].Result.Work)
	}
	if got := r.Crawlers[0].Result.Outcome; got != compare.Undecided { // on a busy machine the search may not even begin
		t.Errorf("the outcome is %s", got)
	}
}

// With a context that has ended, what needs a search is undecided, also for the given crawlers.
func TestContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	old, new := robotstxt.ParseString("User-agent: *\nDisallow: /a*b\n", nil), robotstxt.ParseString("User-agent: *\nDisallow: /b*a\n", nil)
	for name, r := range map[string]compare.FilesResult{
		"all":  compare.Files(ctx, old, new, []string{"ExampleBot"}),
		"some": compare.FilesFor(ctx, old, new, []string{"*"}, []string{"ExampleBot"}),
	} {
		if r.Outcome != compare.Undecided || !r.Incomplete || len(r.Crawlers) != 2 || r.Crawlers[1].Result.Outcome != compare.Undecided {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if o, _ := compare.BlocksAll(ctx, old.Agent("ExampleBot")); o != compare.Undecided {
		t.Errorf("blocks all: %s", o)
	}
	if o, _ := compare.BlocksNothing(ctx, old.Agent("ExampleBot")); o != compare.Undecided {
		t.Errorf("blocks nothing: %s", o)
	}
}
