package usage

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// MaxHeader is how many bytes are read of all headers with the same name. MaxHTML is how many bytes are read of a page
// (AI-17).
const (
	MaxHeader = 64 << 10
	MaxHTML   = 64 << 10
)

// A Response has what the headers and the page of one response say about the use of its content (AI-9, AI-13, AI-14).
type Response struct {
	statements []responseStatement
	tdm        []tdmField // fields of TDMRep: those of headers first, then those of meta elements
}

type responseStatement struct {
	statement
	// agent is the name of the crawler to which the statement applies, as RFC 9309 reads names; "" means all crawlers.
	agent string
}

// ReadResponse reads headers, in any letter case, and the first MaxHTML bytes of a page. html must be nil if the page is
// not HTML. The result is nil if both say nothing.
func ReadResponse(header map[string][]string, html []byte) *Response {
	var names []string
	for name := range header {
		if headerReader(name) != nil {
			names = append(names, name)
		}
	}
	if names == nil && len(html) == 0 {
		return nil
	}
	r := &Response{}
	slices.Sort(names)
	for _, name := range names {
		headerReader(name)(r, header[name])
	}
	if len(html) > 0 {
		r.readHTML(html[:min(len(html), MaxHTML)])
	}
	if len(r.statements) == 0 && len(r.tdm) == 0 {
		return nil
	}
	return r
}

var headers = []struct {
	name string
	read func(*Response, []string)
}{
	{"Content-Usage", (*Response).readContentUsage},
	{"X-Robots-Tag", (*Response).readXRobotsTag},
	{"Tdm-Reservation", func(r *Response, values []string) { r.readTDM(tdmReservation, values) }},
	{"Tdm-Policy", func(r *Response, values []string) { r.readTDM(tdmPolicy, values) }},
}

// Headers returns the names of the headers that ReadResponse reads, in canonical form.
func Headers() (names []string) {
	for _, h := range headers {
		names = append(names, h.name)
	}
	return names
}

func headerReader(name string) func(*Response, []string) {
	for i := range headers {
		if ascii.EqualFold(name, headers[i].name) {
			return headers[i].read
		}
	}
	return nil
}

// readContentUsage joins all headers with this name, because they are one dictionary (AI-9).
func (r *Response) readContentUsage(values []string) {
	text := strings.Join(values, ", ")
	s := statement{Statement: Statement{Carrier: ContentUsage, Header: string(ContentUsage), Text: shortened(text)}}
	if len(text) > MaxHeader {
		s.problem = "it is longer than 64 KiB, so all of it is unknown"
	} else {
		s.readDictionary(record.ParseUsageHeader(text))
	}
	r.statements = append(r.statements, responseStatement{statement: s})
}

// readXRobotsTag reads X-Robots-Tag. In "noindex, examplebot: noai", noindex is for all crawlers, and noai for examplebot.
func (r *Response) readXRobotsTag(values []string) {
	left := MaxHeader
	for _, value := range values {
		if value = value[:min(len(value), left)]; value == "" {
			continue
		}
		left -= len(value)
		r.readDirectives(Statement{Carrier: XRobotsTag, Header: string(XRobotsTag), Text: shortened(value)}, value, "")
	}
}

// readDirectives reads directives such as "noai, examplebot: noindex". The directives before the first name are for
// agent. If agent is "", they are for all crawlers.
func (r *Response) readDirectives(place Statement, value, agent string) {
	begin := len(r.statements)
	defer func() {
		silent := func(s responseStatement) bool { return s.answer == Answer{} }
		r.statements = append(r.statements[:begin], slices.DeleteFunc(r.statements[begin:], silent)...)
	}()
	for part := range strings.SplitSeq(value, ",") {
		part = strings.Trim(part, " \t")
		if name, rest, ok := strings.Cut(part, ":"); ok && isName(name) && !slices.Contains(directivesWithValue, ascii.ToLower(name)) {
			agent, part = readName(name), strings.Trim(rest, " \t")
		}
		at := begin
		for at < len(r.statements) && r.statements[at].agent != agent {
			at++
		}
		if at == len(r.statements) {
			if at-begin == maxNames {
				continue
			}
			r.statements = append(r.statements, responseStatement{statement{Statement: place}, agent})
		}
		s := &r.statements[at]
		if word := ascii.ToLower(part); word != "" && !s.answer.addWord(XRobotsTag, word, "") {
			s.addUnknown(word, part)
		}
	}
}

const maxNames = 100

var directivesWithValue = []string{"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}

// isName reports whether a text before a colon may be the name of a crawler. The "12" in "12:30" is no name, but an
// hour.
func isName(s string) bool {
	hasLetter := s == "*"
	for i := range len(s) {
		c := s[i]
		if !ascii.IsLetter(c) && !ascii.IsDigit(c) && strings.IndexByte("-_.*", c) < 0 {
			return false
		}
		hasLetter = hasLetter || ascii.IsLetter(c)
	}
	return hasLetter
}

func readName(name string) string {
	if name == "*" || ascii.EqualFold(name, "robots") {
		return ""
	}
	if read, ok := robotstxt.RFC9309.ReadAgent(name); ok {
		return ascii.ToLower(read)
	}
	return ascii.ToLower(name)
}
