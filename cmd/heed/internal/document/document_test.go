package document

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// write writes a document with a text everywhere.
func write(format, s string) string {
	var b bytes.Buffer
	w := New(format, &b)
	w.Begin(s)
	w.Heading(s)
	w.Paragraph(Part{Text: s}, Part{Text: s, IsCode: true}, Part{Text: s, IsStrong: true})
	w.List(Plain(s), Code(s))
	w.Table([]string{s, "x"}, [][][]Part{{Plain(s), Code(s)}, {Strong(s), nil}})
	w.End()
	return b.String()
}

// TestDocument: what a document looks like in both formats.
func TestDocument(t *testing.T) {
	for format, want := range map[string]string{
		"html": "<h1>a &lt;b&gt; | `c`</h1>\n<h2>a &lt;b&gt; | `c`</h2>\n<p>a &lt;b&gt; | `c`<code>a &lt;b&gt; | `c`</code><b>a &lt;b&gt; | `c`</b></p>\n<ul>\n<li>a &lt;b&gt; | `c`</li>\n<li><code>a &lt;b&gt; | `c`</code></li>\n</ul>\n",
		"markdown": "# a \\<b\\> \\| \\`c\\`\n\n## a \\<b\\> \\| \\`c\\`\n\na \\<b\\> \\| \\`c\\``` a <b> | `c` ``**a \\<b\\> \\| \\`c\\`**\n\n- a \\<b\\> \\| \\`c\\`\n- `` a <b> | `c` ``\n" +
			"\n| a \\<b\\> \\| \\`c\\` | x |\n| --- | --- |\n| a \\<b\\> \\| \\`c\\` | a \\<b\\> \\| \\`c\\` |\n| **a \\<b\\> \\| \\`c\\`** |  |\n",
	} {
		if got := write(format, "a <b> | `c`"); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", format, got, want)
		}
	}
	const whole = `<b>Use </b><code class="option">--unsafe-fixes</code><b> or </b><code class="option">--fix</code><b>.</b>`
	if got := htmlOf(WithOptions(Part{Text: "Use --unsafe-fixes or --fix.", IsStrong: true})); got != whole {
		t.Errorf("got %s, want %s", got, whole)
	}
	for text, want := range map[string]string{"": "``", "a": "`a`", "`": "`` ` ``", "a``b": "```a``b```", " a ": "`  a  `", `\`: "`\\`"} {
		if got := code(text, false); got != want {
			t.Errorf("code %q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"- a": `\- a`, "+a-": `\+a-`, "https://a.example": `https\://a.example`, "www.a a@b": `www\.a a\@b`, "a_b*": `a\_b\*`, "\x1b[31m\u202e": `\\x1b\[31m\\u\{202e\}`} {
		if got := escaped(text); got != want {
			t.Errorf("plain %q: %s, want %s", text, got, want)
		}
	}
}

// FuzzDocument: no text adds an element to a page, or a line or a cell to Markdown.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{"a", "<script>", "a|b\nc", "`` ` ", "\\|", "[x](y)", "</style>", "\x00\u2028", "&lt;"} {
		f.Add(s)
	}
	count := func(page string) (n int) {
		for tokens := html.NewTokenizer(strings.NewReader(page)); tokens.Next() != html.ErrorToken; {
			n++
		}
		return n
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.TrimSpace(s) == "" {
			return
		}
		if got, want := count(write("html", s)), count(write("html", "a")); got > want {
			t.Errorf("%q: %d tokens, want %d", s, got, want)
		}
		text := write("markdown", s)
		if got, want := strings.Count(text, "\n"), strings.Count(write("markdown", "a"), "\n"); got != want {
			t.Errorf("%q: %d lines, want %d", s, got, want)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			cells := 0
			for i := 0; i < len(line); i++ {
				switch line[i] {
				case '\\':
					i++
				case '|':
					cells++
				}
			}
			if cells != 3 {
				t.Errorf("%q: %d bars in %s", s, cells, line)
			}
		}
	})
}
