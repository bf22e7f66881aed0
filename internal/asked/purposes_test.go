package asked

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// AI-15, AI-16: what a question about the use of a page may have, and what comes out.
func TestReadUses(t *testing.T) {
	file := robotstxt.ParseString("User-agent: *\nContent-Usage: train-ai=y\n", nil)
	for question, want := range map[string]string{
		"":   "train-ai=y",
		"{}": "train-ai=y",
		`{"for": ["search", "train-ai"], "headers": {"X-Robots-Tag": "noindex"}}`:      "train-ai=y, search=n",
		`{"for": "search,train-ai", "headers": {"X-Robots-Tag": ["noai", "noindex"]}}`: "train-ai=n, search=n",
		`{"for": ["search"], "html": "<meta name=robots content=noindex>"}`:            "search=n",
		`{"tdmrep": null}`: "train-ai=y",
		`{"tdmrep": [{"location": "/", "tdm-reservation": 1}]}`:                    "train-ai=n",
		`{"profile": "ietf", "tdmrep": [{"location": "/", "tdm-reservation": 1}]}`: "train-ai=y",
	} {
		q, err := ReadUses(question)
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		d := file.Agent("a").Check("/x")
		var answer usage.Answer
		var purposes []usage.Purpose
		for _, v := range q.Explain(func() *usage.Policy { return usage.New(file, usage.Options{}, "a") }, "/x", d) {
			answer[v.Purpose] = v.Preference
			purposes = append(purposes, v.Purpose)
		}
		if got := answer.Text(purposes...); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
	for question, want := range map[string]string{
		"[]":                      "cannot unmarshal array",
		`{"for": ["train"]}`:      "unknown purpose",
		`{"for": 1}`:              "expected a purpose",
		`{"profile": "eu"}`:       "unknown profile",
		`{"profile": 1}`:          `expected the name of a profile, such as "ietf"`,
		`{"headers": {"a": [1]}}`: "expected an object with the names of headers",
		`{"tdmrep": {}}`:          "expected a JSON array",
	} {
		if _, err := ReadUses(question); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", question, err, want)
		}
	}
}

// A query has names with commas, and a profile only with them.
func TestReadPurposes(t *testing.T) {
	if p, err := ReadPurposes("search,train-ai", "ietf"); err != nil || len(p.For) != 2 || p.Profile.Name != "ietf" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, wrong := range [][2]string{{"", "ietf"}, {"x", ""}, {"search", "x"}} {
		if p, err := ReadPurposes(wrong[0], wrong[1]); err == nil {
			t.Errorf("%q: %+v", wrong, p)
		}
	}
	var nothing Purposes
	if got := nothing.Explain(nil, "/", robotstxt.Decision{Allowed: true}); len(got) != 0 {
		t.Errorf("nothing is asked, and the answer is %v", report.Preferences(got))
	}
}
