package usage

// A Statement is one place where a site says something about the use of its content.
type Statement struct {
	Carrier Carrier
	Line    int    // the line in the robots.txt; 0 if the statement is not in a robots.txt
	Header  string // the name of the header, in lower case; "" if the statement is not in a header
	Meta    string // the name of the meta element; "" if the statement is not in a meta element
	Row     int    // the row in tdmrep.json, counted from 1; 0 if the statement is not in a tdmrep.json
	Text    string // the text as the site wrote it, but cut if it is long; control characters are not escaped
	Note    string // what is unusual about the statement; usually ""
}

// An Ignored is a statement that does not decide, together with the reason.
type Ignored struct {
	Statement
	Why    string
	Says   Preference // the preference that the statement would express if it had an effect
	Unread bool       // the statement cannot be read, so nobody knows its preference
}

// A Verdict is the answer about one purpose, with its evidence (AI-16).
type Verdict struct {
	Purpose    Purpose
	Preference Preference
	By         []Statement // the statements that decide, at most 20; empty if no statement decides
	MoreBy     int         // how many more statements decide, which are not in By
	// Ignored has the statements that do not decide, at most 100, in the order in which they were read. X-Robots-Tag and meta
	// elements that are about no purpose, such as "nosnippet", are no statements.
	Ignored []Ignored
	More    int // how many more statements do not decide, which are not in Ignored
}

// maxBy and maxIgnored limit how many statements an answer shows, because a hostile file may have very many.
const (
	maxBy      = 20
	maxIgnored = 100
)

type statement struct {
	Statement
	path            string // pattern of the paths to which the statement applies; "" means all paths
	answer          Answer
	unknown         []string           // words of the statement that are not about any purpose
	hasUnknownValue [purposeCount]bool // for each purpose: the statement has a word for it, but with an unknown value
	problem         string             // why the statement says nothing, although it applies; "" if it says something
	whyNoEffect     string             // for example, that its path does not match; "" if the statement may have an effect
}
