// Package conformance tests robots.txt files with case files. A case has a robots.txt, a crawler and a URL, and says
// whether the URL must be allowed.
//
// A case file has a JSON form or a text form, and may be compressed with gzip.
//
// The JSON form has one object on each line:
//
//	id, source     the name of the case, and where it comes from
//	dialect        standard1994, draft1996, draft2019, rfc9309 (the default) or google
//	robots         the robots.txt as text, or
//	robots_b64       in base64, if it is not UTF-8, or
//	robots_file      as a path (see Options.ReadFile), or the URL of a live site (see Options.Site)
//	agent          a product token, or a list: the tokens of one crawler, the most specific first; or
//	agent_b64        one product token in base64
//	url, url_b64   an absolute URL, or a path with its query
//	allow          true if the URL must be allowed, false if not
//	line           the line of the rule that must decide, 0 for none; if absent, any rule may decide
//	usage          what the page may be used for, such as {"train-ai": "disallowed"}: for each purpose "allowed",
//	                 "disallowed", "unknown" or "not-crawlable"; then allow may be absent
//	profile        which kinds of statements are read for usage, such as "ietf"
//	headers, html, tdmrep  what the response and the site's tdmrep.json say about the use of the page
//	clause         the part of a document that the case is about; it has no effect
//
// The text form is for writing by hand (see "heed test --help"):
//
//	# The shop is open to search and closed to training.
//	robots: ../public/robots.txt
//
//	allow    Googlebot,bingbot            /products/  /products/shoes?page=2
//	disallow GPTBot                       /products/  line 12
//	allow    Googlebot-Image:Googlebot    /logo.png   # the chain of one crawler
//
// A case is "allow" or "disallow", then crawlers, then URLs or paths, and perhaps the line that must decide. Each crawler
// is tested with each URL.
//
// Commas separate crawlers. Colons separate the product tokens of one crawler, the most specific first. "@NAME" is one or
// more known crawlers, see Options.Table.
//
// A "usage" case has a crawler, purposes and URLs. y means allowed, n means disallowed:
//
//	usage    GPTBot   train-ai=n,search=y  /products/  /about
//	usage    GPTBot   search=unknown       /cart
//
// All other lines are settings. A setting is valid until it gets another value:
//
//	robots: PATH     the robots.txt, relative to the folder of the case file
//	robots: URL      the robots.txt of a live site, see Options.Site
//	robots:          the indented lines below are the robots.txt
//	origin: URL      the site to which the robots.txt applies: a URL of another
//	                 site is an error (RFC 9309, section 2.3); "*" allows URLs of
//	                 every site, for tests of a parser
//	dialect: NAME    how the robots.txt is read
//	case: NAME       a name for the cases below
//	urls: PATH       a file with one URL or path on each line; it may have comments
//	sitemap: PATH    a sitemap, or the URL of one, see Options.ReadSitemap
//
// In a case, the words "urls" and "sitemap" stand for the URLs of these settings:
//
//	sitemap: https://www.example.com/sitemap.xml
//	urls: important.txt
//
//	allow    @search       sitemap urls
//	disallow @ai-training  urls
//
// If such a setting has no URL, or if no case uses it, this is an error.
package conformance

import (
	"cmp"
	"fmt"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Case is a question about one URL, and the answer that it must get.
type Case struct {
	ID       string // the name of the case
	Source   string // where the case comes from, for example the name of a document
	File     string
	FileLine int // counted from 1

	Dialect    *robotstxt.Dialect // nil means RFC9309
	Robots     []byte             // the content of the robots.txt, unless RobotsFile is set
	RobotsFile string             // the path of the robots.txt, or the URL of a live site
	RobotsLine int                // the line of File at which Robots begins; 0 if the case is not in the text form
	Crawler    string             // the Name of a crawlernames.Crawler; "" in the JSON form
	Agents     []string           // the product tokens of one crawler, the most specific first
	URL        string
	From       string // for a URL from a set of URLs: its file and line, such as "important.txt:3"; "": File has the URL

	Allow bool // whether the URL must be allowed
	Any   bool // the verdict for the URL does not matter: the case is only about Uses
	Uses  Uses // the expected preferences about the use of the page
	Line  *int // the line of the rule that must decide; 0: no rule must decide; nil: any rule may decide
}

// ShownCrawler returns the name of the crawler for output. A nil table means crawlers.Known().
func (c *Case) ShownCrawler(table *crawlers.Table) string {
	return printable.Text(cmp.Or(c.Crawler, crawlernames.Shown(table, c.Agents, c.Dialect)))
}

type jsonCase struct {
	ID         string    `json:"id"`
	Source     string    `json:"source"`
	Dialect    *string   `json:"dialect"`
	Robots     *string   `json:"robots"`
	RobotsB64  *[]byte   `json:"robots_b64"`
	RobotsFile string    `json:"robots_file"`
	Agent      agentList `json:"agent"`
	AgentB64   *[]byte   `json:"agent_b64"`
	URL        *string   `json:"url"`
	URLB64     *[]byte   `json:"url_b64"`
	Allow      *bool     `json:"allow"`
	Line       *int      `json:"line"`
	jsonUses
}

type agentList []string

func (a *agentList) UnmarshalJSON(data []byte) (err error) {
	*a, err = jsonobject.Strings(string(data))
	return err
}

func parseJSON(line []byte) (Case, error) {
	var j jsonCase
	if err := jsonobject.Decode(line, &j); err != nil {
		return Case{}, fmt.Errorf("the line is not a test case as JSON: %w", err)
	}
	c := Case{ID: j.ID, Source: j.Source, RobotsFile: j.RobotsFile, Agents: j.Agent, Line: j.Line}
	if err := cmp.Or(
		oneOf(field{"robots", j.Robots != nil}, field{"robots_b64", j.RobotsB64 != nil}, field{"robots_file", j.RobotsFile != ""}),
		oneOf(field{"agent", j.Agent != nil}, field{"agent_b64", j.AgentB64 != nil}),
		oneOf(field{"url", j.URL != nil}, field{"url_b64", j.URLB64 != nil}),
		oneOf(field{"allow", j.Allow != nil || j.Usage != nil}),
	); err != nil {
		return c, err
	}
	if j.Robots != nil {
		c.Robots = []byte(*j.Robots)
	} else if j.RobotsB64 != nil {
		c.Robots = *j.RobotsB64
	}
	if j.AgentB64 != nil {
		c.Agents = []string{string(*j.AgentB64)}
	}
	if err := crawlernames.Check(c.Agents); err != nil {
		return c, err
	}
	if j.URL != nil {
		c.URL = *j.URL
	} else {
		c.URL = string(*j.URLB64)
	}
	if c.Any = j.Allow == nil; !c.Any {
		c.Allow = *j.Allow
	}
	var err error
	if c.Uses, err = j.jsonUses.read(); err != nil {
		return c, err
	}
	if j.Dialect == nil {
		return c, nil
	}
	return c, c.setDialect(*j.Dialect)
}

func (c *Case) setDialect(name string) (err error) {
	if c.Dialect, err = robotstxt.DialectNamed(name); err != nil {
		return fmt.Errorf("dialect %q is unknown; expected one of %v", name, robotstxt.Dialects())
	}
	return nil
}

type field struct {
	name    string
	isGiven bool
}

func oneOf(fields ...field) error {
	given := 0
	for _, f := range fields {
		if f.isGiven {
			given++
		}
	}
	if given == 1 {
		return nil
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	if given == 0 {
		return fmt.Errorf("the test case has none of these members, and needs one: %q", names)
	}
	return fmt.Errorf("the test case has several of these members; expected only one: %q", names)
}
