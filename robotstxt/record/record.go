package record

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// Parse reads a longer duration as maxSeconds, about 31 years, because a time.Duration must not overflow. Other numbers, such
// as RequestRate.Requests, have the same limit.
const maxSeconds = 1_000_000_000

// A Value is a Sitemap, CrawlDelay, RequestRate, VisitTime, Host, CleanParam, Noindex, ContentSignal, ContentUsage, License
// or Text.
type Value interface{ isValue() }

// Sitemap is the address of a sitemap or of a sitemap index. Parse never returns the zero value.
type Sitemap struct {
	// URL is absolute, with the scheme http, https or ftp. It is as written: it may contain spaces, bytes outside ASCII
	// and broken escapes.
	URL string
}

// CrawlDelay is the time that a crawler waits between two requests. Zero means no wait.
type CrawlDelay struct {
	// Delay is at most 1e9 seconds, about 31 years. A longer delay in the file is read as 1e9 seconds.
	Delay time.Duration
}

// RequestRate allows at most Requests requests in each time span Per, at the times of day in During. Parse never returns
// the zero value.
type RequestRate struct {
	Requests int           // 1 to 1e9; Parse reads a higher number as 1e9
	Per      time.Duration // 1 second to 1e9 seconds, in whole seconds; Parse reads a longer time as 1e9 seconds
	During   VisitTime     // the time of day; the zero value means the whole day
}

// VisitTime is a part of the day in UTC. If From is later than To, this part contains midnight. If From and To are equal,
// as in the zero value, a VisitTime is the whole day.
type VisitTime struct {
	From, To TimeOfDay
}

// TimeOfDay is a time in UTC, in minutes since midnight: 0 to 1439.
type TimeOfDay int

// String returns the time as records write it, such as "0845".
func (t TimeOfDay) String() string { return fmt.Sprintf("%02d%02d", t/60, t%60) }

// Host is the main host of a site that has several hosts. Parse never returns the zero value.
type Host struct {
	// Host is a host name or an address, as written. It may begin with http:// or https://, and end with a port.
	Host string
}

// CleanParam lists query parameters that do not change the content of a page. Parse never returns the zero value.
type CleanParam struct {
	Params []string // the names of the parameters, as written; at least one, and none is empty
	Path   string   // pattern of the paths whose pages have these parameters; "" means every path
	Unread []string // names of parameters that cannot be read, as written
}

// Noindex asks search engines not to index the paths that match a pattern. Parse never returns the zero value.
type Noindex struct {
	Pattern string // the pattern, with the syntax of a Disallow line; it begins with "/" or "*"
}

// ContentSignal states how fetched content may be used. Parse never returns the zero value.
type ContentSignal struct {
	// Path is the pattern of the paths to which the signals apply. It begins with "/"; empty means every path (AI-11).
	Path string
	// Signals has at least one signal, in the order of the file. A name may be there twice, with different values.
	Signals []Signal
	// Unread has the members of the list that cannot be read, as written.
	Unread []string
}

// Signal is one member of a ContentSignal. A use without a signal is neither granted nor refused.
type Signal struct {
	Name  string // name of the use in lower case, such as "search"
	Value string // the value as written, such as "yes"
	// Known is true for two kinds of signals. In the first kind, Name is "search", "ai-input" or "ai-train", and
	// Value is "yes" or "no". In the second kind, Name is "use", and Value is "immediate", "reference" or "full".
	// Callers should ignore all other signals.
	Known bool
}

var signalValues = map[string][]string{
	"search":   {"yes", "no"},
	"ai-input": {"yes", "no"},
	"ai-train": {"yes", "no"},
	"use":      {"immediate", "reference", "full"},
}

// License is the address of the licensing terms of the site. Parse never returns the zero value.
type License struct {
	URL string // as in Sitemap.URL: absolute, and as written in the file
}

// Text is the value of a record of which Heed knows only the name, such as Nofollow. Parse never returns the zero value.
type Text struct {
	Value string
}

// Unread returns the members of a list, such as a ContentSignal, that cannot be read. Other values have none.
func Unread(v Value) []string {
	switch v := v.(type) {
	case CleanParam:
		return v.Unread
	case ContentSignal:
		return v.Unread
	case ContentUsage:
		return v.Unread
	}
	return nil
}

