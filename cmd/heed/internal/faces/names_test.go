package faces

// The names that faces have for the same things, in one place: a change of a name is a change here.

// folderFlag is the flag of "heed check" for a folder of robots.txt files.
const folderFlag = "--robots"

// Flags and words of "heed filter".
const (
	onlyAllowed    = "--allowed"
	onlyDisallowed = "--disallowed"
)

// filterWords are the verdicts of "heed filter" and of Beam.
var filterWords = map[string]string{"allowed": allowed, "disallowed": disallowed, "unknown": unknown}

// noURLReasons are the reasons of "heed filter" for a line that is refused.
var noURLReasons = map[string]bool{"no-url": true, "invalid-target": true}

// unknownReasons are the reasons if nothing is known about the rules of a site.
var unknownReasons = map[string]bool{"unreachable": true, "no-capture": true, "no-redirect-target": true, "no-original": true, "archive-damaged": true}

// noFileError is a part of the error if a folder has no robots.txt of a host.
const noFileError = "the folder has no robots.txt of this host"

// importRefusals are parts of the errors about files of a folder that heed cache import does not use.
var importRefusals = []string{"is the default port", "is used instead"}

// A flatRow is a decision as "heed filter" writes it in Parquet.
type flatRow struct {
	URL     *string `parquet:"url,optional"`
	Verdict *string `parquet:"verdict,optional"`
	Reason  *string `parquet:"reason,optional"`
	Line    *int32  `parquet:"line,optional"`
	Rule    *string `parquet:"rule,optional"`
	Usage   *string `parquet:"usage,optional"`
}
