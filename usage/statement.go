package usage

// A Statement is one place where a site says something about the use of its content.
type Statement struct {
	Carrier Carrier
	Line    int    // of the robots.txt; 0: it is not there
	Header  string // the name of the header, in lower case; empty: it is none
	Meta    string // the name of the meta element; empty: it is none
	Row     int    // of tdmrep.json, counted from 1; 0: it is not there
	Text    string // as written, and cut if it is long; text of a stranger
	Note    string // what is odd about it; usually empty
}

// An Ignored is a statement that does not decide, and why.
type Ignored struct {
	Statement
	Why    string
	Says   Preference // what it would say about the purpose, if it counted
	Unread bool       // it cannot be read, so what it would say is not known
}

// A Verdict is the answer about one purpose, with its evidence (AI-16).
type Verdict struct {
	Purpose    Purpose
	Preference Preference
	By         []Statement // those that decide, at most maxBy; none if nothing does
	MoreBy     int         // how many others decide too
	Ignored    []Ignored   // at most maxIgnored, in the order in which they are read
	More       int         // how many others are ignored
}

// maxBy and maxIgnored limit the evidence of an answer: a hostile file has many statements.
const (
	maxBy      = 20
	maxIgnored = 100
)

// A statement is a Statement, as it is read.
type statement struct {
	Statement
	path    string // the pattern of the paths that it is about; empty: all
	says    Answer
	unknown []string           // the words that say nothing about a purpose
	odd     [purposeCount]bool // a word is about that purpose, and its value is none that is known
	problem string             // why it says nothing, though it counts
	why     string             // why it does not count; empty: it may count
}
