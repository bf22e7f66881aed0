package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	rival "github.com/temoto/robotstxt"

	"github.com/heed-robots/heed/robotstxt"
)

const crawler = "ExampleBot"

type library struct {
	parse   func(body []byte) any                // returns the parsed file, or nil if the library refuses the file
	compile func(file any, agent string) any     // returns the policy of a parsed file for an agent
	check   func(policy any, target string) bool // reports whether a policy allows a URL, or a path with its query
	learns  int                                  // number of questions after which a policy does not become faster any more
}

var (
	heed = heedAs(robotstxt.RFC9309)
	// The right answers about real files are those of Google's parser, so google reads them in Google's dialect.
	google = heedAs(robotstxt.Google)
	temoto = library{
		parse: func(body []byte) any {
			file, err := rival.FromBytes(body)
			if err != nil {
				return nil
			}
			return file
		},
		compile: func(file any, agent string) any { return file.(*rival.RobotsData).FindGroup(agent) },
		check:   func(policy any, target string) bool { return policy.(*rival.Group).Test(pathOf(target)) },
	}
)

const temotoName = "temoto/robotstxt"

func heedAs(d *robotstxt.Dialect) library {
	return library{
		parse:   func(body []byte) any { return robotstxt.Parse(body, d) },
		compile: func(file any, agent string) any { return file.(*robotstxt.File).Agent(agent) },
		check:   func(policy any, target string) bool { return policy.(*robotstxt.Policy).Check(target).Allowed },
		learns:  1000,
	}
}

func (l library) policyOf(body []byte, agent string) any {
	file := l.parse(body)
	if file == nil {
		return nil
	}
	return l.compile(file, agent)
}

func (l library) isAllowed(policy any, target string) bool {
	return policy == nil || l.check(policy, target)
}

func (l library) ask(policy any, target string) { runtime.KeepAlive(l.isAllowed(policy, target)) }

// temoto/robotstxt takes only the path and the query of a URL.
func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		return "/"
	}
	path, _, _ := strings.Cut(rest[i:], "#")
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	return path
}

// The programs are in bench/rivals.
type program struct {
	name    string
	command []string
}

var (
	npm    = program{"npm robots-parser 3.0.1", []string{"node", "rival.mjs"}}
	urllib = program{"Python urllib.robotparser", []string{"python3", "rival.py"}}
	rivals = filepath.Join("bench", "rivals")
)

func ask[Answer any](p program, kind string, sites []site) (answer Answer) {
	c := exec.Command(p.command[0], append(p.command[1:], kind)...)
	c.Dir, c.Stdin, c.Stderr = rivals, bytes.NewReader(get(json.Marshal(sites))), os.Stderr
	must(json.Unmarshal(get(c.Output()), &answer))
	return answer
}

func (p program) decisions(sites []site) [][]bool { return ask[[][]bool](p, "decisions", sites) }

// measure returns the time for one question, in nanoseconds. The kinds of measurements are:
//
//   - "parse": parse each file, and ask no questions
//   - "anew": parse the file again for each question
//   - "kept": parse each file once (not in Python)
//   - "decide": as "kept", but without the time for parsing
func (p program) measure(kind string, sites []site) (ns float64) { return ask[float64](p, kind, sites) }

// fast-robots is a library in Rust. It is measured only after "cargo build --release" in bench/rivals/fast-robots.
type fastRobots struct{ path string }

var rust = fastRobots{filepath.Join("bench", "rivals", "fast-robots", "target", "release", "rival")}

const fastName = "fast-robots 0.1.4"

func (f fastRobots) isBuilt() bool {
	_, err := os.Stat(f.path)
	return err == nil
}

func (f fastRobots) ask(kind string, sites []site) string {
	var in bytes.Buffer
	for _, s := range sites {
		var questions bytes.Buffer
		for _, q := range s.Questions {
			path := pathOf(q.URL)
			fmt.Fprintf(&questions, "%d %d\n%s%s", len(q.Agent), len(path), q.Agent, path)
		}
		fmt.Fprintf(&in, "%d %d\n%s%s", len(s.Robots), questions.Len(), s.Robots, questions.Bytes())
	}
	c := exec.Command(f.path, kind)
	c.Stdin, c.Stderr = &in, os.Stderr
	return string(get(c.Output()))
}

func (f fastRobots) measure(kind string, sites []site) (ns float64) {
	return get(strconv.ParseFloat(strings.TrimSpace(f.ask(kind, sites)), 64))
}

func (b *bench) measureLanguages() {
	var urls []string
	for i := range 500 {
		urls = append(urls, fmt.Sprintf("https://shop.example%s&n=%d", typical.Questions[hit].URL, i), fmt.Sprintf("https://shop.example%s?n=%d", typical.Questions[miss].URL, i))
	}
	robotsFile, urlsFile := b.path("robots.txt"), b.path("urls.txt")
	must(os.WriteFile(robotsFile, typical.Robots, 0o600))
	must(os.WriteFile(urlsFile, []byte(strings.Join(urls, "\n")+"\n"), 0o600))
	t := newTable("language", "what", "Heed", "the most used library there", "", "ratio")
	policy := heed.policyOf(typical.Robots, crawler)
	t.row("Go", "one decision", duration(b.inTurn(len(urls), repeat(func() {
		for _, url := range urls {
			heed.ask(policy, url)
		}
	}))[0]))
	for _, l := range [][2]string{{"JavaScript", "robots-parser"}, {"Python", "urllib.robotparser"}, {"C", ""}} {
		c := exec.Command(filepath.Join("bench", "languages", "run.sh"), l[0], b.folder, robotsFile, urlsFile, crawler)
		c.Stderr = os.Stderr
		for line := range bytes.Lines(get(c.Output())) {
			var row struct {
				What        string
				Heed, Rival float64
			}
			must(json.Unmarshal(line, &row))
			cells := []string{l[0], row.What, duration(row.Heed)}
			if l[1] != "" {
				cells = append(cells, l[1], duration(row.Rival), ratio(row.Rival, row.Heed))
			}
			t.row(cells...)
		}
	}
}
