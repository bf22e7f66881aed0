package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

func FuzzStandard1994(f *testing.F) { fuzz(f, robotstxt.Standard1994) }
func FuzzDraft1996(f *testing.F)    { fuzz(f, robotstxt.Draft1996) }
func FuzzDraft2019(f *testing.F)    { fuzz(f, robotstxt.Draft2019) }
func FuzzRFC9309(f *testing.F)      { fuzz(f, robotstxt.RFC9309) }
func FuzzGoogle(f *testing.F)       { fuzz(f, robotstxt.Google) }

// Two dialects are compared on the paths that are equal in both normal forms.
func FuzzTwoDialects(f *testing.F) {
	pairs := [][2]*robotstxt.Dialect{}
	for _, a := range robotstxt.Dialects() {
		for _, b := range robotstxt.Dialects() {
			if a != b {
				pairs = append(pairs, [2]*robotstxt.Dialect{a, b})
			}
		}
	}
	addSeeds(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		s := source{rest: input}
		d := pick(&s, pairs)
		checkInput(t, s.rest, d[0], d[1])
	})
}

// fuzz makes two files of each input, and compares them by brute force.
func fuzz(f *testing.F, d *robotstxt.Dialect) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, input []byte) { checkInput(t, input, d, d) })
}

func addSeeds(f *testing.F) {
	r, seeds := rand.New(rand.NewPCG(9309, 1994)), 150
	if portion.Whole() {
		seeds = 2_000
	}
	for range seeds {
		input := make([]byte, 20+r.IntN(100))
		for i := range input {
			input[i] = byte(r.Uint32())
		}
		f.Add(input)
	}
}

// checkInput compares two files that are made of an input.
func checkInput(t *testing.T, input []byte, oldDialect, newDialect *robotstxt.Dialect) {
	s := source{rest: input}
	was, is := s.files()
	old, new := robotstxt.ParseString(was, oldDialect), robotstxt.ParseString(is, newDialect)
	agents := s.agents()
	chain := []string{pick(&s, names[2:]), pick(&s, names[2:])}
	defer func() {
		if t.Failed() {
			t.Logf("old, %s:\n%snew, %s:\n%s", oldDialect, was, newDialect, is)
		}
	}()
	b := &brute{T: t, paths: pathsFor(patternsIn(old, new), pick(&s, []int{1_000, 20_000, 1_000, 1_000, 1_000, 1_000, 1_000, 4_000}))}
	b.files(old, new, agents, chain)
	agent := pick(&s, agents)
	b.policies(old.Agent(agent), new.Agent(agent))
	b.policies(old.Agent(chain...), new.Agent(chain...))
	if oldDialect == newDialect {
		b.policies(old.Agent(agent), old.Agent(chain[0]))
		fixed := pick(&s, []*robotstxt.File{robotstxt.DisallowAll(robotstxt.Unreachable, newDialect), robotstxt.AllowAll(robotstxt.Unavailable, newDialect)})
		b.policies(old.Agent(agent), fixed.Agent(agent))
	}
	b.rules(was, old.Agent(agent))
}

// A source makes choices from the bytes of an input. At its end, each choice is the first.
type source struct {
	rest  []byte
	units []string // for patterns
}

// choose returns a number below n.
func (s *source) choose(n int) int {
	if len(s.rest) == 0 {
		return 0
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	return int(c) % n
}

func pick[T any](s *source, list []T) T { return list[s.choose(len(list))] }

// names are values of User-agent lines. In Standard1994, some contain others.
var names = []string{"*", "*", "a", "b", "ab", "ba", "a_b", "bb", "b a"}

// units are what patterns are made of. Each pair of files has its own few.
var units = []string{
	"a", "b", "/", "*", "a", "b", "/", "*", "$", "?", "?", "%2F", "%2f", "/", "%61", "%20", "%", "%2", "%%32F", "%3f", "2", "F",
	"\u00fc", "=", "&", ";", "index.html", "c", "//", "**", "%23", "%25", "\xc3",
}

// files returns two files: the second is an edit of the first, or another one.
func (s *source) files() (old, new string) {
	s.units = []string{"a", "*"}
	for range 1 + s.choose(4) {
		s.units = append(s.units, pick(s, units))
	}
	lines := s.file()
	if s.choose(3) == 0 {
		return join(lines), join(s.file())
	}
	var edited []string
	for _, line := range lines {
		switch s.choose(10) {
		case 0: // deleted
		case 1:
			edited = append(edited, line, s.rule())
		case 2:
			edited = append([]string{line}, edited...)
		case 3:
			edited = append(edited, s.rule())
		case 4:
			edited = append(edited, line, "User-agent: "+pick(s, names))
		default:
			edited = append(edited, line)
		}
	}
	return join(lines), join(edited)
}

func join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// file returns the lines of a file.
func (s *source) file() (lines []string) {
	for range 1 + s.choose(3) {
		for range 1 + s.choose(2) {
			lines = append(lines, "User-agent: "+pick(s, names))
		}
		for range 1 + s.choose(5) {
			lines = append(lines, s.rule())
		}
		if s.choose(3) == 0 {
			lines = append(lines, "")
		}
	}
	return lines
}

// rule returns a line with a rule, or without a pattern.
func (s *source) rule() string {
	rule := pick(s, []string{"Disallow: ", "Allow: ", "Disallow: "})
	switch s.choose(16) {
	case 0:
		return rule
	case 1:
		return rule + pick(s, []string{"/robots.txt", "/robots.txt$", "/index.html", "/a/index.html", "*/index.htm", "/*?/", "$", "*"})
	case 2: // no slash
	default:
		rule += "/"
	}
	for range s.choose(6) {
		rule += pick(s, s.units)
	}
	if s.choose(4) == 0 {
		rule += "$"
	}
	return rule
}

// agents returns names of crawlers: those in files, and some that contain several of them.
func (s *source) agents() []string {
	agents := append([]string{"ExampleBot"}, names[2:]...)
	for range 20 {
		name := ""
		for range 1 + s.choose(4) {
			name += pick(s, []string{"a", "b", "_", "x"})
		}
		agents = append(agents, name)
	}
	return agents
}
