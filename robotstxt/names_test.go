package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// G-11: with the names of many lines in order, the same groups apply as without.
func TestNamesInOrderChooseAlike(t *testing.T) {
	r := NewRandom(t)
	names := []string{"a", "A", "ab", "AB/1", "b-c", "*", "* x", "", "360", "a b", "é", "bot_x/2.0"}
	for range 60 {
		var body strings.Builder
		for i := range 2 * manyAgentLines {
			fmt.Fprintf(&body, "User-agent: %s\n", names[r.IntN(len(names))])
			if r.IntN(3) == 0 {
				fmt.Fprintf(&body, "Disallow: /%d\n\n", i)
			}
		}
		for _, d := range Dialects() {
			file := ParseString(body.String(), d)
			for range fewChoices {
				file.namesInOrder()
			}
			for range 40 {
				agents := make([]string, r.IntN(3))
				for i := range agents {
					agents[i], _ = d.ReadAgent(append(names, "none", "bot_x")[r.IntN(len(names)+2)])
				}
				want := ParseString(body.String(), d).choose(nil, agents)
				if got := file.choose(nil, agents); !slices.Equal(got, want) {
					t.Fatalf("%s: %q: lines %v, want %v, in %q", d, agents, got, want, body.String())
				}
			}
			if has := file.orderedNames.Load() != nil; has == d.NamesAreParts() {
				t.Errorf("%s: names are in order: %v", d, has)
			}
		}
	}
}

// A file gets names in order if it has many lines, and many crawlers ask.
func TestWhenNamesAreInOrder(t *testing.T) {
	for _, c := range []struct {
		lines, choices int
		want           bool
	}{{manyAgentLines, 100, false}, {manyAgentLines + 1, fewChoices, false}, {manyAgentLines + 1, fewChoices + 1, true}} {
		f := ParseString(strings.Repeat("User-agent: a\nDisallow: /\n", c.lines), nil)
		before := f.Size()
		for range c.choices {
			f.Agent("b")
		}
		if got := f.orderedNames.Load() != nil; got != c.want {
			t.Errorf("%d lines, %d choices: %v", c.lines, c.choices, got)
		}
		if includes := before-agentLineSize*c.lines-fileSize-len(f.body)-len(f.index) == nameSize*c.lines; includes != (c.lines > manyAgentLines) {
			t.Errorf("%d lines: the size includes the names: %v", c.lines, includes)
		}
	}
}
