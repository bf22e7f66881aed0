package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/hostile"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

func (b *bench) madeUp() {
	fmt.Printf("\nmade-up files: %d bytes (typical), %d (3,000 rules), %d (8,000 rules)\n", len(typical.Robots), len(large.Robots), len(largest.Robots))
	t := newTable("operation", "heed", "speed", "allocations", temotoName, "ratio", npm.name, urllib.name)
	add := func(name, kind string, s site, prepare func(l library) (do func())) {
		best := b.inTurn(1, repeat(prepare(heed)), repeat(prepare(temoto)))
		cells := []string{name + ", " + s.name, duration(best[0]), "", fmt.Sprint(testing.AllocsPerRun(10, prepare(heed))), duration(best[1]), ratio(best[1], best[0])}
		if kind != "decide" {
			cells[2] = speed(len(s.Robots), best[0])
		}
		t.row(append(cells, duration(npm.measure(kind, []site{s})), duration(urllib.measure(kind, []site{s})))...)
	}
	for _, s := range []site{typical, large, largest} {
		add("parse", "parse", s.about(miss), func(l library) func() { return func() { l.parse(s.Robots) } })
	}
	for _, s := range []site{typical, large} {
		for i, name := range []string{"hit", "miss", "encoded miss"} {
			add("decide, "+name, "decide", s.about(i), func(l library) func() {
				policy := l.policyOf(s.Robots, crawler)
				return func() { l.ask(policy, s.Questions[i].URL) }
			})
		}
		add("all in one go", "anew", s.about(miss), func(l library) func() {
			return func() { l.ask(l.policyOf(s.Robots, crawler), s.Questions[miss].URL) }
		})
	}
}

func (b *bench) memory() {
	const copies = 200
	t := newTable("kept, of the source's bytes", "heed", temotoName, "ratio")
	for _, s := range []site{typical, large} {
		for _, stage := range []struct {
			name            string
			policies, asked int
		}{{"parsed file", 0, 0}, {"and one policy", 1, 0}, {"asked often", 1, 100}, {"a hundred policies of the same groups, asked often", 100, 100}} {
			kept := func(l library) float64 {
				return keptHeap(func() any {
					var kept []any
					for range copies {
						file := l.parse(s.Robots)
						kept = append(kept, file)
						for n := range stage.policies {
							policy := l.compile(file, crawler+string(rune('a'+n/26))+string(rune('a'+n%26)))
							for range min(stage.asked, l.learns) {
								l.ask(policy, s.Questions[miss].URL)
							}
							kept = append(kept, policy)
						}
					}
					return kept
				}) / float64(copies*len(s.Robots))
			}
			ours, theirs := kept(heed), kept(temoto)
			t.row(stage.name+", "+s.name, fmt.Sprintf("%.2f ×", ours), fmt.Sprintf("%.2f ×", theirs), ratio(theirs, ours))
		}
	}
}

type everywhere map[string][]byte

// A cache keeps the bytes that it gets, so Fetch returns a copy.
func (e everywhere) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	now := time.Now()
	hops := []fetch.Hop{{URL: o.RobotsURL(), Status: http.StatusOK}}
	return fetch.Result{Origin: o, Hops: hops, Status: http.StatusOK, Body: bytes.Clone(e[o.RobotsURL()]), Start: now, End: now}, nil
}

func (b *bench) cachedTime(origins int, sites []site) (took string, allocations float64) {
	files, urls := everywhere{}, make([]string, origins)
	for i := range urls {
		s := &sites[i%len(sites)]
		host := fmt.Sprintf("https://www.site-%d.example", i)
		files[host+"/robots.txt"] = s.Robots
		urls[i] = host + pathOf(s.Questions[i/len(sites)%len(s.Questions)].URL)
	}
	c := &cache.Cache{Fetcher: files, MemoryBytes: 1 << 30}
	defer c.Close()
	agents := []string{crawler}
	checkAll := func() {
		for _, url := range urls {
			if get(c.Check(context.Background(), agents, url)).Outcome != fetch.Rules {
				must(fmt.Errorf("no rules for %s", url))
			}
		}
	}
	for range heed.learns {
		checkAll()
	}
	return duration(b.inTurn(origins, repeat(checkAll))[0]), testing.AllocsPerRun(10, checkAll) / float64(origins)
}

