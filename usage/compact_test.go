package usage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Compact decides as the whole policy does, with each profile in all cases of the suite, and is nil where the site says nothing.
func TestCompact(t *testing.T) {
	files, _ := filepath.Glob("../conformance/usage/*.jsonl")
	cases, silent := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var c struct {
				ID, Robots, URL, HTML string
				Agents                []string
				Headers               map[string][]string
				TDMRep                json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			tdm, _ := usage.ReadTDMRep(c.TDMRep)
			response := usage.ReadResponse(c.Headers, []byte(c.HTML))
			for _, profile := range usage.Profiles() {
				cases++
				options := usage.Options{Profile: profile, TDMRep: tdm}
				whole := usage.New(robotstxt.ParseString(c.Robots, nil), options, c.Agents...)
				compact, size := whole.Compact()
				if compact == nil {
					silent++
					compact = usage.New(nil, options, c.Agents...)
				} else if size < 100 || size > whole.Size() {
					t.Errorf("%s: %d bytes, and the whole has %d", c.ID, size, whole.Size())
				}
				want := whole.Check(c.URL, true, response)
				for range 100 { // a policy compiles its paths in some of the first calls
					if got := compact.Check(c.URL, true, response); got != want {
						t.Fatalf("%s, %s: %v, want %v", c.ID, profile.Name, got, want)
					}
				}
			}
		}
	}
	if cases < 400 || silent < cases/20 || silent > cases*19/20 {
		t.Errorf("%d cases, and in %d the site says nothing", cases, silent)
	}
	robots := robotstxt.ParseString("User-agent: *\nLicense: https://a.example/\nDisallow: /a\n\nUser-agent: other\nContent-Usage: train-ai=n\n", nil)
	if compact, size := usage.New(robots, usage.Options{}, "ExampleBot").Compact(); compact != nil || size != 0 {
		t.Errorf("a file that says nothing to this crawler: %v, %d", compact, size)
	}
}
