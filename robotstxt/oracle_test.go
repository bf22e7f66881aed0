package robotstxt

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// This is a slow second implementation of the five dialects, for comparison in
// tests. It was written from the documents and the requirements only. It shares
// no name, no table and no helper with the code under test.

// oracle decides according to the documents. dialect is "standard1994", "draft1996",
// "draft2019", "rfc9309" or "google". agents are the product tokens of one
// crawler, most specific first (for google: raw strings). target is any string
// for google; for the others an absolute URL or a path that starts with "/",
// and ok is false when it is neither. line is that of the deciding rule, 0 if
// there is none.
func oracle(dialect string, body []byte, agents []string, target string) (allowed bool, line int, ok bool) {
	if dialect == "google" {
		allowed, line = oracleGoogle(body, agents, target)
		return allowed, line, true
	}
	path, ok := oracleTargetPath(target)
	if !ok {
		return false, 0, false
	}
	switch dialect {
	case "standard1994":
		allowed, line = oracle1994(body, agents, path)
	case "draft1996":
		allowed, line = oracle1996(body, agents, path)
	case "draft2019":
		allowed, line = oracleREP(body, agents, path, true)
	case "rfc9309":
		allowed, line = oracleREP(body, agents, path, false)
	default:
		panic(fmt.Sprintf("oracle: unknown dialect %q", dialect))
	}
	return allowed, line, true
}

// ------------------------------------------------ what the dialects have in common

// oracleLines splits at LF, CR and CRLF; the text behind the last line end is a line
// too (L-1, L-2, S94-2, S96-8). A byte-order mark at offset 0, or the beginning of
// one, is skipped (L-4, R-17, G-9). Lines behind the limit, and a line that the
// limit cuts, are left out (R-19, S96-8).
func oracleLines(body []byte, limit int) []string {
	start := 0
	for start < len(body) && start < 3 && body[start] == "\xEF\xBB\xBF"[start] {
		start++
	}
	var lines []string
	for i := start; i <= len(body); i++ {
		if i < len(body) && body[i] != '\r' && body[i] != '\n' {
			continue
		}
		if start >= limit || i > limit {
			break
		}
		lines = append(lines, string(body[start:i]))
		if i+1 < len(body) && body[i] == '\r' && body[i+1] == '\n' {
			i++
		}
		start = i + 1
	}
	return lines
}

const oracleLimit = 500 * 1024 // bytes, in every dialect but google (R-19, L-6)

// oracleSpace is trimmed in every dialect (K-2); oracleSpaceREP, which also has all control
// bytes, in the 2019 draft and the RFC.
const oracleSpace = " \t\n\v\f\r"

const oracleSpaceREP = oracleSpace + "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0E\x0F\x10\x11\x12\x13" +
	"\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x7F"

