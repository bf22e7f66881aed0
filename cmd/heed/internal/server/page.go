package server

import (
	"net/http"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
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
		all = append(all, route{pattern, gate.Open, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
			web.Serve(w, r)
			return nil
		}})
	}
	return all
}
