package saved

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

// An Answer is the saved response for a URL. It is read from a Record.
type Answer struct {
	URL      string        // as from capture.Key; for a robots.txt, as from Origin.RobotsURL
	Origin   origin.Origin // the origin of the URL
	Status   int           // 0 means success
	Location string        // the target of a redirect
	At       time.Time     // the time of the retrieval; zero means unknown, and is treated as earlier than all known times
	Body     []byte
}

// IsRobots reports whether the Answer is for a robots.txt, and not for a page.
func (a *Answer) IsRobots() bool { return a.URL == a.Origin.RobotsURL() }

// A Record has the values of one JSON line, or of one row of a table.
type Record struct {
	URL, Origin, Location string
	Status                int     // 0 if the record has no status
	Body, Robots          []byte  // nil if the record has no such value
	RobotsB64             []byte  // the robots.txt after decoding from base64
	RobotsFile            *string // the path of a file with the robots.txt; only in JSON
	Fetched               time.Time
}

func (c *Columns) ReadLine(line lines.Line, withFiles bool) (a Answer, err error) {
	if line.Wrong != nil {
		return a, line.Wrong
	}
	r, err := c.readObject(line.Text)
	if err != nil {
		return a, err
	}
	return r.Answer(withFiles)
}

func (c *Columns) readObject(text string) (r Record, err error) {
	var members, values [countNames]string // the values are as in the JSON, so a string has its quotation marks
	err = c.EachMember(text, func(member, value string) error {
		n, ok := c.nameOf(member)
		switch {
		case ok && members[n] == member: // the first of two members with one path
		case ok && members[n] != "":
			return fmt.Errorf("%q and %q are both given; expected only one of them", members[n], member)
		case ok:
			members[n], values[n] = member, value
		case c.IsGiven():
			return c.checkUnused(member)
		case member == robotsFile:
			r.RobotsFile, err = stringOf(member, value)
			return err
		default:
			return fmt.Errorf("the member %q is unknown; expected one of %s. If your members have other names, give these names with --columns", member, strings.Join(memberNames(), ", "))
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	if members[Origin] == aliasOfOrigin && members[URL] != "" && !c.IsGiven() {
		return r, fmt.Errorf("%q and %q are both given; expected only one of them", members[URL], aliasOfOrigin)
	}
	for n := range countNames {
		if values[n] == "" && c.given[n] == "" {
			continue
		}
		if values[n] == "null" && c.IsGiven() {
			values[n] = ""
		}
		v, err := valueOf(n, members[n], values[n])
		if err == nil {
			err = r.Set(n, members[n], v)
		}
		if err != nil {
			return r, err
		}
	}
	return r, c.Check(&r)
}

func valueOf(n Name, member, value string) (Value, error) {
	isNumber := value != "" && strings.IndexByte("-0123456789", value[0]) >= 0
	switch {
	case value == "":
		return nil, nil
	case isNumber && (n == Status || n == Fetched):
		if i, err := strconv.ParseInt(value, 10, 64); err == nil {
			return i, nil
		}
		f, _ := strconv.ParseFloat(value, 64) // a number that is too large becomes infinite
		return f, nil
	case value[0] != '"' && (n == Status || n == Fetched):
		return nil, jsonobject.Unexpected(member, value, "a number or a string")
	}
	text, err := stringOf(member, value)
	if err != nil {
		return nil, err
	}
	return []byte(*text), nil
}

func stringOf(member, value string) (*string, error) {
	if value[0] != '"' {
		return nil, jsonobject.Unexpected(member, value, "a string")
	}
	text, err := jsonobject.String(value)
	return &text, err
}

// Answer returns the answer of a record. The parameter withFiles allows "robots_file", which names a file to read. It
// must be false for input from strangers.
func (r *Record) Answer(withFiles bool) (a Answer, err error) {
	a.Status, a.Location = r.Status, r.Location
	if err = r.setURL(&a); err == nil {
		err = r.setBody(&a, withFiles)
	}
	if !r.Fetched.IsZero() {
		a.At = r.Fetched
	}
	return a, err
}

// If the record has the member "robots", its URL only names the site. If the record does not have this member, its URL
// may be that of any page of the site.
func (r *Record) setURL(a *Answer) (err error) {
	if (r.URL == "") == (r.Origin == "") {
		return errors.New(`expected either "url" or "origin", and not both`)
	}
	site := r.URL
	if r.Origin != "" {
		if site, err = withScheme(r.Origin); err != nil {
			return err
		}
	}
	if a.Origin, err = origin.Parse(site); err != nil {
		return err
	}
	a.URL = a.Origin.RobotsURL()
	if r.Origin == "" && r.Robots == nil && r.RobotsB64 == nil && r.RobotsFile == nil {
		a.URL, err = capture.Key(r.URL)
	}
	return err
}

func withScheme(text string) (string, error) {
	if strings.Contains(text, "://") {
		return text, nil
	}
	if origin.Authority(text) != text || !address.IsHost(text) {
		return "", fmt.Errorf("origin %s: expected a host such as example.com, or an origin such as https://example.com", printable.Quote(text))
	}
	return address.WithScheme(text), nil
}

func (r *Record) setBody(a *Answer, withFiles bool) (err error) {
	given := 0
	for _, text := range [][]byte{r.Robots, r.Body, r.RobotsB64} {
		if text != nil {
			a.Body = text
			given++
		}
	}
	if r.RobotsFile != nil {
		given++
	}
	switch {
	case r.RobotsFile != nil && !withFiles:
		return errors.New(`"robots_file": heed reads no files here: give the text of the robots.txt as "robots" or "robots_b64"`)
	case given > 1:
		return errors.New("expected only one of \"body\", \"robots\", \"robots_b64\" and \"robots_file\"")
	case r.RobotsFile != nil:
		if a.Body, a.At, err = ReadFile(*r.RobotsFile); err != nil {
			return err
		}
	}
	isSuccess := a.Status == 0 || a.Status >= 200 && a.Status <= 299
	switch {
	case isSuccess && given == 0:
		return errors.New("the robots.txt is missing; expected \"body\", \"robots\" or \"robots_b64\", or a status such as 404, which says that there is no robots.txt")
	case isSuccess && r.RobotsFile == nil:
		return checkText(a.Body)
	}
	return nil
}

// A body such as "null" would, as a robots.txt, allow everything.
func checkText(body []byte) error {
	const most = 20
	text := strings.TrimSpace(string(body[:min(len(body), most)]))
	if len(body) <= most && text != "" && isNullWord(text) {
		return fmt.Errorf("the robots.txt is only the word %s, which some programs write in place of a missing value; expected its text", printable.Quote(text))
	}
	for _, mark := range []string{"'", `"`} { // the quotation marks of Python
		if strings.HasPrefix(text, "b"+mark) && bytes.HasSuffix(bytes.TrimSpace(body), []byte(mark)) {
			return fmt.Errorf("the robots.txt is written as b%s…%s, which is how Python prints bytes: expected the text itself", mark, mark)
		}
	}
	return nil
}

func isNullWord(text string) bool {
	return slices.Contains([]string{"", `\n`, "null", "none", "nan", "na", "<na>", "n/a", "#n/a", "nil", "(null)", "undefined"}, strings.ToLower(text))
}

func memberNames() []string {
	return slices.Insert(slices.Insert(Names(), int(Body), robotsFile), int(Origin)+1, aliasOfOrigin)
}
