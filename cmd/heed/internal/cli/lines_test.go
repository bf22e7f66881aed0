package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A lineReader returns all lines, however many bytes a read returns. It skips a line that is
// too long and returns its number, and it keeps an error of the input.
func TestLineReaderReturnsAllLines(t *testing.T) {
	long := strings.Repeat("x", 3*maxURL)
	input := "/a\n/b\r\n\n" + long + "\n/c\n/d\n" + long + "\ne"
	want := "/a\n/b\r\n\n<4>/c\n/d\n<7>e"
	for name, in := range map[string]io.Reader{
		"at once":    strings.NewReader(input),
		"half":       iotest.HalfReader(strings.NewReader(input)),
		"with EOF":   iotest.DataErrReader(strings.NewReader(input)),
		"then error": io.MultiReader(strings.NewReader(input), iotest.ErrReader(errors.New("broken"))),
	} {
		r := newLineReader(in, "input", maxURL)
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
		if (r.failure() != nil) != (name == "then error") {
			t.Errorf("%s: error %v", name, r.failure())
		}
	}
	r := newLineReader(iotest.OneByteReader(strings.NewReader("/a\n/b")), "input", maxURL)
	first, _ := r.next()
	second, _ := r.next()
	if _, more := r.next(); first.lines != "/a\n" || second.lines != "/b" || more {
		t.Errorf("byte by byte: %q, %q, %v", first.lines, second.lines, more)
	}
}

// A line of exactly the limit is returned, and one that is a byte longer is skipped, however
// many bytes a read returns.
func TestLineLimitIsExact(t *testing.T) {
	const limit = 2 * chunkSize
	input := strings.Repeat("a", limit) + "\n" + strings.Repeat("b", limit+1) + "\n" + strings.Repeat("c", limit)
	for name, in := range map[string]io.Reader{
		"at once":   strings.NewReader(input),
		"in halves": iotest.HalfReader(strings.NewReader(input)),
	} {
		var got []string
		for line := range newLineReader(in, "input", limit).all() {
			got = append(got, fmt.Sprint(line.number, " ", len(strings.TrimSpace(line.text)), " ", line.tooLong))
		}
		if want := []string{fmt.Sprint("1 ", limit, " false"), "2 0 true", fmt.Sprint("3 ", limit, " false")}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// JSON has an object for every line of standard input, also for one that is too long.
func TestEveryLineHasAnObject(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", 2*maxURL)
	input := "https://a.example/1\n" + long + "\nhttps://a.example/3\nnowhere\n" + long
	robots := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(robots, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string][]string{
		"a file": {"--robots", robots},
		"a site": {"--offline", "--store", t.TempDir()},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"check", "-a", "x", "--format", "jsonl", "-"}, source...)
		status := Run(args, strings.NewReader(input), &stdout, &stderr)
		objects := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
		if status != exitUsage || len(objects) != 5 {
			t.Fatalf("%s: exit status %d, %d objects: %.2000s", name, status, len(objects), stdout.String())
		}
		for i, want := range []string{
			`{"url":"https://a.example/1",`,
			`{"url":"","allowed":false,"reason":"invalid-target","error":"standard input, line 2: longer than 1048576 bytes, skipped",`,
			`{"url":"https://a.example/3",`,
			`{"url":"nowhere","allowed":false,"reason":"invalid-target",`,
			`{"url":"","allowed":false,"reason":"invalid-target","error":"standard input, line 5: longer than`,
		} {
			if !strings.HasPrefix(objects[i], want) {
				t.Errorf("%s: object %d is %.200s, want %s", name, i+1, objects[i], want)
			}
		}
	}
}
