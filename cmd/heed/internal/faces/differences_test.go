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
}

var knownDifferences = []knownDifference{
	{
		"a list: heed filter takes comments and blank lines for URLs, and a host without a scheme for none; heed check does not",
		func(d *difference) bool {
			got, isPlain := d.got, d.world.lineOf(d.question) == d.question.url
			got.form = ""
			return d.face == "filter plain (list)" && (got.sameAs(d.want) || !isPlain || d.source == "import" && d.isOfImport())
		},
	},
	{
		"a decision in JSON: heed filter writes verdict, line and a text as rule, without pattern_b64; package report writes allowed and an object",
		func(d *difference) bool {
			got := d.got
			got.form = ""
			return d.face == "filter JSON lines" && d.got.form == flatForm && (got.sameAs(d.want) || d.source == "import" && d.isOfImport())
		},
	},
	{
		"a folder: of two files of a host, heed cache import uses the newer one, or both as history; heed check --robots-dir and heed filter use HOST before HOST.txt, and that before HOST/robots.txt",
		func(d *difference) bool { return d.source == "import" && len(d.filesOfHost()) > 1 },
	},
	{
		"a folder: heed cache import uses HOST for the default port only; heed check --robots-dir and heed filter for each port that has no HOST:PORT",
		func(d *difference) bool {
			files := d.filesOfHost()
			return d.source == "import" && len(files) == 1 && !strings.Contains(files[0], ":")
		},
	},
	{
		"a folder: heed cache import uses HOST:443 for https://HOST; heed check --robots-dir and heed filter do not",
		func(d *difference) bool {
			return d.source == "import" && d.question.file == nil && len(d.filesOfHost()) == 1 && strings.Contains(d.filesOfHost()[0], ":")
		},
	},
	{
		"a line of JSON with an ftp origin and status 200: heed cache import takes 200 for a reply of FTP, so the site is unreachable; heed filter and heed compile take it for success",
		func(d *difference) bool {
			return d.source == "store" && strings.HasPrefix(d.question.origin, "ftp://") && d.question.file != nil && (d.want.verdict == allowed || d.want.verdict == disallowed)
		},
	},
	{
		"a site that answered 503: heed filter says disallowed from JSON lines, WARC and Parquet, and unknown from a store with the same answer",
		func(d *difference) bool {
			return d.source == "store" && d.face == "filter "+onlyDisallowed && d.question.status != 0 && d.want.verdict == unknown
		},
	},
	{
		"--dialect google, for which each text is a path: heed check and heed explain refuse one with a colon, such as javascript:alert(1); heed check --input jsonl, heed serve and the libraries decide about it",
		func(d *difference) bool {
			isCommand := strings.HasPrefix(d.face, "check") || d.face == "explain"
			return isCommand && d.source == "file" && d.world.dialect == robotstxt.Google && d.question.origin == "" && d.got.verdict == refused
		},
	},
	{
		"the robots.txt of a site itself, if nothing is known about the site: it is allowed by heed check, explain, filter and serve, from a site or a store that has none, and unknown from captures and folders",
		func(d *difference) bool {
			return d.question.file == nil && d.want.verdict == unknown && decide("", d.world, d.question.url) == decide("User-agent: *\nDisallow: /", d.world, d.question.url)
		},
	},
}

// sameAs reports whether two answers are the same, except for octets in a pattern that are not UTF-8.
func (a answer) sameAs(b answer) bool {
	a.pattern, b.pattern = strings.ToValidUTF8(a.pattern, "\ufffd"), strings.ToValidUTF8(b.pattern, "\ufffd")
	return a == b
}

// lineOf returns the line of the list about a question, without blanks around it.
func (w *world) lineOf(q *question) string {
	for _, line := range w.list {
		if line.about == q {
			return strings.TrimSpace(line.text)
		}
	}
	return ""
}

// damagedDiffer is true as long as Beam and heed filter differ about sources that are damaged.
const damagedDiffer = true

// isOfImport reports whether a difference is one of heed cache import.
func (d *difference) isOfImport() bool {
	files := d.filesOfHost()
	return len(files) > 1 || len(files) == 1 && strings.Contains(d.question.origin[len("https://"):]+files[0], ":")
}

// filesOfHost returns the names of the files of the host of a question.
func (d *difference) filesOfHost() (names []string) {
	_, site, _ := strings.Cut(d.question.origin, "://")
	host, _, _ := strings.Cut(site, ":")
	for _, f := range d.world.files {
		base, _, _ := strings.Cut(f.name, "/")
		base, _, _ = strings.Cut(strings.TrimSuffix(base, ".txt"), ":")
		if base == host {
			names = append(names, f.name)
		}
	}
	return names
}
