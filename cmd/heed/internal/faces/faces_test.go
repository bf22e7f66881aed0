// Package faces asks the same questions through everything that answers questions about
// a robots.txt, from everything that a robots.txt can come from, and compares the answers with those of
// package robotstxt.
// Another test asks heed diff which URLs flip, and heed check whether they do.
//
//	HEED_FACES_SEED       the first world; a failure says which it was
//	HEED_FACES_QUESTIONS  how many questions are asked, each through all faces and sources
//	HEED_WHOLE            also the libraries for other languages, and Beam
package faces

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// A face is a way to ask.
type face struct {
	name    string
	sources string // the names of those that it reads, with spaces between them
	ask     func(r *run, all []*question) []answer

	carries  func(url string) bool // nil: it can carry every URL
	single   bool                  // it takes the robots.txt of one site at a time
	most     int                   // how many questions it is asked in a world; 0: all
	noRules  bool                  // its answers have no line and no pattern
	noBytes  bool                  // it has U+FFFD in place of a byte in a pattern that is not UTF-8
	oneToken bool                  // it takes crawlers of one product token
	uses     bool                  // it is asked what pages may be used for too (AI-16)
	absent   func() string         // why it cannot be asked; "" or nil: it can
}

// faces are all faces. One more is one more row.
var faces = slices.Concat(checkFaces, filterFaces, filterFacesOfUse, daemonFaces, fileFaces, libraryFaces)

// A run asks a face about the questions of a world, from a source.
type run struct {
	*testing.T
	world  *world
	face   *face
	source *source
	path   string // of what the source made
	folder string // for other files
	file   *file  // of a source that is one robots.txt
	origin string // of all questions, if the face takes one site at a time
}

// A difference is an answer that is not the one of package robotstxt.
type difference struct {
	world        *world
	face, source string
	question     *question
	want, got    answer
}

func (d *difference) String() string {
	text := "nothing"
	if d.question != nil {
		text = fmt.Sprintf("%q", d.question.url)
		if f := d.question.file; f != nil {
			text += fmt.Sprintf(" (%s)", f.name)
		}
	}
	return fmt.Sprintf("HEED_FACES_SEED=%d: %s, %s, from %s, %s %q: got %s, want %s", d.world.seed, text, d.face, d.source, d.world.dialect, d.world.agents, d.got, d.want)
}

// sample is how many questions are asked usually.
const sample = 360

func TestFaces(t *testing.T) {
	seed, most := number(t, "HEED_FACES_SEED", 33), number(t, "HEED_FACES_QUESTIONS", sample)
	each := 120
	if most > 100*sample {
		each = 2500
	}
	met := make([]int, len(knownDifferences))
	told := map[string]int{}
	asked, answers := 0, 0
	for asked < most {
		w := newWorld(uint64(seed), min(each, most))
		asked, seed = asked+len(w.questions), seed+1
		n, differences := askAll(t, w)
		answers += n
		for _, d := range differences {
			if i := slices.IndexFunc(knownDifferences, func(k knownDifference) bool { return k.is(&d) }); i >= 0 {
				met[i]++
				continue
			}
			if key := d.face + d.source; told[key] < 3 {
				t.Error(&d)
				told[key]++
			}
		}
	}
	t.Logf("%d questions, %d answers", asked, answers)
	for i, k := range knownDifferences {
		if met[i] == 0 && most >= sample && !k.rare {
			t.Errorf("%q: no face differs so any more: delete this row of knownDifferences", k.what)
		}
		t.Logf("%d answers differ: %s", met[i], k.what)
	}
}

// A User-Agent header, and a name with a version, mean their product token to every face, also in the dialect google, whose
// parser accepts any text as a name. Only the libraries for other languages take a name as package robotstxt does.
func TestHeaders(t *testing.T) {
	for _, test := range []struct {
		dialect      *robotstxt.Dialect
		agent, means string
	}{
		{robotstxt.Google, "ExampleBot/1.2", "ExampleBot"},
		{robotstxt.Google, "Mozilla/5.0 (compatible; ExampleBot/1.2; +https://example.com/bot)", "ExampleBot"},
		{robotstxt.Google, "ExampleBot web spider", "ExampleBot"},
		{robotstxt.RFC9309, "ExampleBot web spider", "ExampleBot"},
		{robotstxt.Draft1996, "ExampleBot web spider", "ExampleBot web spider"},
	} {
		w := &world{Rand: rand.New(rand.NewPCG(10, 7)), dialect: test.dialect, agents: []string{test.agent}, tokens: []string{test.means}}
		w.fill(12)
		_, differences := askAll(t, w)
		for _, d := range differences {
			isLibrary := slices.ContainsFunc(libraryFaces, func(f face) bool { return f.name == d.face && f.name != "Beam" })
			if !isLibrary && !slices.ContainsFunc(knownDifferences, func(k knownDifference) bool { return k.is(&d) }) {
				t.Error(&d)
			}
		}
	}
}

