package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// lineRules returns the rules about single lines: their keys and their form. It is a function for
// the same reason as wholeRules.
func lineRules() []Rule {
	return []Rule{
		{
			Code: "missing-colon", Severity: Error,
			Summary: "A line has no colon between key and value.",
			Why: "RFC 9309 demands the colon. If the line has exactly two words, Google's parser and others that are lenient read it all the same. " +
				"Strict crawlers ignore the line, and with more words, or with another sign in place of the colon, all crawlers do.",
			Mend:  "Write a colon behind the key.",
			Bad:   "User-agent: *\nDisallow /private/\n",
			Good:  "User-agent: *\nDisallow: /private/\n",
			check: missingColon,
		},
		{
			Code: "rule-before-agent", Severity: Error,
			Summary: "A rule is before the first User-agent line.",
			Why:     "Rules belong to the User-agent lines before them. A rule before the first one is ignored by every crawler (RFC 9309).",
			Mend:    "Write a User-agent line above it, such as \"User-agent: *\".",
			Bad:     "Disallow: /private/\nUser-agent: *\nDisallow: /tmp/\n",
			Good:    "User-agent: *\nDisallow: /private/\nDisallow: /tmp/\n",
			check:   ruleBeforeAgent,
		},
		{
			Code: "merge-conflict-marker", Severity: Error,
			Summary: "A line is a marker of a merge conflict of git.",
			Why:     "Somebody published a file with a conflict that was not resolved. Crawlers ignore the markers and read the lines of both versions.",
			Mend:    "Decide which lines are right, and remove the others and the markers.",
			Bad:     "User-agent: *\n<<<<<<< HEAD\nDisallow: /a/\n=======\nDisallow: /b/\n>>>>>>> topic\n",
			Good:    "User-agent: *\nDisallow: /b/\n",
			check:   mergeConflictMarker,
		},
		{
			Code: "key-prefix-swallowed", Severity: Error,
			Summary: "Google's parser reads the key of another record as a rule or a User-agent line.",
			Why: "Google's parser compares only the beginning of a key: it reads \"DisallowAITraining: /\" as \"Disallow: /\". " +
				"RFC 9309 reads it as an unknown record, which has no effect.",
			Mend:  "Use a key that begins with none of User-agent, Allow and Disallow, or remove the line.",
			Bad:   "User-agent: *\nDisallowAITraining: /\n",
			Good:  "User-agent: *\nNoAITraining: /\n",
			check: keyPrefixSwallowed,
		},
		{
			Code: "key-misspelt", Severity: Warning,
			Summary: "The key of a line is misspelt.",
			Why: "Some misspellings, such as \"Dissallow\", are known: Google's parser and others that are lenient read them as meant, and strict crawlers ignore the line. " +
				"All other misspellings are unknown keys, so every crawler ignores the line.",
			Mend:  "Write the right key.",
			Bad:   "User-agent: *\nDissallow: /private/\n",
			Good:  "User-agent: *\nDisallow: /private/\n",
			check: keyMisspelt,
		},
		{
			Code: "stray-text", Severity: Warning,
			Summary: "A line is neither a record nor a comment.",
			Why:     "Crawlers ignore the line. If it is the rest of a rule or a path without its key, the rule has no effect.",
			Mend:    "Write \"#\" in front of a comment, and a key with a colon in front of a path.",
			Bad:     "These are the rules of our site\nUser-agent: *\nDisallow: /private/\n",
			Good:    "# These are the rules of our site\nUser-agent: *\nDisallow: /private/\n",
			check:   strayText,
		},
		{
			Code: "encoding", Severity: Warning,
			Summary: "The file is not plain UTF-8 text.",
			Why: "A robots.txt is UTF-8 (RFC 9309). In UTF-16, many crawlers read no line at all. Bytes of other encodings match other URLs than the same letters in UTF-8. " +
				"Control characters and invisible characters become part of a key, a name or a path, which then means something else.",
			Mend:  "Save the file as UTF-8, without invisible characters. In a path, write characters outside of ASCII in percent encoding.",
			Bad:   "User-agent: *\nDisallow: /caf\xe9/\n",
			Good:  "User-agent: *\nDisallow: /caf%C3%A9/\n",
			check: encoding,
		},
		{
			Code: "byte-order-mark", Severity: Warning,
			Summary: "The file has a byte-order mark.",
			Why: "Google and all that follow RFC 9309 skip the mark at the start of a file. Others take it as a part of the first key, so they ignore the first line; " +
				"if this is \"User-agent: *\", they ignore its rules too. Within a file, every crawler takes the mark as a part of the text.",
			Mend:  "Save the file as UTF-8 without a byte-order mark (BOM).",
			Bad:   "\ufeffUser-agent: *\nDisallow: /private/\n",
			Good:  "User-agent: *\nDisallow: /private/\n",
			check: byteOrderMark,
		},
		{
			Code: "line-too-long", Severity: Warning,
			Summary: "A line is longer than what some crawlers read.",
			Why: fmt.Sprintf("Google's parser uses the first %d bytes of a line and ignores the rest. The rest of a comment is no loss. "+
				"A pattern that is cut matches every URL that begins with what is left of it. For Yandex, a rule of more than %d characters is an error.", googleLineLimit, yandexRuleLimit),
			Mend:  "Write long comments on several lines. Use wildcards in place of a long pattern.",
			Bad:   "User-agent: *\nDisallow: /private/ # " + strings.Repeat("not for crawlers ", 1000) + "\n",
			Good:  "# not for crawlers\nUser-agent: *\nDisallow: /private/\n",
			check: lineTooLong,
		},
	}
}

