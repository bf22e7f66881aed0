// Package page is the web page of "heed serve". The page shows what a robots.txt allows. The folder web has the
// sources of the page, and the folder dist has the built files.
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

var types = map[string]string{
	"/":             "text/html; charset=utf-8",
	"/app.js":       "text/javascript; charset=utf-8",
	"/app.css":      "text/css; charset=utf-8",
	"/licences.txt": "text/plain; charset=utf-8",
}

func Paths() []string { return slices.Sorted(maps.Keys(types)) }

// Policy is the common part of the page's Content-Security-Policy. With it, text in a hostile robots.txt cannot run as a
// script.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'"

const policy = Policy + "; trusted-types 'none'; frame-ancestors 'none'"

type file struct {
	name string
	body []byte
	tag  string
}

// The files are read at the first request, because most runs of heed need none.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	for _, urlPath := range Paths() {
		name := path.Base(urlPath)
		if urlPath == "/" {
			name = "index.html"
		}
		body, err := dist.ReadFile("dist/" + name)
		if err != nil {
			panic(err) // cannot happen: all files in types are embedded
		}
		all[urlPath] = file{name, body, fmt.Sprintf(`"%x"`, sha256.Sum256(body))}
	}
	return all
})

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
	h.Set("Cache-Control", "no-cache") // the browser must ask each time, because a new version of Heed may have a new page
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.body))
}
