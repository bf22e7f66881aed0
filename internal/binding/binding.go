// Package binding has the functions that the libraries for other languages share (packages/js, packages/c). Objects are
// numbers, and answers are JSON. A panic becomes an error, because it must not end the program of the caller.
package binding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// MaxBody is the maximum size of a robots.txt in bytes. It is far above the 500 KiB that every crawler must read.
const MaxBody = 256 << 20

// A Decision is a robotstxt.Decision in eight bytes. Other languages read it from memory, so its layout must not change.
type Decision struct {
	Line    uint32 // the line of the rule that decided; 0 if no rule decided
	Allowed uint8  // 1 if the URL is allowed, else 0
	Reason  uint8  // a robotstxt.Reason
	_       uint16
}

func decisionOf(d robotstxt.Decision) Decision {
	made := Decision{Line: uint32(d.Rule.Line), Reason: uint8(d.Reason)}
	if d.Allowed {
		made.Allowed = 1
	}
	return made
}

func Reasons() (names []string) {
	for r := robotstxt.Undecided; r <= robotstxt.IgnoresEveryone; r++ {
		names = append(names, r.Name())
	}
	return names
}

// Parse parses a copy of a robots.txt. The dialect "" means rfc9309. A file in UTF-16 is translated to UTF-8.
func (t *Table) Parse(body []byte, dialect string) (h Handle, err error) {
	defer rescueBytes(&err, "parse", body)
	d, err := asked.DialectNamed(cmp.Or(dialect, robotstxt.RFC9309.String()))
	if err != nil {
		return 0, wrong("%v", err)
	}
	if len(body) > MaxBody {
		return 0, tooLarge(body)
	}
	if d != robotstxt.Google { // Google's parser reads no UTF-16
		body, _ = charset.ToUTF8(body)
	}
	text := string(body)
	f := &file{file: robotstxt.ParseString(text, d), body: text}
	return t.put(&object{file: f}, f.file.Size())
}

// The policy keeps the strings in tokens, so the memory of these strings must stay valid.
func (t *Table) Agent(h Handle, tokens []string) (_ Handle, err error) {
	defer rescue(&err, "agent", tokens...)
	o, err := t.fileOf(h)
	if err != nil {
		return 0, err
	}
	given := append([]string{}, tokens...)
	if tokens, err = tokensOf(given, o.file.file.Dialect()); err != nil {
		return 0, wrong("%v", err)
	}
	before := o.file.file.Size()
	p := &object{policy: o.file.file.Agent(tokens...), tokens: append([]string{}, tokens...), given: given, file: o.file}
	return t.put(p, p.policy.Size()+max(0, o.file.file.Size()-before))
}

// Libraries for other languages take any text as the name of a crawler in the dialect google, as package robotstxt does.
func isRaw(given []string, d *robotstxt.Dialect) bool {
	return d == robotstxt.Google && (slices.ContainsFunc(given, crawlernames.LooksLikeHeader) || crawlernames.CheckOne(given) != nil)
}

func tokensOf(given []string, d *robotstxt.Dialect) ([]string, error) {
	if isRaw(given, d) {
		return given, nil
	}
	return crawlernames.Tokens(crawlers.Known(), given, d)
}

func (t *Table) Check(h Handle, url string) (_ Decision, err error) {
	defer func() { // does the same as rescue, which would take 30 ns more in WebAssembly
		if r := recover(); r != nil {
			err = failed(r, "check", url)
		}
	}()
	o, err := t.policyOf(h)
	if err != nil {
		return Decision{}, err
	}
	return decisionOf(o.policy.Check(url)), nil
}

// CheckAll stores one decision for each URL. The text urls has all URLs, one directly after the
// other. The list lengths has their sizes in bytes.
func CheckAll[N Length](t *Table, h Handle, urls string, lengths []N, decisions []Decision) (err error) {
	defer func() {
		if err != nil {
			clear(decisions) // if there is an error, the caller must not find an old "allowed" here
		}
	}()
	defer rescue(&err, "check all", urls)
	o, err := t.policyOf(h)
	if err != nil {
		return err
	}
	for i, n := range lengths {
		if uint64(n) > uint64(len(urls)) {
			return errLengths
		}
		decisions[i] = decisionOf(o.policy.Check(urls[:n]))
		urls = urls[n:]
	}
	if urls != "" {
		return errLengths
	}
	return nil
}

