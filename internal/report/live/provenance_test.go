package live

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// A provenance has the hash of the robots.txt. AppendJSON writes what encoding/json does.
func TestProvenance(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /x\n")
	site := siteOf(t, fetch.Result{Status: 200, Body: body})
	p, ended := ProvenanceOf(site, robotstxt.RFC9309, "v1.2.3"), site.Result().End
	if p.SHA256 != fmt.Sprintf("%x", sha256.Sum256(body)) || p.Origin != "https://a.example" || !p.Fetched.Equal(ended.Truncate(time.Second)) || len(p.ID) != 22 {
		t.Errorf("%+v", p)
	}
	none := ProvenanceOf(siteOf(t, fetch.Result{Status: 404}), robotstxt.RFC9309, "v1.2.3")
	if none.SHA256 != "" {
		t.Errorf("a site without a robots.txt: %+v", none)
	}
	for _, q := range []Provenance{p, none, {}, {SHA256: "ab", Dialect: "google", Heed: "\"\n"}} {
		want, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(q.AppendJSON(nil)); got != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Nothing is known about a site that was never fetched.
func TestProvenanceOfNothing(t *testing.T) {
	c := &cache.Cache{}
	defer c.Close()
	s, err := c.PeekSite(t.Context(), example)
	if err != nil {
		t.Fatal(err)
	}
	if p := ProvenanceOf(s, robotstxt.RFC9309, "v1"); !p.Fetched.IsZero() || p.SHA256 != "" || p.ID == "" {
		t.Errorf("%+v", p)
	}
}
