package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
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

// hostile adds a row for each stage, with the family of files for which it takes longest, in
// two dialects, or in one if quick. Other libraries are not measured: some take minutes.
func (m measurer) hostile() {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	dialects := []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google}
	if m.quick {
		dialects = dialects[:1]
	}
	var parse, compile, first, later, allocated worst
	for _, f := range hostile.Families() {
		for _, d := range dialects {
			name := fmt.Sprintf("%s, %s", f.Name, d)
			h := hostileTimes{parse: time.Hour, compile: time.Hour}
			for range m.rounds {
				h.measure([]byte(f.Body), d, f.Targets)
			}
			parse.add(float64(h.parse), name)
			compile.add(float64(h.compile), name)
			allocated.add(float64(h.allocated), name)
			for i, took := range h.decisions {
				if i%(1+laterQuestions) == 0 {
					first.add(float64(took), name)
				} else {
					later.add(float64(took), name)
				}
			}
		}
	}
	for _, r := range []struct {
		name string
		worst
	}{{"parse", parse}, {"compile", compile}, {"first decision", first}, {"any later decision", later}} {
		m.row("hostile, "+r.name+" ("+r.worst.name+")", duration(r.value))
	}
	m.row("hostile, allocated by compiling ("+allocated.name+")", fmt.Sprintf("%.1f MB", allocated.value/1e6))
}

// hostileTimes are the shortest times of one file in some rounds.
type hostileTimes struct {
	parse, compile time.Duration
	allocated      uint64
	decisions      []time.Duration // 1+laterQuestions times for each URL: the first decision, then the later ones
}

// measure measures all stages once, with a new file and policy for each URL.
func (h *hostileTimes) measure(body []byte, d *robotstxt.Dialect, targets []string) {
	runtime.GC()
	isFirstRound := len(h.decisions) == 0
	for i, target := range targets {
		start := processorTime()
		file := robotstxt.Parse(body, d)
		h.parse = min(h.parse, processorTime()-start)
		before := allocatedBytes()
		start = processorTime()
		policy := file.Agent(agent)
		h.compile = min(h.compile, processorTime()-start)
		h.allocated = max(h.allocated, allocatedBytes()-before)
		for k := range 1 + laterQuestions {
			start = processorTime()
			runtime.KeepAlive(policy.Check(target).Allowed)
			took := processorTime() - start
			if at := i*(1+laterQuestions) + k; isFirstRound {
				h.decisions = append(h.decisions, took)
			} else {
				h.decisions[at] = min(h.decisions[at], took)
			}
		}
	}
}

func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