func missingColon(f *file, report func(Finding)) {
	for i, line := range f.textLines() {
		b, ok := bareKeyOf(line)
		if !ok || line.Notes.Has(robotstxt.NotePastLimit) {
			continue
		}
		found := at(line, b.key, b.problem(line, f.googleLines[i]))
		if b.sign != "" {
			found.Column, found.Length = b.end+1, len(b.sign)
		}
		end := line.Offset + b.end
		found.Fix = f.newFix("write the colon", Edit{end, end + len(b.sign), ":"})
		report(found)
	}
}

// ruleBeforeAgent reports each run of such rules once.
func ruleBeforeAgent(f *file, report func(Finding)) {
	var first robotstxt.Line
	rules, agentLost := 0, false
	for _, line := range f.textLines() {
		if line.Kind == robotstxt.KindUserAgent {
			break
		}
		agentLost = agentLost || isLostAgent(line)
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
		message = fmt.Sprintf("no User-agent line is before this rule and the %s, so every crawler ignores them", counted(rules-1, "next one", "next %d"))
	}
	found := at(first, first.Key, message)
	if !agentLost { // else the mend of that line is the right one
		found.Fix = f.newFix(`write "User-agent: *" above it`, Edit{first.Offset, first.Offset, "User-agent: *" + f.lineEnd()})
	}
	report(found)
}

// isLostAgent reports whether a line is meant as a User-agent line, but not read as one.
func isLostAgent(line robotstxt.Line) bool {
	return rightKey(line.Key) == "User-agent" || strings.HasSuffix(ascii.ToLower(line.Key), "user-agent")
}

func isRule(k robotstxt.Kind) bool { return k == robotstxt.KindAllow || k == robotstxt.KindDisallow }

// conflictMarkers are the beginnings of the lines that git writes around a conflict.
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
		if begins || ends || open { // a line of "=" alone is an ornament
			report(at(line, text, "a merge conflict of git was not resolved: "+conflictMarkers[marker].meaning))
		}
		open = begins || open && !ends
	}
}

// conflictMarker returns the index of the marker that a line is.
func conflictMarker(line robotstxt.Line) (int, bool) {
	text := textOf(line)
	for i, m := range conflictMarkers {
		if rest, ok := strings.CutPrefix(text, m.text); ok && (rest == "" || rest[0] == ' ') {
			return i, true
		}
	}
	return 0, false
}

// strayText reports each run of such lines once.
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
	if line.Kind != robotstxt.KindInvalid && !(line.Kind == robotstxt.KindOther && line.Notes.Has(robotstxt.NoteMissingColon)) {
		return false
	}
	_, bare := bareKeyOf(line)
	_, marker := conflictMarker(line)
	return !bare && !marker
}

func (f *file) reportStray(run []robotstxt.Line, report func(Finding)) {
	text := strings.TrimSpace(textOf(run[0]))
	message := printable.Quote(text) + " is neither a record nor a comment, so crawlers ignore it"
	if len(run) > 1 {
		message += fmt.Sprintf(", and the %s", counted(len(run)-1, "next line", "next %d lines"))
	}
	isPath := func(line robotstxt.Line) bool { return strings.HasPrefix(strings.TrimSpace(textOf(line)), "/") }
	found := at(run[0], text, message)
	if slices.ContainsFunc(run, isPath) {
		found.Message += "; a path needs a key, such as \"Disallow:\", in front"
		report(found)
		return
	}
	var edits []Edit
	for _, line := range run {
		start := line.Offset + textStart(line)
		edits = append(edits, Edit{start, start, "# "})
	}
	found.Fix = f.newFix("make it a comment", edits...)
	report(found)
}

// The limits of lines and rules.
const (
	googleLineLimit = 16663 // how many octets of a line Google's parser uses
	yandexRuleLimit = 1024  // how many characters a rule may have for Yandex, according to its list of errors
)

func lineTooLong(f *file, report func(Finding)) {
	for i, line := range f.textLines() {
		switch {
		case f.googleLines[i].Notes.Has(robotstxt.NoteCut):
			report(f.cutLine(line))
		case isRule(line.Kind) && utf8.RuneCountInString(line.Value) > yandexRuleLimit:
			report(at(line, line.Value, fmt.Sprintf("the pattern has %d characters; for Yandex, more than %d are an error",
				utf8.RuneCountInString(line.Value), yandexRuleLimit)).about(tokensOf("Yandex")))
		}
	}
}

// cutLine returns the finding for a line of which Google's parser uses only the beginning.
func (f *file) cutLine(line robotstxt.Line) Finding {
	text := textOf(line)
	found := Finding{
		Line:    line.Number,
		Column:  textStart(line) + googleLineLimit + 1,
		Message: fmt.Sprintf("the line has %d bytes; Google's parser uses the first %d", len(text), googleLineLimit),
	}
	record, comment, _ := strings.Cut(text, "#")
	switch record = strings.TrimRight(record, " \t"); {
	case len(record) <= googleLineLimit:
		found.Message += ", so it loses nothing but a part of a comment, or blanks"
		found.Fix = f.newFix("write the comment on lines of its own", span(line, text, f.wrapped(comment)+record))
	case isRule(line.Kind):
		found.Message += fmt.Sprintf(", so the pattern ends in %s and matches more URLs", printable.Quote(text[googleLineLimit-20:googleLineLimit]))
	}
	return found
}

// wrapped returns a comment on lines of usual length, each with its line end.
func (f *file) wrapped(comment string) string {
	const width = 100
	var b strings.Builder
	free := 0
	for _, word := range strings.Fields(comment) {
		if len(word) >= free {
			if b.Len() > 0 {
				b.WriteString(f.lineEnd())
			}
			b.WriteByte('#')
			free = width
		}
		b.WriteString(" " + word)
		free -= len(word) + 1
	}
	if b.Len() > 0 {
		b.WriteString(f.lineEnd())
	}
	return b.String()
}