// oracleKeyValue drops the comment (S94-4, K-1) and splits at the first colon (K-3). If
// withoutColon is true, it also splits exactly two words (K-4, R-17).
func oracleKeyValue(text, space string, withoutColon bool) (key, value string) {
	text, _, _ = strings.Cut(text, "#")
	text = strings.Trim(text, space)
	if key, value, found := strings.Cut(text, ":"); found {
		return oracleLower(strings.Trim(key, space)), strings.Trim(value, space)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if withoutColon && len(words) == 2 {
		return oracleLower(strings.Trim(words[0], space)), strings.Trim(words[1], space)
	}
	return "", ""
}

type oracleRule struct {
	line  int // from 1
	allow bool
	value string // as written in the file
}

// oracleGroup is a group. The older documents call it a record.
type oracleGroup struct {
	agents []string // values of the user-agent lines
	closed bool     // there was an allow or disallow line, with a value or without
	rules  []oracleRule
}

// oracleGroups returns the groups of a file: one or more user-agent lines, then rules.
// A user-agent line after a rule starts a new group. A rule outside any group is
// ignored, and so is every other line (S94-3, S94-5, R-1, R-4, R-11, A-1, A-2). read
// returns the key as "user-agent", "allow" or "disallow", or another key. In the two older documents
// a blank line ends the record (S94-2).
func oracleGroups(lines []string, blankEnds bool, read func(text string) (key, value string)) []oracleGroup {
	var groups []oracleGroup
	open := false
	for i, text := range lines {
		if blankEnds && strings.Trim(text, oracleSpace) == "" { // not so a line with a comment (S94-4)
			open = false
			continue
		}
		key, value := read(text)
		last := len(groups) - 1
		switch key {
		case "user-agent":
			if !open || groups[last].closed {
				groups = append(groups, oracleGroup{})
				open, last = true, last+1
			}
			groups[last].agents = append(groups[last].agents, value)
		case "allow", "disallow":
			if open {
				groups[last].closed = true
				groups[last].rules = append(groups[last].rules, oracleRule{i + 1, key == "allow", value})
			}
		}
	}
	return groups
}

// oracleRulesFor returns the rules of the groups that name the first agent; if there are
// none, of those that name the second, and so on; at last of the groups for everyone (S94-6,
// S94-7, S96-2, R-3, A-3, A-8, A-9). In some dialects only the first such group applies.
func oracleRulesFor(groups []oracleGroup, agents []string, names func(value, agent string) bool, firstNamed bool,
	everyone func(value string) bool, firstEveryone bool) []oracleRule {
	rules := func(test func(value string) bool, first bool) (rules []oracleRule, found bool) {
		for _, g := range groups {
			if slices.ContainsFunc(g.agents, test) && !(first && found) {
				rules, found = append(rules, g.rules...), true
			}
		}
		return rules, found
	}
	for _, agent := range agents {
		named, found := rules(func(value string) bool { return names(value, oracleLower(agent)) }, firstNamed)
		if found {
			return named
		}
	}
	common, _ := rules(everyone, firstEveryone)
	return common
}

// oracleLower is lower case for A-Z and for nothing else.
func oracleLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

const (
	oracleLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	oracleDigits  = "0123456789"
)

// oracleByte returns s[i], or the byte of a well-formed %xx there, and where the
// next one begins.
func oracleByte(s string, i int) (char byte, encoded bool, next int) {
	if s[i] == '%' && i+2 < len(s) {
		if decoded, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
			return decoded[0], true, i + 3
		}
	}
	return s[i], false, i + 1
}

// oracleTargetPath returns path and query, without the fragment.
func oracleTargetPath(target string) (path string, ok bool) {
	target, _, _ = strings.Cut(target, "#")
	if strings.HasPrefix(target, "/") {
		return target, true
	}
	scheme, rest, found := strings.Cut(target, "://")
	if !found || scheme == "" || !strings.Contains(oracleLetters, scheme[:1]) ||
		strings.Trim(scheme, oracleLetters+oracleDigits+"+-.") != "" {
		return "", false
	}
	end := strings.IndexAny(rest+"/", "/?")
	if end == 0 {
		return "", false // no authority
	}
	path = rest[end:]
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // it was "" or "?query"
	}
	return path, true
}

// ------------------------------------ the 1994 standard and the 1996 draft

// oracleRecord returns the rules of the first record that names the crawler, else
// of the first for "*" (S94-6, S94-7, S96-2). Versions of names are ignored.
func oracleRecord(records []oracleGroup, agents []string, names func(name, agent string) bool) []oracleRule {
	nameIn := func(value string) string {
		name, _, _ := strings.Cut(value, "/")
		return oracleLower(strings.TrimRight(name, " \t\n\v\f\r"))
	}
	return oracleRulesFor(records, agents, func(value, agent string) bool {
		name := nameIn(value)
		return name != "" && name != "*" && names(name, agent)
	}, true, func(value string) bool { return nameIn(value) == "*" }, true)
}

func oracle1994(body []byte, agents []string, pathAndQuery string) (allowed bool, line int) {
	records := oracleGroups(oracleLines(body, oracleLimit), true, func(text string) (key, value string) {
		key, value = oracleKeyValue(text, oracleSpace, false)
		if key == "allow" {
			key = "unknown" // S94-3
		}
		return key, value
	})
	rules := oracleRecord(records, agents, func(name, agent string) bool {
		return strings.Contains(agent, name) // S94-6
	})
	for _, r := range rules {
		if r.value != "" && strings.HasPrefix(pathAndQuery, r.value) { // S94-8, S94-9
			return false, r.line
		}
	}
	return true, 0
}

func oracle1996(body []byte, agents []string, pathAndQuery string) (allowed bool, line int) {
	records := oracleGroups(oracleLines(body, oracleLimit), true, func(text string) (key, value string) {
		return oracleKeyValue(text, oracleSpace, false)
	})
	rules := oracleRecord(records, agents, func(name, agent string) bool {
		return name == agent // S96-2
	})
	path, _, _ := strings.Cut(pathAndQuery, "?") // S96-4
	bytes := oracleDecode1996(path)
	for _, r := range rules { // S96-3: in file order
		pattern := oracleDecode1996(r.value)
		if r.value != "" && len(pattern) <= len(bytes) && slices.Equal(pattern, bytes[:len(pattern)]) {
			return r.allow, r.line
		}
	}
	return true, 0
}

