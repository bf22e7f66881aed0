package layout

import "testing"

// Paragraphs are wrapped. An indented block stays as it is, if it fits.
func TestParagraphs(t *testing.T) {
	const text = "One two\nthree four.\n\nFive:\n\n  # a comment here\n  key:  value\n\nSix\nseven."
	for width, want := range map[int]string{
		80: "One two three four.\n\nFive:\n\n  # a comment here\n  key:  value\n\nSix seven.",
		12: "One two\nthree four.\n\nFive:\n\n  # a\n  # comment\n  # here\n  key:\n      value\n\nSix seven.",
	} {
		if got := Paragraphs(text, width); got != want {
			t.Errorf("at %d:\n%s\nwant:\n%s", width, got, want)
		}
	}
}

// A definition goes below its term, if a line of the block is too long.
func TestDefinitionsBelowTheirTerms(t *testing.T) {
	const text = "Names:\n\n  GPTBot,CCBot  two crawlers\n  @known        all that are\n                known\n\nEnd."
	for width, want := range map[int]string{
		80: text,
		20: "Names:\n\n  GPTBot,CCBot\n      two crawlers\n  @known\n      all that are\n      known\n\nEnd.",
	} {
		if got := Paragraphs(text, width); got != want {
			t.Errorf("at %d:\n%s\nwant:\n%s", width, got, want)
		}
	}
}

// The lines of a long command are one command for a shell. A break is never inside quotes.
func TestShell(t *testing.T) {
	for _, test := range []struct {
		command string
		width   int
		want    string
	}{
		{"heed check /", 14, "heed check /"},
		{"heed check -a x /cart", 18, "heed check \\\n      -a x /cart"},
		{"heed check '/a b c d e f' /", 20, "heed check \\\n      '/a b c d e f' \\\n      /"},
		{"heed check -a loooong < urls.txt", 22, "heed check \\\n      -a loooong \\\n      < urls.txt"},
		{"heed check -a muchtoolong /", 18, "heed check -a \\\n      muchtoolong \\\n      /"},
		{"# one two three", 11, "# one two\n  # three"},
	} {
		if got := Shell(test.command, test.width, 2); got != test.want {
			t.Errorf("Shell(%q, %d):\n%s\nwant:\n%s", test.command, test.width, got, test.want)
		}
	}
}
