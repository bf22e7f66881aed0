package input

import (
	"bufio"
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

// compressed returns "hello\n" in each compression.
func compressed(t *testing.T) map[string]string {
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
	return map[string]string{"gzip": zipped.String(), "zstd": framed.String(), "bzip2": string(bzip)}
}

// TestOpen: an input is decompressed as its first bytes say.
func TestOpen(t *testing.T) {
	all := compressed(t)
	for name, content := range map[string]string{"plain": "hello\n", "gzip": all["gzip"], "zstd": all["zstd"], "bzip2": all["bzip2"], "two": all["gzip"] + all["gzip"], "empty": "", "BZh": "BZh is no bzip2\n"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
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
		if err != nil || string(text) != expected || read.Load() != int64(len(content)) || in.File == nil {
			t.Errorf("%s: %v, %q, %d bytes read", name, err, text, read.Load())
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), nil, new(atomic.Int64)); err == nil {
		t.Error("no error for a file that is not there")
	}
}

// TestErrors: an error of a compression says at which byte of the input it is, also if another input was counted before.
func TestErrors(t *testing.T) {
	var read atomic.Int64
	counted := 0
	fails := func(name, content, want string) {
		counted += len(content)
		in, err := Decompressed(name, strings.NewReader(content), &read)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		defer in.Close()
		if _, err := io.ReadAll(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	for name, whole := range compressed(t) {
		for size := 4; size < len(whole); size++ {
			fails(fmt.Sprint(name, " cut at ", size), whole[:size], fmt.Sprintf("the compressed input ends too early, at byte %d, so get it again: ", size))
		}
		damaged := []byte(whole)
		damaged[len(damaged)-2] ^= 0xff
		fails(name+" damaged", string(damaged), fmt.Sprintf("the compressed input is damaged before byte %d, so get it again: ", len(whole)))
	}
	fails("gzip with a wrong method", "\x1f\x8b\x07       ", "the compressed input is damaged before byte 10, so get it again: ")
	if n := read.Load(); n != int64(counted) {
		t.Errorf("%d bytes were counted; want %d", n, counted)
	}
	in, err := Open("-", strings.NewReader("a"), &read)
	if err != nil || in.Name != "standard input" || NameOf("a") != "a" {
		t.Errorf("%v, %v", in, err)
	}
}

// TestSkip: each byte of the file is counted once, also bytes that are skipped, or read again after Skip. So progress is right.
func TestSkip(t *testing.T) {
	for name, content := range compressed(t) {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		skips(t, file, content)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	skips(t, plain, "hello\n")
}

// skips checks that after Skip a file, whose content is "hello\n", has "lo\n" left.
func skips(t *testing.T, file, stored string) {
	var read atomic.Int64
	in, err := Open(file, nil, &read)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	from := bufio.NewReader(in)
	from.Peek(1) // the start of the file is in the buffer
	if err := in.Skip(from, 3); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if text, err := io.ReadAll(from); err != nil || string(text) != "lo\n" {
		t.Errorf("%s: %q, %v", file, text, err)
	}
	if n := read.Load(); n != int64(len(stored)) {
		t.Errorf("%s: %d of %d bytes were counted", file, n, len(stored))
	}
}
