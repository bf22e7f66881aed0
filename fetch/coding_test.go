package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// sampled is of how many real files one is read, if not all are.
const sampled = 10

func brotlied(body string) string {
	var b bytes.Buffer
	z := brotli.NewWriterLevel(&b, 11)
	io.WriteString(z, body)
	z.Close()
	return b.String()
}

func zstandard(body string) string {
	z, _ := zstd.NewWriter(nil)
	return string(z.EncodeAll([]byte(body), nil))
}

// encoders are the codings of this file, by the name that a header gives them.
var encoders = map[string]func(string) string{
	"gzip": gzipped, "br": brotlied, "zstd": zstandard, "deflate": func(s string) string { return zlibbed(s, 9) },
}

// savedWith returns the Result of a saved response.
func savedWith(t *testing.T, coding, body string) Result {
	t.Helper()
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	return Saved(Result{Origin: o, Status: 200, Header: http.Header{"Content-Encoding": {coding}}, Body: []byte(body)}, 0)
}

// A short file is stored as it is behind the header of a compressor, which may hide the line
// User-agent. It is decoded, live and from an archive. Without its Content-Encoding it is unreachable,
// unless a whole group can be read.
func TestCodingsOfShortFiles(t *testing.T) {
	portion.Skip(t, 4)
	for _, text := range []string{
		disallowAll, "user-agent:*\ndisallow:/", "\nUser-agent: *\nDisallow: /\n", "# x\nUser-agent: *\nDisallow: /\n",
		disallowAll + "\nUser-agent: b\nDisallow: /b\n",
		strings.Repeat("#", 200) + "\n" + disallowAll,
	} {
		for coding, encode := range encoders {
			for _, c := range []struct{ coding, body string }{
				{coding, encode(text)}, {"gzip, " + coding, encode(gzipped(text))}, {coding + ", br", brotlied(encode(text))},
			} {
				for how, r := range map[string]Result{
					"live": answerWith(t, 200, c.body, "Content-Encoding: "+c.coding), "saved": savedWith(t, c.coding, c.body),
				} {
					if r.Err != nil || string(r.Body) != text || r.File(nil).Agent("a").Check("/").Allowed {
						t.Errorf("%s, %s of %q: %q, %v", how, c.coding, text, r.Body, r.Err)
					}
				}
			}
			if r := savedWith(t, coding, text); r.Err != nil || string(r.Body) != text {
				t.Errorf("%q, stored as text, is %q as %s: %v", text, r.Body, coding, r.Err)
			}
			if r := answerWith(t, 200, encode(text)); r.File(nil).Agent("a").Check("/").Allowed {
				t.Errorf("%s of %q without a header: %s, %q, %v", coding, text, outcomes(r), r.Body, r.Err)
			}
		}
	}
}

// Compressors put bytes between the lines of a short file and behind its last pattern, so what can be read
// of it is another file. Without a Content-Encoding, or under another one, that is no permission.
func TestReadableButCompressed(t *testing.T) {
	flushed := func(s string) string {
		var b bytes.Buffer
		z := brotli.NewWriterLevel(&b, 1)
		io.WriteString(z, s[:len(s)/2])
		z.Flush()
		io.WriteString(z, s[len(s)/2:])
		z.Close()
		return b.String()
	}
	levels := []int{0, 1, 4, 11} // one of each kind of the compressor; HEED_WHOLE tries all
	if portion.Whole() {
		levels = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	}
	tries, bodies := 0, map[string]bool{}
	for _, before := range []string{"", "\n", "   ", "# c\n", "# robots.txt of example.com\n\n", "\ufeff", "User-agent: b\nDisallow:\n\n"} {
		for _, text := range []string{
			"User-agent: *\nDisallow: /", "User-agent: *\r\nDisallow: /*\r\n", "user-agent:*\ndisallow: /", "User-agent: *\nDisallow: / # x",
			"User-agent: *\rDisallow:/\rDisallow: /b\rDisallow:/",
		} {
			for _, level := range levels {
				var b bytes.Buffer
				z := brotli.NewWriterLevel(&b, level)
				io.WriteString(z, before+text)
				z.Close()
				bodies[b.String()] = true
			}
			bodies[flushed(before+text)], bodies[zstandard(before+text)] = true, true
		}
	}
	for body := range bodies {
		for _, coding := range []string{"identity", "gzip", "br, gzip", "utf-8"} {
			for how, r := range map[string]Result{"live": answerWith(t, 200, body, "Content-Encoding: "+coding), "saved": savedWith(t, coding, body)} {
				tries++
				if f := r.File(nil); f.Agent("a").Check("/").Allowed {
					t.Errorf("%s, %s: %q is read as %q: %v", how, coding, body, r.Body, r.Err)
				}
			}
		}
	}
	if tries < 1000 {
		t.Errorf("only %d tries", tries)
	}
}