type Length interface{ ~uint32 | ~uint64 }

// Strings cuts a text into the strings of which it consists. lengths has their sizes in bytes.
func Strings[N Length](text string, lengths []N) (all []string, err error) {
	for _, n := range lengths {
		if uint64(n) > uint64(len(text)) {
			return nil, errLengths
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	if text != "" {
		return nil, errLengths
	}
	return all, nil
}

func (t *Table) Requested(h Handle, url string) (reading []byte, err error) {
	defer rescue(&err, "requested", url)
	o, err := t.policyOf(h)
	if err != nil {
		return nil, err
	}
	return []byte(o.policy.Requested(url)), nil
}

func (t *Table) Explain(h Handle, url string) (answer []byte, err error) {
	defer rescue(&err, "explain", url)
	o, err := t.policyOf(h)
	if err != nil {
		return nil, err
	}
	agents := func(d *robotstxt.Dialect) []string {
		if isRaw(o.given, d) {
			return o.given
		}
		return crawlernames.Each(crawlers.Known(), o.given)(d)
	}
	e, err := asked.Explain(context.Background(), []byte(o.body), o.file.file.Dialect(), agents, url, &asked.Purposes{})
	if err != nil {
		return nil, wrong("%v", err)
	}
	return report.AppendJSON(nil, e), nil
}

// Usage returns a report.Answer. For question, see asked.ReadUses.
func (t *Table) Usage(h Handle, url, question string) (answer []byte, err error) {
	defer rescue(&err, "usage", url, question)
	o, err := t.policyOf(h)
	if err != nil {
		return nil, err
	}
	q, err := asked.ReadUses(question)
	if err != nil {
		return nil, wrong("%v", err)
	}
	d := o.policy.Check(url)
	a := report.AnswerOf(url, d)
	if err := asked.Undecided(d); err != nil {
		return nil, wrong("%v", err)
	}
	a.Usage = q.Explain(func() *usage.Policy { return usage.New(o.file.file, usage.Options{}, o.tokens...) }, url, d)
	return report.AppendJSON(nil, &a), nil
}

func (t *Table) Show(h Handle) (answer []byte, err error) {
	defer rescue(&err, "show")
	o, err := t.policyOf(h)
	if err != nil {
		return nil, err
	}
	return report.AppendJSON(nil, report.SheetOf(crawlers.Known(), "robots", o.file.file, [][]string{o.tokens})), nil
}

// CrawlDelay returns the crawl delay in seconds, or NaN if there is none.
func (t *Table) CrawlDelay(h Handle) (seconds float64, err error) {
	defer rescue(&err, "crawl delay")
	o, err := t.policyOf(h)
	if err != nil {
		return math.NaN(), err
	}
	delay, ok := o.policy.CrawlDelay()
	if !ok {
		return math.NaN(), nil
	}
	return delay.Seconds(), nil
}

// A line feed follows each URL that Sitemaps returns.
func (t *Table) Sitemaps(h Handle) (urls []byte, err error) {
	defer rescue(&err, "sitemaps")
	o, err := t.fileOf(h)
	if err != nil {
		return nil, err
	}
	for url := range o.file.file.SitemapURLs() {
		urls = append(append(urls, url...), '\n')
	}
	return urls, nil
}

// Diff returns a report.Comparison for the given crawlers (see crawlernames.Chain), or for all if agents is empty.
func (t *Table) Diff(older, newer Handle, agents []string) (answer []byte, err error) {
	defer rescue(&err, "diff", agents...)
	a, err := t.fileOf(older)
	if err != nil {
		return nil, err
	}
	b, err := t.fileOf(newer)
	if err != nil {
		return nil, err
	}
	var chains [][]string
	for _, each := range agents {
		chain, _, err := crawlernames.Chain(each)
		if err != nil {
			return nil, wrong("the crawler %s cannot be read; expected a product token, or several with colons between them", printable.Quote(each))
		}
		if isRaw(chain, a.file.file.Dialect()) {
			chains = append(chains, chain)
			continue
		}
		some, err := crawlernames.Several(crawlers.Known(), chain, a.file.file.Dialect())
		if err != nil {
			return nil, wrong("%v", err)
		}
		for _, c := range some {
			chains = append(chains, c.Tokens)
		}
	}
	c, err := report.Compare(context.Background(), crawlers.Known(), report.InputOf("old", a.file.file), report.InputOf("new", b.file.file), chains)
	if err != nil {
		return nil, wrong("%v", err)
	}
	return report.AppendJSON(nil, c), nil
}

// Lint returns the findings as "heed lint --format json" prints them.
func Lint(body []byte) (answer []byte, err error) {
	defer rescueBytes(&err, "lint", body)
	if len(body) > MaxBody {
		return nil, tooLarge(body)
	}
	return report.AppendJSON(nil, asked.FindingsOf("robots", asked.Lint(context.Background(), body))), nil
}

// Crawlers returns the crawlers as "heed crawlers --format json" prints them. Each also has the member "agent" of
// report.Crawler.
func Crawlers() (answer []byte, err error) {
	defer rescue(&err, "crawlers")
	rows, next := report.CrawlersOf(crawlers.Known()).Crawlers, byte('[')
	for _, row := range rows {
		c, _ := crawlers.Known().Lookup(row.Token)
		answer = report.AppendJSON(append(answer, next), c)
		answer = append(answer[:len(answer)-len("}")], `,"agent":`...)
		answer, next = append(report.AppendJSON(answer, row.Agent), '}'), ','
	}
	return append(answer, ']'), nil
}

// Answer answers a question of the HTTP API (see asked.Answer). It does not use internal/jsonobject, which would make the
// WebAssembly too large.
func Answer(path string, question []byte, robots *string) (status int, answer []byte, err error) {
	defer rescueBytes(&err, "answer "+path, question)
	decode := func(into any) error {
		d := json.NewDecoder(bytes.NewReader(question))
		d.DisallowUnknownFields() // a misspelt member must not be ignored
		if err := d.Decode(into); err != nil {
			return asked.Wrong("%w", err)
		}
		return nil
	}
	status, answer = asked.Answer(context.Background(), path, &asked.Question{Decode: decode, Robots: robots})
	return status, answer, nil
}

// A Code is a number for a kind of Error. The numbers never change.
type Code int

// The header file of the C library has the same codes.
const (
	OK       Code = 0
	Closed   Code = 1 // no object has the handle, or the object is closed
	Kind     Code = 2 // a policy is expected, but the handle is for a file, or the other way round
	Argument Code = 3 // an argument has a value that is not allowed
	TooLarge Code = 4 // a robots.txt is larger than MaxBody
	Full     Code = 5 // there are too many objects
	Failed   Code = 6 // Heed has a bug
	Forked   Code = 7 // only in the C library: Go cannot run in a process that fork has made
)

// An Error says why there is no answer. Its text is safe to print.
type Error struct {
	Code Code
	text string
}

func (e *Error) Error() string { return e.text }

var (
	errClosed   = &Error{Closed, "this file or policy is closed, or there never was one with this handle"}
	errNoPolicy = &Error{Kind, "the handle is of a file; expected that of a policy"}
	errNoFile   = &Error{Kind, "the handle is of a policy; expected that of a file"}
	errLengths  = &Error{Argument, "the lengths of all strings together are not the length of the text"}
	errFull     = &Error{Full, "there are too many files and policies; close those that are not used"}
)

func wrong(format string, args ...any) error {
	return &Error{Argument, fmt.Sprintf(format, args...)}
}

func tooLarge(body []byte) error {
	return &Error{TooLarge, fmt.Sprintf("the robots.txt has %d bytes; expected at most %d", len(body), MaxBody)}
}

func rescueBytes(err *error, what string, input []byte) {
	if r := recover(); r != nil {
		*err = failed(r, what, string(input))
	}
}

func rescue(err *error, what string, inputs ...string) {
	if r := recover(); r != nil {
		*err = failed(r, what, inputs...)
	}
}

func failed(panicked any, what string, inputs ...string) error {
	text := fmt.Sprintf("a mistake in Heed, please report it: %s: %v", what, panicked)
	for _, each := range inputs {
		text += ", " + printable.Quote(each)
	}
	return &Error{Failed, text}
}
