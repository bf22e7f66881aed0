package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// A Dialect is one of five ways to read a robots.txt, such as RFC9309 or Google. A nil or zero Dialect means RFC9309.
//
// A Dialect is immutable and safe for concurrent use.
type Dialect struct {
	name  string // such as "rfc9309"
	title string // such as "RFC 9309"

	// How the bytes are split into lines.
	limit          int  // how many bytes of the file are parsed; 0 means maxLimit
	lineLimit      int  // how many bytes of a line are used; 0 means all bytes
	nulEndsLine    bool // a NUL ends the line: the rest of the line is not read
	finalEmptyLine bool // a file that ends with a line end has one more line, which is empty

	// How the key of a line is found.
	keys         keyMatching
	missingColon bool     // "disallow /x" is read as "disallow: /x"
	space        *byteSet // the bytes that are removed around keys and values
	allow        bool     // Allow lines are rules (S94-3: not in the standard of 1994)

	// How lines form groups.
	blankEndsGroup bool // a blank line ends a group
	names          nameMatching
	mergeNamed     bool // all groups that name an agent apply; if false, only the first such group
	mergeDefault   bool // all "*" groups apply; if false, only the first such group

	// How the rules of a group give a verdict.
	path          comparedPart
	form          normalForm
	wildcards     bool // "*" and a final "$" are special in a pattern
	longest       bool // the longest pattern decides; if false, the first one in the file decides
	emptyDecides  bool // an empty pattern is a rule of length 0, which allows; if false, the line is not a rule
	indexPages    bool // "Allow: /d/index.html" also allows "/d/"
	robotsAllowed bool // /robots.txt itself is always allowed
	delays        bool // records such as Crawl-delay have an effect
}

type keyMatching uint8

const (
	exactKeys  keyMatching = iota // the whole key must be equal, in any letter case
	typoKeys                      // common misspellings are accepted too
	prefixKeys                    // also a longer key that begins with a known key or misspelling (K-6)
)

type nameMatching uint8

const (
	substringNames nameMatching = iota // the name in the file, without its version, is a part of the crawler's name (S94-6)
	wholeNames                         // the name in the file, without its version, equals the crawler's name (S96-2)
	tokenNames                         // the product token at the start of the value equals the crawler's name
	rawAgentNames                      // as tokenNames, but the crawler's name is used exactly as the caller gives it
)

type comparedPart uint8

const (
	pathAndQuery comparedPart = iota
	pathOnly                  // the path without the query (S96-4)
	googlePath                // the part that Google's parser finds, even in a string that is not a URL (U-1 to U-6)
)

// normalForm says how patterns and paths are changed before they are compared.
type normalForm uint8

const (
	asWritten      normalForm = iota // pattern and URL are not changed (S94-8)
	decodedForm                      // escapes such as "%41" are decoded, but "%2F" is not (S96-4)
	canonicalForm                    // the form of RFC 9309, in which for example "é" and "%c3%a9" are equal
	escapedPattern                   // the pattern is escaped as Google's parser does it, and the URL is not changed (K-8, U-5)
)

// minLimit is the smallest limit, and the default: a crawler must parse at least 500 KiB of a file.
const minLimit = 500 << 10

// maxLimit limits how many bytes of a file any dialect parses. All positions in the file, and in the texts that normalization
// makes, then fit into 32 bits.
const maxLimit = 256 << 20

// Google's parser keeps this many bytes of a line (L-3).
const googleLineLimit = 8*2083 - 1

