package source

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/warc"
	"github.com/heed-robots/heed/origin"
)

// hasOwnHeaders is false if a response has no headers, or only those of the status 304.
func (a *answer) hasOwnHeaders() bool { return a.status != 0 && a.status != http.StatusNotModified }

// Some archives also keep a redirect or an error as a revisit. Then the status and the headers say enough.
func (a *answer) isUnchanged() bool {
	return a.isRevisit && (!a.hasOwnHeaders() || a.status >= 200 && a.status <= 299)
}

// originals are the captures of a WARC file so far to which a later revisit may refer without their URL and time. The keys
// are the ids of the records, and URLs with digests. The values are results of capture.RevisitOf.
type originals map[string]string

const maxOriginals = 1 << 20

func (all originals) add(h warc.Header, c *capture.Capture) {
	if len(all) >= maxOriginals {
		clear(all)
	}
	location := capture.RevisitOf(c.URL, c.At)
	for _, name := range namesOf(h.URI("WARC-Record-ID"), h, c.URL) {
		all[name] = location
	}
}

func namesOf(id string, h warc.Header, key string) (names []string) {
	if id != "" {
		names = append(names, id)
	}
	if digest := h.Get("WARC-Payload-Digest"); digest != "" {
		names = append(names, key+"#"+digest)
	}
	return names
}

var errNoOriginal = errors.New("the record is a revisit, but has no valid WARC-Refers-To-Date, and no earlier record of the file has the id in WARC-Refers-To, or the same URL and WARC-Payload-Digest; so heed does not know the robots.txt of this time")

// find returns the Location of a revisit. With an error, it is UnknownOriginal.
func (all originals) find(h warc.Header, key string) (location string, err error) {
	profile := h.URI("WARC-Profile")
	if !strings.HasSuffix(profile, "identical-payload-digest") && !strings.HasSuffix(profile, "server-not-modified") {
		return capture.UnknownOriginal, fmt.Errorf("the record is a revisit with the WARC-Profile %.100q, so heed does not know the robots.txt of this time; expected the profile identical-payload-digest or server-not-modified", profile)
	}
	of, err := capture.Key(cmp.Or(h.URI("WARC-Refers-To-Target-URI"), key))
	if at, failed := timeIn(h, "WARC-Refers-To-Date"); err == nil && failed == nil {
		return capture.RevisitOf(of, at), nil
	}
	for _, name := range namesOf(h.URI("WARC-Refers-To"), h, key) {
		if location, ok := all[name]; ok {
			return location, nil
		}
	}
	return capture.UnknownOriginal, errNoOriginal
}

func isRobotsTxt(url string) bool {
	if !strings.HasSuffix(url, "/robots.txt") {
		return false
	}
	key, err := capture.Key(url)
	if err != nil {
		return false
	}
	o, err := origin.Parse(key)
	return err == nil && o.RobotsURL() == key
}