func (Sitemap) isValue()       {}
func (CrawlDelay) isValue()    {}
func (RequestRate) isValue()   {}
func (VisitTime) isValue()     {}
func (Host) isValue()          {}
func (CleanParam) isValue()    {}
func (Noindex) isValue()       {}
func (ContentSignal) isValue() {}
func (ContentUsage) isValue()  {}
func (License) isValue()       {}
func (Text) isValue()          {}

func cutBlank(s string) (first, rest string) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

func parseSitemap(value string) (Value, error) { return Sitemap{URL: value}, checkURL(value) }

func parseLicense(value string) (Value, error) { return License{URL: value}, checkURL(value) }

// url.Parse rejects URLs with unescaped paths, and package origin needs more than the standard library.
func checkURL(s string) error {
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return errors.New("expected an absolute URL such as https://example.com/x")
	}
	if !isOneOf(scheme, "http", "https", "ftp") {
		return fmt.Errorf("expected the scheme http, https or ftp, found %s", printable.Quote(scheme))
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:] // after the user information, such as "user@"
	if !isHostPort(host) {
		return fmt.Errorf("expected a host after ://, found %s", printable.Quote(host))
	}
	return nil
}

func parseHost(value string) (Value, error) {
	host := value
	if scheme, rest, found := strings.Cut(value, "://"); found {
		if !isOneOf(scheme, "http", "https") {
			return nil, fmt.Errorf("expected the scheme http or https, found %s", printable.Quote(scheme))
		}
		host = rest
	}
	if !isHostPort(host) {
		return nil, errors.New("expected a host name, with or without a port, and without a path")
	}
	return Host{Host: value}, nil
}

func isOneOf(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return ascii.EqualFold(s, word) })
}

func isHostPort(s string) bool {
	host := s
	// A colon before a closing bracket belongs to an IPv6 address.
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		if _, err := strconv.ParseUint(s[i+1:], 10, 16); err != nil {
			return false
		}
		host = s[:i]
	}
	if inner, found := strings.CutPrefix(host, "["); found {
		inner, found = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return found && err == nil && addr.Is6()
	}
	return isHostName(strings.TrimSuffix(host, "."))
}

// isHostName accepts all bytes outside ASCII, for international names.
func isHostName(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && c != '-' && c != '_' && c < 0x80 {
				return false
			}
		}
	}
	return true
}

func parseText(value string) (Value, error) { return Text{Value: value}, nil }