// A body that is damaged, has no end, has more behind its end, or was encoded too often, is unreachable,
// live and from an archive.
func TestDamagedCodings(t *testing.T) {
	text := disallowAll + strings.Repeat("Disallow: /a/b\nDisallow: /c\n", 40)
	bodies := map[string][2]string{ // name: coding and body
		"four times": {"gzip, gzip, gzip, gzip", gzipped(gzipped(gzipped(gzipped(text))))},
		"unknown":    {"compress", text[14:]},

		"more behind the outer coding": {"br, deflate", zlibbed(brotlied(text), 9) + "\n"},
		"more behind the inner coding": {"deflate, br", brotlied(zlibbed(text, 9) + "\n")},
	}
	for coding, encode := range encoders {
		whole := encode(text)
		bodies[coding+" without its last byte"] = [2]string{coding, whole[:len(whole)-1]}
		bodies[coding+", the half of it"] = [2]string{coding, whole[:len(whole)/2]}
		bodies[coding+" with another byte"] = [2]string{coding, whole + "\n"}
		bodies[coding+" with a zero"] = [2]string{coding, whole + "\x00"}
		bodies[coding+" with a wrong begin"] = [2]string{coding, "\xfe" + whole[1:]}
		bodies[coding+", whose second coding has no end"] = [2]string{coding + ", br", brotlied(whole[:len(whole)-1])}
	}
	for name, c := range bodies {
		for how, r := range map[string]Result{
			"live": answerWith(t, 200, c[1], "Content-Encoding: "+c[0]), "saved": savedWith(t, c[0], c[1]),
		} {
			if outcomes(r) != allUnreachable || !errors.Is(r.Err, NoRobotsTxt) || r.Body != nil {
				t.Errorf("%s, %s: %s, %q, %v", how, name, outcomes(r), r.Body, r.Err)
			}
		}
	}
	whole, _ := origin.Parse("https://a.example")
	cut := Result{Origin: whole, Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Truncated: true}
	packed := gzipped(text)
	cut.Body = []byte(packed[:len(packed)-9])
	if r := Saved(cut, 0); r.Err != nil || !strings.HasPrefix(string(r.Body), disallowAll) || !r.Truncated {
		t.Errorf("cut by the archive: %q, %v", r.Body, r.Err)
	}
	var damaged bytes.Buffer
	z := gzip.NewWriter(&damaged)
	io.WriteString(z, text)
	z.Flush()
	damaged.WriteString("\xff\xff") // no block begins so
	cut.Body = damaged.Bytes()
	if r := Saved(cut, 0); r.Err == nil {
		t.Errorf("damaged, and cut by the archive: %q", r.Body)
	}
}

// digits returns n digits that cannot be compressed to much less than the half.
func digits(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(r.IntN(10))
	}
	return string(b)
}

