package capture

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RevisitOf returns the Location of a revisit. A revisit is a capture without a body of its own: its answer is that of the
// original, which is a capture with the given key and time.
func RevisitOf(key string, at time.Time) string {
	return key + "#" + strconv.FormatInt(at.UnixNano(), 10) // a result of Key has no "#"
}

// UnknownOriginal is the Location of a revisit whose original is not known. No capture has this key.
const UnknownOriginal = "?#"

// IsRevisit reports whether a Location is a result of RevisitOf, or UnknownOriginal.
func IsRevisit(location string) bool { return strings.Contains(location, "#") }

// KeyOf returns the key of the captures to which the Location of a redirect or a revisit leads.
func KeyOf(location string) string {
	key, _, _ := strings.Cut(location, "#")
	return key
}

// maxRevisits limits the steps if the original of a revisit is a revisit too.
const maxRevisits = 100

// original returns the answer to which a revisit refers, or a zero Answer.
func (a Archives) original(revisit *Answer) (Answer, error) {
	key, text, _ := strings.Cut(revisit.Location, "#")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Answer{}, nil
	}
	found, err := a.pick(key, func(e, best *Entry) int {
		switch {
		case !isAt(e.At, at):
			return -1
		case best == nil:
			return 1
		}
		return number(IsRevisit(best.Location)) - number(IsRevisit(e.Location))
	})
	// The same bytes with another status have another meaning.
	hasOwnStatus := revisit.Status != 0 && revisit.Status != http.StatusNotModified
	if hasOwnStatus && found.Status != revisit.Status && !IsRevisit(found.Location) {
		return Answer{}, err
	}
	return found, err
}

// Some programs write the time of the original without its fraction of a second.
func isAt(t time.Time, at int64) bool {
	n := t.UnixNano()
	return n == at || at%int64(time.Second) == 0 && n-at > 0 && n-at < int64(time.Second)
}