// The five dialects, the oldest first.
var (
	// Standard1994 is the standard of June 1994. A Disallow value is a prefix of paths. A name means every crawler whose
	// name contains it. A blank line ends a group (S94-1 to S94-11).
	Standard1994 = &Dialect{
		name:  "standard1994",
		title: "1994 standard",
		limit: minLimit,
		space: spaces,

		blankEndsGroup: true,
		names:          substringNames,
		path:           pathAndQuery,
		form:           asWritten,
		delays:         true,
	}

	// Draft1996 is the draft of November 1996. The first Allow or Disallow line that matches decides (S96-1 to S96-9).
	Draft1996 = &Dialect{
		name:  "draft1996",
		title: "1996 draft",
		limit: minLimit,
		allow: true,
		space: spaces,

		blankEndsGroup: true,
		names:          wholeNames,
		path:           pathOnly,
		form:           decodedForm,
		delays:         true,
	}

	// Draft2019 is draft-koster-rep-00. The only difference from RFC9309: only the first "*" group applies (D-1).
	Draft2019 = RFC9309.with(func(d *Dialect) { d.name, d.title, d.mergeDefault = "draft2019", "2019 draft", false })

	// RFC9309 is the published standard and the default.
	RFC9309 = &Dialect{
		name:         "rfc9309",
		title:        "RFC 9309",
		limit:        minLimit,
		keys:         typoKeys,
		missingColon: true,
		space:        spacesAndControls,
		allow:        true,

		names:         tokenNames,
		mergeNamed:    true,
		mergeDefault:  true,
		path:          pathAndQuery,
		form:          canonicalForm,
		wildcards:     true,
		longest:       true,
		robotsAllowed: true,
		delays:        true,
	}

	// Google does what Google's published parser does, its bugs included (G-10 to G-16). It accepts any string as an agent or
	// a URL.
	Google = &Dialect{
		name:           "google",
		title:          "Google",
		lineLimit:      googleLineLimit,
		nulEndsLine:    true,
		finalEmptyLine: true,
		keys:           prefixKeys,
		space:          spaces,
		missingColon:   true,
		allow:          true,

		names:        rawAgentNames,
		mergeNamed:   true,
		mergeDefault: true,
		path:         googlePath,
		form:         escapedPattern,
		wildcards:    true,
		longest:      true,
		emptyDecides: true,
		indexPages:   true,
	}
)

// LongestDecides reports whether the longest pattern that matches decides (R-5, M-3). In other dialects, the first one in
// the file decides (S96-3).
func (d *Dialect) LongestDecides() bool { return d.orDefault().longest }

// NamesAreParts reports whether a User-agent line names every crawler whose name contains the name in the line (S94-6). In
// other dialects, the two names must be equal.
func (d *Dialect) NamesAreParts() bool { return d.orDefault().names == substringNames }

func (d *Dialect) with(change func(*Dialect)) *Dialect {
	changed := *d
	change(&changed)
	return &changed
}

// Dialects returns the five dialects, the oldest first.
func Dialects() []*Dialect {
	return []*Dialect{Standard1994, Draft1996, Draft2019, RFC9309, Google}
}

// DialectNamed returns the dialect with the given short name, in any letter case, or an error if there is none.
func DialectNamed(name string) (*Dialect, error) {
	var names []string
	for _, d := range Dialects() {
		if strings.EqualFold(name, d.name) {
			return d, nil
		}
		names = append(names, d.name)
	}
	return nil, fmt.Errorf("unknown dialect %q; expected one of %s", name, strings.Join(names, ", "))
}

// String returns the short name, such as "rfc9309".
func (d *Dialect) String() string { return d.orDefault().name }

// Title returns the name that people read, such as "RFC 9309".
func (d *Dialect) Title() string { return d.orDefault().title }

// InSentence returns the Title for use in a sentence, with an article if needed: "the 1996 draft", but "RFC 9309".
func (d *Dialect) InSentence() string {
	if title := d.Title(); title[0] > '9' {
		return title
	}
	return "the " + d.Title()
}

// WithLimit returns a copy of the dialect that reads n bytes of a file. If n is less than 500 KiB, the limit is 500 KiB, as
// the protocol requires. The maximum is 256 MiB.
func (d *Dialect) WithLimit(n int) *Dialect {
	return d.orDefault().with(func(d *Dialect) { d.limit = max(n, minLimit) })
}

func (d *Dialect) orDefault() *Dialect {
	if d == nil || d.name == "" {
		return RFC9309
	}
	return d
}

// A byteSet has the value 1 for each of its bytes, and 0 for others. Numbers can be combined without a branch, unlike bools.
type byteSet [256]uint8

var (
	spaces            = newByteSet(ascii.IsSpace)
	spacesAndControls = newByteSet(func(c byte) bool { return ascii.IsSpace(c) || ascii.IsControl(c) })
)

func newByteSet(has func(byte) bool) *byteSet {
	var set byteSet
	for c := range set {
		if has(byte(c)) {
			set[c] = 1
		}
	}
	return &set
}