// an archive has the text of an encoded body if that begins as a robots.txt does. Anything else is
// decoded, and so is a failure if it is no such encoding.
func TestWhatIsStoredAsText(t *testing.T) {
	for _, c := range []struct {
		coding, body string
		isText       bool
	}{
		{"br", disallowAll, true},
		{"deflate", "\n# abc\n" + disallowAll, true},
		{"br", "Disallow: /a\n" + disallowAll, false}, // bytes before it may have hidden a line
		{"br", "abc\n" + disallowAll, false},
		{"br", disallowAll + "\x00\x00a", false},
		{"br", "# abc\n", false},
		{"gzip", "abc\n" + disallowAll, true},
		{"gzip", "abc", false},
		{"gzip", "\xfeabc\n" + disallowAll, false},
		{"gzip", "BZh9\n" + disallowAll, false},
		{"br, gzip", "abc\n" + disallowAll, true},
		{"gzip, br", "abc\n" + disallowAll, false},
	} {
		r := savedWith(t, c.coding, c.body)
		if (r.Outcome(nil) == Rules) != c.isText || c.isText != (string(r.Body) == c.body) {
			t.Errorf("%q as %s: %s, %q, %v", c.body, c.coding, r.Outcome(nil), r.Body, r.Err)
		}
	}
}

// What a compressed body contains is limited, and so is what is between two codings.
func TestCodingsAreLimited(t *testing.T) {
	portion.Skip(t, 4)
	zeros := strings.Repeat("#\n", 4<<20)
	for coding, encode := range encoders {
		encoded := encode(zeros)
		for _, r := range []Result{
			answerWith(t, 200, encoded, "Content-Encoding: "+coding), savedWith(t, coding, encoded),
			answerWith(t, 200, brotlied(encoded), "Content-Encoding: "+coding+", br"),
		} {
			if len(r.Body) > defaultMaxBytes || !r.Truncated || r.Err != nil {
				t.Errorf("%s: %d bytes, truncated %v, %v", coding, len(r.Body), r.Truncated, r.Err)
			}
		}
	}
	hollow := strings.Repeat(gzipped(""), 200_000) // 4.6 MB that contain nothing
	if r := answerWith(t, 200, gzipped(hollow), "Content-Encoding: gzip, gzip"); outcomes(r) != allUnreachable {
		t.Errorf("many empty members: %s, %v", outcomes(r), r.Err)
	}
	var large bytes.Buffer
	z, err := zstd.NewWriter(&large, zstd.WithWindowSize(16<<20))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, disallowAll)
	z.Flush()
	z.Close()
	if r := answerWith(t, 200, large.String(), "Content-Encoding: zstd"); outcomes(r) != allUnreachable {
		t.Errorf("zstd with a window of 16 MiB: %s, %v", outcomes(r), r.Err)
	}
}

// A reader may return its last bytes together with the end.
func TestEndWithBytes(t *testing.T) {
	text := disallowAll + digits(100_000)
	for coding, encode := range encoders {
		from := iotest.DataErrReader(strings.NewReader(encode(text)))
		if got, err := decode(from, []string{coding}, 1<<20); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", coding, len(got), err)
		}
	}
}

// Programs store real files as text and keep the Content-Encoding. Nearly all of them are read
// as they are, and no other is misread: it is unreachable. Without HEED_WHOLE only one file
// in ten is read, others each time.
func TestCorpusStoredAsText(t *testing.T) {
	n, read, skipped := 0, 0, rand.N(sampled)
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if skipped++; !portion.Whole() && skipped%sampled != 0 {
			continue
		}
		if !strings.HasSuffix(name, ".txt") || len(body) > defaultMaxBytes {
			continue
		}
		plain := savedWith(t, "", string(body))
		if plain.Outcome(nil) != Rules || charset.CountRecords(plain.Body).All() == 0 {
			continue
		}
		for coding := range encoders {
			n++
			r := savedWith(t, coding, string(body))
			if r.Outcome(nil) == Rules {
				read++
				if string(r.Body) != string(plain.Body) {
					t.Errorf("%s as %s: %.60q", name, coding, r.Body)
				}
			}
		}
	}
	t.Logf("%d of %d are read", read, n)
	if read < n*99/100 {
		t.Errorf("%d of %d are read", read, n)
	}
}
