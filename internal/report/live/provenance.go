package live

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Provenance says where an answer comes from: which robots.txt, when it was fetched, and which program read it.
type Provenance struct {
	ID      string    `json:"id,omitempty"`     // identifies a retrieval together with the dialect in which its robots.txt was read; absent for a file
	Origin  string    `json:"origin,omitempty"` // the origin of a live site, such as "https://www.example.com"; absent for a file
	SHA256  string    `json:"sha256,omitempty"` // the SHA-256 of the robots.txt as UTF-8, in hexadecimal; absent if there is none
	Fetched time.Time `json:"fetched,omitzero"` // the time at which the retrieval ended; absent if there was no retrieval
	Dialect string    `json:"dialect"`          // the dialect that decides
	Heed    string    `json:"heed"`             // the version of Heed, such as "v0.3.0"
}

// The parameter heed is the version number of the program Heed.
func ProvenanceOf(s *cache.Site, d *robotstxt.Dialect, heed string) Provenance {
	p := Provenance{ID: s.ID(), Origin: s.Origin().String(), SHA256: s.SHA256(), Dialect: d.String(), Heed: heed}
	if r := s.Result(); r != nil {
		p.Fetched = inSeconds(r.End)
	}
	return p
}

// ProvenanceOfFile is for a robots.txt that does not come from a live site.
func ProvenanceOfFile(body []byte, d *robotstxt.Dialect, heed string) Provenance {
	return Provenance{SHA256: fmt.Sprintf("%x", sha256.Sum256(body)), Dialect: d.String(), Heed: heed}
}

func (p *Provenance) AppendJSON(dst []byte) []byte {
	from := len(dst)
	dst = report.AppendNonempty(dst, `,"id":`, p.ID)
	dst = report.AppendNonempty(dst, `,"origin":`, p.Origin)
	dst = report.AppendNonempty(dst, `,"sha256":`, p.SHA256)
	dst = appendTime(dst, `,"fetched":`, p.Fetched)
	dst = report.AppendString(append(dst, `,"dialect":`...), p.Dialect)
	dst = report.AppendString(append(dst, `,"heed":`...), p.Heed)
	dst[from] = '{' // overwrites the comma before the first member
	return append(dst, '}')
}
