package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/heed-robots/heed/warc"
)

var bodies = []string{"software: test\r\n", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n", "", "HTTP/1.1 404 Not Found\r\n\r\n\r\n\r\nWARC"}

func record(i int) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.com/%d>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(bodies[i]), bodies[i])
}

// forms returns a file with all bodies in each of the usual forms.
func forms() map[string][]byte {
	var plain, members bytes.Buffer
	for i := range bodies {
		plain.WriteString(record(i))
		members.Write(zipped(record(i)))
	}
	return map[string][]byte{"plain": plain.Bytes(), "members": members.Bytes(), "whole": zipped(plain.String())}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.Bytes()
}

// read returns the bodies of the records that could be read, by the number in their URI, and the
// damages.
func read(t *testing.T, from io.Reader) (good map[string]string, damages []error) {
	t.Helper()
	good = map[string]string{}
	r := warc.NewReader(from)
	for range 1000 {
		record, err := r.Next()
		if err == io.EOF {
			if _, again := r.Next(); again != io.EOF {
				t.Fatalf("behind the end: %v", again)
			}
			return good, damages
		}
		if d := (*warc.Damage)(nil); errors.As(err, &d) {
			damages = append(damages, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(record.Block); err == nil {
			good[strings.TrimPrefix(record.Header.TargetURI(), "http://example.com/")] = string(body)
		}
	}
	t.Fatal("the file does not end")
	return nil, nil
}

func TestForms(t *testing.T) {
	for form, file := range forms() {
		for name, from := range map[string]io.Reader{"file": bytes.NewReader(file), "pipe": iotest.OneByteReader(bytes.NewReader(file)), "at once": iotest.DataErrReader(bytes.NewReader(file))} {
			good, damages := read(t, from)
			if len(damages) > 0 || len(good) != len(bodies) {
				t.Errorf("%s, %s: %v %v", form, name, good, damages)
			}
			for i, body := range bodies {
				if good[fmt.Sprint(i)] != body {
					t.Errorf("%s, %s: record %d is %q, want %q", form, name, i, good[fmt.Sprint(i)], body)
				}
			}
		}
	}
}

// A file that is cut anywhere has all records before the cut, and one that is cut in a record says
// where.
func TestCut(t *testing.T) {
	for form, file := range forms() {
		ends := map[int]bool{0: true} // where no record is cut
		whole := 0                    // records before the cut
		for at, record := 0, 0; record < len(bodies) && form != "whole"; record++ {
			at += len(forms1(form, record))
			ends[at] = true
		}
		for n := range len(file) {
			good, damages := read(t, bytes.NewReader(file[:n]))
			if form != "whole" && n > 0 && ends[n] {
				whole++
			}
			if form != "whole" && len(good) < whole {
				t.Errorf("%s, cut at %d: %v, want %d records", form, n, good, whole)
			}
			if isCut := !ends[n]; form == "members" && isCut != (len(damages) > 0) {
				t.Errorf("%s, cut at %d: %v", form, n, damages)
			}
		}
	}
}

func forms1(form string, i int) []byte {
	if form == "members" {
		return zipped(record(i))
	}
	return []byte(record(i))
}

// A wrong octet costs no other record than its own where each has a gzip member, and is told.
func TestWrongOctet(t *testing.T) {
	file := forms()["members"]
	for at := range file {
		for _, flip := range []byte{1, 0x80, 0xff} {
			wrong := bytes.Clone(file)
			wrong[at] ^= flip
			good, damages := read(t, bytes.NewReader(wrong))
			if len(good) < len(bodies)-1 || len(good) < len(bodies) && len(damages) == 0 {
				t.Fatalf("octet %d ^ %#x: %v %v", at, flip, good, damages)
			}
			for i, body := range bodies {
				if got, ok := good[fmt.Sprint(i)]; ok && got != body {
					t.Errorf("octet %d ^ %#x: record %d is %q", at, flip, i, got)
				}
			}
			read(t, iotest.HalfReader(struct{ io.Reader }{bytes.NewReader(wrong)}))
		}
	}
	for form, file := range forms() {
		for at := range file {
			wrong := bytes.Clone(file)
			wrong[at] ^= 0x55
			read(t, bytes.NewReader(wrong))
		}
		_ = form
	}
}

// The work is bounded by the size of the file, whatever it has: here members within members, each
// of which is damaged at the end of the file.
func TestMembersInMembers(t *testing.T) {
	const depth = 3000
	var file bytes.Buffer
	for range depth {
		file.Write([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00")) // a stored block that is not the last
		size := 10 + 5 + 11 + 5
		file.Write([]byte{byte(size), byte(size >> 8), ^byte(size), ^byte(size >> 8)})
		file.WriteString("WARC/")
	}
	counted := &counter{Reader: bytes.NewReader(file.Bytes())}
	read10(t, counted)
	if limit := int64(10*file.Len() + 4<<20); counted.n > limit {
		t.Errorf("%d octets were read of a file of %d", counted.n, file.Len())
	}
}

type counter struct {
	*bytes.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func read10(t *testing.T, from io.Reader) {
	t.Helper()
	r := warc.NewReader(from)
	for {
		if _, err := r.Next(); err == io.EOF {
			return
		}
	}
}
