// Package conformance reads files of robots.txt cases and decides them: who
// asks for what under which file, and what the answer must be. It is the
// engine of "heed test", and how this project is held to the documents.
//
// Run reads a case file from the disk, RunFS from a file system such as an embed.FS,
// RunReader from anywhere. There are two forms, told apart by their content, each plain
// or compressed with gzip.
//
// The JSON form has one object a line:
//
//	id, source     name of the case, and where it comes from
//	dialect        standard1994, draft1996, draft2019, rfc9309 (the default) or google
//	robots         the file as text, or
//	robots_b64       in base64, where it is not UTF-8, or
//	robots_file      as a path, see Options.ReadFile, or the URL of a live site, see Options.Site
//	agent          a product token, as it stands, or a list: a chain, the most specific first,
//	agent_b64        or one in base64
//	url, url_b64   an absolute URL, or a path with its query
//	allow          whether the answer must be "allowed"
//	line           the line of the rule that must decide, 0 for none; left out: any
//
// The text form is for writing by hand:
//
//	# The shop is open to search and closed to training.
//	robots: ../public/robots.txt
//
//	allow    Googlebot,bingbot            /products/  /products/shoes?page=2
//	disallow GPTBot                       /products/  line 12
//	allow    Googlebot-Image:Googlebot    /logo.png   # the chain of one crawler
//
// An expectation is "allow" or "disallow", crawlers, URLs or paths and, if it
// matters, the line that must decide. Each crawler is asked about each URL.
// Commas separate crawlers. Colons separate the product tokens of one crawler,
// the most specific first. "@NAME" is a known crawler or a set of them, see
// Options.Crawlers. "#" behind white space, or at the beginning of a line,
// begins a comment.
//
// Everything else is a setting, which holds for the lines that follow it, until
// another value is set:
//
//	robots: PATH     the robots.txt, from the folder of the case file
//	robots: URL      that of a live site, see Options.Site
//	robots:          the indented lines that follow are the robots.txt itself
//	origin: URL      the site that the robots.txt speaks for: a URL of another
//	                 one is an error (RFC 9309, section 2.3); "*": every site,
//	                 as tests of a parser need it
//	dialect: NAME    how the robots.txt is read
//	case: NAME       the name of the cases
//	urls: PATH       a file with one URL or path on each line, and comments
//	sitemap: PATH    a sitemap, or the URL of one, see Options.ReadSitemap
//
// The last two are sets of URLs. The words "urls" and "sitemap" stand for them
// in expectations:
//
//	sitemap: https://www.example.com/sitemap.xml
//	urls: important.txt
//
//	allow    @search       sitemap urls
//	disallow @ai-training  urls
//
// A set without a URL is an error, and so is one that no expectation names.
package conformance

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/heed-robots/heed/robotstxt"
)

// A Case is one question and the answer that it must get.
type Case struct {
	ID, Source string
	File       string // the case file, and the line in it
	FileLine   int

	Dialect    *robotstxt.Dialect // nil: RFC9309
	Robots     []byte             // the robots.txt itself, unless RobotsFile is set
	RobotsFile string             // its path, or the URL of a live site
	RobotsLine int                // where in File the Robots of the text form begin; 0: elsewhere
	Agents     []string           // of one crawler, the most specific first
	URL        string
	From       string // where a set has the URL, such as "important.txt:3"; "": in File

	Allow bool
	Line  *int // of the rule that must decide, 0 for none; nil: any
}

// jsonCase is the JSON form of a Case.
type jsonCase struct {
	ID         string    `json:"id"`
	Source     string    `json:"source"`
	Dialect    string    `json:"dialect"`
	Robots     *string   `json:"robots"`
	RobotsB64  *[]byte   `json:"robots_b64"`
	RobotsFile string    `json:"robots_file"`
	Agent      agentList `json:"agent"`
	AgentB64   *[]byte   `json:"agent_b64"`
	URL        *string   `json:"url"`
	URLB64     *[]byte   `json:"url_b64"`
	Allow      *bool     `json:"allow"`
	Line       *int      `json:"line"`
}

// agentList reads a string or a list of strings.
type agentList []string

func (a *agentList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = agentList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("agent is neither a string nor a list of strings")
	}
	*a = many
	return nil
}

// parseJSON reads one line of the JSON form.
func parseJSON(line []byte) (Case, error) {
	var j jsonCase
	if err := json.Unmarshal(line, &j); err != nil {
		return Case{}, describeJSON(err)
	}
	c := Case{ID: j.ID, Source: j.Source, RobotsFile: j.RobotsFile, Agents: j.Agent, Line: j.Line}
	switch {
	case j.Robots != nil:
		c.Robots = []byte(*j.Robots)
	case j.RobotsB64 != nil:
		c.Robots = *j.RobotsB64
	case j.RobotsFile == "":
		return c, missing("robots", "robots_b64", "robots_file")
	}
	switch {
	case j.AgentB64 != nil:
		c.Agents = []string{string(*j.AgentB64)}
	case j.Agent == nil:
		return c, missing("agent", "agent_b64")
	}
	switch {
	case j.URL != nil:
		c.URL = *j.URL
	case j.URLB64 != nil:
		c.URL = string(*j.URLB64)
	default:
		return c, missing("url", "url_b64")
	}
	if j.Allow == nil {
		return c, missing("allow")
	}
	c.Allow = *j.Allow
	return c, c.setDialect(j.Dialect)
}

func (c *Case) setDialect(name string) (err error) {
	if name == "" {
		return nil
	}
	if c.Dialect, err = robotstxt.DialectNamed(name); err != nil {
		return fmt.Errorf("dialect %q is unknown; expected one of %v", name, robotstxt.Dialects())
	}
	return nil
}

func missing(fields ...string) error {
	return fmt.Errorf("none of the fields %q is there, expected one", fields)
}

func describeJSON(err error) error {
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return fmt.Errorf("a field ending in _b64 is not base64: %w", err)
	}
	return fmt.Errorf("not a case as JSON: %w", err)
}
