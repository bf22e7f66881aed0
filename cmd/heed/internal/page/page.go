// Package page is the page of "heed serve": paste a robots.txt, ask, see why. Its files are built
// from web/ into dist/; make page builds the page that needs no server.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"
)

//go:embed dist/index.html dist/app.js dist/app.css dist/licences.txt
var dist embed.FS

// types has the files of the page, and their types.
var types = map[string]string{
	"/":             "text/html; charset=utf-8",
	"/app.js":       "text/javascript; charset=utf-8",
	"/app.css":      "text/css; charset=utf-8",
	"/licences.txt": "text/plain; charset=utf-8",
}

// Paths returns the paths of the files of the page; "/" is the page itself.
func Paths() []string { return slices.Sorted(maps.Keys(types)) }

// Policy is the Content-Security-Policy of the page, with a server and without. It keeps hostile
// text from becoming a part of the page: nothing runs that is not in its scripts, and nothing is
// sent to another server. Each of both adds what only it can have.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'"

const policy = Policy + "; trusted-types 'none'; frame-ancestors 'none'"

// A file is a file of the page, as it is sent.
type file struct {
	name string
	body []byte
	tag  string // the ETag
}

// files are the files of the page, by their paths. They are read at the first request: most runs of
// the command need none.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	for _, at := range Paths() {
		name := path.Base(at)
		if at == "/" {
			name = "index.html"
		}
		body, err := dist.ReadFile("dist/" + name)
		if err != nil {
			panic(err) // all files of types are embedded
		}
		all[at] = file{name, body, fmt.Sprintf(`"%x"`, sha256.Sum256(body))}
	}
	return all
})

// Serve answers a request for one of Paths.
func Serve(w http.ResponseWriter, r *http.Request) {
	f, ok := files()[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", types[r.URL.Path])
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // a new version of Heed has a new page: the browser asks, and the answer is short if it has this one
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.body))
}