func parseCrawlDelay(value string) (Value, error) {
	mantissa, exponent := value, ""
	e := strings.IndexAny(value, "eE")
	if e >= 0 {
		mantissa, exponent = value[:e], value[e+1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if whole == "" && hasPoint {
		whole = "0" // ".5" means "0.5"
	}
	if !isDigits(whole) || hasPoint && !isDigits(fraction) || e >= 0 && !isDigits(exponent) {
		return nil, errors.New("expected seconds as a decimal number such as 10 or 0.5")
	}
	if e >= 0 {
		seconds, _ := strconv.ParseFloat(value, 64) // too large a number becomes infinite, and is limited below
		return CrawlDelay{Delay: time.Duration(math.Round(min(seconds, maxSeconds) * 1e9))}, nil
	}
	seconds, _ := parseCount(whole)
	// With nine digits, the fraction is a number of nanoseconds.
	nanos, _ := parseCount((fraction + "000000000")[:9])
	delay := time.Duration(seconds)*time.Second + time.Duration(nanos)
	return CrawlDelay{Delay: min(delay, maxSeconds*time.Second)}, nil
}

// parseCount reads a number above maxSeconds as maxSeconds.
func parseCount(s string) (n int, ok bool) {
	if !isDigits(s) {
		return 0, false
	}
	n64, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n64 > maxSeconds {
		return maxSeconds, true
	}
	return int(n64), true
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func parseRequestRate(value string) (Value, error) {
	rate, window := cutBlank(value)
	count, per, _ := strings.Cut(rate, "/")
	requests, ok := parseCount(count)
	if !ok || requests == 0 {
		return nil, errors.New("expected the number of requests, which is at least 1, before the slash")
	}
	number, unit := cutUnit(per)
	times, ok := parseCount(number)
	if !ok || times == 0 {
		return nil, errors.New("expected a time such as 5, 10s, 1m or 1h after the slash")
	}
	if times > maxSeconds/unit {
		times, unit = maxSeconds, 1
	}
	result := RequestRate{Requests: requests, Per: time.Duration(times*unit) * time.Second}
	var err error
	if window != "" {
		result.During, err = parseWindow(window)
	}
	return result, err
}

// cutUnit cuts "10m" into the number "10" and 60, the seconds of its unit.
func cutUnit(s string) (number string, seconds int) {
	if number, found := strings.CutSuffix(s, "h"); found {
		return number, 3600
	}
	if number, found := strings.CutSuffix(s, "m"); found {
		return number, 60
	}
	return strings.TrimSuffix(s, "s"), 1
}

func parseVisitTime(value string) (Value, error) { return parseWindow(value) }

// parseWindow parses "HHMM-HHMM". There may be blanks around the "-".
func parseWindow(s string) (VisitTime, error) {
	first, second, _ := strings.Cut(s, "-")
	from, okFrom := parseTimeOfDay(strings.TrimRight(first, " \t"))
	to, okTo := parseTimeOfDay(strings.TrimLeft(second, " \t"))
	if !okFrom || !okTo {
		return VisitTime{}, errors.New("expected two times of day in UTC, such as 0600-0845")
	}
	return VisitTime{From: from, To: to}, nil
}

func parseTimeOfDay(s string) (t TimeOfDay, ok bool) {
	n, ok := parseCount(s)
	hour, minute := n/100, n%100
	return TimeOfDay(hour*60 + minute), ok && len(s) == 4 && hour < 24 && minute < 60
}

func parseCleanParam(value string) (Value, error) {
	var r CleanParam
	names, path := cutBlank(value)
	for name := range strings.SplitSeq(names, "&") {
		switch {
		case name == "":
		case checkControls(name) != nil:
			r.Unread = append(r.Unread, name)
		default:
			r.Params = append(r.Params, name)
		}
	}
	if len(r.Params) == 0 {
		return nil, errors.New("expected the names of one or more parameters, with \"&\" between them; found none")
	}
	if path != "" && (!isPattern(path) || checkControls(path) != nil) {
		return nil, errors.New("expected a path that begins with \"/\" or \"*\" after the parameters")
	}
	r.Path = path
	return r, nil
}

func parseNoindex(value string) (Value, error) {
	if !isPattern(value) {
		return nil, errors.New("expected a pattern for paths that begins with \"/\" or \"*\"")
	}
	return Noindex{Pattern: value}, nil
}

func isPattern(s string) bool {
	return (s[0] == '/' || s[0] == '*') && !strings.ContainsAny(s, " \t")
}

func parseContentSignal(value string) (Value, error) {
	var r ContentSignal
	if value[0] == '/' {
		r.Path, value = cutBlank(value)
	}
	if err := checkControls(r.Path); err != nil {
		return nil, err
	}
	for member := range strings.SplitSeq(value, ",") {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue
		}
		if signal, ok := parseSignal(member); ok {
			r.Signals = append(r.Signals, signal)
		} else {
			r.Unread = append(r.Unread, member)
		}
	}
	if len(r.Signals) == 0 {
		return nil, errors.New("expected one or more members, such as search=yes, ai-train=no or use=reference; found none")
	}
	return r, nil
}

func parseSignal(s string) (Signal, bool) {
	name, text, _ := strings.Cut(s, "=")
	name, text = strings.ToLower(strings.TrimRight(name, " \t")), strings.TrimLeft(text, " \t")
	if text == "" || checkControls(text) != nil || !isSignalName(name) {
		return Signal{}, false
	}
	values, known := signalValues[name]
	return Signal{Name: name, Value: text, Known: known}, !known || slices.Contains(values, text)
}

func isSignalName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && strings.IndexByte("_-.", c) < 0 {
			return false
		}
	}
	return s != ""
}
