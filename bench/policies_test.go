package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// Two other parsers read what heed write writes as Heed does, for every crawler that is named, and for others. (That each means
// its policy is tested in internal/policyfile.)
func TestOthersReadWrittenFiles(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "conformance", "policies", "*.robots.txt"))
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	var sites []site
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sites = append(sites, site{Robots: body, Questions: questionsAbout(robotstxt.Parse(body, robotstxt.RFC9309)), name: filepath.Base(name)})
	}
	asked, differ := 0, map[string]int{}
	report := func(library string, s *site, q question, got bool) {
		asked++
		if want := heed.isAllowed(heed.policyOf(s.Robots, q.Agent), q.URL); got != want {
			if differ[library]++; differ[library] <= 12 {
				t.Errorf("%s: %s: %s for %s is allowed: %v, want %v", library, s.name, q.URL, q.Agent, got, want)
			}
		}
	}
	for i := range sites {
		for _, q := range sites[i].Questions {
			report(temotoName, &sites[i], q, temoto.isAllowed(temoto.policyOf(sites[i].Robots, q.Agent), q.URL))
		}
	}
	if _, err := os.Stat(filepath.Join("rivals", "node_modules", "robots-parser")); err != nil {
		t.Log("npm's robots-parser is not installed: ", err)
	} else {
		t.Chdir("..")
		for i, decisions := range npm.decisions(sites) {
			for j, got := range decisions {
				report(npm.name, &sites[i], sites[i].Questions[j], got)
			}
		}
	}
	if asked < 10_000 {
		t.Error(asked, "questions")
	}
	t.Logf("%d questions, %v", asked, differ)
}

// questionsAbout returns questions about URLs near the patterns of a file, for each crawler that it names.
func questionsAbout(f *robotstxt.File) (questions []question) {
	agents := []string{"NoSuchBot"}
	var paths []string
	for g := range f.Groups() {
		for _, a := range g.Agents {
			if !a.Everyone {
				agents = append(agents, a.Value)
			}
		}
		for _, r := range g.Rules {
			path := strings.ReplaceAll(strings.TrimSuffix(r.Pattern, "$"), "*", "/x?")
			paths = append(paths, path, path+"/a", path[:(len(path)+1)/2])
		}
	}
	for _, agent := range agents {
		for _, path := range append(paths, "/", "/other") {
			path = strings.TrimSuffix(path, "?") // npm's robots-parser drops an empty query
			if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
				questions = append(questions, question{URL: path, Agent: agent})
			}
		}
	}
	return questions
}