func (b *bench) cached() {
	t := newTable("answer from memory", "time", "allocations")
	for _, origins := range []int{1, 1_000, 10_000} {
		took, allocations := b.cachedTime(origins, []site{typical.about(miss)})
		t.row(fmt.Sprintf("typical, %d origins", origins), took, fmt.Sprintf("%.1f", allocations))
	}
}

var ownCases = []string{"internal/conformance/testdata/rfc9309.cases", "internal/conformance/testdata/rfc9309-bytes.jsonl"}

func (b *bench) wrong() {
	t := newTable("wrong answers", "questions", "heed", temotoName, npm.name, urllib.name, fastName+", if it was built")
	t.row(countWrong("own cases, RFC 9309", heed, readCases(nil, ownCases...))...)
	t.row(countWrong("real files, Google", google, realSites())...)
}

func countWrong(name string, ours library, sites []site) []string {
	none := func(i, k int) bool { return !sites[i].Questions[k].allow }
	cells := []string{name, wrongIn(sites, none)}
	for _, l := range []library{ours, temoto} {
		cells = append(cells, wrongIn(sites, func(i, k int) bool {
			q := sites[i].Questions[k]
			return l.isAllowed(l.policyOf(sites[i].Robots, q.Agent), q.URL)
		}))
	}
	for _, p := range []program{npm, urllib} {
		answers := p.decisions(sites)
		cells = append(cells, wrongIn(sites, func(i, k int) bool { return answers[i][k] }))
	}
	if rust.isBuilt() {
		answers := strings.Split(rust.ask("decisions", sites), "\n")
		cells = append(cells, wrongIn(sites, func(i, k int) bool { return answers[i][k] == '1' }))
	}
	return cells
}

func wrongIn(sites []site, answer func(site, question int) bool) string {
	count := 0
	for i, s := range sites {
		for k, q := range s.Questions {
			if q.isFair && answer(i, k) != q.allow {
				count++
			}
		}
	}
	return fmt.Sprint(count)
}

func (b *bench) command() {
	const urls, hosts = 1_000_000, 1000
	host := func(i int) string { return fmt.Sprintf("www.site-%d.example", i%hosts) }
	must(os.WriteFile(b.path("typical.txt"), typical.Robots, 0o644))
	must(os.Mkdir(b.path("hosts"), 0o755))
	for i := range hosts {
		must(os.WriteFile(b.path("hosts/"+host(i)+".txt"), makeFile("", 8, 25).Robots, 0o644))
	}
	writeFile(b.path("urls"), func(out io.Writer) {
		for i := range urls {
			fmt.Fprintf(out, "https://%s/%s/%s-%d.html?page=%d\n", host(i), words[i%61%len(words)], words[i%67%len(words)], i, i%9)
		}
	})
	t := newTable("the command", "elapsed time")
	add := func(what, script string) {
		// The exit status 1 is not a failure: it means that a URL is disallowed, or that a case failed.
		r := &row{what: what, args: []string{"sh", "-c", script + "; test $? -lt 2", b.heed, b.folder}, to: os.DevNull}
		runRows(b.rounds, r)
		t.row(what, duration(r.best.Took))
	}
	add("`heed check --robots FILE -`: 1,000,000 URLs", `"$0" check -a ExampleBot --robots $1/typical.txt - <$1/urls`)
	add("`heed check --robots DIR -`: 1,000,000 URLs of 1,000 hosts", `"$0" check -a ExampleBot --robots $1/hosts - <$1/urls`)
	files, cases := realFiles()
	must(os.Mkdir(b.path("files"), 0o755))
	for name, body := range files {
		must(os.WriteFile(b.path("files/"+name), body, 0o644))
	}
	add(fmt.Sprintf("`heed test`: questions about %d real files", len(files)), `"$0" test --root $1/files `+cases)
}

