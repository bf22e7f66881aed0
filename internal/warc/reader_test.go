package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/warc"
)

// What npm's warcio writes, plain and with a gzip member for each record; testdata/make.mjs says how.
func TestFilesOfWarcio(t *testing.T) {
	want := []string{
		"warcinfo  18 software: warcio\r\n",
		"request https://example.com/robots.txt 47 GET /robots.txt HTTP/1.1\r\nHost: example.com\r\n\r\n",
		"response https://example.com/robots.txt 78 HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n",
		"metadata https://example.com/robots.txt 15 fetchTimeMs: 12",
		"response http://xn--r8jz45g.example/robots.txt 76 HTTP/1.1 301 Moved Permanently\r\nLocation: https://example.com/robots.txt\r\n\r\n",
		"response https://gone.example/robots.txt 68 HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Not found</p>\n",
	}
	for _, name := range []string{"testdata/warcio.warc", "testdata/warcio.warc.gz"} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var got []string
		offset := int64(-1)
		for r := warc.NewReader(file); ; {
			record, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			block, err := io.ReadAll(record.Block)
			if err != nil {
				t.Fatal(err)
			}
			if record.Version != "1.1" || record.Offset <= offset || record.Header.Get("warc-date") == "" {
				t.Errorf("%s: version %q, offset %d behind %d, %v", name, record.Version, record.Offset, offset, record.Header)
			}
			offset = record.Offset
			got = append(got, fmt.Sprint(record.Header.Get("WARC-Type"), " ", record.Header.TargetURI(), " ", record.Length, " ", string(block)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, want)
		}
	}
}

var bodies = []string{"software: test\r\n", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n", "", "HTTP/1.1 404 Not Found\r\n\r\n\r\n\r\nWARC"}

func record(i int) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.com/%d>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(bodies[i]), bodies[i])
}

// forms returns a file with all bodies in each of the usual forms, and where its records end.
func forms() (files map[string][]byte, ends map[string][]int) {
	var plain, members bytes.Buffer
	ends = map[string][]int{}
	for i := range bodies {
		plain.WriteString(record(i))
		members.Write(zipped(record(i)))
		ends["plain"] = append(ends["plain"], plain.Len())
		ends["members"] = append(ends["members"], members.Len())
	}
	return map[string][]byte{"plain": plain.Bytes(), "members": members.Bytes(), "whole": zipped(plain.String())}, ends
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text)) // into memory
	z.Close()
	return b.Bytes()
}

// read returns the bodies of the records that could be read, by the number in their URI, and the
// damages.
func read(t testing.TB, from io.Reader) (good map[string]string, damages []*warc.Damage) {
	t.Helper()
	good = map[string]string{}
	for r := warc.NewReader(from); ; {
		record, err := r.Next()
		var d *warc.Damage
		switch {
		case err == io.EOF:
			if _, again := r.Next(); again != io.EOF {
				t.Fatalf("behind the end: %v", again)
			}
			return good, damages
		case errors.As(err, &d):
			damages = append(damages, d)
		case err != nil:
			t.Fatal(err)
		default:
			if body, err := io.ReadAll(record.Block); err == nil {
				good[strings.TrimPrefix(record.Header.TargetURI(), "http://example.com/")] = string(body)
			}
		}
	}
}

// pipe is a reader that cannot go back.
type pipe struct{ io.Reader }

func TestForms(t *testing.T) {
	files, _ := forms()
	for form, file := range files {
		for name, from := range map[string]io.Reader{
			"file": bytes.NewReader(file), "slow": iotest.OneByteReader(bytes.NewReader(file)), "end with the data": iotest.DataErrReader(pipe{bytes.NewReader(file)}),
		} {
			good, damages := read(t, from)
			for i, body := range bodies {
				if got := good[fmt.Sprint(i)]; got != body {
					t.Errorf("%s, %s: record %d is %q, want %q", form, name, i, got, body)
				}
			}
			if len(damages) > 0 || len(good) != len(bodies) {
				t.Errorf("%s, %s: %v %v", form, name, good, damages)
			}
		}
	}
}

// A reader that does not want a block goes on with the next record.
func TestUnreadBlocks(t *testing.T) {
	files, _ := forms()
	for form, file := range files {
		n := 0
		for r := warc.NewReader(bytes.NewReader(file)); ; n++ {
			if _, err := r.Next(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(form, err)
			}
		}
		if n != len(bodies) {
			t.Errorf("%s: %d records", form, n)
		}
	}
}

// A file that is cut anywhere has all records before the cut, and says which one is cut.
func TestCut(t *testing.T) {
	files, ends := forms()
	for form, file := range files {
		for n := range len(file) {
			good, damages := read(t, bytes.NewReader(file[:n]))
			if form == "whole" {
				continue // any number of its records
			}
			whole, start := 0, 0
			for whole < len(bodies) && ends[form][whole] <= n {
				start = ends[form][whole]
				whole++
			}
			if len(good) < whole {
				t.Errorf("%s, cut at %d: %d records, want %d", form, n, len(good), whole)
			}
			isTold := len(damages) == 1 && damages[0].Offset == int64(start)
			if mustTell := n > start && len(good) == whole; isTold != mustTell {
				t.Errorf("%s, cut at %d in the record at %d, %d records: %v", form, n, start, len(good), damages)
			}
		}
	}
}

