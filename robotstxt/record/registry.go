package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// ErrUnknown is what Parse returns for a record name it does not know. Such a record is no defect of the file: anyone may invent one.
var ErrUnknown = errors.New("unknown record")

// Binding tells which part of a file a record holds for. The zero value is
// BindsGroup.
type Binding uint8

const (
	// BindsGroup is the binding of a record that holds for the crawlers of the
	// group it stands in.
	BindsGroup Binding = iota
	// BindsFile is the binding of a record that holds for every crawler,
	// wherever in the file it stands.
	BindsFile
)

// String returns "group" or "file".
func (b Binding) String() string {
	if b == BindsFile {
		return "file"
	}
	return "group"
}

// An Info is what is known of the records of one name. The zero value
// describes none.
type Info struct {
	Name    string   // as usually written, such as "Crawl-delay"
	Binding Binding  // which part of the file it holds for
	UsedBy  []string // operators known to read it or to publish it; may be empty
	Dead    bool     // no known crawler reads it any more
	Note    string   // a sentence: what it means, what replaced it
}

// All returns what is known of every record Parse can read, in an order that stays the same. The caller owns the result.
func All() []Info {
	infos := make([]Info, len(kinds))
	for i := range kinds {
		infos[i] = kinds[i].info.clone()
	}
	return infos
}

// Lookup returns what is known of the record called name, in any letter case. It
// returns false for a name Parse does not know. The caller owns the result.
func Lookup(name string) (Info, bool) {
	k := find(name)
	if k == nil {
		return Info{}, false
	}
	return k.info.clone(), true
}

// Parse reads the value of the record called name, in any letter case. The value
// comes without its comment; spaces and tabs around it do not matter. For a name that
// Lookup does not know, Parse returns nil and ErrUnknown. For a value that breaks the
// syntax of its record it returns nil and an error that quotes the start of the value
// and says what was expected. Of a list (Content-Signal, Content-Usage, Clean-param) the members that
// cannot be read are left out and named in the record's field Unread; only where no
// member can be read there is an error. The work is linear in the length of the value.
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

// parseValue refuses what no record may hold, so that the parsers of the
// records need not look for it.
func parseValue(k *kind, value string) (Value, error) {
	if value == "" {
		return nil, errors.New("expected a value, found none")
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
			return fmt.Errorf("expected no control character, found 0x%02x at offset %d", c, i)
		}
	}
	return nil
}

func (info Info) clone() Info {
	info.UsedBy = slices.Clone(info.UsedBy)
	return info
}

// kind joins what is known of a record with the function that reads its values. That
// is given a value that is trimmed, not empty and without control characters other than
// the tab. Only the value of a list may hold them: each member is checked by itself.
type kind struct {
	info  Info
	list  bool
	parse func(value string) (Value, error)
}

// find returns nil for an unknown name.
func find(name string) *kind {
	for i := range kinds {
		if ascii.EqualFold(name, kinds[i].info.Name) {
			return &kinds[i]
		}
	}
	return nil
}

// kinds is the registry. Nothing writes to it, and what leaves it is a
// copy.
var kinds = [...]kind{
	{parse: parseSitemap, info: Info{
		Name:    "Sitemap",
		Binding: BindsFile,
		UsedBy:  []string{"Google", "Bing", "Yandex"},
		Note:    "The address of a sitemap or of an index of sitemaps, on any host.",
	}},
	{parse: parseCrawlDelay, info: Info{
		Name:    "Crawl-delay",
		Binding: BindsGroup,
		UsedBy:  []string{"Bing"},
		Note:    "The seconds to leave between two requests; Google does not read it, and Yandex has not since 22 February 2018.",
	}},
	{parse: parseRequestRate, info: Info{
		Name:    "Request-rate",
		Binding: BindsGroup,
		UsedBy:  []string{"Seznam"},
		Note:    "The most requests to make in a stretch of time, from a proposal of 1996 to extend the protocol.",
	}},
	{parse: parseVisitTime, info: Info{
		Name:    "Visit-time",
		Binding: BindsGroup,
		Dead:    true,
		Note:    "The window of the day, in UTC, to crawl in, from a proposal of 1996 to extend the protocol; nothing replaced it.",
	}},
	{parse: parseHost, info: Info{
		Name:    "Host",
		Binding: BindsFile,
		Dead:    true,
		Note:    "The main one among the mirrors of a site; Yandex, its inventor, gave it up in March 2018 for permanent redirects.",
	}},
	{parse: parseCleanParam, list: true, info: Info{
		Name:    "Clean-param",
		Binding: BindsFile,
		UsedBy:  []string{"Yandex"},
		Note:    "The query parameters that do not change what a page shows, so that URLs that differ in them alone are one.",
	}},
	{parse: parseNoindex, info: Info{
		Name:    "Noindex",
		Binding: BindsGroup,
		Dead:    true,
		Note:    "The paths to keep out of the index; Google, which never documented it, dropped it on 1 September 2019 in favour of the robots meta tag and the X-Robots-Tag header.",
	}},
	{parse: parseContentSignal, list: true, info: Info{
		Name:    "Content-Signal",
		Binding: BindsGroup,
		UsedBy:  []string{"Cloudflare"},
		Note:    "Whether fetched content may serve search, the input of AI models and their training, and how it may be used; Cloudflare defined it and writes it into the files it manages.",
	}},
	{parse: parseContentUsage, list: true, info: Info{
		Name:    "Content-Usage",
		Binding: BindsGroup,
		Note:    "Preferences on the use of content under a path, from a draft of the AI Preferences working group of the IETF.",
	}},
	{parse: parseLicense, info: Info{
		Name:    "License",
		Binding: BindsFile,
		Note:    "The address of licensing terms in the format of Really Simple Licensing (RSL), which hold for every crawler.",
	}},
	{parse: parseText, info: Info{
		Name:    "Nofollow",
		Binding: BindsGroup,
		Dead:    true,
		Note:    "The paths whose links not to follow; Google dropped it with Noindex on 1 September 2019.",
	}},
	{parse: parseText, info: Info{
		Name:    "Noarchive",
		Binding: BindsGroup,
		Dead:    true,
		Note:    "The paths of which to show no stored copy, as the robots meta tag says it; no crawler is known to read it here.",
	}},
	{parse: parseText, info: Info{
		Name:    "Revisit-after",
		Binding: BindsGroup,
		Dead:    true,
		Note:    "When to come again, as a meta tag of the 1990s said it; no crawler is known to read it here.",
	}},
	{parse: parseText, info: Info{
		Name:    "Domain",
		Binding: BindsFile,
		Dead:    true,
		Note:    "The domain of the site, in files that confuse it with Host; no crawler is known to read it.",
	}},
}
