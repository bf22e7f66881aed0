package crawlers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

const maxLine = 64 << 10

// Read reads a table, which has a JSON object on each line. For each wrong line, lineErrors has an error, such as "line
// 2: token: missing". Read stops at a line of more than 64 KiB. If r fails, err says why. Then t has the crawlers that
// Read read before the failure.
func Read(r io.Reader) (t *Table, lineErrors []error, err error) {
	t = &Table{byToken: map[string]int{}, byPart: map[string]int{}}
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
		if err := t.readLine(line); err != nil {
			lineErrors = append(lineErrors, fmt.Errorf("line %d: %w", number, err))
		}
	}
	if err = lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return t, append(lineErrors, fmt.Errorf("line %d is longer than %d KiB, so heed does not read it, or any line after it: make it shorter", number+1, maxLine>>10)), nil
	}
	return t, lineErrors, err
}

func (t *Table) readLine(line []byte) error {
	c, err := readRow(line)
	if err != nil {
		return err
	}
	if other, twice := t.Lookup(c.Token); twice {
		return fmt.Errorf("token: %q is in the table twice, first as %q: leave one of the two lines out", c.Token, other.Token)
	}
	t.add(c)
	return nil
}

type field struct {
	name     string
	expected string
	value    any
	check    func() error // also runs if the row has no such field
}

func readRow(line []byte) (Crawler, error) {
	var c Crawler
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(line, &given); err != nil {
		return c, fmt.Errorf(`expected a JSON object such as {"token":"ExampleBot",…}: %w`, err)
	}
	var as string // the value of "read_as", which is checked but not stored in a Crawler
	for _, f := range c.rowFields(&as) {
		raw, ok := given[f.name]
		delete(given, f.name)
		if ok {
			if err := json.Unmarshal(raw, f.value); err != nil {
				return c, fmt.Errorf("%s: expected %s, found %s", f.name, f.expected, start(raw))
			}
		}
		if err := f.check(); err != nil {
			return c, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if unknown := slices.Sorted(maps.Keys(given)); len(unknown) > 0 {
		return c, fmt.Errorf("%s: this field is unknown; correct its name, or leave it out", unknown[0])
	}
	return c, nil
}

// rowFields returns the fields of a row in reading order: the check of a field may use the fields before it.
func (c *Crawler) rowFields(as *string) []field {
	const text, texts, yesNo = "a string", "a list of strings", `"yes", "no" or "unknown"`
	none := func() error { return nil }
	return []field{
		{"token", text, &c.Token, c.checkToken},
		{"read_as", text, as, func() error { return c.checkReadAs(*as) }},
		{"operator", text, &c.Operator, func() error { return required(c.Operator) }},
		{"purposes", texts, &c.Purposes, c.checkPurposes},
		{"names", texts, &c.Names, c.checkNames},
		{"chain", texts, &c.Chain, c.checkChain},
		{"obeys", yesNo, &c.Obeys, none},
		{"wildcard", yesNo, &c.ObeysWildcard, none},
		{"crawls", yesNo, &c.Crawls, none},
		{"active", yesNo, &c.Active, none},
		{"ranges", text, &c.Ranges, c.checkRanges},
		{"hosts", texts, &c.Hosts, c.checkHosts},
		{"reads", texts, &c.Reads, func() error { return checkRecords(c.Reads) }},
		{"ignores", texts, &c.Ignores, c.checkIgnores},
		{"note", text, &c.Note, func() error { return oneLine(c.Note) }},
		{"source", "an object with url, by and read", &c.Source, c.Source.check},
		{"sources", "an object with fact names and their sources", &c.Sources, c.checkSources},
	}
}

func start(raw []byte) string {
	const maxShown = 60
	if len(raw) > maxShown {
		return string(raw[:maxShown]) + "…"
	}
	return string(raw)
}

var errMissing = errors.New("this field is missing or empty: give it a value")

func required(text string) error {
	if strings.TrimSpace(text) == "" {
		return errMissing
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

// checkName rejects product tokens with characters that lists of crawlers use, such as "," and ":" in "a,b-news:b,@search".
func checkName(token string) error {
	switch {
	case len(token) > maxToken:
		return fmt.Errorf("expected a token of at most %d characters, found %d characters", maxToken, len(token))
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`,:@/();"*`, r) }):
		return fmt.Errorf(`expected a token without spaces, and without the characters , : @ / ( ) ; " *; found %q`, token)
	case ascii.ToLower(token) == "known" || slices.Contains(Purposes(), Purpose(ascii.ToLower(token))):
		return fmt.Errorf("%q cannot be a token, because it is the name of a set of crawlers: give another token", token)
	}
	return nil
}

// checkReadAs requires "read_as" if programs read the token in a User-agent line as another name, such as "MJ".
func (c *Crawler) checkReadAs(as string) error {
	expected := c.ReadAs()
	if as == expected || as == "" && expected == c.Token {
		return nil
	}
	return fmt.Errorf("expected %q, found %q, because crawlers read a User-agent line with %s only up to the first character that is not a letter, \"_\" or \"-\"", expected, as, c.Token)
}

func (c *Crawler) checkPurposes() error {
	if len(c.Purposes) == 0 {
		return errMissing
	}
	for _, p := range c.Purposes {
		if !slices.Contains(Purposes(), p) {
			return fmt.Errorf("unknown purpose %q; expected one or more of %s", p, strings.Join(printable.Words(Purposes()), ", "))
		}
	}
	return nil
}

func (c *Crawler) checkNames() error {
	for _, name := range c.Names {
		if err := required(name); err != nil {
			return err
		}
		if len(name) > maxToken || strings.ContainsAny(name, "#:") {
			return fmt.Errorf(`expected a name of at most %d characters, without "#" and ":"; found %q`, maxToken, name)
		}
	}
	return nil
}

func (c *Crawler) checkChain() error {
	if c.Chain == nil {
		return nil
	}
	if len(c.Chain) == 0 || c.Chain[0] != c.Token {
		return fmt.Errorf("expected a list of tokens that begins with the token of this line, %q", c.Token)
	}
	seen := map[string]bool{}
	for _, token := range c.Chain {
		if err := checkName(token); err != nil {
			return err
		}
		if seen[ascii.ToLower(token)] {
			return errTwice(token)
		}
		seen[ascii.ToLower(token)] = true
	}
	return nil
}

func (c *Crawler) checkRanges() error {
	if c.Ranges != "" && !isAddress(c.Ranges) {
		return fmt.Errorf("expected a URL such as https://example.com/bot.json, found %q", c.Ranges)
	}
	return nil
}

func errTwice(item string) error { return fmt.Errorf("%q is in the list twice: leave one out", item) }

func (c *Crawler) checkHosts() error {
	for i, host := range c.Hosts {
		if !isDomain(host) {
			return fmt.Errorf(`expected a domain in lower case, such as "example.com"; found %q`, host)
		}
		if slices.Contains(c.Hosts[:i], host) {
			return errTwice(host)
		}
	}
	return nil
}

func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		odd := strings.ContainsFunc(label, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
		if label == "" || odd || strings.Trim(label, "-") != label {
			return false
		}
	}
	return len(labels) > 1
}

