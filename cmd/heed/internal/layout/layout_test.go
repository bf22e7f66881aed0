package layout

import (
	"testing"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"one two three", 80, 0, "one two three"},
		{"one two three", 8, 0, "one two\nthree"},
		{"one two three", 9, 2, "one two\n  three"},
		{"https://www.example.com/ is long", 10, 0, "https://www.example.com/\nis long"},
		{"a\nb", 10, 2, "a\n  b"},
		{"0 allowed, 2 wrong usage", 14, 0, "0 allowed,\n2 wrong usage"},
		{"see line 6, and more", 9, 0, "see\nline 6,\nand more"},
		{`a line (Disallow: /cart) and "Allow: /x"`, 20, 0, "a line\n(Disallow: /cart)\nand \"Allow: /x\""},
		{"2", 9, 0, "2"},
		{"漢字 漢字", 8, 0, "漢字\n漢字"},
		{"\x1b[1mone\x1b[0m two", 7, 0, "\x1b[1mone\x1b[0m two"},
		{"", 10, 0, ""},
		{"two  spaces ", 80, 0, "two  spaces"},
		{"two  spaces", 11, 0, "two  spaces"},
		{"two  spaces", 10, 0, "two\nspaces"},
	} {
		if got := Wrap(test.text, test.width, test.indent); got != test.want {
			t.Errorf("Wrap(%q, %d, %d) = %q, want %q", test.text, test.width, test.indent, got, test.want)
		}
	}
}

// WrapShort cuts the middle of long words only.
func TestWrapShort(t *testing.T) {
	if got, want := WrapShort("see https://www.example.com/ for more", 14, 2, 12), "see\n  https:….com/\n  for more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Cut counts cells, and keeps the escape sequences before, between and behind them.
func TestCut(t *testing.T) {
	const text = "\x1b[1ma漢b\x1b[0m"
	for _, test := range []struct {
		from, to int
		want     string
	}{
		{0, 4, text},
		{0, 2, "\x1b[1ma\x1b[0m"},
		{1, 3, "\x1b[1m漢\x1b[0m"},
		{2, 4, "\x1b[1m漢b\x1b[0m"},
		{2, 2, ""},
	} {
		if got := Cut(text, test.from, test.to); got != test.want {
			t.Errorf("Cut(%d, %d) = %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"/cart", 5, "/cart"},
		{"/products/shoes/1.html", 11, "/prod….html"},
		{"abcdef", 4, "ab…f"},
		{"漢字漢字漢字", 7, "漢…漢字"},
		{"abc", 1, "…"},
	} {
		got := Middle(test.text, test.width)
		if got != test.want || Width(got) > test.width {
			t.Errorf("Middle(%q, %d) = %q of %d cells, want %q", test.text, test.width, got, Width(got), test.want)
		}
	}
}

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
