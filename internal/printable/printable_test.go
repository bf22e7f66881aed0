package printable

import (
	"strings"
	"testing"
)

// No escape sequence and no line end stays in a Text.
func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"plain /\u00e9\u30c4~":     "plain /\u00e9\u30c4~",
		"\t/x\t":                   `\t/x\t`,
		"\x1b[31m\x00\x7f\r\n":     `\x1b[31m\x00\x7f\x0d\x0a`,
		"\xff\u009b1m":             `\xff\x9b1m`,
		"a\u202eb\u200d\U000e0041": `a\u{202e}b\u{200d}\u{e0041}`,
	} {
		if got := Text(s); got != want {
			t.Errorf("Text(%q) = %q, want %q", s, got, want)
		}
	}
}

// Line keeps tabs and escapes line ends.
func TestLine(t *testing.T) {
	if got, want := Line("Disallow:\t/x\x1b\n"), "Disallow:\t/x"+`\x1b\x0a`; got != want {
		t.Errorf("Line: %q, want %q", got, want)
	}
}

// A long text is cut between characters. Bytes that are no characters are cut too.
func TestShort(t *testing.T) {
	whole := strings.Repeat("x", maxShort)
	for s, want := range map[string]string{
		"":                                     "",
		whole:                                  whole,
		whole + "y":                            whole + "…",
		whole[1:] + "éy":                       whole[1:] + "…",
		whole[2:] + "éy":                       whole[2:] + "é…",
		strings.Repeat("\x80", 2*maxShort):     strings.Repeat(`\x80`, maxShort-4) + "…",
		"\x1b" + strings.Repeat("y", maxShort): `\x1b` + strings.Repeat("y", maxShort-1) + "…",
	} {
		if got := Short(s); got != want {
			t.Errorf("Short(%.20q, %d bytes) = %q, want %q", s, len(s), got, want)
		}
	}
}
