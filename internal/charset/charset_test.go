package charset

import (
	"strings"
	"testing"
)

// disallow is "Disallow:" in UTF-16LE.
var disallow = strings.Join(strings.SplitAfter("Disallow:", ""), "\x00") + "\x00"

// big changes the order of bytes from UTF-16LE to UTF-16BE.
func big(little string) (text string) {
	for i := 0; i < len(little); i += 2 {
		text += string([]byte{little[i+1], little[i]})
	}
	return text
}

// TestToUTF8 has bodies in UTF-16 and others. Without a mark, only the first 16 bytes count.
func TestToUTF8(t *testing.T) {
	for body, want := range map[string]string{
		"\xff\xfea\x00":                               "a",
		"\xfe\xff\x00a":                               "a",
		"\xfe\xff" + disallow:                         "Disallow:", // the wrong mark
		"\xff\xfe" + big(disallow):                    "Disallow:",
		"a\x00\t\x00\r\x00\n\x00a\x00a\x00a\x00a\x00": "a\t\r\naaaa",
		"a\x00\t\x00\r\x00\n\x00":                     "", // too short
		big(disallow):                                 "Disallow:",
		disallow + "c":                                "Disallow:",       // half a character is left
		"\xff\xfe" + disallow + "\x00\xd8":            "Disallow:",       // half a pair of surrogates is left
		"\xff\xfea\x00\x00\xdcb\x00\x00\xd8b\x00":     "a\ufffdb\ufffdb", // surrogates without a pair
		"\xff\xfe" + strings.Repeat("a\x00", 8) + "\xe9\x00=\xd8\x00\xde": "aaaaaaaaé😀",
		strings.Repeat("a\x00", 8) + "\xe9\x00":                           "aaaaaaaaé",
		"\x00a\x00\x80":                                                   "",
		strings.Repeat("\x00a", 7) + "\x01a":                              "",
		strings.Repeat("a\x00", 7) + "\x80\x00":                           "",
		strings.Repeat("a\x00", 7) + "\x7f\x00":                           "",
		strings.Repeat("a\x00", 7) + "a\x01":                              "",
		"\xff\xfe\x1f\x04@\x04\n\x00":                                     "\u041f\u0440\n", // begins in another script
		"\xfe\xff\x04\x1f\x04@\x00\n":                                     "\u041f\u0440\n",
		"\xff\xfe\xff\xfea\x00":                                           "a", // two marks
		"\xff\xfe\x1f\x04@\x04":                                           "\u041f\u0440",
		"":                                                                "",
		"a":                                                               "",
		"\xff\xfe":                                                        "",
		"\xff\xfea":                                                       "",
		"\xfe\xff":                                                        "",
		"ab":                                                              "",
		"\x00\x00":                                                        "",
	} {
		got, encoding := ToUTF8([]byte(body))
		if encoding == "" {
			got = nil
		}
		if string(got) != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
