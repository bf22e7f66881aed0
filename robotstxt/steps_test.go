//go:build heedsteps

package robotstxt

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/hostile"
)

// M-8, S96-8: no decision about a hostile file takes more steps than the package
// documentation promises, in any of the Ways.
func TestStepsAreBounded(t *testing.T) {
	worst := 0.0
	for _, f := range hostile.Families() {
		for _, d := range Dialects() {
			p := Parse([]byte(f.Body), d).Agent("ExampleBot")
			ways := Ways(p)
			ways["as it comes"] = p
			for i, target := range f.Targets {
				size, length := float64(len(f.Body)), float64(3*len(target)) // %XX
				bound := length*(32+math.Sqrt(2*size)) + 5*size + sweepWork
				for name, p := range ways {
					steps = 0
					p.Check(target)
					worst = max(worst, float64(steps)/bound)
					if float64(steps) > bound {
						t.Errorf("%s, %s, target %d, with %s: %d steps, bound %.0f", d, f.Name, i, name, steps, bound)
					}
				}
			}
		}
	}
	t.Logf("at worst %.2f of the bound", worst)
	if worst < 0.01 {
		t.Error("nothing is counted")
	}
}

// S94-6: to find the group of a long agent, or of one with many names, and to explain it, takes steps
// in proportion to the file and the names together.
func TestAgentStepsAreLinear(t *testing.T) {
	for _, size := range []int{1 << 10, 1 << 14, 1 << 17} {
		for name, body := range map[string]string{
			"many short": strings.Repeat("User-agent: aab\nDisallow: /\n\n", size/29),
			"a group":    strings.Repeat("User-agent: aab\n", size/16) + "User-agent: a\nDisallow: /\n",
			"one long":   "User-agent: " + strings.Repeat("a", size/2) + "b\n",
			"growing": func() string {
				var b strings.Builder
				for i := 1; b.Len() < size; i++ {
					b.WriteString("User-agent: " + strings.Repeat("a", i) + "b\n")
				}
				return b.String()
			}(),
		} {
			long := strings.Repeat("a", size)
			for _, agents := range [][]string{{long, long}, slices.Repeat([]string{long[:31]}, 16)} {
				steps = 0
				p := ParseString(body, Standard1994).Agent(agents...)
				p.IsNamed()
				p.Explain("/")
				const passes = 3 // Agent, IsNamed, Explain
				length := len(strings.Join(agents, ""))
				if bound := 2 * passes * (len(body) + length); steps > bound || steps < length {
					t.Errorf("%s, %d bytes, %d agents: %d steps, bound %d", name, size, len(agents), steps, bound)
				}
			}
		}
	}
}
