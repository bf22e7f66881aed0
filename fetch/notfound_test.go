package fetch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/robotstxt"
)

// outages are error pages of servers, gateways, frameworks and databases whose words are
// similar to "page not found", but mean something else.
var outages = []string{
	"<h1>Database file not found</h1>",
	"Error 503: resource limit; backend not found",
	"config file does not exist",
	"<h1>Page temporarily unavailable: session not found</h1>",
	"Page temporarily unavailable: session not found",
	"not found: backend 'default' (circuit open)",
	"<title>not found: backend 'default' (circuit open)</title>",

	"<html><head><title>500 Internal Server Error</title></head><body><center><h1>500 Internal Server Error</h1></center><hr><center>nginx/1.25.3</center></body></html>",
	"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>",
	"<html><head><title>504 Gateway Time-out</title></head><body><center><h1>504 Gateway Time-out</h1></center></body></html>",
	`<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>500 Internal Server Error</title></head><body><h1>Internal Server Error</h1>` +
		`<p>The server encountered an internal error or misconfiguration and was unable to complete your request.</p><p>Additionally, a 404 Not Found error was encountered while trying to use an ErrorDocument to handle the request.</p></body></html>`,
	"<title>503 Service Unavailable</title><h1>Service Unavailable</h1><p>The server is temporarily unable to service your request.</p>",
	`<title>IIS 10.0 Detailed Error - 500.19 - Internal Server Error</title><h1>Server Error in Application "DEFAULT WEB SITE"</h1><h2>HTTP Error 500.19 - Internal Server Error</h2><p>Cannot read configuration file: file not found</p>`,
	"<h2>Service Unavailable</h2><hr><p>HTTP Error 503. The service is unavailable.</p>",
	"<title>Could not load file or assembly 'App_Web' or one of its dependencies. The system cannot find the file specified.</title><h1>Server Error in '/' Application.</h1><h2><i>Could not load file or assembly 'App_Web'. The system cannot find the file specified.</i></h2>",
	"<title>503 Backend fetch failed</title><h1>Error 503 Backend fetch failed</h1><p>Backend fetch failed</p><h3>Guru Meditation:</h3><p>XID: 404</p>",
	"<h1>Error 503 VCL failed</h1>",
	"<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>",
	"upstream connect error or disconnect/reset before headers. reset reason: connection failure",
	"no healthy upstream",
	"cluster_not_found",
	"<title>example.com | 521: Web server is down</title><h1><span>Web server is down</span> <span>Error code 521</span></h1>",
	"<title>Origin DNS error | example.com | Cloudflare</title><h1><span>Error</span> <span>1016</span></h1><h2>Origin DNS error</h2>",
	"<title>DNS resolution error</title><h2>DNS points to prohibited IP: host not found</h2>",
	"<title>HTTP Status 500 – Internal Server Error</title><h1>HTTP Status 500 – Internal Server Error</h1><p><b>Message</b> java.io.FileNotFoundException: /opt/app/conf/site.xml not found</p>",
	"<h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error.</p><div>There was an unexpected error (type=Internal Server Error, status=500).</div>",
	"<title>TemplateDoesNotExist at /robots.txt</title><h1>TemplateDoesNotExist <span>at /robots.txt</span></h1>",
	"<title>Server Error (500)</title><h1>Server Error (500)</h1>",
	"<title>We're sorry, but something went wrong (500)</title><h1>We're sorry, but something went wrong.</h1>",
	"<title>Action Controller: Exception caught</title><h1>ActiveRecord::RecordNotFound: session not found</h1>",
	"<br />\n<b>Fatal error</b>:  Uncaught Error: Class \"App\\Kernel\" not found in /var/www/index.php:9",
	"Fatal error: require(): Failed opening required 'config.php', file not found",
	"<h1>Table 'shop.pages' doesn't exist</h1>",
	"Table 'shop.page' doesn't exist",
	"<h1>Unknown database 'shop'</h1>",
	"<title>Error establishing a database connection</title><h1>Error establishing a database connection</h1>",
	"<title>No such app</title><h1>There's nothing here, yet.</h1><h2>No such app</h2>",
	"<title>Application error</title><h1>Application error</h1><p>An error occurred in the application and your page could not be served.</p>",
	"404 worker processes are busy",
	"404 upstreams failed",
	"error 40412",
	"request 7404 failed",
	"upstream host not found",
	"default backend - 500",
	"<h1>Site not found</h1>",
	"<h1>Domain not found</h1>",
	"<h1>Account not found</h1>",
	"<title>Not Found</title><h1>Temporarily down for maintenance</h1>",
	"<title>404 Not Found</title><h1>500 Internal Server Error</h1>",
	"<h1>Page not found in cache, and the origin does not answer: try again later</h1>",
	"<h1>Page cache file not found</h1>",
	"<h1>The session for this page does not exist</h1>",
	"<h1>The database of this document was not found</h1>",
	"<h1>Resource pool not found</h1>",
	"<h1>Resource limit reached</h1>",
	"<script>document.title='404 Not Found'; var s='<h1>404 Not Found</h1>'</script><h1>Oops</h1>",
	"<style>h1:after{content:'<h1>404 Not Found</h1>'}</style><title>Oops</title>",
	"<!-- <h1>404 Not Found</h1> --><h1>Oops</h1>",
	"<noscript><h1>Page not found</h1></noscript><h1>Just a moment...</h1>",
	"<svg><title>404</title></svg><h1>Oops</h1>",
	"<textarea><h1>404 Not Found</h1></textarea>",
	"<p>404 Not Found</p>",
	"<h3>Page not found</h3>",
	"<title>Error</title><p>Ray ID: 404, or write to not found and 404</p>",
	"<title>503 Service Unavailable</title><style>body{color:#404040}</style>",
	"<title>Bad gateway</title><h1>502</h1> page not found is what we do not say",
	`{"error":"not found","service":"backend"}`,
	"Internal error",
	"",

	"<h1>Tenant lookup - not found</h1>",
	"<h1>License - file not found</h1>",
	"<title>Template error | File not found</title>",
	"<title>SSL certificate | not found</title>",
	"<h1>Out of disk. Document not found.</h1>",
	"<h1>Configuration missing. File not found. Contact the administrator.</h1>",
	"<h1>Could not start. The file does not exist.</h1>",
	"<h1>MongoError - document not found</h1>",
	"<h1>Class 'App' · not found</h1>",
	"Handler. Not found.",
	"<h1>Exception</h1><h2>Object not found</h2>",
	"<h1>Bad configuration</h1><title>File not found</title>",
	"<h1>Whoops, looks like something went wrong.</h1><h2>File not found</h2>",
	"<h1>Service offline</h1><h2>Page not found</h2>",
	"<h1>The server is down</h1><h2>404</h2>",
	"<h1>Wartungsarbeiten</h1><h2>Not found</h2>",
	"<h1>Interner Serverfehler</h1><h2>404</h2>",
	"<h1>Erreur du serveur</h1><title>Not Found</title>",
	"<h1>Service momentanément indisponible</h1><title>404</title>",
	"<h1>Servicio no disponible</h1><title>404</title>",
	"<h1>Сервис временно недоступен</h1><title>404</title>",
	"<h1>メンテナンス中</h1><title>404 Not Found</title>",
	"<title>服务不可用 - 404</title>",
}

