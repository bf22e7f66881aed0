package gate

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

// Browsers send the origin of a page in exactly one form, such as "https://example.com". CheckCORS returns an error
// for any other form, because an origin in another form would never match.
func CheckCORS(page string) error {
	o, err := origin.Parse(page)
	if err != nil || o.String() != page || o.Scheme() == "ftp" {
		return fmt.Errorf("%s: expected the origin of a web page, such as https://example.com", printable.Quote(page))
	}
	return nil
}

// Without this check, any web page could make the daemon fetch. If preflight is true, checkPage has sent the answer.
func (g *Gate) checkPage(w http.ResponseWriter, r *http.Request) (preflight bool, err error) {
	if len(g.CORS) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	pages := r.Header["Origin"]
	if len(pages) == 0 {
		return false, checkSite(r)
	}
	page := pages[0]
	switch {
	case len(pages) > 1:
		return false, &asked.Problem{Status: http.StatusBadRequest, Err: errors.New("the request has more than one Origin header: expected only one")}
	case slices.Contains(g.CORS, page):
	case isSame(r, page):
		return false, nil
	default:
		return false, &asked.Problem{Status: http.StatusForbidden, Err: fmt.Errorf(`this server refuses requests from web pages of %s: to allow them, start "heed serve" with this origin in --cors`, printable.Quote(page))}
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", page)
	if r.Method != http.MethodOptions || len(r.Header["Access-Control-Request-Method"]) == 0 {
		h.Set("Access-Control-Expose-Headers", "Heed-Decision, Retry-After")
		return false, nil
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true, nil
}

// The page of another site can send requests without an Origin header, for example with an image.
func checkSite(r *http.Request) error {
	site := r.Header["Sec-Fetch-Site"]
	if len(site) == 0 || site[0] == "none" || site[0] == "same-origin" || isLink(r) {
		return nil
	}
	return &asked.Problem{Status: http.StatusForbidden, Err: errors.New(`this server refuses requests from web pages of other sites without an Origin header: call fetch with the mode cors, and start "heed serve" with the origin of the page in --cors`)}
}

// A page of the daemon itself may send requests.
func isSame(r *http.Request, page string) bool {
	site := r.Header["Sec-Fetch-Site"]
	return page == "http://"+r.Host || len(site) == 1 && site[0] == "same-origin"
}

// A person may follow a link to the daemon's page. Such a request is harmless, because the page that has the link
// cannot read the daemon's page.
func isLink(r *http.Request) bool {
	return r.URL.Path == "/" && r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
