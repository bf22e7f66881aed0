package bulk_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// AI-16: the text of each answer about each choice of purposes is that of package usage.
func TestUseText(t *testing.T) {
	for _, purposes := range [][]usage.Purpose{{usage.TrainAI}, {usage.Search, usage.AIUse}, usage.Purposes()} {
		use := bulk.NewUse(purposes, nil, false)
		var v bulk.Verdict
		for n := range 64 {
			v.Preferences = usage.Answer{usage.Preference(n / 16), usage.Preference(n / 4 % 4), usage.Preference(n % 4)}
			if got, want := use.Text(&v), v.Preferences.Text(purposes...); got != want {
				t.Errorf("%v about %v: %q, want %q", v.Preferences, purposes, got, want)
			}
		}
	}
}

// statesUse has a robots.txt with statements about 100 paths for each origin, and keeps none of them.
type statesUse struct{ madeArchive }

func (statesUse) Body(id capture.BodyID) (string, error) {
	text := strings.Builder{}
	text.WriteString("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /x\n")
	for i := range 100 {
		fmt.Fprintf(&text, "Content-Usage: /folder/%d/%d train-ai=%s, search=n\n", id, i, []string{"y", "n"}[i%2])
	}
	return text.String(), nil
}

// The limit of the memory holds for what is kept about the use of pages, and with little memory the answers are the same.
func TestMemoryOfUse(t *testing.T) {
	const limit = 8 << 20
	columns := []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a"), column(robotstxt.Google, time.Time{}, "b")}
	answers := func(limit int64, origins int) (text string, used1 uint64) {
		j := bulk.NewDecider(capture.Archives{statesUse{}}, columns, bulk.Unknown, limit)
		j.Use = bulk.NewUse(usage.Purposes(), nil, false)
		c := j.Checker()
		random := rand.New(rand.NewPCG(1, 2))
		var all strings.Builder
		for i := range origins {
			if i > 2000 {
				i = random.IntN(i)
			}
			for k := range 3 {
				c.Check([]string{fmt.Sprintf("https://%d.example/folder/%d/%d", i, i+1, k)}, func(_ int, v []bulk.Verdict, err error) {
					all.WriteString(j.Use.Text(&v[0]) + j.Use.Text(&v[1]) + ";")
				})
			}
		}
		used1 = used()
		runtime.KeepAlive(c)
		return all.String(), used1
	}
	answers(limit, 1)
	before := used()
	text, after := answers(limit, 4000)
	if after > before+limit*5/4 {
		t.Errorf("%d KiB are used, with a limit of %d", (after-before)>>10, limit>>10)
	}
	if again, _ := answers(1, 4000); again != text || !strings.HasPrefix(text, "train-ai=n, search=ntrain-ai=n, search=n;") {
		t.Errorf("with little memory the answers differ: %.200s", text)
	}
}

// A Column has the preferences for its own crawler, and a file that says nothing to one has none.
func TestUseOfColumns(t *testing.T) {
	s := &capture.Set{}
	s.Add(&capture.Capture{URL: "https://a.example/robots.txt", Facts: capture.Facts{Status: 200}, Body: "User-agent: a\nContent-Usage: train-ai=n\nAllow: /\nUser-agent: *\nDisallow: /x\n"})
	s.Add(&capture.Capture{URL: "https://down.example/robots.txt", Facts: capture.Facts{Status: 503}})
	s.Add(&capture.Capture{URL: "https://gone.example/robots.txt", Facts: capture.Facts{Status: 404}})
	s.Seal()
	j := bulk.NewDecider(capture.Archives{s}, []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a"), column(robotstxt.RFC9309, time.Time{}, "b")}, bulk.Unknown, 0)
	j.Use = bulk.NewUse(usage.Purposes(), nil, false)
	counts := j.Counts()
	got := ""
	j.Checker().Check([]string{"https://a.example/x", "https://down.example/", "https://gone.example/", "https://none.example/"}, func(i int, v []bulk.Verdict, err error) {
		counts.Count(v)
		got += fmt.Sprintf("%q %q; ", j.Use.Text(&v[0]), j.Use.Text(&v[1]))
	})
	if want := `"train-ai=n" "not-crawlable"; "not-crawlable" "not-crawlable"; "" ""; "" ""; `; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var sum bulk.Counts
	sum.Add(&counts)
	sum.Add(&counts)
	if got, want := fmt.Sprint(sum.Preferences), "[[[4 0 2 2] [6 0 0 2] [6 0 0 2]] [[4 0 0 4] [4 0 0 4] [4 0 0 4]]]"; got != want {
		t.Errorf("the numbers are %s, want %s", got, want)
	}
}