func checkRecords(names []string) error {
	for _, name := range names {
		if name == "" || name != ascii.ToLower(name) || strings.ContainsAny(name, " :") {
			return fmt.Errorf(`expected the key of a line in lower case, such as "crawl-delay"; found %q`, name)
		}
	}
	return nil
}

func (c *Crawler) checkIgnores() error {
	for _, name := range c.Ignores {
		if slices.Contains(c.Reads, name) {
			return fmt.Errorf(`%q is in "reads" and in "ignores": leave it out of one of them`, name)
		}
	}
	return checkRecords(c.Ignores)
}

// isAddress reports whether a text looks like a URL. It does not use the package net/url, so that the program for browsers
// stays small.
func isAddress(s string) bool {
	scheme, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	odd := strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	return (scheme == "https" || scheme == "http") && host != "" && !odd
}

func isDay(s string) bool {
	const form = "0000-00-00"
	if len(s) != len(form) {
		return false
	}
	for i := range form {
		if isDigit := s[i] >= '0' && s[i] <= '9'; isDigit != (form[i] == '0') || !isDigit && s[i] != '-' {
			return false
		}
	}
	return s[5:7] >= "01" && s[5:7] <= "12" && s[8:] >= "01" && s[8:] <= "31"
}

func (s *Source) check() error {
	if *s == (Source{}) {
		return errors.New("each fact needs a source: expected the fields \"url\", \"by\" and \"read\"")
	}
	if !isAddress(s.URL) {
		return fmt.Errorf("url: expected a URL such as https://example.com/bot, found %q", s.URL)
	}
	if s.By != ByOperator && s.By != ByOthers {
		return fmt.Errorf("by: expected %q or %q, found %q", ByOperator, ByOthers, s.By)
	}
	if !isDay(s.Read) {
		return fmt.Errorf("read: expected a day such as 2026-11-21, found %q", s.Read)
	}
	if s.Dated != "" && !isDay(s.Dated) {
		return fmt.Errorf("dated: expected a day such as 2026-11-21, or nothing, found %q", s.Dated)
	}
	return nil
}

func (c *Crawler) checkSources() error {
	given := map[string]bool{
		"operator": true, "purposes": true, "note": c.Note != "", "names": c.Names != nil,
		"chain": c.Chain != nil, "reads": c.Reads != nil, "ignores": c.Ignores != nil,
		"obeys": c.Obeys != Unknown, "wildcard": c.ObeysWildcard != Unknown,
		"crawls": c.Crawls != Unknown, "active": c.Active != Unknown,
		"ranges": c.Ranges != "", "hosts": c.Hosts != nil,
	}
	for _, fact := range slices.Sorted(maps.Keys(c.Sources)) {
		s := c.Sources[fact]
		if !given[fact] {
			return fmt.Errorf("there is a source for %q, but the row does not have this field: leave the source out, or add the field", fact)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("%s: %w", fact, err)
		}
	}
	return nil
}