// missingPages are pages that say "page not found".
var missingPages = []string{
	"<h1>Page Not Found</h1>",
	"<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>",
	"<TITLE >\n Error 404 (Not Found)!!1</TITLE>",
	"<title>Not Found</title><h1>Not Found</h1><p>The requested URL was not found on this server.</p>",
	"<title>Object not found!</title><h1>Object not found!</h1><h2>Error 404</h2>",
	"<h2 class=x>The file you asked for does not exist</h2>",
	"<h1>The page you were looking for doesn&rsquo;t exist.</h1>",
	"<title>The page you were looking for doesn't exist (404)</title><h1>The page you were looking for doesn't exist.</h1>",
	"<title>Page not found | Example Shop</title><h1>Oops! That page can&#8217;t be found.</h1>",
	"<title>Page not found &#8211; Example Blog</title>",
	"<title>Example &amp; Sons - 404</title><h1>Welcome</h1>",
	"<title>404 - File or directory not found.</title><h1>Server Error</h1><h2>404 - File or directory not found.</h2><h3>The resource you are looking for might have been removed, had its name changed, or is temporarily unavailable.</h3>",
	"<title>IIS 10.0 Detailed Error - 404.0 - Not Found</title>",
	"<title>The resource cannot be found.</title><h1>Server Error in '/' Application.</h1><h2><i>The resource cannot be found.</i></h2>",
	"<title>HTTP Status 404 – Not Found</title><h1>HTTP Status 404 – Not Found</h1>",
	"<h1>Sorry, we couldn't find that page</h1>",
	"<h1>We can&#39;t find the page you&#39;re looking for</h1>",
	"<h1><span>404</span></h1><h2>This page could not be found.</h2>",
	"<h1>Seite nicht gefunden</h1><title>404</title>",
	"<h1>The requested URL /robots.txt was not found on this server</h1>",
	"<h1>No such page</h1>",
	"<h1>This page no longer exists</h1>",
	"<H1>ERROR:&nbsp;404&nbsp;PAGE&nbsp;NOT&nbsp;FOUND</H1>",
	"<title>Example</title><h1>Document &quot;/robots.txt&quot; not found</h1>",
	"404 page not found\n",
	"Page not found\n",
	"404: no such page",
	"404",
	"Not Found",
	"File not found.",
	"robots.txt not found",
	"<html><head></head><body><div><h1>404 <small>Not Found</small>",
}

