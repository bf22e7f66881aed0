package lines

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A Reader returns all lines, however many bytes a read returns, and whoever has their memory. A line that
// is too long has only its number, and one in which the input breaks off cannot be used.
func TestReader(t *testing.T) {
	const limit = 1 << 20
	long := strings.Repeat("x", 3*limit)
	input := "\ufeff/a\n/b\r\n\n" + long + "\n\ufeff/c\n/d\n" + long + "\ne"
	want := []string{"1 /a", "2 /b", "3 ", "4 the line is longer than 1048576 bytes; expected a shorter line", "5 /c", "6 /d", "7 the line is longer than 1048576 bytes; expected a shorter line", "8 e"}
	cut := append(slices.Clone(want[:7]), "8 the input ends too early, in the middle of this line, so get it again")
	for name, in := range map[string]func() io.Reader{
		"at once":  func() io.Reader { return strings.NewReader(input) },
		"half":     func() io.Reader { return iotest.HalfReader(strings.NewReader(input)) },
		"with EOF": func() io.Reader { return iotest.DataErrReader(strings.NewReader(input)) },
		"then error": func() io.Reader {
			return io.MultiReader(strings.NewReader(input), iotest.ErrReader(errors.New("broken")))
		},
	} {
		isCut := name == "then error"
		for _, recycles := range []bool{false, true} {
			r := New(in(), "input", limit)
			r.Recycles = recycles
			var got []string
			number, end := 1, int64(0)
			for b := range r.Blocks {
				if b.First != number || b.Offset <= end {
					t.Errorf("%s: a block begins in line %d, not %d, and ends at %d", name, b.First, number, b.Offset)
				}
				number, end = number+b.Lines, b.Offset
				for l := range b.All() {
					text := strings.Clone(l.Text)
					if l.Wrong != nil {
						text = l.Wrong.Error()
					}
					got = append(got, fmt.Sprint(l.Number, " ", text))
				}
				b.Recycle()
			}
			if expected := map[bool][]string{false: want, true: cut}[isCut]; !slices.Equal(got, expected) || end != int64(len(input)) {
				t.Errorf("%s: got %.300q, want %q; ends at %d of %d", name, got, expected, end, len(input))
			}
			if err := r.Err(); (err != nil) != isCut || isCut && err.Error() != "input, line 9: broken" {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// A block has what one read returns: whoever writes one line gets its answer.
func TestOneReadIsOneBlock(t *testing.T) {
	r := New(iotest.OneByteReader(strings.NewReader("/a\n/b")), "input", 100)
	first, _ := r.Next()
	second, _ := r.Next()
	if _, more := r.Next(); first.Text != "/a\n" || second.Text != "/b" || more {
		t.Errorf("byte by byte: %q, %q, %v", first.Text, second.Text, more)
	}
}

// A line of exactly the limit is returned, and one that is a byte longer is not, however many bytes a
// read returns.
func TestLineLimitIsExact(t *testing.T) {
	for _, limit := range []int{2 * blockSize, blockSize, 100} {
		input := strings.Repeat("a", limit) + "\n" + strings.Repeat("b", limit+1) + "\n" + strings.Repeat("c", limit)
		for name, in := range map[string]io.Reader{
			"at once":   strings.NewReader(input),
			"in halves": iotest.HalfReader(strings.NewReader(input)),
		} {
			var got []string
			for line := range New(in, "input", limit).All() {
				n := len(line.Text)
				if line.Wrong != nil {
					n = 0
				}
				got = append(got, fmt.Sprint(line.Number, " ", n, " ", line.Wrong != nil))
			}
			if want := []string{fmt.Sprint("1 ", limit, " false"), "2 0 true", fmt.Sprint("3 ", limit, " false")}; !slices.Equal(got, want) {
				t.Errorf("%d bytes, %s: %q, want %q", limit, name, got, want)
			}
		}
	}
}

// A Reader that copies does not keep the memory of a long line.
func TestLongLineIsNotKept(t *testing.T) {
	r := New(strings.NewReader(strings.Repeat("a", 8*blockSize)+"\nb\n"), "input", 16*blockSize)
	for range r.Blocks {
	}
	if cap(r.buffer) > 2*blockSize {
		t.Errorf("%d bytes are kept", cap(r.buffer))
	}
}

// One grammar of lists: white space, comments and byte-order marks.
func TestText(t *testing.T) {
	for line, want := range map[string]string{
		"":                                   "",
		" \t\r\n":                            "",
		"# comment":                          "",
		"  # comment\n":                      "",
		"\ufeff# comment\n":                  "",
		"\ufeffhttps://a.example/\r\n":       "https://a.example/",
		"\ufeff\ufeffhttps://a.example/\r\n": "\ufeffhttps://a.example/",
		" https://a.example/file # note":     "https://a.example/file",
		"https://a.example/file\t#note\n":    "https://a.example/file",
		"https://a.example/#part":            "https://a.example/#part",
		"https://a.example/#part # note":     "https://a.example/#part",
		"https://a.example/a b":              "https://a.example/a b",
		"https://a.example/\u00a0":           "https://a.example/\u00a0",
		"\v\fhttps://a.example/\v\f\r\n":     "https://a.example/",
		"https://a.example/a#b#c #d # note":  "https://a.example/a#b#c",
	} {
		if got := Text(Trim(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestBlankLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "\r\nx": 2, "\ufeff\n\ufeff \r\n\t\v\f\nx\n\n": 14, " ": 0, "\n ": 1, "\u00a0\n": 0, " \ufeff\n": 0, "# x\n": 0} {
		if got := BlankLines([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// A line is blank if it has only what JSON takes for white space: "\v" is a line that is no JSON.
func TestIsBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, " \t\r\n": true, "\v": false, " \f": false, "\u00a0": false, "{": false} {
		l := Line{Text: text}
		if got := l.IsBlank(); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
