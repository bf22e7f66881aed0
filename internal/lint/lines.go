package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

func missingColon(f *file, report func(Finding)) {
	for i, line := range f.textLines() {
		b, ok := bareKeyOf(line)
		if !ok || line.Notes.Has(robotstxt.NotePastLimit) {
			continue
		}
		severity, problem := b.problem(line, f.googleLines[i])
		found := findingAt(line, b.key, problem)
		found.Severity = severity
		if b.sign != "" {
			found.Column, found.Length = b.end+1, len(b.sign)
		}
		found.Fix = f.newFix("write the colon", replacePart(line, b.end, len(b.sign), ":"))
		report(found)
	}
}

func ruleBeforeAgent(f *file, report func(Finding)) {
	var first robotstxt.Line
	rules, misspeltAgent := 0, false
	for _, line := range f.textLines() {
		if line.Kind == robotstxt.KindUserAgent {
			break
		}
		misspeltAgent = misspeltAgent || rightKey(line.Key) == "User-agent" || strings.HasSuffix(ascii.ToLower(line.Key), "user-agent")
		if isRule(line.Kind) {
			if rules == 0 {
				first = line
			}
			rules++
		}
	}
	if rules == 0 {
		return
	}
	message := "no User-agent line is before this rule, so every crawler ignores it"
	if rules > 1 {
		message = fmt.Sprintf("no User-agent line is before this rule and the %s, so every crawler ignores them", countText(rules-1, "next one", "next %d"))
	}
	found := findingAt(first, first.Key, message)
	if !misspeltAgent { // if a User-agent line is misspelt, the owner must correct this line, and need not add another one
		found.Fix = f.newFix(`write "User-agent: *" above it`, replacePart(first, bomLength(first), 0, "User-agent: *"+f.lineEnd))
	}
	report(found)
}

var conflictMarkers = []struct{ text, meaning string }{
	{"<<<<<<<", "one version begins here"},
	{"|||||||", "the common ancestor of both versions begins here"},
	{"=======", "the other version begins here"},
	{">>>>>>>", "the other version ends here"},
}

func mergeConflictMarker(f *file, report func(Finding)) {
	open := false
	for _, line := range f.lines {
		marker, ok := conflictMarker(line)
		if !ok {
			continue
		}
		text := conflictMarkers[marker].text
		begins, ends := marker == 0, marker == len(conflictMarkers)-1
		if begins || ends || open { // if no conflict is open, a line of "=" is only an ornament
			report(findingAt(line, text, "a merge conflict of git was not resolved: "+conflictMarkers[marker].meaning))
		}
		open = begins || open && !ends
	}
}

func conflictMarker(line robotstxt.Line) (int, bool) {
	text := textOf(line)
	for i, m := range conflictMarkers {
		if rest, ok := strings.CutPrefix(text, m.text); ok && (rest == "" || rest[0] == ' ') {
			return i, true
		}
	}
	return 0, false
}

func strayText(f *file, report func(Finding)) {
	var run []robotstxt.Line
	for _, line := range f.textLines() {
		if !isStray(line) {
			continue
		}
		if len(run) > 0 && run[len(run)-1].Number+1 != line.Number {
			f.reportStray(run, report)
			run = run[:0]
		}
		run = append(run, line)
	}
	if len(run) > 0 {
		f.reportStray(run, report)
	}
}

func isStray(line robotstxt.Line) bool {
	if line.Notes.Has(robotstxt.NotePastLimit) || strings.HasPrefix(line.Raw, garbledMark) {
		return false
	}
	if isBareURL(line) {
		return true
	}
	if line.Kind != robotstxt.KindInvalid && !(line.Kind == robotstxt.KindOther && line.Notes.Has(robotstxt.NoteMissingColon)) {
		return false
	}
	_, bare := bareKeyOf(line)
	_, marker := conflictMarker(line)
	return !bare && !marker
}

// isBareURL does not call address.IsHTTP: the web page downloads this package, and package address is large.
func isBareURL(line robotstxt.Line) bool {
	text := strings.TrimSpace(textOf(line))
	return line.Kind == robotstxt.KindOther && (ascii.HasPrefixFold(text, "http://") || ascii.HasPrefixFold(text, "https://"))
}