// G-6: only a page that says "page not found" counts as 404, and only if the status is not
// 502, 503 or 504.
func TestSoftNotFound(t *testing.T) {
	of := func(status int, page string) bool {
		r := Result{Status: status}
		r.SaysNotFound = saysNotFound(status, []byte(page))
		return r.Outcome(robotstxt.Google) == Unavailable
	}
	for _, page := range missingPages {
		for status, want := range map[int]bool{500: true, 501: true, 520: true, 599: true, 502: false, 503: false, 504: false} {
			if of(status, page) != want {
				t.Errorf("%d %q: unavailable %v", status, page, !want)
			}
		}
	}
	for _, page := range outages {
		if of(500, page) {
			t.Errorf("%q: unavailable", page)
		}
	}
	t.Logf("%d outages, %d missing pages", len(outages), len(missingPages))
}

// G-6: a page of a real server, which counts as 404 in Google's dialect only.
func TestSoftNotFoundOutcomes(t *testing.T) {
	const allowed = "unreachable unreachable unreachable unreachable unavailable"
	for _, c := range []struct {
		status int
		page   string
		want   string
	}{
		{500, "<h1>Page Not Found</h1>", allowed},
		{500, outages[0], allUnreachable},
		{503, "<h1>Page Not Found</h1>", allUnreachable},
	} {
		if got := outcomes(answerWith(t, c.status, c.page)); got != c.want {
			t.Errorf("%d %q: %s", c.status, c.page, got)
		}
	}
	packed := answerWith(t, 500, gzipped(missingPages[0]), "Content-Encoding: gzip")
	latin := answerWith(t, 500, toUTF16LE(missingPages[0]), "Content-Type: text/html; charset=utf-16")
	if outcomes(packed) != allowed || outcomes(latin) != allowed {
		t.Errorf("%s, %s", outcomes(packed), outcomes(latin))
	}
}

// G-6: hostile pages take limited time and cause no panic.
func TestHostileErrorPages(t *testing.T) {
	for _, unit := range []string{"<h1>", "<", "<h1>404 Not Found", "&", "&#", "<!--", "<svg>", "<script>", "<title>", "\x00", "404 ", "page ", "oops! ", "| ", "not found: "} {
		page := strings.Repeat(unit, defaultMaxBytes/len(unit))
		_ = fmt.Sprint(saysNotFound(500, []byte(page)), markup.PageOf([]byte(page)))
	}
}
