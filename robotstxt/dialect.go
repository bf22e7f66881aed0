package robotstxt

import (
	"fmt"
	"strings"
)

// A Dialect is one description of the robots exclusion protocol, written down
// as a table of choices. The dialects are the variables of this package; a nil
// *Dialect means RFC9309 wherever one is asked for.
//
// A Dialect is immutable and safe for concurrent use.
type Dialect struct {
	name     string // in case files and on command lines
	title    string // for people
	document string // where it is written down

	// From bytes to lines.
	limit          int  // bytes that are parsed; 0: all of them
	lineLimit      int  // bytes of a line that are used; 0: all of them
	nulEndsLine    bool // a NUL hides the rest of its line
	finalEmptyLine bool // what follows the last line end is a line even when empty

	// From lines to keys.
	keys         keyReading
	missingColon bool     // "disallow /x" is read as "disallow: /x"
	space        *byteSet // what is trimmed around keys and values
	allow        bool     // the document knows Allow

	// From keys to groups.
	blankEndsGroup bool // a blank line ends a group
	names          nameReading
	merge          bool // all groups that name an agent apply, not just the first
	mergeDefault   bool // all "*" groups apply, not just the first

	// From groups to a verdict.
	path          pathReading
	form          normalForm
	wildcards     bool // "*" and a final "$" are special in a pattern
	longest       bool // the longest pattern decides, not the first in the file
	emptyDecides  bool // an empty pattern is a rule of length 0 that allows
	indexPages    bool // Allow: /d/index.html also allows /d/
	robotsAllowed bool // /robots.txt itself is always allowed
	delays        bool // records such as Crawl-delay are heeded
}

// keyReading is how a key is compared with the names of records.
type keyReading uint8

const (
	exactKeys  keyReading = iota // whole, any letter case
	typoKeys                     // and in the common misspellings
	prefixKeys                   // and as a prefix of what stands there (K-6)
)

// nameReading is what the value of a user-agent line names, and whom.
type nameReading uint8

const (
	substringNames nameReading = iota // the name without version, anywhere in the crawler's (S94-6)
	wholeNames                        // the name without version equals the crawler's (S96-2)
	tokenNames                        // the leading product token equals the crawler's
	rawAgentNames                     // the same, but the crawler's name is taken as it comes
)

// pathReading is which part of a URL is compared.
type pathReading uint8

const (
	pathAndQuery pathReading = iota
	pathOnly                 // S96-4
	googlePath               // whatever the string, as Google's parser cuts it (U-1 to U-6)
)

// normalForm is how patterns and URLs are brought to a form that compares.
type normalForm uint8

const (
	asWritten      normalForm = iota // octets as they stand (S94-8)
	decodedForm                      // %xx decoded, except %2F (S96-4)
	canonicalForm
	escapedPattern                   // the pattern is escaped, the URL is not touched (K-8, U-5)
)

// The least that must be parsed, and what is parsed unless WithLimit says
// otherwise: 500 KiB.
const minLimit = 500 << 10

// Google's parser keeps this much of a line: 8 * 2083 bytes and a NUL (L-3).
const googleLineLimit = 8*2083 - 1

// The five dialects, oldest first.
var (
	// Standard1994 is the consensus of June 1994: Disallow prefixes, agents by
	// substring, records separated by blank lines (S94-1 to S94-11).
	Standard1994 = &Dialect{
		name:     "standard1994",
		title:    "1994 standard",
		document: "A Standard for Robot Exclusion, 30 June 1994",
		limit:    minLimit,
		space:    spaces,

		blankEndsGroup: true,
		names:          substringNames,
		path:           pathAndQuery,
		form:           asWritten,
		delays:         true,
	}

	// Draft1996 is the draft of November 1996: Allow and Disallow in file
	// order, the first match decides (S96-1 to S96-9).
	Draft1996 = &Dialect{
		name:     "draft1996",
		title:    "1996 draft",
		document: "A Method for Robots Exclusion, draft 1, 15 November 1996",
		limit:    minLimit,
		allow:    true,
		space:    spaces,

		blankEndsGroup: true,
		names:          wholeNames,
		path:           pathOnly,
		form:           decodedForm,
		delays:         true,
	}

	// Draft2019 is draft-koster-rep-00: as RFC9309, but only the first "*"
	// group applies (D-1).
	Draft2019 = &Dialect{
		name:         "draft2019",
		title:        "2019 draft",
		document:     "draft-koster-rep-00, July 2019",
		limit:        minLimit,
		keys:         typoKeys,
		missingColon: true,
		space:        spacesAndControls,
		allow:        true,

		names:         tokenNames,
		merge:         true,
		path:          pathAndQuery,
		form:          canonicalForm,
		wildcards:     true,
		longest:       true,
		robotsAllowed: true,
		delays:        true,
	}

	// RFC9309 is the published standard and the default.
	RFC9309 = &Dialect{
		name:         "rfc9309",
		title:        "RFC 9309",
		document:     "RFC 9309, September 2022",
		limit:        minLimit,
		keys:         typoKeys,
		missingColon: true,
		space:        spacesAndControls,
		allow:        true,

		names:         tokenNames,
		merge:         true,
		mergeDefault:  true,
		path:          pathAndQuery,
		form:          canonicalForm,
		wildcards:     true,
		longest:       true,
		robotsAllowed: true,
		delays:        true,
	}

	// Google is what Google's published parser does, bug for bug (G-10 to
	// G-16). It takes agents and URLs as raw strings: neither is checked.
	Google = &Dialect{
		name:           "google",
		title:          "Google",
		document:       "Google's interpretation and its published parser, April 2026",
		lineLimit:      googleLineLimit,
		nulEndsLine:    true,
		finalEmptyLine: true,
		keys:           prefixKeys,
		space:          spaces,
		missingColon:   true,
		allow:          true,

		names:        rawAgentNames,
		merge:        true,
		mergeDefault: true,
		path:         googlePath,
		form:         escapedPattern,
		wildcards:    true,
		longest:      true,
		emptyDecides: true,
		indexPages:   true,
	}
)

// Dialects returns the five dialects, oldest first.
func Dialects() []*Dialect {
	return []*Dialect{Standard1994, Draft1996, Draft2019, RFC9309, Google}
}

// DialectNamed returns the dialect that String calls name, in any letter case.
func DialectNamed(name string) (*Dialect, error) {
	var names []string
	for _, d := range Dialects() {
		if strings.EqualFold(name, d.name) {
			return d, nil
		}
		names = append(names, d.name)
	}
	return nil, fmt.Errorf("unknown dialect %q; the dialects are %s", name, strings.Join(names, ", "))
}

// String returns the short name, such as "rfc9309".
func (d *Dialect) String() string { return d.orDefault().name }

// Title returns the name for people, such as "RFC 9309".
func (d *Dialect) Title() string { return d.orDefault().title }

// Document says where the dialect is written down.
func (d *Dialect) Document() string { return d.orDefault().document }

// WithLimit returns the dialect with n as the number of bytes that Parse
// reads; what lies past them is ignored. The protocol asks for at least
// 500 KiB, so a smaller n means that.
func (d *Dialect) WithLimit(n int) *Dialect {
	limited := *d.orDefault()
	limited.limit = max(n, minLimit)
	return &limited
}

func (d *Dialect) orDefault() *Dialect {
	if d == nil {
		return RFC9309
	}
	return d
}