func number(t *testing.T, variable string, usual int) int {
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: expected a number", variable, text)
	}
	return n
}

// askAll asks all faces, from all sources.
func askAll(t *testing.T, w *world) (answers int, differences []difference) {
	folder := t.TempDir()
	for i := range sources {
		s := &sources[i]
		r := run{T: t, world: w, source: s, path: filepath.Join(folder, s.name), folder: filepath.Join(folder, s.name+".other")}
		if err := os.Mkdir(r.folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if s.make != nil {
			if err := s.make(w, r.path); err != nil {
				t.Fatalf("HEED_FACES_SEED=%d: %s: %v", w.seed, s.name, err)
			}
		}
		internet.Store(nil)
		if s.kind == live {
			internet.Store(w)
		}
		for j := range faces {
			f := &faces[j]
			if !slices.Contains(strings.Fields(f.sources), s.name) || f.absent != nil && f.absent() != "" {
				continue
			}
			one := r
			one.face = f
			n, some := one.compare()
			answers, differences = answers+n, append(differences, some...)
		}
		closeDaemon()
	}
	os.RemoveAll(folder)
	return answers, differences
}

// compare asks a face, and returns the answers that are not those of package robotstxt.
func (r *run) compare() (answers int, differences []difference) {
	for _, part := range r.parts() {
		got := part.face.ask(&part.run, part.questions)
		if len(got) != len(part.questions) {
			r.Fatalf("HEED_FACES_SEED=%d: %s, from %s: %d answers to %d questions", r.world.seed, r.face.name, r.source.name, len(got), len(part.questions))
		}
		answers += len(got)
		for i, q := range part.questions {
			want, answer := part.want(q), got[i]
			if r.face.noRules {
				want.line, want.pattern = 0, ""
			}
			if !r.face.uses || r.face.noRules { // some faces only compare with what is wanted
				want.use, answer.use = "", ""
			}
			if part.face.noBytes && answer.sameAs(want) {
				continue
			}
			if answer != want {
				differences = append(differences, difference{r.world, r.face.name, r.source.name, q, want, answer})
			}
		}
	}
	return answers, differences
}

// want returns the answer that a question must have from a source.
func (r *run) want(q *question) answer {
	if r.isOneFile() {
		return decide(q.file.body, r.world, q.url)
	}
	if q.status != 0 && !r.hasStatuses() {
		return answer{verdict: unknown}
	}
	return q.want
}

// hasStatuses reports whether the source says what a site without a robots.txt answers.
func (r *run) hasStatuses() bool { return r.source.name != "folder" && r.source.name != "import" }

// isOneFile reports whether the source is one robots.txt for all questions of a part.
func (r *run) isOneFile() bool {
	return r.source.kind == oneFile || r.source.kind == given && !strings.HasPrefix(r.face.name, "filter") && r.face.name != "Beam"
}

// A part is questions that a face is asked at once.
type part struct {
	run
	questions []*question
}

// parts returns the questions that the face can be asked: about one robots.txt at a time, if the source
// or the face has no more.
func (r *run) parts() (parts []part) {
	index := map[string]int{}
	n := 0
	for _, q := range r.world.questions {
		if r.face.most > 0 && n == r.face.most || !r.canAsk(q) {
			continue
		}
		n++
		key := ""
		switch {
		case r.isOneFile():
			key = q.file.name
		case r.face.single:
			key = q.origin
		}
		i, ok := index[key]
		if !ok {
			i = len(parts)
			index[key] = i
			parts = append(parts, part{run: *r})
			parts[i].run.origin = q.origin
			if r.isOneFile() {
				parts[i].run.file = q.file
			}
		}
		parts[i].questions = append(parts[i].questions, q)
	}
	return parts
}

func (r *run) canAsk(q *question) bool {
	switch {
	case r.face.carries != nil && !r.face.carries(q.url), r.face.oneToken && len(r.world.agents) > 1:
		return false
	case r.isOneFile():
		return q.file != nil && (r.source.name != "text" || isText(q.file.body))
	case r.source.name == "text" && q.file != nil && !isText(q.file.body):
		return false
	case r.source.kind == live && strings.HasPrefix(q.origin, "ftp://"): // a proxy has no ftp
		return false
	case r.source.name == "WARC" || r.source.name == "archive":
		return !strings.HasPrefix(q.origin, "ftp://")
	case r.face.single:
		return q.origin != ""
	}
	return true
}

// TestAbsent tells which faces are not asked.
func TestAbsent(t *testing.T) {
	for _, f := range faces {
		if f.absent != nil && f.absent() != "" {
			t.Logf("%s is not asked: %s", f.name, f.absent())
		}
	}
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
