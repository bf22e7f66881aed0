// Package layout fits text into a terminal. The package measures text in cells. A Chinese character has two cells.
package layout

import (
	"math"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

var cells = displaywidth.Options{ControlSequences: true}

// Width returns the number of cells of a line of text.
func Width(s string) int { return cells.String(s) }

// Widest returns the width of the widest text of a list.
func Widest[T any](list []T, text func(T) string) (width int) {
	for _, each := range list {
		width = max(width, Width(text(each)))
	}
	return width
}

func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Wrap breaks a text at spaces into lines of at most width cells. All lines except the first have an indent.
func Wrap(text string, width, indent int) string {
	return WrapShort(text, width, indent, math.MaxInt)
}

// In WrapShort, "…" replaces the middle of a word that is longer than maxWord cells.
func WrapShort(text string, width, indent, maxWord int) string {
	pad := "\n" + strings.Repeat(" ", indent)
	longest := min(maxWord, width-indent)
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(pad)
		}
		used := 0
		for line = strings.TrimLeft(line, " "); line != ""; {
			first := firstWord(line, longest)
			word := Middle(first, max(1, maxWord))
			rest := strings.TrimLeft(line[len(first):], " ")
			gap := len(line) - len(first) - len(rest) // the number of spaces before the next word
			b.WriteString(word)
			used += Width(word)
			if rest == "" {
				break
			}
			next := Width(Middle(firstWord(rest, longest), max(1, maxWord)))
			if used+gap+next > width-indent {
				b.WriteString(pad)
				used = 0
			} else {
				b.WriteString(strings.Repeat(" ", gap))
				used += gap
			}
			line = rest
		}
	}
	return b.String()
}

// firstWord returns both words of "line 6", "2 warnings" or "Disallow: /cart". So no line is broken between these two
// words. A rule with more cells than the parameter longest may be broken.
func firstWord(text string, longest int) string {
	word, rest, _ := strings.Cut(text, " ")
	next, _, _ := strings.Cut(rest, " ")
	both := strings.TrimSuffix(word+" "+next, " ")
	isDigit := len(word) == 1 && '0' <= word[0] && word[0] <= '9'
	isLine := word == "line" && strings.IndexAny(next, "0123456789") == 0
	if isDigit || isLine || isRuleKey(strings.TrimLeft(word, `("`)) && Width(both) <= longest {
		return both
	}
	return word
}

func isRuleKey(word string) bool {
	return word == "Disallow:" || word == "Allow:" || word == "Sitemap:"
}

// Cut keeps all escape sequences, also those outside the range of cells. It cuts no wide character in half.
func Cut(s string, start, end int) string {
	if start >= end {
		return ""
	}
	var b strings.Builder
	right := 0
	for g := cells.StringGraphemes(s); g.Next(); {
		right += g.Width()
		if (start < right || start == 0) && right <= end || strings.HasPrefix(g.Value(), "\x1b") {
			b.WriteString(g.Value())
		}
	}
	return b.String()
}

// Middle replaces the middle of a long text by "…", because the ends of a URL say most.
func Middle(s string, width int) string {
	n := Width(s)
	switch {
	case n <= width:
		return s
	case width < 2:
		return "…"
	}
	head := width / 2
	return Cut(s, 0, head) + "…" + Cut(s, n-(width-1-head), math.MaxInt)
}

// Paragraphs wraps a help page. It does not join the lines of an indented paragraph.
func Paragraphs(text string, width int) string {
	var out []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(block, " ") {
			out = append(out, wrapIndented(strings.Split(block, "\n"), width))
		} else {
			out = append(out, Wrap(strings.ReplaceAll(block, "\n", " "), width, 0))
		}
	}
	return strings.Join(out, "\n\n")
}

// wrapIndented returns indented lines unchanged if all lines fit. If a line does not fit, each definition goes below
// its term. At width 20
//
//	@known        all that are
//	              known
//
// becomes
//
//	@known
//	    all that are
//	    known
func wrapIndented(lines []string, width int) string {
	if !slices.ContainsFunc(lines, func(line string) bool { return Width(line) > width }) {
		return strings.Join(lines, "\n")
	}
	var out []string
	for _, line := range lines {
		own := strings.TrimLeft(line, " ")
		indent := len(line) - len(own)
		const continued = 8 // a line with this indent continues the definition in the lines above
		if last := len(out) - 1; indent >= continued && last >= 0 {
			out[last] += " " + own
			continue
		}
		term, definition, _ := strings.Cut(own, "  ")
		if definition = strings.TrimLeft(definition, " "); definition != "" && !strings.Contains(definition, "  ") {
			own = term + "\n" + definition
		}
		out = append(out, line[:indent]+own)
	}
	for i, line := range out {
		own := strings.TrimLeft(line, " ")
		indent := len(line) - len(own)
		out[i] = line[:indent] + wrapComment(own, width, indent, 4)
	}
	return strings.Join(out, "\n")
}

func wrapComment(line string, width, indent, more int) string {
	text, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return Wrap(line, width, indent+more)
	}
	pad := "\n" + strings.Repeat(" ", indent)
	return "# " + strings.ReplaceAll(Wrap(text, width-indent-2, 0), "\n", pad+"# ")
}

// Shell breaks a command into lines. A shell still reads the same command.
func Shell(command string, width, indent int) string {
	if indent+Width(command) <= width {
		return command
	}
	if strings.HasPrefix(command, "#") {
		return wrapComment(command, width, indent, 0)
	}
	const more, end = 4, " \\"
	var b strings.Builder
	used := indent
	words := shellWords(command, width-indent-more-len(end))
	for i, word := range words {
		room := width
		if i+1 < len(words) {
			room -= len(end)
		}
		switch {
		case i == 0:
		case used+1+Width(word) > room:
			b.WriteString(end + "\n" + strings.Repeat(" ", indent+more))
			used = indent + more
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += Width(word)
	}
	return b.String()
}

// shellWords keeps "--flag value" and "< file" together if they fit.
func shellWords(command string, room int) []string {
	var words []string
	for _, word := range quotedWords(command) {
		if last := len(words) - 1; last >= 0 && isPair(words[last], word) && Width(words[last])+1+Width(word) <= room {
			words[last] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}

func isPair(left, right string) bool {
	isFlag := len(left) > 1 && left[0] == '-'
	return left == "<" || isFlag && !strings.Contains(left, " ") && !strings.HasPrefix(right, "--")
}

func quotedWords(command string) []string {
	words, quote := []string{""}, byte(0)
	for i := range len(command) {
		switch c := command[i]; {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == 0 && c == ' ':
			words = append(words, "")
			continue
		}
		words[len(words)-1] += command[i : i+1]
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}
