package layout

import "strings"

// Paragraphs wraps text that is written as paragraphs, which an empty line parts: their
// line ends count as spaces. Lines that begin with a space are a block, which stays as it
// is where all of it has room.
func Paragraphs(text string, width int) string {
	var out []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(block, " ") {
			out = append(out, kept(strings.Split(block, "\n"), width))
		} else {
			out = append(out, Wrap(strings.ReplaceAll(block, "\n", " "), width, 0))
		}
	}
	return strings.Join(out, "\n\n")
}

// kept returns a block of indented lines. Where one of them is too long, what is behind
// two spaces, which is what the beginning of the line means, goes below it.
func kept(lines []string, width int) string {
	fits := true
	for _, line := range lines {
		fits = fits && Width(line) <= width
	}
	if fits {
		return strings.Join(lines, "\n")
	}
	var out []string
	for _, line := range lines {
		own := strings.TrimLeft(line, " ")
		indent := len(line) - len(own)
		const deep = 8 // a line that goes on with what the one above means
		if last := len(out) - 1; indent >= deep && last >= 0 {
			out[last] += " " + own
			continue
		}
		term, meaning, _ := strings.Cut(own, "  ")
		if meaning = strings.TrimLeft(meaning, " "); meaning != "" && !strings.Contains(meaning, "  ") {
			own = term + "\n" + meaning
		}
		out = append(out, line[:indent]+own)
	}
	for i, line := range out {
		own := strings.TrimLeft(line, " ")
		indent := len(line) - len(own)
		out[i] = line[:indent] + commented(own, width, indent, 4)
	}
	return strings.Join(out, "\n")
}

// commented wraps a line, or a comment of a shell or a file, whose lines each begin with
// "# ". Lines below the first are indented, other than those of a comment by more.
func commented(line string, width, indent, more int) string {
	text, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return Wrap(line, width, indent+more)
	}
	pad := "\n" + strings.Repeat(" ", indent)
	return "# " + strings.ReplaceAll(Wrap(text, width-indent-2, 0), "\n", pad+"# ")
}

// Shell breaks a command of a shell that stands behind indent spaces into lines that a
// shell reads as one, or a comment into lines of comment. Quoted words stay whole.
func Shell(command string, width, indent int) string {
	if indent+Width(command) <= width {
		return command
	}
	if strings.HasPrefix(command, "#") {
		return commented(command, width, indent, 0)
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

// shellWords cuts a command at the spaces that are not quoted. A flag and what follows it
// stay together where they have room, and so do a redirection and its file.
func shellWords(command string, room int) []string {
	var words []string
	for _, word := range quotedWords(command) {
		if last := len(words) - 1; last >= 0 && binds(words[last], word) && Width(words[last])+1+Width(word) <= room {
			words[last] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}

// binds reports whether a word belongs to the next: it is a flag, which may have a value,
// or a redirection.
func binds(word, next string) bool {
	isFlag := len(word) > 1 && word[0] == '-'
	return word == "<" || isFlag && !strings.Contains(word, " ") && !strings.HasPrefix(next, "--")
}

// quotedWords cuts a command at the spaces that are not quoted.
func quotedWords(command string) []string {
	var words []string
	quote, from := byte(0), 0
	for i := 0; i <= len(command); i++ {
		if i < len(command) {
			switch c := command[i]; {
			case quote == 0 && (c == '\'' || c == '"'):
				quote = c
			case c == quote:
				quote = 0
			}
			if quote != 0 || command[i] != ' ' {
				continue
			}
		}
		if word := command[from:i]; word != "" {
			words = append(words, word)
		}
		from = i + 1
	}
	return words
}
