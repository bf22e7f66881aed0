package robotstxt

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/heed-robots/heed/internal/testing/hostile"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A File and a Policy of a robots.txt of 500 KiB take at most 8 MiB.
func TestHostileMemory(t *testing.T) {
	portion.Skip(t, 4)
	for _, f := range hostile.Families() {
		for _, d := range []*Dialect{RFC9309, Google} {
			before := heapInUse()
			file := Parse([]byte(f.Body), d)
			p := file.Agent("ExampleBot")
			for _, target := range f.Targets {
				p.Check(target)
			}
			if kept := heapInUse() - before; kept > 8<<20 {
				t.Errorf("%s, %s: %.1f MiB", d, f.Name, float64(kept)/(1<<20))
			}
			runtime.KeepAlive(p)
		}
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkHostile(b *testing.B) {
	for _, f := range hostile.Families() {
		body := []byte(f.Body)
		for _, d := range Dialects() {
			b.Run(d.String()+"/"+f.Name+"/parse", func(b *testing.B) {
				for b.Loop() {
					Parse(body, d)
				}
			})
			file := Parse(body, d)
			b.Run(d.String()+"/"+f.Name+"/agent", func(b *testing.B) {
				for b.Loop() {
					file.Agent("ExampleBot")
				}
			})
			p := file.Agent("ExampleBot")
			for i, target := range f.Targets {
				b.Run(fmt.Sprintf("%s/%s/check%d", d, f.Name, i), func(b *testing.B) {
					for b.Loop() {
						p.Check(target)
					}
				})
			}
		}
	}
}
