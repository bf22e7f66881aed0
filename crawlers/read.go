package crawlers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A RowError says what is wrong with a line of a table.
type RowError struct {
	Line  int    // from 1
	Field string // the field's name in JSON; "" where the line as a whole is wrong
	Err   error
}

// Error returns the line, the field and what is wrong.
func (e *RowError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d: %s: %v", e.Line, e.Field, e.Err)
}

// Unwrap returns what is wrong, without the place.
func (e *RowError) Unwrap() error { return e.Err }

// maxLine bounds a line of a table, in bytes.
const maxLine = 64 << 10

// Read reads a table, as JSON lines; empty lines and a byte-order mark are skipped. Where lines are wrong, it
// returns the table of the others, and an error that has a RowError for each of them. Only
// where r fails, or a line is longer than 64 KiB, what follows is not read; the error
// says so too.
func Read(r io.Reader) (*Table, error) {
	t := &Table{byToken: map[string]int{}}
	var wrong []error
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			continue
		}
		if err := t.read(line); err != nil {
			err.Line = number
			wrong = append(wrong, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		wrong = append(wrong, &RowError{Line: number + 1, Err: fmt.Errorf("expected at most %d KiB; nothing from here on is read", maxLine>>10)})
	case err != nil:
		wrong = append(wrong, err)
	}
	return t, errors.Join(wrong...)
}

// read adds the crawler of a line.
func (t *Table) read(line []byte) *RowError {
	c, err := readRow(line)
	if err != nil {
		return err
	}
	if other, twice := t.Lookup(c.Token); twice {
		return inField("token", "%q stands in the table already, as %q", c.Token, other.Token)
	}
	t.put(c)
	return nil
}

func inField(field, format string, args ...any) *RowError {
	return &RowError{Field: field, Err: fmt.Errorf(format, args...)}
}

// A field is one of a row: where its value goes, and what is wrong with the value.
type field struct {
	name, expected string
	value          any
	check          func() error
}

func readRow(line []byte) (Crawler, *RowError) {
	var c Crawler
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(line, &given); err != nil {
		return c, &RowError{Err: fmt.Errorf(`expected a JSON object such as {"token":"ExampleBot",…}: %w`, err)}
	}
	as := ""
	for _, f := range c.fields(&as) {
		raw, ok := given[f.name]
		delete(given, f.name)
		if ok {
			if err := json.Unmarshal(raw, f.value); err != nil {
				return c, inField(f.name, "expected %s, found %s", f.expected, start(raw))
			}
		}
		if err := f.check(); err != nil {
			return c, &RowError{Field: f.name, Err: err}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		return c, inField(name, "there is no such field")
	}
	return c, nil
}

// fields returns the fields of a row in the order in which they are read; as is where
// "read_as" goes.
func (c *Crawler) fields(as *string) []field {
	const text, texts, answer = "a text", "a list of texts", `"yes", "no" or "unknown"`
	none := func() error { return nil }
	return []field{
		{"token", text, &c.Token, c.checkToken},
		{"read_as", text, as, func() error { return c.checkReadAs(*as) }},
		{"operator", text, &c.Operator, func() error { return required(c.Operator) }},
		{"purposes", texts, &c.Purposes, c.checkPurposes},
		{"chain", texts, &c.Chain, c.checkChain},
		{"obeys", answer, &c.Obeys, none},
		{"wildcard", answer, &c.ObeysWildcard, none},
		{"crawls", answer, &c.Crawls, none},
		{"reads", texts, &c.Reads, func() error { return checkRecords(c.Reads) }},
		{"ignores", texts, &c.Ignores, c.checkIgnores},
		{"note", text, &c.Note, func() error { return oneLine(c.Note) }},
		{"source", "an object with url, by and read", &c.Source, c.Source.check},
		{"sources", "an object with a source for each fact's name", &c.Sources, c.checkSources},
	}
}

// start returns the start of a value, for an error.
func start(raw []byte) string {
	const most = 60
	if len(raw) > most {
		return string(raw[:most]) + "…"
	}
	return string(raw)
}

func required(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is missing")
	}
	return oneLine(text)
}

