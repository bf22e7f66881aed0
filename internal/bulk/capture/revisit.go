package capture

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RevisitOf returns the Location of a revisit. A revisit is a capture without a body of its own. Its answer is that of
// another capture, the original. The original has the given key and time.
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

// resolved returns captures with the originals in place of revisits. A revisit without an original has its Location in
// Missed.
func (a Archives) resolved(all []Answer) (_ []Answer, err error) {
	for steps := 0; ; steps++ {
		i := slices.IndexFunc(all, func(c Answer) bool { return IsRevisit(c.Location) })
		if i < 0 || err != nil {
			return all, err
		}
		revisit, originals := all[i], []Answer(nil)
		if steps < maxRevisits {
			originals, err = a.originals(&revisit)
		}
		if len(originals) == 0 {
			originals = []Answer{revisit.withoutTarget()}
		}
		isSame := func(c Answer) bool { return c.Facts == revisit.Facts && c.At.Equal(revisit.At) }
		all = append(slices.DeleteFunc(all, isSame), originals...)
	}
}

// HasOriginal reports whether Find can use the original of a revisit.
func (a Archives) HasOriginal(revisit *Entry) (bool, error) {
	all, err := a.resolved([]Answer{{Facts: revisit.Facts, At: revisit.At}})
	return !slices.ContainsFunc(all, func(c Answer) bool { return c.Missed != "" }), err
}

// originals returns the captures to which a revisit refers. Some programs write the time of the original without its
// fraction of a second. If captures of several times can then be meant, there is no original.
func (a Archives) originals(revisit *Answer) ([]Answer, error) {
	key, text, _ := strings.Cut(revisit.Location, "#")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, nil // UnknownOriginal
	}
	written := time.Unix(0, n)
	nearness := func(at time.Time) int {
		if at.After(revisit.At) {
			return 0
		}
		return number(at.Equal(written)) + number(at.Truncate(time.Second).Equal(written))
	}
	all, err := a.best(key, func(at, best time.Time) int { return nearness(at) - nearness(best) })
	if err != nil || len(all) == 0 || nearness(all[0].At) == 0 {
		return nil, err
	}
	for i := range all {
		c := &all[i]
		if !c.At.Equal(all[0].At) {
			return nil, nil
		}
		if IsRevisit(c.Location) && !c.hasOwnStatus() {
			c.Status = revisit.Status
		}
	}
	return slices.DeleteFunc(all, func(c Answer) bool {
		isLoop := IsRevisit(c.Location) && c.At.Equal(revisit.At)
		return isLoop || revisit.hasOwnStatus() && c.Status != revisit.Status
	}), nil
}

// hasOwnStatus reports whether a revisit has a status other than 304. Then its original must have the same status, because the
// same bytes with another status have another meaning.
func (a *Answer) hasOwnStatus() bool { return a.Status != 0 && a.Status != http.StatusNotModified }