const oracleEncodedSlash = -1 // equals nothing but itself

// oracleDecode1996 decodes every %xx except the slash (S96-4).
func oracleDecode1996(s string) []int {
	var bytes []int
	for i := 0; i < len(s); {
		char, encoded, next := oracleByte(s, i)
		if encoded && char == '/' {
			bytes = append(bytes, oracleEncodedSlash)
		} else {
			bytes = append(bytes, int(char))
		}
		i = next
	}
	return bytes
}

// ------------------------------------------- the 2019 draft and RFC 9309

// oracleMeant maps each spelling of a key, right or wrong, to the key (R-17, K-6).
var oracleMeant = map[string]string{
	"user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
	"allow": "allow", "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow",
	"disalow": "disallow", "diasllow": "disallow", "disallaw": "disallow",
}

// oracleProductToken returns the letters, "_" and "-" with which the value begins
//
func oracleProductToken(value string) string {
	rest := strings.TrimLeft(value, oracleLetters+"_-")
	return oracleLower(strings.TrimSuffix(value, rest))
}

// oracleIsEveryone reports whether the value is "*", alone or with white space behind
// it.
func oracleIsEveryone(value string) bool {
	return value == "*" || len(value) > 1 && value[0] == '*' && strings.IndexByte(oracleSpace, value[1]) >= 0
}

func oracleREP(body []byte, agents []string, pathAndQuery string, firstStarOnly bool) (allowed bool, line int) {
	uri := ""
	for i := 0; i < len(pathAndQuery); {
		canonical, next := oracleCanonical(pathAndQuery, i)
		uri, i = uri+canonical, next
	}
	if uri == "/robots.txt" {
		return true, 0
	}
	groups := oracleGroups(oracleLines(body, oracleLimit), false, func(text string) (key, value string) {
		key, value = oracleKeyValue(text, oracleSpaceREP, true)
		return oracleMeant[key], value // the whole key
	})
	rules := oracleRulesFor(groups, agents, func(value, agent string) bool {
		token := oracleProductToken(value)
		return token != "" && token == agent
	}, false, oracleIsEveryone, firstStarOnly) // D-1
	best, bestLength := oracleRule{allow: true}, 0 // no match: allowed
	for _, r := range rules {
		if !strings.HasPrefix(r.value, "/") && !strings.HasPrefix(r.value, "*") {
			continue
		}
		pattern, anchored := oraclePatternREP(r.value)
		length := len(pattern)
		if anchored {
			length++
		}
		better := length > bestLength || length == bestLength && r.allow && !best.allow
		if better && oracleMatches(pattern, anchored, uri) {
			best, bestLength = r, length
		}
	}
	return best.allow, best.line
}

// oracleCanonical returns the canonical form of the character at s[i], which may be
// a %xx, and where the next one begins.
func oracleCanonical(s string, i int) (canonical string, next int) {
	c, encoded, next := oracleByte(s, i)
	raw := string([]byte{c})
	switch {
	case strings.Contains(oracleLetters+oracleDigits+"-._~", raw): // unreserved
		return raw, next
	case strings.Contains(":[]@!'()+,;", raw): // reserved
		return raw, next
	case strings.Contains("/?#&=", raw) && !encoded: // reserved, with structure
		return raw, next
	case raw == "%" && !encoded: // a broken escape
		return raw, next
	}
	// Others are escaped, also "*" and "$": they must differ from the special ones of patterns.
	return fmt.Sprintf("%%%02X", c), next
}

// Elements of a pattern that are no bytes.
const (
	oracleStar        = -1
	oracleEitherSlash = -2 // "/" and "%2F" alike, behind a literal "?"
)

// oraclePatternREP returns the canonical form without a "$" at the end, and whether there
// was one.
func oraclePatternREP(value string) (pattern []int, anchored bool) {
	value, anchored = strings.CutSuffix(value, "$")
	inQuery := false
	for i := 0; i < len(value); {
		if value[i] == '*' {
			pattern = append(pattern, oracleStar)
			i++
			continue
		}
		inQuery = inQuery || value[i] == '?'
		var canonical string
		canonical, i = oracleCanonical(value, i)
		if inQuery && (canonical == "/" || canonical == "%2F") {
			pattern = append(pattern, oracleEitherSlash)
			continue
		}
		for _, char := range []byte(canonical) {
			pattern = append(pattern, int(char))
		}
	}
	return pattern, anchored
}

