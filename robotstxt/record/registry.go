package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// ErrUnknown is the error of Parse for an unknown name. An unknown name is not a mistake in the file, because anyone
// may invent records.
var ErrUnknown = errors.New("no known record of a robots.txt has this name, so its value is not read")

// An Info describes the records with one name. The zero Info has no name.
type Info struct {
	Name string // name of the record in its usual spelling, such as "Crawl-delay"
	// BindsFile is true if the record applies to every crawler, not only to the crawlers of its group.
	BindsFile bool
	UsedBy    []string // the operators that are known to read or publish the record; may be empty
	Dead      bool     // no known crawler reads the record any longer
	Note      string   // a sentence that says what the record means, and what replaced it
}

// All returns an Info for every name that Parse knows, always in the same order. The caller may change the result.
func All() []Info {
	infos := make([]Info, len(kinds))
	for i := range kinds {
		infos[i] = kinds[i].info.clone()
	}
	return infos
}

// Lookup returns the Info for a name, in any letter case. It returns false for a name that Parse does not know. The caller
// may change the result.
func Lookup(name string) (Info, bool) {
	k := find(name)
	if k == nil {
		return Info{}, false
	}
	return k.info.clone(), true
}

// Parse parses the value of a record with the given name, in any letter case. The value must not contain a comment. If the
// name is unknown, the error is ErrUnknown. If the syntax is wrong, Parse returns another error. Parse takes linear time.
//
// A list such as Content-Signal fails only if no member can be read. A Content-Usage never fails, but its Err may be set.
// The function Unread returns the members that cannot be read.
func Parse(name, value string) (Value, error) {
	k := find(name)
	if k == nil {
		return nil, ErrUnknown
	}
	v, err := parseValue(k, strings.Trim(value, " \t"))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", k.info.Name, printable.Quote(value), err)
	}
	return v, nil
}

// parseValue rejects empty values and control characters, so that the parsers of the records need not check for them.
func parseValue(k *kind, value string) (Value, error) {
	if value == "" {
		return nil, errors.New("expected a value after the colon, found none")
	}
	if !k.list {
		if err := checkControls(value); err != nil {
			return nil, err
		}
	}
	return k.parse(value)
}

func checkControls(s string) error {
	for i := range len(s) {
		if c := s[i]; ascii.IsControl(c) && c != '\t' {
			return fmt.Errorf("expected a value without control characters, found 0x%02x at offset %d", c, i)
		}
	}
	return nil
}

func (info Info) clone() Info {
	info.UsedBy = slices.Clone(info.UsedBy)
	return info
}

type kind struct {
	info Info
	list bool // the parser checks each member for control characters
	// parse gets a value that is trimmed and not empty, and has no control characters except tabs. If it returns an error, its
	// Value is not used.
	parse func(value string) (Value, error)
}

func find(name string) *kind {
	for i := range kinds {
		if ascii.EqualFold(name, kinds[i].info.Name) {
			return &kinds[i]
		}
	}
	return nil
}

// The array kinds is never changed, because the functions All and Lookup return copies.
var kinds = [...]kind{
	{parse: parseSitemap, info: Info{
		Name:      "Sitemap",
		BindsFile: true,
		UsedBy:    []string{"Google", "Bing", "Yandex"},
		Note:      "The address of a sitemap or of an index of sitemaps, on any host.",
	}},
	{parse: parseCrawlDelay, info: Info{
		Name:   "Crawl-delay",
		UsedBy: []string{"Bing"},
		Note:   "The seconds to leave between two requests; Google does not read it, and Yandex has not since 22 February 2018.",
	}},
	{parse: parseRequestRate, info: Info{
		Name:   "Request-rate",
		UsedBy: []string{"Seznam"},
		Note:   "How many requests to make at most in a given time, from a proposal of 1996 to extend the protocol.",
	}},
	{parse: parseVisitTime, info: Info{
		Name: "Visit-time",
		Dead: true,
		Note: "The time of day, in UTC, at which to crawl, from a proposal of 1996 to extend the protocol; nothing replaced it.",
	}},
	{parse: parseHost, info: Info{
		Name:      "Host",
		BindsFile: true,
		Dead:      true,
		Note:      "The main one of several hosts with the same site; Yandex, which invented this record, replaced it by permanent redirects in March 2018.",
	}},
	{parse: parseCleanParam, list: true, info: Info{
		Name:      "Clean-param",
		BindsFile: true,
		UsedBy:    []string{"Yandex"},
		Note:      "The query parameters that do not change the content of a page: URLs that differ only in these are the same page.",
	}},
	{parse: parseNoindex, info: Info{
		Name: "Noindex",
		Dead: true,
		Note: "The paths to keep out of the index; Google, which never documented it, dropped it on 1 September 2019 in favour of the robots meta tag and the X-Robots-Tag header.",
	}},
	{parse: parseContentSignal, list: true, info: Info{
		Name:   "Content-Signal",
		UsedBy: []string{"Cloudflare"},
		Note:   "Whether fetched content may serve search, the input of AI models and their training, and how it may be used; Cloudflare defined it and writes it into the files it manages.",
	}},
	{parse: parseContentUsage, list: true, info: Info{
		Name: "Content-Usage",
		Note: "Preferences on the use of content under a path, from a draft of the AI Preferences working group of the IETF.",
	}},
	{parse: parseLicense, info: Info{
		Name:      "License",
		BindsFile: true,
		Note:      "The address of licensing terms in the format of Really Simple Licensing (RSL), which apply to every crawler.",
	}},
	{parse: parseText, info: Info{
		Name: "Nofollow",
		Dead: true,
		Note: "The paths whose links crawlers should not follow; Google dropped it with Noindex on 1 September 2019.",
	}},
	{parse: parseText, info: Info{
		Name: "Noarchive",
		Dead: true,
		Note: "The paths for which search engines should show no cached copy, as with the robots meta tag; no crawler is known to read it in a robots.txt.",
	}},
	{parse: parseText, info: Info{
		Name: "Revisit-after",
		Dead: true,
		Note: "When to visit the site again, as with a meta tag of the 1990s; no crawler is known to read it in a robots.txt.",
	}},
	{parse: parseText, info: Info{
		Name:      "Domain",
		BindsFile: true,
		Dead:      true,
		Note:      "The domain of the site, written in place of Host; no crawler is known to read it.",
	}},
}
