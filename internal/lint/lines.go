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
