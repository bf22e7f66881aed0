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

// A suiteCase is a line of conformance/usage.
type suiteCase struct {
	ID          string              `json:"id"`
	Clause      string              `json:"clause"`
	Source      string              `json:"source"`
	Dialect     string              `json:"dialect"`
	Robots      string              `json:"robots"`
	Unavailable bool                `json:"unavailable"`
	Unreachable bool                `json:"unreachable"`
	Agents      []string            `json:"agents"`
	URL         string              `json:"url"`
	Headers     map[string][]string `json:"headers"`
	HTML        string              `json:"html"`
	TDMRep      json.RawMessage     `json:"tdmrep"`
	Profile     string              `json:"profile"`
	Want        map[string]string   `json:"want"`
}

// AI-1 to AI-17, except AI-12 and AI-16, whose evidence TestEvidence looks at: the cases that other programs can run too.
func TestSuite(t *testing.T) {
	for _, c := range suite(t) {
		c.run(t)
	}
}

func suite(t *testing.T) (cases []suiteCase) {
	files, _ := filepath.Glob("../conformance/usage/*.jsonl")
	if len(files) != 3 {
		t.Fatalf("the suite has the files %q, want 3", files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			var c suiteCase
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&c); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

func (c suiteCase) run(t *testing.T) {
	policy, crawlable, response := c.question(t)
	answer := policy.Check(c.URL, crawlable, response)
	if again := policy.Check(c.URL, crawlable, response); again != answer {
		t.Errorf("%s: first %v, then %v", c.ID, answer, again)
	}
	for name, want := range c.Want {
		purpose, err := usage.PurposeNamed(name)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if got := answer[purpose].String(); got != want {
			t.Errorf("%s (%s): %s is %s, want %s", c.ID, c.Clause, name, got, want)
		}
	}
	for _, v := range policy.Explain(c.URL, crawlable, response, usage.Purposes()...) {
		decided := v.Preference == usage.Allowed || v.Preference == usage.Disallowed
		if v.Preference != answer[v.Purpose] || decided != (len(v.By) > 0) {
			t.Errorf("%s: %v is %v by %v, and Check says %v", c.ID, v.Purpose, v.Preference, v.By, answer)
		}
	}
}

func (c suiteCase) question(t *testing.T) (*usage.Policy, bool, *usage.Response) {
	dialect := robotstxt.RFC9309
	if c.Dialect != "" {
		var err error
		if dialect, err = robotstxt.DialectNamed(c.Dialect); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	file := robotstxt.ParseString(c.Robots, dialect)
	switch {
	case c.Unavailable:
		file = robotstxt.AllowAll(robotstxt.Unavailable, dialect)
	case c.Unreachable:
		file = robotstxt.DisallowAll(robotstxt.Unreachable, dialect)
	}
	options := usage.Options{Profile: c.profile(t)}
	if c.TDMRep != nil {
		var err error
		if options.TDMRep, err = usage.ReadTDMRep(c.TDMRep); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	crawl := file.Agent(c.Agents...).Check(c.URL)
	return usage.New(file, options, c.Agents...), crawl.Allowed, usage.ReadResponse(c.Headers, []byte(c.HTML))
}

func (c suiteCase) profile(t *testing.T) *usage.Profile {
	if c.Profile == "" {
		return nil
	}
	profile, err := usage.ProfileNamed(c.Profile)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return profile
}

// AI-13: the cases of TDMRep.
func TestTDMRepCases(t *testing.T) {
	folder := os.Getenv("HEED_CONFORMANCE")
	if folder == "" {
		t.Skip("HEED_CONFORMANCE is not set: it names the folder that holds tdmrep.jsonl")
	}
	text, err := os.ReadFile(filepath.Join(folder, "tdmrep.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var c struct {
			ID          string
			File        json.RawMessage
			Headers     map[string]string
			HTML, Path  string
			Reservation *int
			Policy      string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		var file *usage.TDMFile
		if c.File != nil {
			if file, err = usage.ReadTDMRep(c.File); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
		}
		headers := map[string][]string{}
		for name, value := range c.Headers {
			headers[name] = []string{value}
		}
		want := usage.Unset
		if c.Reservation != nil {
			want = []usage.Reservation{usage.NotReserved, usage.Reserved}[*c.Reservation]
		}
		reserved, policy := usage.TDM(file, c.Path, usage.ReadResponse(headers, []byte(c.HTML)))
		if reserved != want || policy != c.Policy {
			t.Errorf("%s: %v, %q; want %v, %q", c.ID, reserved, policy, want, c.Policy)
		}
	}
}
