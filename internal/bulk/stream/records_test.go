package stream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/csvrecords"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// readByByte reads records of CSV as docs/filter.md says, one byte after the other, and each record from
// its beginning. It returns what a row shows: the line, and the record or the error.
func readByByte(text string) (rows []string) {
	for number := 1; text != ""; {
		first := len(text)
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			first = i + 1
		}
		n := recordByByte(text)
		why := ""
		switch {
		case len(strings.TrimSuffix(text[:first], "\n")) > maxLine:
			n, why = first, "long"
		case n == 0 || len(strings.TrimSuffix(text[:n], "\n")) > maxLine:
			n, why = first, "quote"
		}
		shown := lines.Trim(text[:n])
		rows = append(rows, fmt.Sprintf("%d %s %x", number, why, shown[:min(len(shown), 100)]))
		number += max(1, strings.Count(text[:n], "\n"))
		text = text[n:]
	}
	return rows
}

// recordByByte returns the length of the first record; 0: its first line is wrong.
func recordByByte(text string) int {
	const begins, inField, quoted, behind = 0, 1, 2, 3
	state := begins
	at := 0
	if strings.HasPrefix(text, "\ufeff") {
		at = len("\ufeff")
	}
	for ; at < len(text); at++ {
		c := text[at]
		isEnd := c == '\n' || c == '\r' && (at+1 == len(text) || text[at+1] == '\n')
		switch {
		case state == quoted && c == '"':
			state = behind
		case state == quoted:
		case state == behind && c == '"':
			state = quoted
		case c == ',':
			state = begins
		case isEnd:
			return min(at+1+strings.IndexByte(text[at:]+"\n", '\n'), len(text)) // with the "\n"
		case state == behind:
			return 0
		case state == begins && c == '"':
			state = quoted
		default:
			state = inField
		}
	}
	if state == quoted {
		return 0
	}
	return len(text)
}

// rowsOf reads records as Run does, in reads of at most some bytes, and from a checkpoint at the end of
// each block if resumes is true.
func rowsOf(text string, size func() int, resumes bool) (rows []string) {
	r := &urlFinder{format: CSV, names: make([]string, 1000)}
	offset, line := int64(0), 1
	for {
		all := r.reader(&oddReads{text[offset:], size}, offset, line)
		for b := range all.Blocks {
			r.lines(&b, func(l *Line) {
				why := ""
				switch {
				case l.Err == csvrecords.ErrBehind, l.Err != nil && strings.Contains(l.Err.Error(), "no closing quotation mark"):
					why = "quote"
				case l.Err != nil && l.Err.Error() == errLong.Error():
					why = "long"
				}
				rows = append(rows, fmt.Sprintf("%d %s %x", l.Number, why, l.Text[:min(len(l.Text), 100)]))
			})
			offset, line = b.Offset, b.First+b.Lines
			b.Recycle()
			if resumes {
				break
			}
		}
		if !resumes || offset == int64(len(text)) {
			return rows
		}
	}
}

// oddReads is a reader that returns a size of bytes.
type oddReads struct {
	rest string
	size func() int
}

func (r *oddReads) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.size())], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// The same bytes are the same records of CSV, however they are read, and wherever a run goes on.
func TestRecords(t *testing.T) {
	rounds, longRounds := 1000, 3
	if portion.Whole() {
		rounds, longRounds = 20_000, 20
	}
	alphabet := []string{`"`, `"`, `"`, `""`, ",", ",", "\n", "\n", "\r\n", "\r", "\x00", "a", " ", "bc", "\ufeff", `,"`, `",`, "\"\n", "é", "\xff"}
	check := func(seed uint64, text string, most int) {
		want := readByByte(text)
		rng := rand.New(rand.NewPCG(seed, 1))
		size := func() int { return 1 + rng.IntN(most) }
		for _, resumes := range []bool{false, true} {
			if got := rowsOf(text, size, resumes); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %.300q, resumes %v:\n%.2000q\nwant\n%.2000q", seed, text, resumes, got, want)
			}
		}
	}
	checkRandom := func(parts []string, maxParts, maxRead int) {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 0))
		var text strings.Builder
		for range rng.IntN(maxParts) {
			text.WriteString(parts[rng.IntN(len(parts))])
		}
		check(seed, text.String(), 1+rng.IntN(maxRead))
	}
	for range rounds {
		checkRandom(alphabet, 60, 40)
	}
	long := append(slices.Clone(alphabet), strings.Repeat("x", maxLine/3), strings.Repeat("\"\"", maxLine/5), strings.Repeat("y", maxLine-1), "z", strings.Repeat("a\",b,\"c\n", 5))
	for range longRounds {
		checkRandom(long, 20, maxLine)
	}
}

// A record has at most maxLine bytes without its last line end, to the byte.
func TestRecordLimit(t *testing.T) {
	for _, n := range []int{-1, 0, 1} {
		record := "\"a\n" + strings.Repeat("b", maxLine+n-len("\"a\n\"")) + "\""
		for _, text := range []string{record, record + "\n", record + "\nc,d\n"} {
			for _, size := range []int{1 << 30, maxLine, maxLine + 1, 1000} {
				want, got := readByByte(text), rowsOf(text, func() int { return size }, false)
				if wrong := strings.HasPrefix(got[0], "1 quote"); !slices.Equal(got, want) || wrong != (n > 0) {
					t.Errorf("%d bytes, reads of %d: %.200q, want %.200q", maxLine+n, size, got, want)
				}
			}
		}
	}
}

// BenchmarkRecords reads records of CSV; the first name is how many fields have quotation marks.
func BenchmarkRecords(b *testing.B) {
	for name, record := range map[string]string{
		"none": "%d,https://shop.example/some/page/%d,text/html,200\n",
		"one":  "%d,\"https://shop.example/some/page/%d\",text/html,200\n",
		"all":  "\"%d\",\"https://shop.example/some/page/%d\",\"text/html\",\"200\"\n",
	} {
		var text bytes.Buffer
		for i := range 100_000 {
			fmt.Fprintf(&text, record, i, i)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				r := &urlFinder{format: CSV, comma: ',', column: 1, names: make([]string, 4)}
				all := r.reader(bytes.NewReader(text.Bytes()), 0, 1)
				for block := range all.Blocks {
					r.lines(&block, func(*Line) {})
					block.Recycle()
				}
			}
		})
	}
}
