package fetch

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/heed-robots/heed/robotstxt"
)

// inUTF16 encodes a text as UTF-16.
func inUTF16(t *testing.T, text string, order unicode.Endianness, mark unicode.BOMPolicy) []byte {
	t.Helper()
	body, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// a byte-order mark of the opposite order than the text loses no rules.
func TestWrongMarks(t *testing.T) {
	for name, body := range map[string][]byte{
		"utf-16le": append([]byte("\xfe\xff"), inUTF16(t, disallowAll, unicode.LittleEndian, unicode.IgnoreBOM)...),
		"utf-16be": append([]byte("\xff\xfe"), inUTF16(t, disallowAll, unicode.BigEndian, unicode.IgnoreBOM)...),
	} {
		if got, encoding := toUTF8(body, ""); string(got) != disallowAll || encoding != name {
			t.Errorf("%s: %q of %q", name, got, encoding)
		}
		if r := answerWith(t, 200, string(body)); string(r.Body) != disallowAll {
			t.Errorf("%s: %q, %v", name, r.Body, r.Err)
		}
	}
}

// UTF-16 is read, with or without a mark. A body that can be read as it is does not
// change.
func TestToUTF8(t *testing.T) {
	const rules = "# für alle\r\nUser-agent: *\r\nDisallow: /ü中\r\n"
	for _, c := range []struct {
		name, want, encoding string
		body                 []byte
	}{
		{"little-endian, marked", rules, "utf-16le", inUTF16(t, rules, unicode.LittleEndian, unicode.UseBOM)},
		{"big-endian, marked", rules, "utf-16be", inUTF16(t, rules, unicode.BigEndian, unicode.UseBOM)},
		{"little-endian", rules[8:], "utf-16le", inUTF16(t, rules[8:], unicode.LittleEndian, unicode.IgnoreBOM)},
		{"big-endian", rules[8:], "utf-16be", inUTF16(t, rules[8:], unicode.BigEndian, unicode.IgnoreBOM)},
		{"UTF-8", rules, "", []byte(rules)},
		{"much longer in UTF-8", disallowAll + strings.Repeat("\u4e2d", 1000), "utf-16le", inUTF16(t, disallowAll+strings.Repeat("\u4e2d", 1000), unicode.LittleEndian, unicode.UseBOM)},
		{"short", "U\x00s\x00", "", []byte("U\x00s\x00")},
		{"empty", "", "", nil},
	} {
		got, encoding := toUTF8(c.body, "")
		if string(got) != c.want || encoding != c.encoding {
			t.Errorf("%s: %q, %q", c.name, got, encoding)
		}
	}
	// Single NULs in a file do not make it UTF-16.
	mixed := "h\x00e\x00l\x00l\x00o\x00 \x00y\x00o\x00u\x00\nUser-agent: *\nDisallow: /\n"
	for _, body := range []string{mixed, "User-agent: *\x00\nDisallow: /\x00\n", strings.Repeat("\x00", 100)} {
		if got, encoding := toUTF8([]byte(body), ""); string(got) != body || encoding != "" {
			t.Errorf("%q is read as %q of %q", body, got, encoding)
		}
	}
}

// An incomplete character at the end of a body is dropped, so that the last pattern stays as it is
// . Bytes of UTF-8 stay (G-16).
func TestIncompleteEnd(t *testing.T) {
	for name, c := range map[string]struct{ body, contentType string }{
		"UTF-16LE and a line end":   {"\xff\xfe" + toUTF16LE(disallowAll[:len(disallowAll)-1]) + "\n", ""},
		"UTF-16BE and a line end":   {"\xfe\xff" + toUTF16BE(disallowAll[:len(disallowAll)-1]) + "\n", ""},
		"UTF-16LE without a mark":   {toUTF16LE(disallowAll[:len(disallowAll)-1]) + "\n", ""},
		"half a surrogate":          {"\xff\xfe" + toUTF16LE(disallowAll[:len(disallowAll)-1]) + "\x00\xd8", ""},
		"a surrogate and a byte":    {"\xff\xfe" + toUTF16LE(disallowAll[:len(disallowAll)-1]) + "\x00\xd8\x00", ""},
		"half a character, gb18030": {"# \xd6\xd0\n" + disallowAll[:len(disallowAll)-1] + "\xd6", "text/plain; charset=gb18030"},
		"half a character, SJIS":    {"# \x83\x65\n" + disallowAll[:len(disallowAll)-1] + "\x83", "text/plain; charset=shift_jis"},
	} {
		text, encoding := toUTF8([]byte(c.body), c.contentType)
		if !strings.HasSuffix(string(text), "\nDisallow: /") && !strings.HasPrefix(string(text), "User-agent: *\nDisallow: /") || encoding == "" {
			t.Errorf("%s: %q of %q", name, text, encoding)
		}
		if robotstxt.Parse(text, nil).Agent("a").Check("/x").Allowed {
			t.Errorf("%s: %q allows", name, text)
		}
	}
	if text, _ := toUTF8([]byte(disallowAll+"\xc3"), "text/plain; charset=utf-8"); string(text) != disallowAll+"\xc3" {
		t.Errorf("UTF-8: %q", text)
	}
}
