package server

import (
	"net/http"

	web "github.com/heed-robots/heed/cmd/heed/internal/page"
)

// pageRoutes returns the routes of the files of the page. They are open: the page has no secrets,
// and what it asks passes all guards.
func pageRoutes() (all []route) {
	for _, path := range web.Paths() {
		pattern := "GET " + path
		if path == "/" {
			pattern += "{$}"
		}
		all = append(all, route{pattern, open, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
			web.Serve(w, r)
			return nil
		}})
	}
	return all
}

// isLink reports whether a request is for the page, and a person followed a link to it. Sites may
// link to the page: it is the same for everyone, and no other page can read or frame it.
func isLink(r *http.Request) bool {
	return r.URL.Path == "/" && r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
