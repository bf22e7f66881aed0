package usage

// A Statement is one place where a site says something about the use of its content.
type Statement struct {
	Carrier Carrier
	Line    int    // the line in the robots.txt; 0: the statement is not in a robots.txt
	Header  string // the name of the header, in lower case; empty: it is not in a header
	Meta    string // the name of the meta element; empty: it is not in a page
	Row     int    // the row in tdmrep.json, counted from 1; 0: it is not in a tdmrep.json
	Text    string // as the site wrote it, and cut if it is long; not escaped
	Note    string // what is unusual about the statement; usually empty
}

// An Ignored is a statement that does not decide, with the reason why.
type Ignored struct {
	Statement
	Why    string
	Says   Preference // what the statement would say about the purpose if it had an effect
	Unread bool       // the statement cannot be read, so nobody knows what it says
}

// A Verdict is the answer about one purpose, with its evidence (AI-16).
type Verdict struct {
	Purpose    Purpose
	Preference Preference
	By         []Statement // the statements that decide, at most maxBy; none if no statement does
	MoreBy     int         // how many other statements decide too
	Ignored    []Ignored   // statements that do not decide, at most maxIgnored, in the order in which they are read
	More       int         // how many other statements do not decide
}

// maxBy and maxIgnored limit the evidence of an answer: a hostile file has many statements.
const (
	maxBy      = 20
	maxIgnored = 100
)

// A statement is a Statement together with what it says about each purpose.
type statement struct {
	Statement
	path    string // the pattern of the paths that the statement is about; empty: all
	says    Answer
	unknown []string           // words that say nothing about a purpose
	odd     [purposeCount]bool // for each purpose: a word is about it, but has an unknown value
	problem string             // why the statement says nothing, although it applies; empty: it says something
	why     string             // why the statement has no effect, for example because its path does not match; empty: it may have one
}