func (f *file) reportStray(run []robotstxt.Line, report func(Finding)) {
	text := strings.TrimSpace(textOf(run[0]))
	message := printable.Quote(text) + " is neither a record nor a comment, so crawlers ignore it"
	if len(run) > 1 {
		message += fmt.Sprintf(", and the %s", countText(len(run)-1, "next line", "next %d lines"))
	}
	isPath := func(line robotstxt.Line) bool { return strings.HasPrefix(strings.TrimSpace(textOf(line)), "/") }
	found := findingAt(run[0], text, message)
	switch {
	case slices.ContainsFunc(run, isPath):
		found.Message += "; a path needs a key, such as \"Disallow:\", in front"
		report(found)
		return
	case slices.ContainsFunc(run, isBareURL):
		found.Message += "; a URL needs a key, such as \"Sitemap:\", in front"
		report(found)
		return
	}
	var edits []Edit
	for _, line := range run {
		edits = append(edits, replacePart(line, bomLength(line), 0, "# "))
	}
	found.Fix = f.newFix("make it a comment", edits...)
	report(found)
}

const (
	googleLineLimit = 16663 // the number of bytes of a line that Google's parser reads
	yandexRuleLimit = 1024  // the number of characters of a rule that Yandex reads, according to the list of errors of Yandex
)

func lineTooLong(f *file, report func(Finding)) {
	for i, line := range f.textLines() {
		switch {
		case f.googleLines[i].Notes.Has(robotstxt.NoteCut):
			report(f.cutLine(line))
		case isRule(line.Kind) && utf8.RuneCountInString(line.Value) > yandexRuleLimit:
			report(findingAt(line, line.Value, fmt.Sprintf("the pattern has %d characters; for Yandex, more than %d are an error",
				utf8.RuneCountInString(line.Value), yandexRuleLimit)).withCrawlers(crawlernames.TokensOf(slices.Values(crawlersOf("Yandex")))))
		}
	}
}

func (f *file) cutLine(line robotstxt.Line) Finding {
	text := textOf(line)
	found := Finding{
		Line:    line.Number,
		Column:  bomLength(line) + googleLineLimit + 1,
		Message: fmt.Sprintf("the line has %d bytes; Google's parser uses the first %d", len(text), googleLineLimit),
	}
	record, comment, _ := strings.Cut(text, "#")
	switch record = strings.TrimRight(record, " \t"); {
	case len(record) <= googleLineLimit:
		found.Message += ", so it loses nothing but a part of a comment, or blanks"
		found.Fix = f.newFix("write the comment on lines of its own", replaceText(line, text, f.wrapped(comment)+record))
	case isRule(line.Kind):
		found.Message += fmt.Sprintf(", so the pattern ends in %s and matches more URLs", printable.Quote(text[googleLineLimit-20:googleLineLimit]))
	}
	return found
}

func (f *file) wrapped(comment string) string {
	const width = 100
	var b strings.Builder
	free := 0
	for _, word := range strings.Fields(comment) {
		if len(word) >= free {
			if b.Len() > 0 {
				b.WriteString(f.lineEnd)
			}
			b.WriteByte('#')
			free = width
		}
		b.WriteString(" " + word)
		free -= len(word) + 1
	}
	if b.Len() > 0 {
		b.WriteString(f.lineEnd)
	}
	return b.String()
}

var rightKeys = [...]struct {
	key             string
	maxWrongLetters int
}{
	{"User-agent", 2},
	{"Allow", 1}, // if two letters could be wrong, "follow" would be read as "Allow"
	{"Disallow", 2},
	{"Sitemap", 2},
	{"Crawl-delay", 2},
	{"Clean-param", 2},
	{"Content-Signal", 2},
	{"Content-Usage", 2},
	{"License", 1},
}

const longestMisspelling = 20

