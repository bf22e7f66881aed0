package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// All lines come, however they are read; one that is too long is left out and
// told, and an error of the input is not lost.
func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*maxURL)
	input := "/a\n/b\r\n\n" + long + "\n/c\n/d\n" + long + "\n/e"
	want := "/a\n/b\r\n\n<4>/c\n/d\n<7>/e"
	for name, in := range map[string]io.Reader{
		"at once":    strings.NewReader(input),
		"half":       iotest.HalfReader(strings.NewReader(input)),
		"with EOF":   iotest.DataErrReader(strings.NewReader(input)),
		"then error": io.MultiReader(strings.NewReader(input), iotest.ErrReader(errors.New("broken"))),
	} {
		r := lineReader{in: in, number: 1}
		var got strings.Builder
		for {
			c, ok := r.next()
			if !ok {
				break
			}
			got.WriteString(c.lines)
			if c.tooLong > 0 {
				got.WriteString("<" + string(rune('0'+c.tooLong)) + ">")
			}
		}
		if got.String() != want {
			t.Errorf("%s: got %.100q, want %q", name, got.String(), want)
		}
		if (r.err != nil) != (name == "then error") {
			t.Errorf("%s: error %v", name, r.err)
		}
	}
	r := lineReader{in: iotest.OneByteReader(strings.NewReader("/a\n/b"))}
	first, _ := r.next()
	second, _ := r.next()
	if _, more := r.next(); first.lines != "/a\n" || second.lines != "/b" || more {
		t.Errorf("byte by byte: %q, %q, %v", first.lines, second.lines, more)
	}
}
