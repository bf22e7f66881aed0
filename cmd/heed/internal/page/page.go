// Package page is the page of "heed serve": paste a robots.txt, ask, see why. Its files are built
// from web/ into dist/; make page builds the page that needs no server.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"path"
	"time"
)

//go:embed dist
var dist embed.FS

// types has the files of the page, and their types.
var types = map[string]string{
	"/":             "text/html; charset=utf-8",
	"/app.js":       "text/javascript; charset=utf-8",
	"/app.css":      "text/css; charset=utf-8",
	"/licences.txt": "text/plain; charset=utf-8",
}

// Paths returns the paths of the files of the page; "/" is the page itself.
func Paths() []string { return []string{"/", "/app.js", "/app.css", "/licences.txt"} }

// policy keeps hostile text from becoming a part of the page: nothing runs that is not in app.js,
// and nothing is sent to another server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Serve answers a request for one of Paths.
func Serve(w http.ResponseWriter, r *http.Request) {
	kind, ok := types[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	name := path.Base(r.URL.Path)
	if r.URL.Path == "/" {
		name = "index.html"
	}
	body, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic(err) // all files of types are embedded
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // a new version of Heed has a new page: the browser asks, and the answer is short if it has this one
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}