// rightKey("Dissallow") is "Disallow". For a right or an unknown key, the result is "".
func rightKey(key string) string {
	if len(key) > longestMisspelling {
		return ""
	}
	if _, known := record.Lookup(key); known {
		return ""
	}
	lower := ascii.ToLower(key)
	for _, right := range rightKeys {
		most := right.maxWrongLetters
		if ascii.HasPrefixFold(key, right.key) {
			most = 1 // "DisallowAI" is a key of its own, and not a misspelt Disallow
		}
		if wrong := spelling.Distance(lower, ascii.ToLower(right.key)); wrong == 0 {
			return ""
		} else if wrong <= most {
			return right.key
		}
	}
	return ""
}

func keyMisspelt(f *file, report func(Finding)) {
	for i, line := range f.textLines() {
		if line.Kind != robotstxt.KindOther && !line.Notes.Has(robotstxt.NoteTypo) {
			continue
		}
		right := rightKey(line.Key)
		if right == "" || isStray(line) || strings.ContainsFunc(line.Key, isInvisible) {
			continue
		}
		if bare, ok := bareKeyOf(line); ok && bare.key != line.Key {
			continue // the key is right, but the sign after it is not a colon
		}
		found := findingAt(line, line.Key, "")
		wrong := printable.Quote(line.Key)
		switch {
		case line.Notes.Has(robotstxt.NoteTypo):
			found.Message = fmt.Sprintf("%s is a misspelling of %s: Google and other lenient crawlers read it, strict ones ignore the line", wrong, right)
		case f.googleLines[i].Notes.Has(robotstxt.NoteKeyPrefix):
			found.Message = fmt.Sprintf("%s is no key: only Google's parser reads it as %s", wrong, keyOf(f.googleLines[i].Kind))
		default:
			found.Severity = Error
			found.Message = fmt.Sprintf("%s is no key, so crawlers ignore the line; probably it means %s", wrong, right)
		}
		right = inCaseOf(right, line.Key)
		found.Fix = f.newFix(fmt.Sprintf("write %q", right), replaceText(line, line.Key, right))
		report(found)
	}
}

func inCaseOf(key, model string) string {
	switch model {
	case ascii.ToLower(model):
		return ascii.ToLower(key)
	case strings.ToUpper(model):
		return strings.ToUpper(key)
	}
	return key
}

func keyOf(kind robotstxt.Kind) string {
	name := kind.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// A bareKey is a key without a colon after it.
type bareKey struct {
	key  string
	end  int    // the offset in Line.Raw of the first byte after the key
	sign string // what is written instead of the colon, such as ";"; "" if nothing is written
}

var notColons = []string{"：", "﹕", ";", "="}

func bareKeyOf(line robotstxt.Line) (b bareKey, ok bool) {
	if line.Kind != robotstxt.KindInvalid && line.Kind != robotstxt.KindOther && !line.Notes.Has(robotstxt.NoteMissingColon) {
		return b, false
	}
	text, _, _ := strings.Cut(textOf(line), "#")
	text = strings.TrimSpace(text)
	if b.key = keyAtStart(text); b.key == "" {
		return b, false
	}
	b.end = indexIn(line, text) + len(b.key)
	rest := text[len(b.key):]
	value := strings.TrimLeft(rest, " \t")
	for _, sign := range notColons {
		if strings.HasPrefix(value, sign) {
			b.sign, b.end = sign, b.end+len(rest)-len(value)
			return b, true
		}
	}
	switch {
	case value == "":
		return b, line.Kind == robotstxt.KindInvalid // the key is the only word of the line
	case strings.HasPrefix(value, ":"), rest == value:
		return b, false
	case line.Notes.Has(robotstxt.NoteMissingColon):
		return b, isProtocolKey(b.key) || line.Notes.Has(robotstxt.NoteTypo) || looksLikeValue(value)
	}
	return b, looksLikeValue(value)
}

func keyAtStart(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 || !ascii.IsLetter(byte(r)) && r != '-' && r != '_' })
	if end < 0 {
		end = len(text)
	}
	word := text[:end]
	if _, known := record.Lookup(word); known || isProtocolKey(word) || rightKey(word) != "" {
		return word
	}
	return ""
}

