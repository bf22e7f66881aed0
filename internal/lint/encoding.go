package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

func encoding(f *file, report func(Finding)) {
	if f.utf16Text != "" {
		fix := f.newFix("translate the file to UTF-8", Edit{0, len(f.body), f.utf16Text})
		report(Finding{Message: "the file is UTF-16, so crawlers that expect UTF-8 read no line of it", Fix: fix})
		return
	}
	for _, line := range f.textLines() {
		if line.Notes.Has(robotstxt.NoteNotUTF8) {
			f.notUTF8(line, report)
		}
		if line.Notes.Has(robotstxt.NoteControl) {
			f.controlBytes(line, report)
		}
		f.reportInvisible(line, report)
	}
}

func (f *file) notUTF8(line robotstxt.Line, report func(Finding)) {
	bad := badBytes(line.Raw)
	if len(bad) == 0 {
		return
	}
	first := line.Raw[bad[0]]
	found := Finding{Line: line.Number, Column: bad[0] + 1, Length: 1}
	letter := fmt.Sprintf("%q", string(windows1252(first)))
	if first == noBreakSpace {
		letter = "a no-break space"
	}
	charset := "Latin-1"
	if first < firstInLatin1 {
		charset = "Windows-1252"
	}
	found.Message = fmt.Sprintf("the byte 0x%02x is not UTF-8; in %s it is %s", first, charset, letter)
	pattern, patternEnd := patternOf(line)
	inPattern := func(i int) bool { return pattern <= i && i < patternEnd }
	if inPattern(bad[0]) {
		found.Message += fmt.Sprintf(": crawlers read it as %%%02X, and %s in UTF-8 is %s", first, letter, percentEncoded(string(windows1252(first))))
	}
	title := "translate the line to UTF-8"
	var edits []Edit
	for _, i := range bad {
		text := string(windows1252(line.Raw[i]))
		switch {
		case inPattern(i):
			text = fmt.Sprintf("%%%02X", line.Raw[i])
			title = "write percent encoding, as crawlers read it"
		case line.Raw[i] == noBreakSpace:
			text = " "
		}
		edits = append(edits, replacePart(line, i, 1, text))
	}
	found.Fix = f.newFix(title, edits...)
	report(found)
}

const (
	// The bytes from 0x80 to 0x9f are characters only in Windows-1252. From 0xa0 on, Latin-1 and Windows-1252 are equal.
	firstInLatin1 = 0xa0
	noBreakSpace  = 0xa0
)

func patternOf(line robotstxt.Line) (start, end int) {
	if !isRule(line.Kind) || line.Value == "" {
		return 0, 0
	}
	start = indexIn(line, line.Value)
	end = start + len(line.Value)
	for start < end && line.Raw[end-1] == noBreakSpace {
		end--
	}
	for start < end && line.Raw[start] == noBreakSpace {
		start++
	}
	return start, end
}

func badBytes(text string) (at []int) {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			at = append(at, i)
		}
	}
	return at
}

func windows1252(c byte) rune {
	const special = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
	if c < firstInLatin1 {
		return []rune(special)[c-0x80]
	}
	return rune(c)
}

func percentEncoded(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

func (f *file) controlBytes(line robotstxt.Line, report func(Finding)) {
	var edits []Edit
	text := strings.TrimRight(line.Raw, "\r\n")
	for i := range len(text) {
		if c := text[i]; ascii.IsControl(c) && c != '\t' {
			edits = append(edits, replacePart(line, i, 1, ""))
		}
	}
	if len(edits) == 0 {
		return
	}
	i := edits[0].Start - line.Offset
	report(Finding{
		Line: line.Number, Column: i + 1, Length: 1,
		Message: fmt.Sprintf("the line has %s, first 0x%02x", printable.Counted(len(edits), "control byte"), text[i]),
		Fix:     f.newFix("remove the control bytes", edits...),
	})
}

// Inside a value, invisible characters are not reported, because some languages need them.
func (f *file) reportInvisible(line robotstxt.Line, report func(Finding)) {
	name := "key"
	i := strings.IndexFunc(line.Key, isInvisible)
	part := line.Key
	if i < 0 {
		name, part = "value", line.Value
		i = strings.IndexFunc(line.Value, isInvisible)
		if inner := strings.TrimRightFunc(line.Value, isInvisible); i > 0 {
			i = len(inner)
		}
	}
	if i < 0 || i == len(part) {
		return
	}
	r, size := utf8.DecodeRuneInString(part[i:])
	column := indexIn(line, part) + i
	report(Finding{
		Line: line.Number, Column: column + 1, Length: size,
		Message: fmt.Sprintf("the %s has the invisible character U+%04X, which crawlers read as a part of it", name, r),
		Fix:     f.newFix("remove the invisible character", replacePart(line, column, size, "")),
	})
}

// isInvisible is true for invisible characters and unusual spaces. It is false for white space that
// crawlers skip.
func isInvisible(r rune) bool {
	switch {
	case r == 0xa0, r == 0xad, 0x2000 <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202f, 0x205f <= r && r <= 0x2064, r == 0x3000:
		return true
	}
	return false
}

// garbledMark is a byte-order mark that was read as Latin-1 and saved as UTF-8.
const garbledMark = "ï»¿"

func byteOrderMark(f *file, report func(Finding)) {
	if f.utf16Text != "" || f.document != "" {
		return
	}
	for _, line := range f.lines {
		mark, message := byteOrderMarkIn(line)
		if mark == "" {
			continue
		}
		i := strings.Index(line.Raw, mark)
		report(Finding{
			Line: line.Number, Column: i + 1, Length: len(mark), Message: message,
			Fix: f.newFix("remove the byte-order mark", replacePart(line, i, len(mark), "")),
		})
	}
}

func byteOrderMarkIn(line robotstxt.Line) (mark, message string) {
	if line.Number == 1 && line.Notes.Has(robotstxt.NoteBOM) {
		return leadingMarks(line), "the file begins with a byte-order mark; crawlers that do not skip it lose the first line"
	}
	if line.Number == 1 && strings.HasPrefix(line.Raw, garbledMark) {
		return garbledMark, fmt.Sprintf("the file begins with %q, a byte-order mark in a wrong encoding: every crawler takes it as a part of the first key", garbledMark)
	}
	if i := strings.Index(line.Raw, bom); i >= 0 {
		return bom, "a byte-order mark within the file, which crawlers take as a part of the text"
	}
	return "", ""
}

func leadingMarks(line robotstxt.Line) string {
	end := bomLength(line)
	for strings.HasPrefix(line.Raw[end:], bom) {
		end += len(bom)
	}
	return line.Raw[:end]
}
