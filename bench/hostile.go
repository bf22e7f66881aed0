package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/heed-robots/heed/internal/hostile"
	"github.com/heed-robots/heed/robotstxt"
)

// worst is the greatest of some values, with its name.
type worst struct {
	value float64
	name  string
}

func (w *worst) add(value float64, name string) {
	if value > w.value {
		*w = worst{value, name}
	}
}

// laterQuestions is how often each URL is checked after the first decision: enough for the
// policy to build its lookup.
const laterQuestions = 20

// hostileStages are the stages that are measured, each by its slowest family.
var hostileStages = []string{"parse", "compile", "first decision", "any later decision"}

// hostileRows adds a row for each stage, with the family of files for which it takes longest, in
// two dialects, or in one if quick. Other libraries are not measured: some take minutes.
func (m measurer) hostileRows() {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	dialects := []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google}
	if m.quick {
		dialects = dialects[:1]
	}
	slowest := make([]worst, len(hostileStages))
	var allocated worst
	for _, f := range hostile.Families() {
		for _, d := range dialects {
			name := fmt.Sprintf("%s, %s", f.Name, d)
			least := slices.Repeat([]time.Duration{time.Hour}, 2+len(f.Targets)*(1+laterQuestions))
			for range m.rounds {
				allocated.add(float64(measureHostile([]byte(f.Body), d, f.Targets, least)), name)
			}
			for i, took := range least {
				stage := i
				if i >= 2 {
					stage = 2 + min((i-2)%(1+laterQuestions), 1)
				}
				slowest[stage].add(float64(took), name)
			}
		}
	}
	for i, w := range slowest {
		m.row("hostile, "+hostileStages[i]+" ("+w.name+")", duration(w.value))
	}
	m.row("hostile, allocated by compiling ("+allocated.name+")", fmt.Sprintf("%.1f MB", allocated.value/1e6))
}

// measureHostile measures all stages once, with a new file and policy for each URL, and returns how many octets
// compiling allocated. least has the shortest times so far: of parsing, of compiling, and for each URL of the
// first decision and of the later ones.
func measureHostile(body []byte, d *robotstxt.Dialect, targets []string, least []time.Duration) (allocated uint64) {
	runtime.GC()
	measure := func(at int, do func()) {
		start := processorTime()
		do()
		least[at] = min(least[at], processorTime()-start)
	}
	for i, target := range targets {
		var file *robotstxt.File
		var policy *robotstxt.Policy
		measure(0, func() { file = robotstxt.Parse(body, d) })
		before := allocatedBytes()
		measure(1, func() { policy = file.Agent(agent) })
		allocated = max(allocated, allocatedBytes()-before)
		for k := range 1 + laterQuestions {
			measure(2+i*(1+laterQuestions)+k, func() { runtime.KeepAlive(policy.Check(target).Allowed) })
		}
	}
	return allocated
}

func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