func isProtocolKey(word string) bool {
	for _, right := range rightKeys {
		if ascii.EqualFold(word, right.key) {
			return true
		}
	}
	return false
}

func looksLikeValue(text string) bool {
	return text[0] == '/' || text[0] == '*' || ascii.IsDigit(text[0]) || isURL(text)
}

func (b bareKey) problem(line, googleLine robotstxt.Line) (Severity, string) {
	problem := "no colon after " + printable.Quote(b.key)
	if b.sign != "" {
		problem = fmt.Sprintf("%s after %s is no colon", printable.Quote(b.sign), printable.Quote(b.key))
	}
	isLenient := b.sign == "" && line.Notes.Has(robotstxt.NoteMissingColon)
	switch isMeant := b.isMeant(line, googleLine); {
	case isMeant && isLenient && (rightKey(b.key) == "" || line.Notes.Has(robotstxt.NoteTypo)):
		return Warning, problem + ": Google and other lenient crawlers read the line, strict ones ignore it"
	case isMeant && isProtocolKind(googleLine.Kind):
		return Warning, problem + ": only Google's parser reads the line"
	case !isMeant && isProtocolKind(googleLine.Kind):
		return Error, fmt.Sprintf("%s: Google's parser reads the line as %s", problem, printable.Quote(keyOf(googleLine.Kind)+": "+googleLine.Value))
	case b.sign != "" || isLenient || line.Kind == robotstxt.KindInvalid:
		return Error, problem + ", so crawlers ignore the line"
	}
	return Error, fmt.Sprintf("%s: the first colon of the line is taken, and the key is read as %s", problem, printable.Quote(line.Key))
}

// isMeant reports whether Google's parser reads a line as it reads the line with a colon.
func (b bareKey) isMeant(line, googleLine robotstxt.Line) bool {
	withColon := line.Raw[:b.end] + ":" + line.Raw[b.end+len(b.sign):]
	for meant := range robotstxt.ParseString(withColon, robotstxt.Google).Lines() {
		return googleLine.Kind == meant.Kind && googleLine.Value == meant.Value
	}
	return false
}

func isProtocolKind(kind robotstxt.Kind) bool {
	return kind != robotstxt.KindInvalid && kind != robotstxt.KindOther
}

func keyPrefixSwallowed(f *file, report func(Finding)) {
	byGroup := map[int][]string{}
	for i, line := range f.textLines() {
		google := f.googleLines[i]
		if !google.Notes.Has(robotstxt.NoteKeyPrefix) || google.Notes.Has(robotstxt.NoteOutsideGroup) || google.Kind == robotstxt.KindSitemap {
			continue // a key such as Sitemap-news probably means a sitemap
		}
		if _, bare := bareKeyOf(line); bare || rightKey(line.Key) != "" {
			continue
		}
		found := findingAt(line, line.Key, fmt.Sprintf("Google's parser reads this line as %s; for RFC 9309, %s is an unknown record",
			printable.Quote(keyOf(google.Kind)+": "+google.Value), printable.Quote(line.Key)))
		if _, known := byGroup[google.Group]; !known {
			byGroup[google.Group] = f.googleCrawlers(google.Group)
		}
		found.Crawlers = byGroup[google.Group]
		report(found)
	}
}

func (f *file) googleCrawlers(group int) (tokens []string) {
	groups := slices.Collect(f.google.Groups())
	agents := groups[group-1].Agents
	for _, c := range crawlersOf("Google") {
		if slices.Contains(f.google.Agent(c.Agents()...).GroupsThatApply(), group-1) {
			tokens = append(tokens, c.Token)
		}
	}
	if len(tokens) > 0 {
		return tokens
	}
	for _, a := range agents {
		if a.Name != "" && !a.Everyone {
			tokens = append(tokens, a.Name)
		}
	}
	return tokens
}

// crawlersOf leaves out crawlers that do not follow robots.txt.
func crawlersOf(operator string) (all []crawlers.Crawler) {
	for c := range crawlers.Known().All() {
		if c.Operator == operator && c.Obeys != crawlers.No && !isPurposeToken(c.Token) {
			all = append(all, c)
		}
	}
	return all
}