// oracleMatches keeps, for the elements of the pattern so far, the set of all places
// in the path at which a match may end (R-9, M-1). It compares bytes.
func oracleMatches(pattern []int, anchored bool, path string) bool {
	reached, next := make([]bool, len(path)+1), make([]bool, len(path)+1)
	reached[0] = true
	for _, element := range pattern {
		clear(next)
		for at := 0; at <= len(path); at++ {
			rest := path[at:]
			switch {
			case element == oracleStar:
				next[at] = reached[at] || at > 0 && next[at-1]
			case !reached[at] || rest == "":
			case element == oracleEitherSlash && strings.HasPrefix(rest, "%2F"):
				next[at+3] = true
			case element == int(rest[0]), element == oracleEitherSlash && rest[0] == '/':
				next[at+1] = true
			}
		}
		reached, next = next, reached
		if !slices.Contains(reached, true) {
			return false
		}
	}
	return !anchored || reached[len(path)]
}

// ------------------------------------------------------------------ Google

// oracleEscapeGoogle escapes a value as in K-8.
func oracleEscapeGoogle(value string) string {
	escaped := ""
	for i := 0; i < len(value); {
		char, encoded, next := oracleByte(value, i)
		if encoded || char >= 0x80 {
			escaped += fmt.Sprintf("%%%02X", char)
		} else {
			escaped += value[i:next]
		}
		i = next
	}
	return escaped
}

func oracleMatchesGoogle(pattern, path string) bool { // M-1, M-2
	pattern, anchored := strings.CutSuffix(pattern, "$")
	elements := make([]int, len(pattern))
	for i, c := range []byte(pattern) {
		elements[i] = int(c)
		if c == '*' {
			elements[i] = oracleStar
		}
	}
	return oracleMatches(elements, anchored, path)
}

func oracleGoogle(body []byte, agents []string, url string) (allowed bool, line int) {
	path := oraclePathGoogle(url)
	groups := oracleGroups(oracleLines(body, len(body)+1), false, func(text string) (key, value string) {
		text = text[:min(len(text), 16663)]    // L-3
		text, _, _ = strings.Cut(text, "\x00") // L-5
		key, value = oracleKeyValue(text, oracleSpace, true)
		for spelling, meant := range oracleMeant {
			if strings.HasPrefix(key, spelling) { // K-6
				return meant, value
			}
		}
		return "", ""
	})
	rules := oracleRulesFor(groups, agents, func(value, agent string) bool {
		return !oracleIsEveryone(value) && oracleProductToken(value) == agent
	}, false, oracleIsEveryone, false)
	// Priority and line of the best rule of either kind; -1 is no match.
	allowPriority, allowLine, disallowPriority, disallowLine := -1, 0, -1, 0
	for _, r := range rules {
		pattern := oracleEscapeGoogle(r.value)
		matches := oracleMatchesGoogle(pattern, path)
		if slash := strings.LastIndex(pattern, "/"); r.allow && !matches && slash >= 0 &&
			strings.HasPrefix(pattern[slash:], "/index.htm") { // M-6
			pattern = pattern[:slash+1] + "$"
			matches = oracleMatchesGoogle(pattern, path)
		}
		priority := len(pattern) // M-3
		switch {
		case matches && r.allow && priority > allowPriority:
			allowPriority, allowLine = priority, r.line
		case matches && !r.allow && priority > disallowPriority:
			disallowPriority, disallowLine = priority, r.line
		}
	}
	if disallowPriority > allowPriority { // M-4, M-10
		return disallowPriority == 0, disallowLine // M-5
	}
	return true, allowLine
}

// oraclePathGoogle returns the path of a URL as in U-1 to U-6.
func oraclePathGoogle(url string) string {
	url = strings.TrimPrefix(url, "//") // U-1
	start := 0
	if before, _, found := strings.Cut(url, "://"); found && !strings.ContainsAny(before, "/?;") {
		start = len(before + "://")
	}
	begin := strings.IndexAny(url[start:], "/?;") // U-3
	if begin < 0 {
		return "/"
	}
	begin += start
	end := strings.Index(url+"#", "#") // U-2
	if end < begin {
		return "/"
	}
	path, _, _ := strings.Cut(url[begin:end], "\x00") // U-6: the path is handed on as a C string
	if path[0] == '/' {
		return path
	}
	return "/" + path
}