func oneLine(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("expected one line of text, found %q", text)
	}
	return nil
}

func (c *Crawler) checkToken() error {
	if err := required(c.Token); err != nil {
		return err
	}
	return checkName(c.Token)
}

// checkName refuses tokens that -a and the names of sets would read as something else.
func checkName(token string) error {
	switch {
	case len(token) > maxToken:
		return fmt.Errorf("expected at most %d characters, found %d", maxToken, len(token))
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`,:@/();"*`, r) }):
		return fmt.Errorf(`expected a name without spaces and without any of , : @ / ( ) ; " *, found %q`, token)
	case lowerText(token) == "known" || slices.Contains(Purposes(), Purpose(lowerText(token))):
		return fmt.Errorf("%q is the name of a set of crawlers", token)
	}
	return nil
}

// checkReadAs demands that a row says so where lines are not read as its token stands.
func (c *Crawler) checkReadAs(as string) error {
	if as == c.ReadAs() || as == "" && c.ReadAs() == c.Token {
		return nil
	}
	return fmt.Errorf("a line that names %s is read as %q, up to the first character that is no letter, \"_\" or \"-\"; expected that here, found %q", c.Token, c.ReadAs(), as)
}

func (c *Crawler) checkPurposes() error {
	if len(c.Purposes) == 0 {
		return errors.New("it is missing")
	}
	for _, p := range c.Purposes {
		if !slices.Contains(Purposes(), p) {
			return fmt.Errorf("%q is unknown; expected some of %s", p, purposeNames())
		}
	}
	return nil
}

func purposeNames() string {
	var names []string
	for _, p := range Purposes() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func (c *Crawler) checkChain() error {
	if c.Chain == nil {
		return nil
	}
	if len(c.Chain) == 0 || c.Chain[0] != c.Token {
		return fmt.Errorf("expected %q first", c.Token)
	}
	seen := map[string]bool{}
	for _, token := range c.Chain {
		if err := checkName(token); err != nil {
			return err
		}
		if seen[lowerText(token)] {
			return fmt.Errorf("%q stands in it twice", token)
		}
		seen[lowerText(token)] = true
	}
	return nil
}

func checkRecords(names []string) error {
	for _, name := range names {
		if name == "" || name != lowerText(name) || strings.ContainsAny(name, " :") {
			return fmt.Errorf(`expected names of records in lower case, such as "crawl-delay", found %q`, name)
		}
	}
	return nil
}

func (c *Crawler) checkIgnores() error {
	for _, name := range c.Ignores {
		if slices.Contains(c.Reads, name) {
			return fmt.Errorf(`%q stands in "reads" too`, name)
		}
	}
	return checkRecords(c.Ignores)
}

func (s *Source) check() error {
	if *s == (Source{}) {
		return errors.New("it is missing: no fact without a source")
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("url: expected one such as https://example.com/bot, found %q", s.URL)
	}
	if s.By != ByOperator && s.By != ByOthers {
		return fmt.Errorf("by: expected %q or %q, found %q", ByOperator, ByOthers, s.By)
	}
	if _, err := time.Parse(time.DateOnly, s.Read); err != nil {
		return fmt.Errorf("read: expected a day such as 2026-11-21, found %q", s.Read)
	}
	if _, err := time.Parse(time.DateOnly, s.Dated); err != nil && s.Dated != "" {
		return fmt.Errorf("dated: expected a day such as 2026-11-21, or nothing, found %q", s.Dated)
	}
	return nil
}

func (c *Crawler) checkSources() error {
	facts := map[string]bool{ // those that the row has
		"operator": true, "purposes": true, "note": c.Note != "",
		"chain": c.Chain != nil, "reads": c.Reads != nil, "ignores": c.Ignores != nil,
		"obeys": c.Obeys != Unknown, "wildcard": c.ObeysWildcard != Unknown,
		"crawls": c.Crawls != Unknown,
	}
	for _, fact := range slices.Sorted(maps.Keys(c.Sources)) {
		s := c.Sources[fact]
		if !facts[fact] {
			return fmt.Errorf("the row has no fact %q", fact)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("%s: %w", fact, err)
		}
	}
	return nil
}
