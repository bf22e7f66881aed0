package csvrecords

import (
	"io"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// Lines that all open a field, and records that all are too long, take no more work than others.
func TestHostileRecords(t *testing.T) {
	portion.Skip(t, 3)
	const max = 1 << 20
	const most = max - 1000
	texts := []string{strings.Repeat("a", most), `"` + strings.Repeat("a", most), "\"\n" + strings.Repeat("a", most), strings.Repeat("a\",b,\"c\n", 10_000) + strings.Repeat("a", most)}
	for _, line := range []string{"a\n", "\"a\n", "a,\"\n", "a\",b,\"c\n", "\"\"\"\n", "\"\"\",\"\n", "\"a\"b\n", "\"a\"\"\n", "a\",\"\n", "\",\"\",\"\n"} {
		for _, first := range []string{"", "\"", "a,\"b\n"} {
			texts = append(texts, first+strings.Repeat(line, 2*max/len(line)))
		}
	}
	for _, text := range texts {
		check := func(looked, read int) {
			if looked > 5*len(text) { // quotation marks, and lines as the first one and in an open field
				t.Errorf("%.20q and so on, reads of %d: looked at %d bytes of %d", text, read, looked, len(text))
			}
		}
		for _, read := range []int{1 << 30, 700} {
			all := lines.New(smallReads{strings.NewReader(text), read}, "", max)
			all.Recycles, all.Records = true, New(',', max)
			for b := range all.Blocks {
				b.Recycle()
			}
			check(all.Records.(*Records).readBytes, read)
		}
		r := New(',', max)
		for rest := text; rest != ""; {
			n, _ := r.Next(rest, true)
			rest = rest[n:]
		}
		check(r.readBytes, len(text))
	}
}

// smallReads is a reader that returns at most some bytes.
type smallReads struct {
	io.Reader
	most int
}

func (r smallReads) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.most)]) }
