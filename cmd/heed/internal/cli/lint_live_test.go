package cli

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// lintSites are sites of the transcripts; see serveSite.
var lintSites = map[string]http.Handler{
	"ODD":     oddSite(),
	"GUARDED": http.HandlerFunc(challenge),
	"LARGE":   textSite("User-agent: *\n" + strings.Repeat("# a comment of many, 32 bytes..\n", 20_000) + "\nUser-agent: GPTBot\nDisallow: /\n# end\n"),
	"HIDING":  textSite("# heed-lint: ignore-file missing-colon\nUser-agent: *\nDisallow /x\n"),
}

// textSite returns a site with a robots.txt.
func textSite(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
	})
}

// oddSite returns a site that sends its robots.txt from another host, with odd headers. Of the
// sitemaps, one is compressed, one has a mistake, and the others are missing.
func oddSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		other := strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
		http.Redirect(w, r, "http://"+other+"/odd.txt?site=http://"+r.Host, http.StatusMovedPermanently)
	})
	mux.HandleFunc("/odd.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Cache-Control", "max-age=2592000")
		site := r.URL.Query().Get("site")
		fmt.Fprintf(w, "User-agent: *\nDisallow: /shop/\nDisallow: /*?\n\nSitemap: %s/index.xml\nSitemap: %[1]s/none.xml\n", site)
	})
	mux.HandleFunc("/index.xml", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<sitemapindex><sitemap><loc>http://%s/pages.xml.gz</loc></sitemap><sitemap><loc>http://%[1]s/none.xml</loc></sitemap></sitemapindex>", r.Host)
	})
	mux.HandleFunc("/pages.xml.gz", func(w http.ResponseWriter, r *http.Request) {
		packed := gzip.NewWriter(w)
		defer packed.Close()
		fmt.Fprintf(packed, "<urlset><url><loc>http://%s/</loc></url>\n<url><loc>http://%[1]s/shop/1</loc></url>\n<url><loc>http://%[1]s/shop/2</loc></url>\n"+
			"<url><loc>http://%[1]s/a?b</loc></url>\n<url><loc>http://other.example/shop/1</loc></url>\n<url><loc>/shop/3</loc></url></urlset>\n", r.Host)
	})
	return mux
}

func challenge(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusForbidden)
	io.WriteString(w, "<!DOCTYPE html>\n<title>Just a moment...</title>\n<script src='https://challenges.cloudflare.com/x.js'></script>\n")
}

// A report for others also lists the sites without a robots.txt, and those that are unreachable.
func TestLintReportListsAllSites(t *testing.T) {
	site := newChangingSite(t, "User-agent: *\nDisallow: /x\n")
	for status, want := range map[int]string{
		404: "/robots.txt\n\nUnavailable, status 404, fetched just now. The site has no robots.txt: every crawler may fetch everything.\n",
		503: "/robots.txt\n\nUnreachable, status 503, tried just now, next try in ",
	} {
		site.status = status
		_, out, notices := site.run(t, t.TempDir(), "lint", "--format", "markdown", site.URL)
		if !strings.Contains(strings.ReplaceAll(out, "\\", ""), want) {
			t.Errorf("%d: %s%s", status, out, notices)
		}
	}
}

func TestLintReportSaysThatTheCopyIsStale(t *testing.T) {
	site, store := newChangingSite(t, "User-agent: *\nDisallow: /x\n"), t.TempDir()
	site.run(t, store, "lint", site.URL)
	site.status = 503
	_, out, notices := site.run(t, store, "lint", "--refresh", "--format", "markdown", site.URL)
	const what = "ules, copy fetched 0 seconds ago; the last try failed: status 503"
	if !strings.Contains(notices, what) || !strings.Contains(out, "\n\nR"+what+"\n\n") {
		t.Errorf("%s%s", out, notices)
	}
}
