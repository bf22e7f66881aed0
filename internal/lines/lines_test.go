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

// A Reader returns all lines, however many bytes a read returns. It skips a line that is
// too long and returns its number, and it keeps an error of the input.
func TestLineReaderReturnsAllLines(t *testing.T) {
	const limit = 1 << 20
	long := strings.Repeat("x", 3*limit)
	input := "/a\n/b\r\n\n" + long + "\n/c\n/d\n" + long + "\ne"
	want := "/a\n/b\r\n\n<4>/c\n/d\n<7>e"
	for name, in := range map[string]io.Reader{
		"at once":    strings.NewReader(input),
		"half":       iotest.HalfReader(strings.NewReader(input)),
		"with EOF":   iotest.DataErrReader(strings.NewReader(input)),
		"then error": io.MultiReader(strings.NewReader(input), iotest.ErrReader(errors.New("broken"))),
	} {
		r := New(in, "input", limit)
		var got strings.Builder
		for {
			c, ok := r.Next()
			if !ok {
				break
			}
			got.WriteString(c.Lines)
			if c.TooLong > 0 {
				got.WriteString("<" + string(rune('0'+c.TooLong)) + ">")
			}
		}
		if got.String() != want {
			t.Errorf("%s: got %.100q, want %q", name, got.String(), want)
		}
		if (r.Err() != nil) != (name == "then error") {
			t.Errorf("%s: error %v", name, r.Err())
		}
	}
	r := New(iotest.OneByteReader(strings.NewReader("/a\n/b")), "input", limit)
	first, _ := r.Next()
	second, _ := r.Next()
	if _, more := r.Next(); first.Lines != "/a\n" || second.Lines != "/b" || more {
		t.Errorf("byte by byte: %q, %q, %v", first.Lines, second.Lines, more)
	}
}

// A line of exactly the limit is returned, and one that is a byte longer is skipped, however
// many bytes a read returns.
func TestLineLimitIsExact(t *testing.T) {
	for _, limit := range []int{2 * chunkSize, chunkSize, 100} {
		checkLimit(t, limit)
	}
}

func checkLimit(t *testing.T, limit int) {
	t.Helper()
	input := strings.Repeat("a", limit) + "\n" + strings.Repeat("b", limit+1) + "\n" + strings.Repeat("c", limit)
	for name, in := range map[string]io.Reader{
		"at once":   strings.NewReader(input),
		"in halves": iotest.HalfReader(strings.NewReader(input)),
	} {
		var got []string
		for line := range New(in, "input", limit).All() {
			got = append(got, fmt.Sprint(line.Number, " ", len(strings.TrimSpace(line.Text)), " ", line.TooLong))
		}
		if want := []string{fmt.Sprint("1 ", limit, " false"), "2 0 true", fmt.Sprint("3 ", limit, " false")}; !slices.Equal(got, want) {
			t.Errorf("%d bytes, %s: %q, want %q", limit, name, got, want)
		}
	}
}
