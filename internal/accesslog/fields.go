package accesslog

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
)

const fieldsDirective = "#Fields:"

// The first name in a list has priority.
var extendedNames = [fieldCount][]string{
	Address:   {"c-ip"},
	Forwarded: {"x-forwarded-for", "cs(x-forwarded-for)"},
	Scheme:    {"cs-protocol"},
	Host:      {"x-host-header", "cs-host", "cs(host)"},
	Method:    {"cs-method"},
	Target:    {"cs-uri-stem", "cs-uri"},
	Status:    {"sc-status"},
	Agent:     {"cs(user-agent)"},
}

type w3cFormat struct {
	places                  [fieldCount]int // indexes in a line; -1 if lines do not have the field
	date, time, when, query int             // the same for other fields
	fieldsPerLine           int
}

func extendedFormat(directive string) *Format {
	names := strings.Fields(strings.ToLower(strings.TrimPrefix(directive, fieldsDirective)))
	index := func(name string) int { return slices.Index(names, name) }
	x := &w3cFormat{date: index("date"), time: index("time"), when: index("timestamp"), query: index("cs-uri-query"), fieldsPerLine: len(names)}
	for field, all := range extendedNames {
		x.places[field] = -1
		for _, name := range all {
			if x.places[field] < 0 {
				x.places[field] = index(name)
			}
		}
	}
	if (x.date < 0 || x.time < 0) && x.when < 0 || x.places[Target] < 0 || x.places[Status] < 0 {
		return nil
	}
	return &Format{Name: "W3C extended", IsDirect: true, read: x.read}
}

// After returns the format of the lines that follow the given text. If the text has a "#Fields:" line, this line changes
// the format.
func (f *Format) After(text string) *Format {
	if !f.IsDirect {
		return f
	}
	i := strings.LastIndex("\n"+text, "\n"+fieldsDirective)
	if i < 0 {
		return f
	}
	line, _, _ := strings.Cut(text[i:], "\n")
	if next := extendedFormat(strings.TrimSuffix(line, "\r")); next != nil {
		return next
	}
	return f
}

var errFields = errors.New("this line does not have the same number of fields as the header above it, which begins with \"#Fields:\"")

func (x *w3cFormat) read(line string, e *Entry) error {
	if strings.HasPrefix(line, "#") {
		return ErrComment
	}
	var buffer [64]string
	words := splitFields(line, buffer[:0])
	if len(words) != x.fieldsPerLine {
		return errFields
	}
	get := func(i int) string {
		if i < 0 {
			return ""
		}
		return emptyIfDash(words[i])
	}
	when := get(x.when)
	if when == "" {
		when = get(x.date) + " " + get(x.time)
	}
	var ok bool
	if e.Time, ok = extendedTime(when); !ok {
		return errors.New("heed cannot read the date and the time of the line; expected for example 2026-10-10 13:55:36")
	}
	if e.Status = statusOf(get(x.places[Status])); e.Status < 0 {
		e.Status = 0 // CloudFront writes 000 or "-" if the client closed the connection
	}
	e.Address, e.Forwarded = withoutPort(get(x.places[Address])), get(x.places[Forwarded])
	e.setHost(get(x.places[Host]))
	if scheme := strings.ToLower(get(x.places[Scheme])); scheme == "http" || scheme == "https" {
		e.Scheme = scheme
	}
	e.Method, e.Target = get(x.places[Method]), get(x.places[Target])
	if query := get(x.query); query != "" && e.Target != "" {
		e.Target += "?" + query
	}
	e.Agent = decodedAgent(get(x.places[Agent]))
	return nil
}

func extendedTime(s string) (int64, bool) {
	if len(s) == 19 && s[4] == '-' && s[7] == '-' && s[10] == ' ' && s[13] == ':' && s[16] == ':' {
		seconds, ok := secondsOf(digits(s[:4]), digits(s[5:7]), digits(s[8:10]), digits(s[11:13]), digits(s[14:16]), digits(s[17:]))
		return seconds * 1e9, ok
	}
	return anyTime(s)
}

func splitFields(line string, words []string) []string {
	if strings.IndexByte(line, '\t') >= 0 {
		for part := range strings.SplitSeq(line, "\t") {
			words = append(words, part)
		}
		return words
	}
	for line != "" {
		text, rest, ok := cutQuoted(line)
		if !ok {
			text, rest = cutWord(line)
		}
		words, line = append(words, text), rest
	}
	return words
}

// IIS writes "+" for each space, and CloudFront percent-encodes bytes, once or twice.
func decodedAgent(s string) string {
	if strings.IndexByte(s, ' ') >= 0 {
		return s
	}
	if strings.IndexByte(s, '%') < 0 {
		return strings.ReplaceAll(s, "+", " ")
	}
	for range 2 {
		decoded, err := url.PathUnescape(s)
		if err != nil {
			break
		}
		s = decoded
	}
	return s
}

var balancer = &Format{Name: "Application Load Balancer", read: readBalancer}

const (
	balancerTime    = 1
	balancerClient  = 3
	balancerStatus  = 8
	balancerRequest = 12
	balancerAgent   = 13
)

var errBalancer = errors.New("expected a line in the format of an Application Load Balancer, which begins with the type of the request and a time")

func readBalancer(line string, e *Entry) error {
	var buffer [40]string
	words := splitFields(line, buffer[:0])
	if len(words) <= balancerAgent || !slices.Contains([]string{"http", "https", "h2", "grpcs", "ws", "wss"}, words[0]) {
		return errBalancer
	}
	at, err := time.Parse(time.RFC3339Nano, words[balancerTime])
	if err != nil {
		return errBalancer
	}
	var ok bool
	if e.Time, ok = nanosecondsOf(at); !ok {
		return errBalancer
	}
	e.Address = withoutPort(words[balancerClient])
	if e.Status = statusOf(words[balancerStatus]); e.Status < 0 {
		return errStatus
	}
	e.setRequest(words[balancerRequest])
	e.Agent = emptyIfDash(unescape(words[balancerAgent]))
	return nil
}

func withoutPort(s string) string {
	i := strings.LastIndexByte(s, ':')
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end > 0 {
			return s[1:end]
		}
		return s
	}
	if i > 0 && strings.IndexByte(s[:i], ':') < 0 {
		return s[:i]
	}
	return emptyIfDash(s)
}
