package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/heed-robots/heed/internal/hostile"
	"github.com/heed-robots/heed/robotstxt"
)

// worst is the greatest of some values, and whose it is.
type worst struct {
	value float64
	name  string
}

func (w *worst) add(value float64, name string) {
	if value > w.value {
		*w = worst{value, name}
	}
}

// laterQuestions is how often each URL is asked about after the first decision:
// often enough for all that a policy makes when it is asked again.
const laterQuestions = 20

// hostile: the worst family at each stage, in two dialects or in a hurry one. Other libraries are
// not asked: some take minutes.
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
			for i, took := range h.asked {
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

// hostileTimes are the least times of one file in some rounds.
type hostileTimes struct {
	parse, compile time.Duration
	allocated      uint64
	asked          []time.Duration // for each URL: the first decision, and the later ones
}

// measure goes through all stages once. Each URL is the first that is asked of
// a policy of its own.
func (h *hostileTimes) measure(body []byte, d *robotstxt.Dialect, targets []string) {
	runtime.GC()
	fresh := len(h.asked) == 0
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
			if at := i*(1+laterQuestions) + k; fresh {
				h.asked = append(h.asked, took)
			} else {
				h.asked[at] = min(h.asked[at], took)
			}
		}
	}
}

func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