var hostileStages = []string{"parse", "compile", "first decision", "any later decision"}

const laterDecisions = 20 // after so many decisions, the policy has built its lookup

func (l library) timeStages(body []byte, target string, later int, report func(stage int, took time.Duration)) {
	var file, policy any
	report(0, repeat(func() { file = l.parse(body) })(1))
	report(1, repeat(func() { policy = l.compile(file, crawler) })(1))
	for i := range 1 + later {
		report(2+i, repeat(func() { l.ask(policy, target) })(1))
	}
}

// Any of the later decisions may build a lookup, so the slowest of these decisions counts.
func (b *bench) leastStages(l library, body, target string) (least []time.Duration) {
	least = slices.Repeat([]time.Duration{time.Hour}, 3+laterDecisions)
	for range b.rounds {
		runtime.GC()
		l.timeStages([]byte(body), target, laterDecisions, func(stage int, took time.Duration) { least[stage] = min(least[stage], took) })
	}
	return append(least[:3], slices.Max(least[3:]))
}

type worst struct {
	value float64
	name  string
}

func (w *worst) add(value float64, name string) {
	if value > w.value {
		*w = worst{value, name}
	}
}

// Only Heed is measured, because other libraries need minutes for some of these files.
func (m *measurer) hostileRows() {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	slowest, allocated := make([]worst, len(hostileStages)), worst{}
	for _, f := range hostile.Families() {
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			name := fmt.Sprintf("%s, %s", f.Name, d)
			for _, target := range f.Targets {
				for i, took := range m.leastStages(heedAs(d), f.Body, target) {
					slowest[i].add(float64(took), name)
				}
			}
			file, before, after := robotstxt.ParseString(f.Body, d), runtime.MemStats{}, runtime.MemStats{}
			runtime.ReadMemStats(&before)
			file.Agent(crawler)
			runtime.ReadMemStats(&after)
			allocated.add(float64(after.TotalAlloc-before.TotalAlloc), name)
		}
	}
	for i, w := range slowest {
		m.row("hostile, "+hostileStages[i]+" ("+w.name+")", duration(w.value))
	}
	m.row("hostile, allocated by compiling ("+allocated.name+")", fmt.Sprintf("%.1f MB", allocated.value/1e6))
}

// The value is the index of the measured URL in hostile.Family.Targets.
var hostileTargets = map[string]int{"stars": 1, "two letters": 1, "agents": 0, "one line": 1}

// temoto is measured in one round only, because some files take it many seconds.
func (b *bench) hostile() {
	t := newTable("hostile", "parse", "compile", "first decision", "kept", temotoName+": parse", "compile", "first decision")
	for _, f := range hostile.Families() {
		i, ok := hostileTargets[f.Name]
		if !ok {
			continue
		}
		cells := []string{f.Name}
		for _, took := range b.leastStages(heed, f.Body, f.Targets[i])[:3] {
			cells = append(cells, duration(took))
		}
		asked := []site{{Robots: []byte(f.Body), Questions: []question{{URL: f.Targets[i]}}}}
		kept := keptHeap(func() any { return heed.makeAsker(asked, 1) })
		t.row(append(append(cells, mib(int64(kept))), temotoStages(f.Name)...)...)
	}
}

// Another process asks temoto, because only a process can be stopped after 20 seconds.
func temotoStages(family string) (cells []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	args := self("hostile", family)
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	for _, ns := range strings.Fields(string(out)) {
		cells = append(cells, duration(get(strconv.ParseFloat(ns, 64))))
	}
	switch {
	case ctx.Err() != nil:
		return append(cells, "more than 20 s")
	case err != nil:
		return append(cells, "refused")
	}
	return cells
}

func printStages(family string) {
	for _, f := range hostile.Families() {
		if f.Name == family {
			temoto.timeStages([]byte(f.Body), f.Targets[hostileTargets[family]], 0, func(_ int, took time.Duration) { fmt.Println(took.Nanoseconds()) })
		}
	}
}