// A wrong byte costs no other record than its own where each has a gzip member, and is told; no
// wrong content is taken for right.
func TestWrongByte(t *testing.T) {
	files, _ := forms()
	for form, file := range files {
		for at := range file {
			for _, flip := range []byte{1, 0x80, 0xff} {
				if !portion.Of(8) {
					continue
				}
				wrong := bytes.Clone(file)
				wrong[at] ^= flip
				read(t, pipe{bytes.NewReader(wrong)})
				good, damages := read(t, bytes.NewReader(wrong))
				if form != "members" {
					continue
				}
				if len(good) < len(bodies)-1 || len(good) < len(bodies) && len(damages) == 0 {
					t.Errorf("byte %d ^ %#x: %v %v", at, flip, good, damages)
				}
				for i, body := range bodies {
					if got, ok := good[fmt.Sprint(i)]; ok && got != body {
						t.Errorf("byte %d ^ %#x: record %d is %q", at, flip, i, got)
					}
				}
			}
		}
	}
}

func TestWrongHeaders(t *testing.T) {
	next := record(1)
	for name, c := range map[string]struct{ file, want string }{
		"no length":       {"WARC/1.0\r\nWARC-Type: response\r\n\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: its header Content-Length is ""; expected a number of bytes`},
		"negative length": {"WARC/1.0\r\nContent-Length: -1\r\n\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: its header Content-Length is "-1"; expected a number of bytes`},
		"too short":       {"WARC/1.0\r\nContent-Length: 2\r\n\r\nabcd\r\n\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: it does not end where its header Content-Length says`},
		"no colon":        {"WARC/1.0\r\nContent-Length\r\n\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: a line of its header has no ":"`},
		"a long line":     {"WARC/1.0\r\nA: " + strings.Repeat("a", 70_000) + "\r\n\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: a line of its header has more than 65536 bytes`},
		"many lines":      {"WARC/1.0\r\n" + strings.Repeat("A: a\r\n", 1001) + "\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: its header has more than 1000 lines`},
		"text before":     {record(0) + "\r\ntext\r\n" + next, `at offset 0: the WARC record is damaged, so get the file again: it does not end where its header Content-Length says`},
		"another file":    {"<html>\r\n" + next, `at offset 0: expected a WARC file, which begins with "WARC/", or is compressed with gzip`},
	} {
		good, damages := read(t, strings.NewReader(c.file))
		if len(damages) != 1 || damages[0].Error() != c.want {
			t.Errorf("%s: %v, want %s", name, damages, c.want)
		}
		if good["1"] != bodies[1] {
			t.Errorf("%s: the record behind it is lost: %v", name, good)
		}
	}
}

// Lines go on with white space; names have any case; line ends may be single.
func TestHeader(t *testing.T) {
	record, err := warc.NewReader(strings.NewReader("WARC/0.18\nwarc-type:  response\nX: a\n\t b\ncontent-length: 1\n\nx\n\n")).Next()
	if err != nil {
		t.Fatal(err)
	}
	if h := record.Header; record.Version != "0.18" || h.Get("WARC-Type") != "response" || h.Get("x") != "a b" || h.Get("y") != "" || record.Length != 1 {
		t.Errorf("%+v", record)
	}
}

// An error of the file is no damage of it, and no end.
func TestErrorOfFile(t *testing.T) {
	files, _ := forms()
	broken := errors.New("the disk is broken")
	for form, file := range files {
		r := warc.NewReader(io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(broken)))
		for {
			_, err := r.Next()
			if err == nil {
				continue
			}
			if _, again := r.Next(); !errors.Is(err, broken) || !errors.Is(again, broken) {
				t.Errorf("%s: %v, then %v", form, err, again)
			}
			break
		}
	}
}

// The work is bounded by the size of the file, whatever it has: here members begin within members,
// and none ends.
func TestMembersInMembers(t *testing.T) {
	var file bytes.Buffer
	for range 3000 {
		file.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x1f\x00\xe0\xffWARC/") // a stored block of 31 bytes, which is not the last
		file.WriteString("12345678901")
	}
	from := &counter{Reader: bytes.NewReader(file.Bytes())}
	read(t, from)
	if limit := 8*file.Len() + 4<<20; from.n > limit {
		t.Errorf("%d bytes were read of a file of %d", from.n, file.Len())
	}
}

// counter counts what is read.
type counter struct {
	*bytes.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func FuzzReader(f *testing.F) {
	files, _ := forms()
	for _, file := range files {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		read(t, bytes.NewReader(file))
		read(t, pipe{bytes.NewReader(file)})
	})
}

func BenchmarkReader(b *testing.B) {
	body := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + strings.Repeat("User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n", 10)
	one := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/robots.txt\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(body), body)
	file := bytes.Repeat(zipped(one), 1000)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for r := warc.NewReader(bytes.NewReader(file)); ; n++ {
			record, err := r.Next()
			if err != nil {
				break
			}
			io.Copy(io.Discard, record.Block)
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
