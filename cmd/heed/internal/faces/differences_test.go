package faces

import (
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A knownDifference is answers that are not those of package robotstxt, and should be. If the answers
// become what they should be, the test fails until the row is deleted.
type knownDifference struct {
	what string
	is   func(*difference) bool
	rare bool // the sample may not have it
}

var knownDifferences = []knownDifference{
	{
		what: `a URL with "\", a tab, or a control character at its end: about a site that the cache knows (live, store, import), what browsers request decides too (R-24); files and captures decide about the URL as it is written`,
		is: func(d *difference) bool {
			isCached := d.source == "import" || d.source == "store" || d.source == "live"
			return isCached && d.question.file != nil && d.want.verdict == allowed && d.got.verdict != allowed && d.world.requested(d.question).verdict == disallowed
		},
		rare: true,
	},
	{
		what: "a folder: heed cache import uses HOST for the default port only, since a store has sites and no folders; heed check and heed filter for each port that has no HOST:PORT",
		is:   func(d *difference) bool { return d.isOfImport() },
	},
	{
		what: "--dialect google, for which each text is a path: heed check and heed explain refuse one with a colon, such as javascript:alert(1); heed check --input jsonl, heed serve and the libraries decide about it",
		is: func(d *difference) bool {
			isCommand := strings.HasPrefix(d.face, "check") || d.face == "explain"
			return isCommand && d.source == "file" && d.world.dialect == robotstxt.Google && d.question.origin == "" && d.got.verdict == refused
		},
		rare: true,
	},
	{
		what: "the robots.txt of a site itself, if nothing is known about the site: it is allowed by heed check, explain, filter and serve, from a site or a store that has none, and unknown from captures and folders",
		is: func(d *difference) bool {
			return d.question.file == nil && d.want.verdict == unknown && decide("", d.world, d.question.url) == decide("User-agent: *\nDisallow: /", d.world, d.question.url)
		},
	},
}

// requested decides about what browsers request for the URL of a question, if that is disallowed.
func (w *world) requested(q *question) answer {
	p := robotstxt.ParseString(q.file.body, w.dialect).Agent(w.tokens...)
	return decide(q.file.body, w, p.Requested(q.url))
}

// sameAs reports whether two answers are the same, except for bytes in a pattern that are not UTF-8.
func (a answer) sameAs(b answer) bool {
	a.pattern, b.pattern = strings.ToValidUTF8(a.pattern, "\ufffd"), strings.ToValidUTF8(b.pattern, "\ufffd")
	return a == b
}

// isOfImport reports whether a question is about a port, and answered by a file for all ports.
func (d *difference) isOfImport() bool {
	f := d.question.file
	return d.source == "import" && f != nil && !strings.Contains(f.name, ":") && strings.Count(d.question.origin, ":") == 2
}
