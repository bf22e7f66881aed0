package input

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// bzipped is "hello\n" as bzip2 compresses it: Go cannot.
const bzipped = "QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi"

// TestOpen: an input is decompressed as its first bytes say, and errors of compression say where they are.
func TestOpen(t *testing.T) {
	var zipped, framed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("hello\n"))
	z.Close()
	frames, err := zstd.NewWriter(&framed)
	if err != nil {
		t.Fatal(err)
	}
	frames.Write([]byte("hello\n"))
	frames.Close()
	bzip, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	for name, octets := range map[string]string{"plain": "hello\n", "gzip": zipped.String(), "zstd": framed.String(), "bzip2": string(bzip), "two": zipped.String() + zipped.String(), "empty": "", "BZh": "BZh is no bzip2\n"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(octets), 0o600); err != nil {
			t.Fatal(err)
		}
		var read atomic.Int64
		in, err := Open(file, nil, &read)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(in)
		in.Close()
		want := map[string]string{"two": "hello\nhello\n", "empty": "", "BZh": "BZh is no bzip2\n"}
		expected, ok := want[name]
		if !ok {
			expected = "hello\n"
		}
		if err != nil || string(text) != expected || read.Load() != int64(len(octets)) || in.File == nil {
			t.Errorf("%s: %v, %q, %d bytes read", name, err, text, read.Load())
		}
	}
	in, err := Open("-", bytes.NewReader(zipped.Bytes()[:zipped.Len()-4]), new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(in); err == nil || !strings.HasPrefix(err.Error(), "the compressed input ends too early, at byte ") || in.Name != "standard input" {
		t.Errorf("cut: %v", err)
	}
	// A place is one of the input, also if another one was counted before.
	var read atomic.Int64
	for range 2 {
		if in, err = Decompressed("list.gz", bytes.NewReader(zipped.Bytes()[:zipped.Len()-4]), &read); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("too early, at byte %d:", zipped.Len()-4)
		if _, err := io.ReadAll(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if n := read.Load(); n != 2*int64(zipped.Len()-4) {
		t.Errorf("%d bytes were read", n)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), nil, new(atomic.Int64)); err == nil {
		t.Error("no error for a file that is not there")
	}
}
