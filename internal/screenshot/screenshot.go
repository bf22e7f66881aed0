// Package screenshot draws the text of a terminal as SVG. The text may contain the escape
// sequences of ECMA-48 for colours, as a program prints them or "tmux capture-pane -e"
// returns them. It is for the pictures of the documentation, and for looking at output on
// light and dark terminals.
package screenshot

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Theme is the set of colours of a terminal.
type Theme uint8

const (
	Auto  Theme = iota // dark if the reader's browser prefers dark, else light
	Light              // the colours of xterm, which are hard to read on white: the worst case
	Dark
)

// ThemeNamed returns the theme with a name: auto, light or dark.
func ThemeNamed(name string) (Theme, error) {
	for i, known := range []string{"auto", "light", "dark"} {
		if name == known {
			return Theme(i), nil
		}
	}
	return Auto, fmt.Errorf("theme %q: expected auto, light or dark", name)
}

// In pixels.
const (
	cellWidth  = 8
	lineHeight = 19
	margin     = 14
)

// palette contains the eight colours of ECMA-48, from black to white, and those of the
// background and of text without a colour.
type palette struct {
	paper, text string // background, and text without a colour
	colours     [8]string
}

var (
	light = palette{"#ffffff", "#1f2328", [8]string{"#000000", "#cd0000", "#00a000", "#a08000", "#0000ee", "#cd00cd", "#008b8b", "#808080"}}
	dark  = palette{"#0d1117", "#e6edf3", [8]string{"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"}}
	xterm = palette{"#ffffff", "#000000", [8]string{"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5"}}
)

// SVG draws text on a terminal with at least that many columns. The terminal is wide enough
// for the longest line.
func SVG(text string, columns int, theme Theme) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range lines {
		columns = max(columns, ansi.StringWidth(line))
	}
	width, height := 2*margin+cellWidth*columns, 2*margin+lineHeight*len(lines)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`, width, height)
	fmt.Fprintf(&b, "\n<style>\n%s</style>\n", styles(theme))
	fmt.Fprintf(&b, `<rect class="paper" width="%d" height="%d" rx="6"/>`+"\n", width, height)
	var s style
	for i, line := range lines {
		s = drawLine(&b, line, margin+lineHeight*(i+1)-5, s)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// styles returns the CSS of a theme.
func styles(theme Theme) string {
	const shape = "text { font: 13.29px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }\n" +
		".b { font-weight: bold; }\n.f { opacity: .65; }\n.u { text-decoration: underline; }\n"
	switch theme {
	case Light:
		return shape + xterm.css()
	case Dark:
		return shape + dark.css()
	}
	return shape + light.css() + "@media (prefers-color-scheme: dark) {\n" + dark.css() + "}\n"
}

func (p palette) css() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".paper { fill: %s; }\ntext { fill: %s; }\n", p.paper, p.text)
	for i, colour := range p.colours {
		fmt.Fprintf(&b, ".c%d { fill: %s; }\n", i, colour)
	}
	return b.String()
}

// A style is the state that escape sequences set.
type style struct {
	bold, faint, underline bool
	colour                 int // 0: that of text without a colour; else 1 + its index in palette
}

// class returns the CSS classes of a style.
func (s style) class() string {
	var names []string
	add := func(isSet bool, name string) {
		if isSet {
			names = append(names, name)
		}
	}
	add(s.bold, "b")
	add(s.faint, "f")
	add(s.underline, "u")
	add(s.colour > 0, "c"+strconv.Itoa(s.colour-1))
	return strings.Join(names, " ")
}

// set applies the parameters of an escape sequence "m", such as "1;31".
func (s *style) set(parameters string) {
	for p := range strings.SplitSeq(parameters, ";") {
		switch n, _ := strconv.Atoi(p); {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 4:
			s.underline = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 24:
			s.underline = false
		case n >= 30 && n <= 37:
			s.colour = n - 30 + 1
		case n == 39:
			s.colour = 0
		}
	}
}

// drawLine draws a line. s is the style at its beginning; drawLine returns that at its end.
func drawLine(b *strings.Builder, line string, y int, s style) style {
	cell := 0
	for line != "" {
		text, rest, escaped := strings.Cut(line, "\x1b[")
		if text != "" {
			w := ansi.StringWidth(text)
			if strings.TrimSpace(text) != "" || s.underline {
				fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n",
					margin+cellWidth*cell, y, cellWidth*w, classes(s), html.EscapeString(text))
			}
			cell += w
		}
		if !escaped {
			break
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		if rest[end] == 'm' {
			s.set(rest[:end])
		}
		line = rest[end+1:]
	}
	return s
}

// classes returns the attribute class of a style, or "".
func classes(s style) string {
	if c := s.class(); c != "" {
		return ` class="` + c + `"`
	}
	return ""
}
